#!/usr/bin/env bash
# A stage is rebased, and its branch goes on: what is recorded is the commit where the stage landed, not the tip.
source "$(dirname "${BASH_SOURCE[0]}")/task.sh"

new_task rebased
stage 1 main a.txt 3 one a.txt 9 two
OLD="$TIP"

step "more on top of a stage that was not rebased is none of its business"
on "$BRANCH-s1" edit b.txt 20 "a look ahead"
remember
reconcile 0
items ""
reconcile 0 --apply
told it.applied ""
unchanged "more on top"
git branch -q -f "$BRANCH-s1" "$OLD"

step "rebased, then two commits more"
edit a.txt 35 "main moved on"
git rebase -q main "$BRANCH-s1"
LANDED="$(rev HEAD)"
edit b.txt 3 more
edit a.txt 20 "even more, in the file of the stage"
NEWEST="$(rev HEAD)"
git checkout -q main
remember
reconcile 0
items "done 1 auto $LANDED"
told 'it.items[0].reason.endsWith("; 2 commits on top of it are not taken in")' true
reconcile 0 --apply
told 'it.applied.map((one) => [one.replaced, one.new_commit])' "$OLD $LANDED"
grown 1
logged '[it.at(-1).head_commit, it.at(-1).branch_tip]' "$LANDED $NEWEST"
reconcile 0
items ""

step "a review commit came between the two commits of the stage"
new_task between
stage 1 main a.txt 3 one a.txt 9 two
OLD="$TIP"
git checkout -q -B "$BRANCH-s1" main
git cherry-pick "$OLD^" >"$WORK/out"
edit b.txt 3 reviewed
git cherry-pick "$OLD" >"$WORK/out"
LANDED="$(rev HEAD)"
edit b.txt 9 "reviewed again"
git checkout -q main
remember
reconcile 0 --apply
told 'it.applied.map((one) => [one.replaced, one.new_commit])' "$OLD $LANDED"
grown 1

step "what came on top works on the lines of the stage: where it landed is recorded all the same"
new_task evolved
stage 1 main a.txt 3 one
edit a.txt 35 "main moved on"
git rebase -q main "$BRANCH-s1"
LANDED="$(rev HEAD)"
edit a.txt 3 "one, and better"
git checkout -q main
reconcile 0
items "done 1 auto $LANDED"
told 'it.items[0].effect' evolved

step "what came on top takes the stage out again: a person looks"
on "$BRANCH-s1" git revert --no-edit HEAD "$LANDED" >"$WORK/out"
remember
reconcile 2
items "done 1 confirm null"
told '[it.items[0].matched_commit, it.items[0].effect]' "$LANDED absent"
reconcile 2 --apply
told it.applied ""
unchanged "a stage that was taken out"
