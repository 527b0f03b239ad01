#!/usr/bin/env bash
# git threw the recorded commit away, in spite of everything: its fingerprints prove where it landed, or nothing does.
source "$(dirname "${BASH_SOURCE[0]}")/task.sh"

# lose: git collects the recorded commit.
lose() {
  unkeep
  collect
  run 1 git cat-file -e "$OLD"
}

# done_and_rebased NAME FILE: a stage in a.txt and b.txt, rebased onto a main that moved on in FILE; its commit is lost.
done_and_rebased() {
  new_task "$1"
  stage 1 main a.txt 3 one b.txt 9 two
  OLD="$TIP"
  edit "$2" 35 "main moved on"
  git rebase -q main "$BRANCH-s1"
  git checkout -q main
  NEW="$(rev "$BRANCH-s1")"
}

# is_proved REF: the landing on REF is proved from the fingerprints, and repaired once.
is_proved() {
  reconcile 0
  items "done 1 auto $NEW"
  told 'it.items.map((item) => [item.proof, item.reason.startsWith("recorded SHA unresolvable: ")])' "fingerprint true"
  remember
  reconcile 0 --apply
  told 'it.applied.map((one) => [one.replaced, one.new_commit, one.reason])' "$OLD $NEW auto-fingerprint"
  grown 1
  logged '[it.at(-1).ref, it.at(-1).reconcile_reason, it.at(-1).witness_commit]' "$1 auto-fingerprint $OLD"
  remember
  reconcile 0 --apply
  told it.applied ""
  unchanged "doing it again"
}

# is_refused TEXT: a person has to look; the reason says TEXT.
is_refused() {
  remember
  reconcile 2
  items "done 1 confirm null"
  contains "the reason" "$WORK/out" "recorded SHA unresolvable: "
  contains "the reason" "$WORK/out" "$1"
  reconcile 2 --apply
  told it.applied ""
  unchanged "a commit that is gone"
}

step "it landed on its branch"
done_and_rebased on-branch c.txt
lose
is_proved "refs/heads/$BRANCH-s1"
edit c.txt 30 "main moved on again"
git rebase -q main "$BRANCH-s1"
git checkout -q main
NEW="$(rev "$BRANCH-s1")"
reconcile 0 --apply
told 'it.applied.map((one) => [one.new_commit, one.reason])' "$NEW auto-fingerprint"

step "it landed in main, and its branch is gone"
done_and_rebased in-main c.txt
git merge -q --ff-only "$BRANCH-s1"
git branch -q -D "$BRANCH-s1"
edit c.txt 30 "main moved on again"
lose
is_proved refs/heads/main

step "it landed and was reverted"
done_and_rebased reverted c.txt
on "$BRANCH-s1" git revert --no-edit HEAD HEAD~1 >"$WORK/out"
lose
is_refused "$BRANCH-s1"

step "only a part of it landed"
done_and_rebased part c.txt
git branch -q -f "$BRANCH-s1" "$BRANCH-s1^"
lose
is_refused "$BRANCH-s1"

step "it landed, but nobody can tell from fingerprints: main changed the same file"
done_and_rebased drifted a.txt
lose
is_refused "$BRANCH-s1"

step "it landed, but an older okstra recorded no fingerprints"
done_and_rebased old c.txt
value "$LOG" 'JSON.stringify({ ...it[0], content: undefined })' >"$WORK/row"
cp "$WORK/row" "$LOG"
lose
is_refused "no recorded fingerprints"

step "the way out of all of these is a person's word"
remember
reconcile 0 --apply --stage 1 --use-ref "$BRANCH-s1"
told 'it.applied.map((one) => [one.replaced, one.new_commit])' "$OLD $NEW"
grown 1
