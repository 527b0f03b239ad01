#!/usr/bin/env bash
# Someone rebases the branch of a stage: the record is repaired from proof, once, and the log only grows.
source "$(dirname "${BASH_SOURCE[0]}")/task.sh"

# rebase: onto a main that moved on in the very file that the stage changes.
rebase() {
  edit a.txt "$1" "main moved on"
  git rebase -q main "$BRANCH-s1"
  git checkout -q main
  NEW="$(rev "$BRANCH-s1")"
}

new_task rebase
stage 1 main a.txt 3 one a.txt 9 two
OLD="$TIP"
stage 2 main b.txt 3 three
rebase 35

step "it can be repaired, and looking changes nothing"
remember
reconcile 0
items "done 1 auto $NEW"
told 'it.items.map((item) => [item.recorded, item.matched_commit, item.effect])' "$OLD $NEW present"
empty "stderr" "$WORK/err"
unchanged "looking"

step "it is repaired, with a row at the end of the log"
reconcile 0 --apply
told 'it.applied.map((one) => [one.stage, one.replaced, one.new_commit, one.reason])' "1 $OLD $NEW auto-patch-id"
told it.remaining_confirm ""
equal "stderr" "$(cat "$WORK/err")" "git-reconcile: stage 1 done commit ${OLD:0:8} -> ${NEW:0:8} (patch-equivalent)"
grown 1
logged '(({ status, head_commit, reconciled, reconcile_reason, replaced_commit, witness_commit, ref, branch_tip }) =>
    [status, head_commit, reconciled, reconcile_reason, replaced_commit, witness_commit, ref, branch_tip])(it.at(-1))' \
  "done $NEW true auto-patch-id $OLD $OLD refs/heads/$BRANCH-s1 $NEW"
logged 'JSON.stringify(it[2].content) === JSON.stringify(it[0].content) && it[2].base_commit === it[0].base_commit' true
for commit in "$OLD" "$NEW"; do
  equal "the keep ref" "$(rev "refs/okstra/keep/auth/login/s1-$commit")" "$commit"
done

step "twice changes nothing"
remember
reconcile 0 --apply
told 'JSON.stringify(it)' '{"applied":[],"remaining_confirm":[]}'
empty "stderr" "$WORK/err"
reconcile 0
items ""
unchanged "doing it again"

step "a second rebase is proved from the first record, and told to people"
rebase 30
remember
run 0 "$OKSTRA" git-reconcile "${TASK[@]}"
contains "the table" "$WORK/out" "${NEW:0:8}"
contains "the table" "$WORK/out" "auto"
run 0 "$OKSTRA" git-reconcile "${TASK[@]}" --apply
contains "what is said" "$WORK/out" "-> ${NEW:0:8} (patch-equivalent)"
grown 1
logged 'it.at(-1).witness_commit' "$OLD"

step "the two commits are made one"
git checkout -q "$BRANCH-s1"
git reset -q --soft main
git commit -q -m "both in one"
git checkout -q main
rebase 25
remember
reconcile 0 --apply
told 'it.applied.map((one) => one.new_commit)' "$NEW"
grown 1

step "a commit is dropped: a part is never taken for the whole"
new_task dropped
stage 1 main a.txt 3 one a.txt 20 two
rebase 35
reconcile 0 --apply
edit a.txt 30 "main moved on again"
git checkout -q "$BRANCH-s1"
git reset -q --hard HEAD^
git rebase -q main
git checkout -q main
remember
reconcile 2
items "done 1 confirm null"
reconcile 2 --apply
told it.applied ""
told 'it.remaining_confirm.map((item) => item.stage)' 1
unchanged "a part"

step "stages recorded one on the other are each repaired"
new_task stacked
stage 1 main a.txt 3 one
FIRST="$TIP"
stage 2 "$BRANCH-s1" a.txt 20 two
edit a.txt 35 "main moved on"
git rebase -q --update-refs main "$BRANCH-s2"
git checkout -q main
remember
reconcile 0 --apply
told 'it.applied.map((one) => [one.stage, one.replaced, one.new_commit])' \
  "1 $FIRST $(rev "$BRANCH-s1") 2 $TIP $(rev "$BRANCH-s2")"
grown 2
