#!/usr/bin/env bash
# Every command of README.md and docs/guide.md, as it stands there, from the packed packages; agents are played by a
# script that leaves what a run must leave. A block without a scene here is a failure.
source "$(dirname "${BASH_SOURCE[0]}")/project.sh"

README="$CHECKOUT/README.md"
GUIDE="$CHECKOUT/docs/guide.md"
SCENES="$WORK/scenes"
: >"$SCENES"

# commands FILE HEADING [N]: does what stands there. What a command needs comes from `before COMMAND`, and how it is to
# end from `ends COMMAND`: an exit code, or `asks` where a person is asked, which --yes answers.
commands() {
  local text command how
  printf '%s\t%s\t%s\n' "$1" "$2" "${3:-1}" >>"$SCENES"
  node "$CHECKOUT/tests-e2e/readme.mjs" "$1" sh "$2" "${3:-1}" >"$WORK/commands" || fail "there is no block ${3:-1} below '$2'"
  while IFS= read -r -d '' text <&7; do
    command="${text//1a2b3c4d/$COMMIT}"
    before "$text"
    how="$(ends "$text")"
    if [ "$how" = asks ]; then
      run 1 bash -c "$command"
      contains "what \`$text\` says without a terminal" "$WORK/err" "--yes"
      command="$command --yes"
      how=0
    fi
    run "$how" bash -c "$command"
  done 7<"$WORK/commands"
}

before() { :; }
ends() {
  case "$1" in
    *" install" | "okstra install --project" | "okstra uninstall" | *"plan approve"* | "okstra stage remove"* | "okstra task close"*) echo asks ;;
    *) echo 0 ;;
  esac
}

# --- README ---------------------------------------------------------------------------------------------------------

step "README: install"
cd "$WORK"
commands "$README" "Install"
run 0 okstra doctor
rm -rf "$npm_config_cache"

step "README: see what it does"
SECONDS=0
commands "$README" "See what it does"
[ "$SECONDS" -lt 10 ] || fail "the demo took $SECONDS s"

step "README: a first task"
shop first
commands "$README" "Your first task" 1
commands "$README" "Your first task" 2
# What README shows is what was printed now, but for the plan's own id.
named() { sed -E 's/^plan 001-[0-9a-f]{8}/plan 001-ID/; s/ +$//' "$1"; }
node "$CHECKOUT/tests-e2e/readme.mjs" "$README" text "Your first task" >"$WORK/shown"
equal "what README shows" "$(named "$WORK/shown")" "$(named "$WORK/out")"

step "README: somebody amends"
before() {
  case "$1" in
    *"--task auth/login") if [[ "$1" == *git-reconcile* ]]; then amend; fi ;;
    "okstra doctor --restore") rm -r .okstra/tasks/auth ;;
    "okstra task fetch"*)
      git add .okstra && git commit -q -m "work with okstra" && git push -q
      git clone -q ../remote.git ../clone/shop
      cd ../clone/shop
      ;;
  esac
}
ends() {
  case "$1" in
    *"git-reconcile --task auth/login") echo 2 ;;
    *) echo 0 ;;
  esac
}
# amend: stage 1 is amended in review, and the task branch made again of it.
amend() {
  local folder="$HOME/.okstra/worktrees/shop/auth/login"
  echo "as the reviewer wants it" >>"$folder-s1/stage-1.txt"
  git -C "$folder-s1" commit -q --amend --all --no-edit
  git -C "$folder" reset -q --hard feat-login-s1
  git -C "$folder" merge -q --no-edit feat-login-s2
}
commands "$README" "When somebody rebases, squashes or amends" 1
run 0 okstra stage list --task auth/login --json
told 'it.stages.map((one) => one.state)' "integrated integrated integrated"
commands "$README" "When somebody rebases, squashes or amends" 2
run 0 okstra status --task auth/login
cd "$SHOP"

step "README: every day"
before() {
  case "$1" in
    "okstra resume"*) run 0 okstra render-bundle --task auth/login --type final-verification ;;
    "okstra abandon"*) run 0 okstra render-bundle --task auth/login --type final-verification ;;
    "okstra task sync"*)
      squash feat-login
      git fetch -q --prune
      ;;
  esac
}
ends() { case "$1" in "okstra task close"* | "okstra abandon"*) echo asks ;; *) echo 0 ;; esac; }
commands "$README" "Every day"
run 0 okstra status --task auth/login --json
told 'it.next.step' nothing

# --- the guide ------------------------------------------------------------------------------------------------------

step "the guide: what is installed"
cd "$WORK"
before() { :; }
ends() { case "$1" in "okstra install --target codex" | "okstra uninstall") echo asks ;; *) echo 0 ;; esac; }
cp -r "$HOME/.okstra" "$WORK/okstra kept"
# After `uninstall` the completions come from a copy.
before() { if [[ "$1" == "okstra completions"* ]]; then cp "$WORK/okstra kept/bin/okstra" "$WORK/bin/okstra"; fi; }
commands "$GUIDE" "What is installed"
[ -s okstra.zsh ] || fail "there are no completions"
[ ! -e "$HOME/.okstra/bin/okstra" ] || fail "it is still installed"
hash -r

step "the guide: tasks and runs"
shop runs
before() {
  case "$1" in
    "okstra render-bundle"*) run 0 okstra plan approve --task auth/login --by Ann --yes ;;
    *"--route full") run 0 okstra render-bundle --task auth/login --type requirements-discovery && leave requirements-discovery-002 ;;
    "okstra finish --task auth/login") run 0 okstra render-bundle --task auth/login --type error-analysis && leave error-analysis-001 ;;
    *" implementation-002 "*) run 0 okstra render-bundle --task auth/login --type implementation ;;
  esac
}
ends() { case "$1" in "okstra abandon"*) echo asks ;; *) echo 0 ;; esac; }
commands "$GUIDE" "Tasks and runs"

step "the guide: settings"
node "$CHECKOUT/tests-e2e/readme.mjs" "$GUIDE" json "Settings" >.okstra/project.json
run 0 okstra render-bundle --task auth/other --category spike --brief brief.md --json
told 'it.prompts.map((one) => one.worker)' "lead claude codex report-writer"
node "$CHECKOUT/tests-e2e/readme.mjs" "$GUIDE" toml "Settings" >"$HOME/.okstra/config.toml"
okstra doctor >"$WORK/out" || true
contains "what doctor says of claude" "$WORK/out" "claude --model opus"
rm "$HOME/.okstra/config.toml"

step "the guide: plans"
shop plans
run 0 okstra init --yes
node "$CHECKOUT/tests-e2e/readme.mjs" "$GUIDE" markdown "Plans that hold still" >plan.md
before() { :; }
ends() { case "$1" in *approve*) echo asks ;; *) echo 0 ;; esac; }
commands "$GUIDE" "Plans that hold still"

step "the guide: stages"
built stages
ends() { case "$1" in *remove*) echo asks ;; *) echo 0 ;; esac; }
before() {
  if [[ "$1" == *remove* ]]; then
    cd "$SHOP" && leave implementation-001
    run 0 okstra finish --task auth/login
    cd "$HOME/.okstra/worktrees/shop/auth/login"
  fi
}
commands "$GUIDE" "The stages of a task"

step "the guide: the base moves on"
recorded base
squash feat-login
before() { if [[ "$1" == "okstra task"* ]]; then cd "$HOME/.okstra/worktrees/shop/auth/login"; fi; }
ends() { case "$1" in *close) echo asks ;; *) echo 0 ;; esac; }
commands "$GUIDE" "When the base moves on, and when the work has landed"

step "the guide: records that survive"
recorded records
squash feat-login
before() { :; }
ends() { echo 0; }
commands "$GUIDE" "Records that survive"

step "the guide: when records are lost"
before() { if [[ "$1" == *--restore ]]; then rm -r .okstra "$HOME/.okstra/worktrees/registry.json"; fi; }
commands "$GUIDE" "When records are lost"
[ -s .okstra/tasks/auth/login/runs/implementation-planning/consumers.jsonl ] || fail "the records were not brought back"

step "the guide: in another clone"
before() {
  if [[ "$1" == *fetch* ]]; then
    git clone -q ../remote.git ../clone/shop
    cd ../clone/shop
    export OKSTRA_HOME="$WORK/another home"
  fi
}
commands "$GUIDE" "In another clone"
run 0 okstra status --task auth/login
unset OKSTRA_HOME
cd "$SHOP"

step "the guide: is my branch in main"
before() { :; }
commands "$GUIDE" "Is my branch in main?"
run 0 okstra content-merged --commit "$COMMIT" --candidate main --json
node "$CHECKOUT/tests-e2e/readme.mjs" "$GUIDE" json "Is my branch in main?" >"$WORK/shown"
fields() { node -p 'Object.keys(JSON.parse(require("node:fs").readFileSync(process.argv[1]))).filter((name) => !["warnings"].includes(name)).join()' "$1"; }
equal "the fields that the guide shows" "$(fields "$WORK/shown")" "$(fields "$WORK/out")"

step "the guide: from JavaScript"
{ node "$CHECKOUT/tests-e2e/readme.mjs" "$GUIDE" js "From JavaScript" && echo 'console.log(JSON.stringify([verdict, proof, items.length, typeof stageList]));'; } |
  sed "s/1a2b3c4d/$COMMIT/" >"$WORK/app/example.mjs"
mkdir -p "$SHOP/node_modules" && cp -r "$WORK/app/node_modules/." "$SHOP/node_modules/"
cp "$WORK/app/example.mjs" "$SHOP/example.mjs"
run 0 node example.mjs
equal "what it prints" "$(cat "$WORK/out")" '["contained","ancestry",1,"function"]'

step "there is no other example"
for file in "$README" "$GUIDE"; do
  node "$CHECKOUT/tests-e2e/readme.mjs" "$file" sh | while IFS=$'\t' read -r heading count; do
    for number in $(seq "$count"); do printf '%s\t%s\t%s\n' "$file" "$heading" "$number"; done
  done
done >"$WORK/blocks"
equal "the blocks without a scene" "$(LC_ALL=C sort "$WORK/blocks")" "$(LC_ALL=C sort "$SCENES")"
