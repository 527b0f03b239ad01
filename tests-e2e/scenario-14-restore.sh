#!/usr/bin/env bash
# A task from its brief to two recorded stages with the commands alone; then .okstra/ and okstra's own folder are lost,
# and come back from the mirror.
source "$(dirname "${BASH_SOURCE[0]}")/task.sh"

okstra() { "$OKSTRA" "$@"; }

visit restore
git init -q -b main
for file in a.txt b.txt; do seq 20 >"$file"; done
git add .
git commit -q -m start
HOME_OF_OKSTRA="$OKSTRA_HOME"

step "a project, a plan, a run"
run 0 okstra init --project-id shop --yes
cat >"$WORK/plan.md" <<'PLAN'
# Login

## Stage Map

| stage | title | depends-on | step-count | files |
| --- | --- | --- | --- | --- |
| 1 | One | (none) | 1 | `a.txt` |
| 2 | Two | (none) | 1 | `b.txt` |
PLAN
for number in 1 2; do
  [ "$number" -eq 1 ] && title=One || title=Two
  printf '\n## Stage %s: %s\n\n### Steps\n\n1. Do it.\n\n### Stage Validation\n\n- post: `git status`\n\n### Stage Exit Contract\n\n- Done.\n\n### Rollback\n\nRevert.\n' "$number" "$title" >>"$WORK/plan.md"
done
run 0 okstra plan check "$WORK/plan.md"
run 0 okstra plan approve "$WORK/plan.md" --task auth/login --category fix --by Ann --yes
echo "Build it." >"$WORK/brief.md"
run 0 okstra render-bundle --task auth/login --type implementation --brief "$WORK/brief.md" --workers claude,codex --json
told 'it.stages.map((one) => [one.stage, one.branch])' "1 fix-login-s1 2 fix-login-s2"

step "both stages are built, recorded and integrated"
for number in 1 2; do
  worktree="$OKSTRA_HOME/worktrees/shop/auth/login-s$number"
  [ "$number" -eq 1 ] && file=a.txt || file=b.txt
  (cd "$worktree" && echo "stage $number" >>"$file" && git commit -q -a -m "stage $number")
  run 0 okstra stage done --task auth/login --stage "$number"
done
run 0 okstra stage integrate --task auth/login
run 0 okstra git-reconcile --task auth/login --all --json
cp "$WORK/out" "$STORY/before"
cp ".okstra/tasks/auth/login/runs/implementation-planning/consumers.jsonl" "$STORY/log"

step "everything of okstra is lost"
rm -rf .okstra "$HOME_OF_OKSTRA"
mkdir -p "$HOME_OF_OKSTRA"
run 1 okstra git-reconcile --task auth/login --json
is_error not-a-project
run 0 okstra doctor --restore --json
told 'it.registry' shop/auth/login
run 0 cmp "$STORY/log" ".okstra/tasks/auth/login/runs/implementation-planning/consumers.jsonl"
run 0 okstra git-reconcile --task auth/login --all --json
cp "$WORK/out" "$STORY/after"
run 0 cmp "$STORY/before" "$STORY/after"
run 0 okstra doctor --restore --json
told 'it.restored.length + it.registry.length' 0

step "the log alone is lost: nothing is recorded as if it had been empty"
rm ".okstra/tasks/auth/login/runs/implementation-planning/consumers.jsonl"
run 1 okstra git-reconcile --task auth/login --apply --json
is_error lost-records
run 0 okstra doctor --restore --task auth/login --json
run 0 cmp "$STORY/log" ".okstra/tasks/auth/login/runs/implementation-planning/consumers.jsonl"
