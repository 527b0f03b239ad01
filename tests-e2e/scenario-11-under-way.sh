#!/usr/bin/env bash
# Somebody is in the middle of a rebase, a merge, a cherry-pick: okstra looks, writes nothing, and aborts nothing.
source "$(dirname "${BASH_SOURCE[0]}")/task.sh"

# conflicting NAME: a stage whose branch and main change the same line.
conflicting() {
  new_task "$1"
  stage 1 main a.txt 3 one b.txt 9 two
  OLD="$TIP"
  on "$BRANCH-s1" edit c.txt 35 "a look ahead"
  edit c.txt 35 "main moved on"
}

# is_refused OPERATION FOLDER: looking works, writing is refused and names the operation and the folder.
is_refused() {
  remember
  reconcile 0
  told 'it.items.filter((item) => item.classification === "confirm")' ""
  reconcile 0 --into "$BRANCH-s1"
  for more in "" "--stage 1 --use-ref main" "--reset-anchor main" "--into main"; do
    # shellcheck disable=SC2086 # these are words
    refused operation-in-progress --apply $more
    told it.error "a $1 of \`refs/heads/$BRANCH-s1\` is under way in \`$2\`"
    told 'it.hint.includes("git -C")' true
  done
  unchanged "okstra, in the middle of a $1,"
}

step "a rebase that stopped at a conflict"
conflicting rebase
run 1 git rebase main "$BRANCH-s1"
is_refused rebase "$SHOP"
[ -d .git/rebase-merge ] || fail "the rebase is gone"
git rebase --abort
git checkout -q main
reconcile 0 --apply
told it.applied ""

step "finished, it is repaired"
run 1 git rebase main "$BRANCH-s1"
awk '/^[<=>]/ { next } 1' c.txt >"$STORY/edited"
cp "$STORY/edited" c.txt
git add c.txt
run 0 env GIT_EDITOR=true git rebase --continue
git checkout -q main
remember
reconcile 0 --apply
told 'it.applied.map((one) => [one.replaced, one.new_commit])' "$OLD $(rev "$BRANCH-s1~1")"
grown 1

step "a merge in another worktree"
conflicting merge
git worktree add -q "$STORY/worktree of Zoë's" "$BRANCH-s1"
run 1 git -C "$STORY/worktree of Zoë's" merge main
is_refused merge "$STORY/worktree of Zoë's"
git -C "$STORY/worktree of Zoë's" rev-parse --verify --quiet MERGE_HEAD >"$WORK/out" || fail "the merge is gone"
git -C "$STORY/worktree of Zoë's" merge --abort
reconcile 0 --apply

step "a cherry-pick, and a rebase of which only the todo list is edited"
run 1 git -C "$STORY/worktree of Zoë's" cherry-pick main
is_refused cherry-pick "$STORY/worktree of Zoë's"
git -C "$STORY/worktree of Zoë's" cherry-pick --abort
run 0 env GIT_SEQUENCE_EDITOR="sed -i.old '1s/^pick/edit/'" git -C "$STORY/worktree of Zoë's" rebase -q -i "$ANCHOR"
is_refused rebase "$STORY/worktree of Zoë's"
git -C "$STORY/worktree of Zoë's" rebase --abort
reconcile 0 --apply

step "something under way on a branch that is none of the task's is none of its business"
git checkout -q -b other main
run 1 git cherry-pick "$BRANCH-s1"
reconcile 0 --apply
told it.applied ""
git cherry-pick --abort
