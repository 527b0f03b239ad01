#!/usr/bin/env bash
# The commit of a done stage is amended: without a person's word nothing is repaired, in whatever way it is asked for.
source "$(dirname "${BASH_SOURCE[0]}")/task.sh"

# amend: makes what stands in the work tree the stage's commit, and goes back to main.
amend() {
  git commit -q -a --amend -m "amended"
  NEW="$(rev HEAD)"
  git checkout -q main
}

# is_refused: the stage is left to a person, with a command that helps, and nothing is written.
is_refused() {
  remember
  reconcile 2
  items "done 1 confirm null"
  told 'it.items[0].recorded' "$OLD"
  reconcile 2 --apply
  told it.applied ""
  told 'it.remaining_confirm.map((item) => [item.kind, item.stage])' "done 1"
  run 2 "$OKSTRA" git-reconcile "${TASK[@]}" --apply
  contains "what to do next" "$WORK/out" "--apply --stage 1 --use-ref $BRANCH-s1"
  unchanged "an amend"
}

step "one line is amended"
new_task amended
stage 1 main a.txt 3 one a.txt 20 two
OLD="$TIP"
git checkout -q "$BRANCH-s1"
sed 's/^two$/two, as reviewed/' a.txt >"$STORY/edited"
cp "$STORY/edited" a.txt
amend
is_refused

step "only the indentation of Python code is amended, which a patch-id does not see"
new_task indented
git checkout -q -b "$BRANCH-s1"
printf '%s\n' 'def check(user):' '    if user is None:' '        audit()' '    deny()' >check.py
git add check.py
git commit -q -m "check"
OLD="$(rev HEAD)"
git checkout -q main
record 1 main "$OLD"
git checkout -q "$BRANCH-s1"
sed 's/^    deny/        deny/' check.py >"$STORY/edited"
cp "$STORY/edited" check.py
amend
patch_id() { git show "$1" | git patch-id --stable | cut -d ' ' -f 1; }
equal "the patch-id of the amended commit" "$(patch_id "$NEW")" "$(patch_id "$OLD")"
is_refused

step "it is refused after a rebase too"
edit c.txt 3 "main moved on"
git rebase -q main "$BRANCH-s1"
git checkout -q main
is_refused

step "what was amended is landed in main by squash: still nobody knows"
git merge -q --squash "$BRANCH-s1" >"$WORK/out" 2>&1
git commit -q -m "squashed"
remember
reconcile 2 --into main --apply
told 'it.applied.concat(it.into.map((one) => one.verdict))' ask
unchanged "a landing of what was amended"

step "the command that is suggested helps, as it is printed"
run 2 "$OKSTRA" git-reconcile "${TASK[@]}"
COMMAND="$(grep -o "okstra git-reconcile .*--use-ref $BRANCH-s1" "$WORK/out")"
remember
run 0 env PATH="$WORK/app/node_modules/.bin:$PATH" bash -c "$COMMAND"
grown 1
logged '(({ stage, head_commit, reconcile_reason, replaced_commit, ref, branch_tip }) =>
    [stage, head_commit, reconcile_reason, replaced_commit, ref, branch_tip])(it.at(-1))' \
  "1 $(rev "$BRANCH-s1") user-ref $OLD refs/heads/$BRANCH-s1 $(rev "$BRANCH-s1")"
reconcile 0
items ""

step "only the message is amended: that is repaired from proof"
new_task message
stage 1 main a.txt 3 one
git checkout -q "$BRANCH-s1"
amend
reconcile 0 --apply
told 'it.applied.map((one) => one.new_commit)' "$NEW"
