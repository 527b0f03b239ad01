#!/usr/bin/env bash
# A pull request is merged with “squash and merge”, and every branch of the task is deleted: the records hold, git keeps
# their commits, and okstra says where the stages are in main.
source "$(dirname "${BASH_SOURCE[0]}")/task.sh"

new_task squash
stage 1 main a.txt 3 one a.txt 9 two
FIRST="$TIP"
stage 2 main b.txt 3 three b.txt 9 four
SECOND="$TIP"
on "$BRANCH" git merge -q --no-ff --no-edit "$BRANCH-s1" "$BRANCH-s2" >"$WORK/out"
edit a.txt 30 "main moved on in a file of the first stage"
git merge -q --squash "$BRANCH" >"$WORK/out" 2>&1
echo "login (#7)" >CHANGELOG
git add CHANGELOG
git commit -q -m "Login (#7)"
LANDED="$(rev HEAD)"
edit c.txt 35 "main goes on"
git branch -q -D "$BRANCH-s1" "$BRANCH-s2" "$BRANCH"

step "git says that neither was merged, and okstra that both records hold"
remember
run 1 git merge-base --is-ancestor "$FIRST" main
run 1 git merge-base --is-ancestor "$SECOND" main
reconcile 0
items ""
reconcile 0 --all
items "anchor null ok null done 1 ok null done 2 ok null"

ANSWER="1 refs/heads/main $LANDED replay present contained 2 refs/heads/main $LANDED same-change present contained"
# in_main: where okstra says the stages are.
in_main() {
  reconcile 0 --into main
  told 'it.into.map((one) => [one.stage, one.ref, one.matched_commit, one.proof, one.effect, one.verdict])' "$ANSWER"
  empty "stderr" "$WORK/err"
}

step "both are in main, in one commit, each by its own proof"
in_main
unchanged "looking"

step "git throws away what nothing holds, and the commits are still there"
echo "nobody holds me" | git hash-object -w --stdin >"$WORK/blob"
collect
run 1 git cat-file -e "$(cat "$WORK/blob")"
run 0 git cat-file -e "$FIRST"
run 0 git cat-file -e "$SECOND"
in_main
unchanged "git gc"

step "where they landed is recorded on request, and once"
reconcile 0 --into main --apply
told 'it.applied.map((one) => [one.stage, one.replaced, one.new_commit, one.reason])' \
  "1 $FIRST $LANDED auto-patch-id 2 $SECOND $LANDED auto-patch-id"
told it.remaining_confirm ""
grown 2
logged 'it.slice(2).map((row) => [row.stage, row.head_commit, row.ref, row.witness_commit, row.branch_tip])' \
  "1 $LANDED refs/heads/main $FIRST null 2 $LANDED refs/heads/main $SECOND null"
remember
reconcile 0 --into main --apply
told it.applied ""
unchanged "doing it again"

step "it was the keep refs that held the commits"
unkeep
collect
run 1 git cat-file -e "$FIRST"
reconcile 0
items ""
