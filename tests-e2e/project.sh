# What the scenarios share that play in a project as a user has it: source this file in the place of task.sh. okstra is in
# `~/.okstra/bin` once it is installed, and what stands for an agent in $WORK/bin.

source "$(dirname "${BASH_SOURCE[0]}")/task.sh"

unset OKSTRA_HOME CLAUDE_CONFIG_DIR
export PATH="$HOME/.okstra/bin:$WORK/bin:$PATH"
mkdir -p "$WORK/bin" "$HOME/.claude"

# The main worktree, and a commit that is in its main.
SHOP=""
COMMIT=""
# The task that the agent leads.
LEADS=auth/login

# The lead: it brings the open run to its end.
cat >"$WORK/bin/claude" <<'LEAD'
#!/usr/bin/env bash
set -euo pipefail
if [ "$*" = --version ]; then echo "2.1.332 (Claude Code)"; exit; fi
okstra status --task "$LEADS" --json >"$WORK/lead"
field() { node -p 'const run = JSON.parse(require("node:fs").readFileSync(process.argv[1])).open[0]; eval(process.argv[2])' "$WORK/lead" "$1"; }
run="$(field run.run)" route=()
report="$SHOP/.okstra/tasks/$LEADS/runs/${run%-*}/reports/final-report-$run.md"
mkdir -p "$(dirname "$report")"
echo "# Done" >"$report"
case "${run%-*}" in
  requirements-discovery) route=(--route direct-implementation-planning) ;;
  implementation-planning) cp "$WORK/plan.md" "$report" ;;
  implementation)
    for stage in $(field 'run.stages.join(" ")'); do
      cd "$HOME/.okstra/worktrees/shop/$LEADS-s$stage"
      echo "stage $stage" >"stage-$stage.txt"
      git add . && git commit -q -m "Stage $stage"
      okstra stage done --task "$LEADS" --stage "$stage"
    done
    okstra stage integrate --task "$LEADS"
    ;;
esac
okstra finish "$run" --task "$LEADS" "${route[@]}"
LEAD
chmod +x "$WORK/bin/claude"
export WORK SHOP LEADS
{
  printf '# Log in with a code\n\n## Stage Map\n\n| stage | title | depends-on | step-count | files |\n| --- | --- | --- | --- | --- |\n'
  printf '| 1 | Codes are made and kept | (none) | 1 | `stage-1.txt` |\n| 2 | Codes are asked for | (none) | 1 | `stage-2.txt` |\n| 3 | Codes run out | 1, 2 | 1 | `stage-3.txt` |\n'
  for stage in "1: Codes are made and kept" "2: Codes are asked for" "3: Codes run out"; do
    printf '\n## Stage %s\n\n### Steps\n\n1. Do it.\n\n### Stage Validation\n\n- post: `git diff --check HEAD~1`\n\n### Stage Exit Contract\n\n- Done.\n\n### Rollback\n\nRevert.\n' "$stage"
  done
} >"$WORK/plan.md"

# shop NAME: a repository with a remote, in a folder of its own, in which one then is; the one before it is forgotten.
shop() {
  rm -rf "$HOME/.okstra/worktrees"
  SHOP="$WORK/$1/shop"
  mkdir -p "$SHOP"
  cd "$SHOP"
  git init -q --bare -b main ../remote.git
  git init -q -b main
  git config user.name Author
  save a.txt "a"
  COMMIT="$(git rev-parse HEAD)"
  git remote add origin ../remote.git
  git push -q -u origin main
  git remote set-head origin main >/dev/null
  printf '# Log in with a code\n\nPeople forget passwords.\n' >brief.md
  echo brief.md >>.git/info/exclude
}

# squash BRANCH: what the button of a forge does, and the branch is deleted there.
squash() {
  git push -q origin "$1"
  git clone -q ../remote.git ../forge
  (cd ../forge && git merge -q --squash "origin/$1" >/dev/null && git commit -q -m "Log in with a code (#1)" && git push -q origin main ":$1")
  rm -rf ../forge
}

# leave RUN: the run leaves its report.
leave() {
  mkdir -p ".okstra/tasks/auth/login/runs/${1%-*}/reports"
  echo "# Done" >".okstra/tasks/auth/login/runs/${1%-*}/reports/final-report-$1.md"
}

# built NAME: a project in which stage 1 of a task is built and not yet recorded; one is in its worktree then.
built() {
  shop "$1"
  run 0 okstra init --yes
  git add .okstra && git commit -q -m "work with okstra" && git push -q
  run 0 okstra plan approve "$WORK/plan.md" --task auth/login --category feat --by Ann --yes
  run 0 okstra render-bundle --task auth/login --brief brief.md --stage 1 --workers claude
  cd "$HOME/.okstra/worktrees/shop/auth/login-s1"
  echo "stage 1" >stage-1.txt
  git add . && git commit -q -m "Stage 1"
}

# recorded NAME: the same, recorded, integrated and finished; one is in the main worktree then.
recorded() {
  built "$1"
  run 0 okstra stage done --stage 1
  cd "$SHOP"
  run 0 okstra stage integrate --task auth/login
  leave implementation-001
  run 0 okstra finish --task auth/login
}
