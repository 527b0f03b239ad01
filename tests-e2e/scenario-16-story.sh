#!/usr/bin/env bash
# The whole life of a task of three stages, with plain git as a user has it: from `init` over two pull requests, both
# squashed and their branches deleted, to `task close`. What agents would do is done by hand.
source "$(dirname "${BASH_SOURCE[0]}")/task.sh"

okstra() { "$OKSTRA" "$@"; }

visit story
FORGE="$STORY/forge"
T=(--task auth/login)

# leave TEXT: the run that was prepared last leaves its report.
leave() {
  local report
  report="$(value "$STORY/prepared" 'it.paths.report')"
  mkdir -p "$(dirname "$report")"
  printf '%s\n' "$1" >"$report"
}

# prepare ARGUMENT...: the next run, whatever comes next.
prepare() {
  run 0 okstra render-bundle "${T[@]}" "$@" --json
  cp "$WORK/out" "$STORY/prepared"
}

# prepared EXPRESSION EXPECTED: of the run that was prepared last.
prepared() { says "$STORY/prepared" "$1" "$2"; }

# comes_next STEP [TYPE]
comes_next() {
  run 0 okstra status "${T[@]}" --json
  told '[it.next.step, it.next.taskType ?? []]' "$*"
}

# build N FILE LINE TEXT: does the stage in its worktree.
build() { (cd "$OKSTRA_HOME/worktrees/shop/auth/login-s$1" && edit "$2" "$3" "$4"); }

# squash_on_the_forge BRANCH TITLE: what the button does: one commit on main, and the branch is deleted.
squash_on_the_forge() {
  (cd "$FORGE" && git fetch -q origin && git checkout -q main && git reset -q --hard origin/main &&
    seq 3 >"note-$RANDOM$RANDOM" && git add . && git commit -q -m "main goes on" &&
    git merge -q --squash "origin/$1" >/dev/null 2>&1 && git commit -q -m "$2" && git push -q origin main ":$1") || fail "the forge could not merge $1"
}

step "a project with a remote"
git init -q --bare -b main "$STORY/remote.git"
git init -q -b main
for file in a.txt b.txt c.txt; do seq -f 'line %.0f' 40 >"$file"; done
git add .
git commit -q -m start
git remote add origin "$STORY/remote.git"
git push -q -u origin main
git remote set-head origin main >/dev/null
git clone -q "$STORY/remote.git" "$FORGE"
run 0 okstra init --project-id shop --yes
node -e '
  const [fs, file] = [require("node:fs"), ".okstra/project.json"];
  fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file)), config: { workers: ["claude", "codex"] } }));
'
git add .
git commit -q -m "work with okstra"
git push -q

step "requirements, without a word of what comes next"
printf '# Log in with a code\n\nPeople forget passwords.\n' >"$WORK/brief.md"
prepare --category fix --brief "$WORK/brief.md"
prepared it.run requirements-discovery-001
run 1 okstra finish "${T[@]}" --json
is_error run-unfinished
leave "# Found"
comes_next finish
run 0 okstra finish "${T[@]}" --route direct-implementation-planning
comes_next run implementation-planning

step "a plan, which a person approves"
prepare
prepared it.run implementation-planning-001
{
  printf '# Log in with a code\n\n## Stage Map\n\n| stage | title | depends-on | step-count | files |\n| --- | --- | --- | --- | --- |\n'
  printf '| 1 | Codes are made | (none) | 1 | `a.txt` |\n| 2 | Codes are sent | (none) | 1 | `b.txt` |\n| 3 | Codes run out | 1, 2 | 1 | `c.txt` |\n'
  for stage in "1: Codes are made" "2: Codes are sent" "3: Codes run out"; do
    printf '\n## Stage %s\n\n### Steps\n\n1. Do it.\n\n### Stage Validation\n\n- post: `git diff --check HEAD~1`\n\n### Stage Exit Contract\n\n- Done.\n\n### Rollback\n\nRevert.\n' "$stage"
  done
} >"$STORY/plan.md"
leave "$(cat "$STORY/plan.md")"
run 0 okstra finish "${T[@]}"
comes_next plan-approve
run 1 okstra plan approve "${T[@]}" --by Ann --json
is_error confirmation-needed
run 0 okstra plan approve "${T[@]}" --by Ann --yes
comes_next run implementation

step "stages 1 and 2, side by side"
prepare
prepared '[it.run, it.stages.map((one) => one.stage)]' "implementation-001 1 2"
ANCHOR="$(git rev-parse main)"
prepared 'new Set(it.stages.map((one) => one.base)).size' 1
build 1 a.txt 5 "codes are made"
run 0 okstra stage done "${T[@]}" --stage 1
build 2 b.txt 5 "codes are sent"
run 0 okstra stage done "${T[@]}" --stage 2
comes_next stage-integrate
run 0 okstra stage integrate "${T[@]}"
leave "# Built"
run 0 okstra finish "${T[@]}"

step "the pull request is squashed, main goes on, the branch is deleted"
git push -q origin fix-login
squash_on_the_forge fix-login "Log in with a code (#1)"
git fetch -q --prune
git branch -q -D fix-login-s1 fix-login-s2 2>/dev/null || { run 0 okstra stage remove "${T[@]}" --stage 1 --yes; run 0 okstra stage remove "${T[@]}" --stage 2 --yes; }
run 0 okstra git-reconcile "${T[@]}" --into origin/main --json
told 'it.into.map((one) => [one.stage, one.verdict])' "1 contained 2 contained"
run 0 okstra task sync "${T[@]}" --json
equal "the task branch" "$(git rev-parse fix-login)" "$(git rev-parse origin/main)"
run 0 okstra task sync "${T[@]}" --json
equal "the task branch" "$(git rev-parse fix-login)" "$(git rev-parse origin/main)"

step "stage 3 goes on from there"
comes_next run implementation
prepare
prepared '[it.run, it.stages.map((one) => one.stage)]' "implementation-002 3"
prepared 'it.stages[0].base' "$(git rev-parse origin/main)"
build 3 c.txt 5 "codes run out"
run 0 okstra stage done "${T[@]}" --stage 3
run 0 okstra stage integrate "${T[@]}"
leave "# Built"
run 0 okstra finish "${T[@]}"
run 0 okstra git-reconcile "${T[@]}" --json
told 'it.items.length' 0
says "$OKSTRA_HOME/worktrees/registry.json" 'it.tasks["shop/auth/login"].implementation_base_commit' "$ANCHOR"

step "verified, handed off, merged"
comes_next run final-verification
prepare
leave "# Verified"
run 0 okstra finish "${T[@]}"
comes_next run release-handoff
prepare
git push -q origin fix-login
squash_on_the_forge fix-login "Codes run out (#2)"
git fetch -q --prune
leave "# Handed off"
run 1 okstra task close "${T[@]}" --yes --json
run 0 okstra finish "${T[@]}"

step "closed: nothing of the task is left but its records"
comes_next task-close
run 1 okstra task close "${T[@]}" --json
is_error confirmation-needed
run 0 okstra task close "${T[@]}" --yes --json
cp "$WORK/out" "$STORY/closed"
equal "the branches" "$(git for-each-ref --format='%(refname:short)' refs/heads)" main
equal "the worktrees" "$(git worktree list | wc -l | tr -d ' ')" 1
equal "the kept commits" "$(git for-each-ref refs/okstra/keep | wc -l | tr -d ' ')" 0
comes_next nothing
collect
run 0 okstra git-reconcile "${T[@]}" --json
told 'it.items.length' 0
run 0 okstra doctor --json
run 0 okstra task close "${T[@]}" --yes --json
