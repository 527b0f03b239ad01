#!/usr/bin/env bash
# Two sibling stages and a review commit on top become one commit of main: the whole landed, and it carries the parts.
source "$(dirname "${BASH_SOURCE[0]}")/task.sh"

# reviewed NAME: both stages merged into the task branch, and a review commit on a line of the first.
reviewed() {
  new_task "$1"
  stage 1 main a.txt 3 one a.txt 9 two
  FIRST="$TIP"
  stage 2 main b.txt 3 three
  SECOND="$TIP"
  git checkout -q "$BRANCH"
  git merge -q --no-ff --no-edit "$BRANCH-s1"
  git merge -q --no-ff --no-edit "$BRANCH-s2"
  INTEGRATED="$(rev HEAD)"
  edit a.txt 9 "two, as reviewed"
  REVIEWED="$(rev HEAD)"
  git checkout -q main
}

# squashed: the pull request is merged, and the stage branches are deleted.
squashed() {
  edit c.txt 30 "main moved on"
  git merge -q --squash "$BRANCH" >"$WORK/out" 2>&1
  git commit -q -m "Login (#7)"
  LANDED="$(rev HEAD)"
  edit c.txt 35 "main goes on"
  git branch -q -D "$BRANCH-s1" "$BRANCH-s2"
}

# into CODE EXPECTED [ARGUMENT...]: stage, landing, proof and verdict in main.
into() {
  reconcile "$1" --into main "${@:3}"
  told 'it.into.map((one) => [one.stage, one.matched_commit, one.proof, one.verdict])' "$2"
}

step "the task branch still stands, and carries them"
reviewed branch
squashed
remember
into 0 "1 $LANDED carrier contained 2 $LANDED same-change contained"
unchanged "looking"
into 0 "1 $LANDED carrier contained 2 $LANDED same-change contained" --apply
told 'it.applied.map((one) => [one.stage, one.replaced, one.new_commit, one.reason])' \
  "1 $FIRST $LANDED auto-patch-id 2 $SECOND $LANDED auto-patch-id"
grown 2
remember
reconcile 0 --into main --apply
told it.applied ""
unchanged "doing it again"

step "its upstream still stands, and carries them"
reviewed upstream
git init -q --bare "$STORY/origin.git"
git remote add origin "$STORY/origin.git"
git push -q -u origin "$BRANCH"
squashed
git checkout -q --detach
git branch -q -f "$BRANCH" main~2
into 0 "1 $LANDED carrier contained 2 $LANDED same-change contained"
git checkout -q main

step "only the integration that okstra recorded is left, and carries them"
reviewed recorded
register "{\"integrations\": [{\"commit\": \"$INTEGRATED\", \"stages\": [1, 2]}, {\"commit\": \"$REVIEWED\", \"stages\": [1, 2]}]}"
git update-ref "refs/okstra/keep/auth/login/task-$REVIEWED" "$REVIEWED"
squashed
git branch -q -D "$BRANCH"
collect
into 0 "1 $LANDED carrier contained 2 $LANDED same-change contained"

step "nothing is left that holds the review commit: a person looks at the first stage, the second is proved"
reviewed lost
register "{\"integrations\": [{\"commit\": \"$INTEGRATED\", \"stages\": [1, 2]}]}"
squashed
git branch -q -D "$BRANCH"
collect
into 2 "1 null null ask 2 $LANDED same-change contained"
remember
reconcile 2 --into main --apply
told 'it.applied.map((one) => one.stage)' 2
grown 1

step "the squash was changed on its way: nothing carries the first stage"
reviewed changed
edit c.txt 30 "main moved on"
git merge -q --squash "$BRANCH" >"$WORK/out" 2>&1
awk 'NR == 3 { $0 = "one, but otherwise" } 1' a.txt >"$STORY/edited"
cp "$STORY/edited" a.txt
git commit -q -a -m "Login (#7)"
into 2 "1 null null ask 2 $(rev HEAD) same-change contained"

step "the squash was reverted: it is asked about, and not recorded"
reviewed reverted
squashed
git revert --no-edit "$LANDED" >"$WORK/out"
remember
reconcile 2 --into main --apply
told 'it.into.map((one) => [one.stage, one.verdict])' "1 ask 2 ask"
told it.applied ""
unchanged "a landing that was reverted"
