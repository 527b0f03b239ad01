#!/usr/bin/env bash
# A task in two clones of one remote, on two machines: the first does two stages and shares, the second fetches and does
# the third, and the first has all of it. Then both do one thing each in their own way, and a person decides.
source "$(dirname "${BASH_SOURCE[0]}")/task.sh"

okstra() { "$OKSTRA" "$@"; }

# at NAME: from now on at this machine, in its clone.
at() {
  MACHINE="$STORY/$1"
  export HOME="$MACHINE/home" OKSTRA_HOME="$MACHINE/okstra home"
  cd "$MACHINE/my shop"
}

# build N FILE: does the stage in its worktree, and records it.
build() {
  (cd "$OKSTRA_HOME/worktrees/shop/auth/login-s$1" && echo "stage $1" >>"$2" && git commit -q -a -m "stage $1")
  run 0 okstra stage done --task auth/login --stage "$1"
}

# prepare ARGUMENT...: a run that builds.
prepare() { run 0 okstra render-bundle --task auth/login --type implementation --brief "$WORK/brief.md" --workers claude,codex --json "$@"; }

STORY="$WORK/two clones"
mkdir -p "$STORY"
cd "$STORY"
git init -q --bare -b main origin.git
for name in first second; do
  mkdir -p "$STORY/$name/home" "$STORY/$name/okstra home"
  git clone -q origin.git "$STORY/$name/my shop" 2>/dev/null
done

at first
git checkout -q -b main
for file in a.txt b.txt c.txt; do seq 20 >"$file"; done
git add .
git commit -q -m start
git push -q origin main
git -C "$STORY/second/my shop" pull -q origin main

step "the first clone does two stages, integrates, and shares"
run 0 okstra init --project-id shop --yes
cat >"$WORK/plan.md" <<'PLAN'
# Login

## Stage Map

| stage | title | depends-on | step-count | files |
| --- | --- | --- | --- | --- |
| 1 | One | (none) | 1 | `a.txt` |
| 2 | Two | (none) | 1 | `b.txt` |
| 3 | Three | 1, 2 | 1 | `c.txt` |
PLAN
for title in One Two Three; do
  number=$((${number:-0} + 1))
  printf '\n## Stage %s: %s\n\n### Steps\n\n1. Do it.\n\n### Stage Validation\n\n- post: `git status`\n\n### Stage Exit Contract\n\n- Done.\n\n### Rollback\n\nRevert.\n' "$number" "$title" >>"$WORK/plan.md"
done
run 0 okstra plan approve "$WORK/plan.md" --task auth/login --category fix --by Ann --yes
echo "Build it." >"$WORK/brief.md"
prepare
build 1 a.txt
build 2 b.txt
run 0 okstra stage integrate --task auth/login
INTEGRATED="$(rev fix-login)"
run 1 okstra task share --task auth/login --remote nowhere --json
is_error unknown-remote
run 0 okstra task share --task auth/login --dry-run --json
told 'it.pushed.length' 5
equal "what the remote has" "$(git -C "$STORY/origin.git" for-each-ref refs/okstra)" ""
run 0 okstra task share --task auth/login --json
told 'it.pushed.map((one) => one.ref).at(-1)' refs/okstra/state/auth/login
run 0 okstra task share --task auth/login
contains "a share of nothing" "$WORK/out" "origin has all of it already"

step "the second clone has nothing of it, and goes on"
at second
run 1 okstra task fetch --json
is_error no-task
contains "the hint" "$WORK/out" "auth/login"
run 0 okstra task fetch --task auth/login --json
told '[it.state, it.commits, it.conflicts.length]' "new 4 0"
run 0 okstra git-reconcile --task auth/login --json
told 'it.items.map((item) => [item.kind, item.classification])' "gate waiting gate waiting"
prepare
told 'it.stages.map((one) => [one.stage, one.base])' "3 $INTEGRATED"
build 3 c.txt
run 0 okstra stage integrate --task auth/login
DONE="$(rev fix-login)"
run 0 okstra task share --task auth/login

step "the first clone has all of it"
at first
run 1 okstra task share --task auth/login --json
is_error fetch-first
run 0 okstra task fetch --task auth/login --json
told '[it.state, it.conflicts.length]' "merged 0"
run 0 okstra status --task auth/login --json
told '[it.plan.done, it.plan.total]' "3 3"
run 0 okstra stage integrate --task auth/login --json
told '[it.merged.length, it.commit]' "0 $DONE"
run 0 okstra git-reconcile --task auth/login --json
told 'it.items.length' 0
run 0 okstra task share --task auth/login
at second
run 0 okstra task fetch --task auth/login
for _ in 1 2; do
  for name in first second; do
    at "$name"
    run 0 okstra task share --task auth/login --json
    told 'it.pushed.length' 0
    run 0 okstra task fetch --task auth/login --json
    told it.state up-to-date
  done
done

step "each goes by another commit of stage 1: a person is shown both, and decides"
for name in first second; do
  at "$name"
  git checkout -q -b "review-$name" main
  save review.txt "$name"
  run 0 okstra git-reconcile --task auth/login --apply --stage 1 --use-ref "review-$name"
done
run 0 okstra task share --task auth/login
THEIRS="$(rev HEAD)"
at first
MINE="$(rev HEAD)"
LOG="$PWD/.okstra/tasks/auth/login/runs/implementation-planning/consumers.jsonl"
cp "$LOG" "$WORK/log-before"
run 2 okstra task fetch --task auth/login --json
told 'it.conflicts.map((one) => [one.kind, one.stage, one.ours, one.theirs])' "stage 1 $MINE $THEIRS"
run 0 cmp "$WORK/log-before" "$LOG"
run 2 okstra task fetch --task auth/login
contains "what people are shown" "$WORK/out" "okstra git-reconcile --task auth/login --apply --stage 1 --use-ref $THEIRS"
run 0 okstra git-reconcile --task auth/login --apply --stage 1 --use-ref "$THEIRS"
run 0 okstra task fetch --task auth/login
run 0 okstra task share --task auth/login
at second
run 0 okstra task fetch --task auth/login --json
told it.state merged
run 0 okstra stage list --task auth/login --json
told 'it.stages[0].commit' "$THEIRS"
