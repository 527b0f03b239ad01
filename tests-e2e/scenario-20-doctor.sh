#!/usr/bin/env bash
# `okstra doctor` on a healthy machine, and on one with each fault, planted one at a time: what it says, how it ends, and
# whether the way out that it prints leads out.
source "$(dirname "${BASH_SOURCE[0]}")/project.sh"

run 0 npx -y okstra@latest install --target claude,codex,gemini --yes
rm -rf "$npm_config_cache"
DOCTOR="$HOME/.okstra/bin/okstra"

# Doctor finds programs here alone, so that each can be missing. What is printed is pasted into a shell that has them all.
TOOLS="$WORK/tools"
mkdir "$TOOLS"
for tool in git tmux; do
  [ -x "$(command -v "$tool")" ] && ln -s "$(command -v "$tool")" "$TOOLS/$tool"
done
[ -e "$TOOLS/tmux" ] || { printf '#!/bin/sh\necho tmux 3.4\n' >"$TOOLS/tmux" && chmod +x "$TOOLS/tmux"; }
# agent NAME SCRIPT
agent() {
  rm -f "$TOOLS/$1"
  printf '#!/bin/sh\n%s\n' "$2" >"$TOOLS/$1"
  chmod +x "$TOOLS/$1"
}
agents() {
  agent claude 'echo "2.1.332 (Claude Code)"'
  agent codex 'echo "codex-cli 0.171.0"'
  agent gemini 'if [ "$1" = skills ]; then printf "okstra-run [Enabled]\n\nokstra-status [Enabled]\n"; else echo 0.61.0; fi'
}
agents
# Each is logged in, as far as can be told.
mkdir -p "$HOME/.codex" "$HOME/.gemini"
echo '{}' >"$HOME/.claude/.credentials.json"
echo '{}' >"$HOME/.codex/auth.json"
echo '{}' >"$HOME/.gemini/oauth_creds.json"

doctor() { run "$1" env PATH="$TOOLS" "$DOCTOR" doctor "${@:2}"; }

healthy() {
  doctor 0 --json
  told 'it.checks.filter((one) => one.status !== "ok").map((one) => `${one.name}: ${one.message}`)' ""
}

# found CODE STATUS NAME TEXT: doctor ends so, and this is what it finds that is not ok, alone.
found() {
  doctor "$1" --json
  node -e '
    const [file, status, name, text] = process.argv.slice(1);
    const { checks } = JSON.parse(require("node:fs").readFileSync(file, "utf8"));
    const bad = checks.filter((one) => one.status !== "ok");
    const it = bad.find((one) => one.status === status && one.name === name && one.message.includes(text));
    if (it === undefined || bad.length > 1) throw new Error(JSON.stringify(bad, null, 1));
    if (it.advice === null) throw new Error(`nothing is advised: ${it.message}`);
  ' "$WORK/out" "$2" "$3" "$4" 2>"$WORK/why" || fail "doctor does not say '$2 $3: …$4…' alone: $(cat "$WORK/why")"
  pass
}

# pasted: the commands that doctor prints as the way out, as they stand there, one after the other; what asks gets a yes.
pasted() {
  env PATH="$TOOLS" "$DOCTOR" doctor >"$WORK/out" 2>"$WORK/err" || true
  awk '/^next: /{ on = 1; next } on && /^  [^ ]/{ print substr($0, 3) }' "$WORK/out" | sed 's/ install$/& --yes/' >"$WORK/paste"
  [ -s "$WORK/paste" ] || fail "no command is printed"
  run 0 bash -e "$WORK/paste"
}

step "a healthy machine"
recorded sound
healthy
doctor 0
equal "the first line" "$(head -1 "$WORK/out")" "ok  everything is as it should be"
COLUMNS=80 env PATH="$TOOLS" "$DOCTOR" doctor | head -1 >"$WORK/first"
equal "what \`head\` shows" "$(cat "$WORK/first")" "ok  everything is as it should be"
cd "$WORK"
doctor 0 --json
told 'it.checks.at(-1).name' project
cd "$SHOP"

step "the installation"
mv "$HOME/.okstra/bin/okstra" "$WORK/kept"
DOCTOR="$WORK/kept"
found 2 problem installation "bin/okstra"
mv "$WORK/kept" "$HOME/.okstra/bin/okstra"
DOCTOR="$HOME/.okstra/bin/okstra"
healthy

cp -p "$HOME/.okstra/bin/okstra" "$WORK/kept"
DOCTOR="$WORK/kept"
printf '#!/bin/sh\necho okstra 9.9.9\n' >"$HOME/.okstra/bin/okstra"
found 2 problem installation "says \`okstra 9.9.9\`"
contains "the way out" "$WORK/out" "npx -y okstra@latest install"
pasted
run 0 npx -y okstra@latest install --yes
healthy
rm "$HOME/.okstra/bin/okstra.old"
chmod -x "$HOME/.okstra/bin/okstra"
doctor 2 --json
told 'it.checks.filter((one) => one.status === "problem").map((one) => one.name)' installation
chmod +x "$HOME/.okstra/bin/okstra"
DOCTOR="$HOME/.okstra/bin/okstra"
healthy

SKILL="$HOME/.claude/skills/okstra-run/SKILL.md"
cp "$SKILL" "$WORK/kept"
echo mine >>"$SKILL"
doctor 0 --json
told 'it.checks.filter((one) => one.status !== "ok").map((one) => [one.status, one.message.includes("okstra-run/SKILL.md")])' "warning true"
rm "$SKILL"
found 2 problem installation "okstra-run/SKILL.md"
pasted
healthy
equal "the skill" "$(cksum <"$SKILL")" "$(cksum <"$WORK/kept")"

cp "$HOME/.okstra/install.json" "$WORK/kept"
head -c 100 "$WORK/kept" >"$HOME/.okstra/install.json"
found 2 problem installation "install.json"
cp "$WORK/kept" "$HOME/.okstra/install.json"
healthy

step "the machine"
rm "$TOOLS/git"
doctor 2 --json
told 'it.checks.filter((one) => one.status === "problem").map((one) => one.name)' git
agent git 'if [ "$1" = --version ]; then echo "git version 2.30.2"; else exec '"$(command -v git)"' "$@"; fi'
found 0 warning git "git version 2.30.2 is older than 2.38"
rm "$TOOLS/git"
ln -s "$(command -v git)" "$TOOLS/git"
rm "$TOOLS/tmux"
doctor 0 --json
told 'it.checks.filter((one) => one.name === "tmux").map((one) => one.message.includes("not there"))' true
printf '#!/bin/sh\necho tmux 3.4\n' >"$TOOLS/tmux" && chmod +x "$TOOLS/tmux"
healthy
mv "$HOME/.okstra" "$WORK/aside"
echo "a file" >"$HOME/.okstra"
DOCTOR="$WORK/aside/bin/okstra"
doctor 2 --json
told 'it.checks.some((one) => one.status === "problem" && one.name === "home")' true
rm "$HOME/.okstra"
mv "$WORK/aside" "$HOME/.okstra"
DOCTOR="$HOME/.okstra/bin/okstra"
healthy

step "the agents"
rm "$TOOLS/claude"
found 0 warning agents "claude is not installed"
contains "the way out" "$WORK/out" "npm install -g @anthropic-ai/claude-code"
agent claude 'echo "no such library" >&2; exit 127'
found 0 warning agents "claude is called with \`claude\`, and does not work"
agent claude 'exec sleep 60'
SECONDS=0
found 0 warning agents "claude is called with \`claude\`, and does not work"
[ "$SECONDS" -le 15 ] || fail "doctor waited $SECONDS s for an agent that hangs"
agents
for name in codex gemini; do
  rm "$TOOLS/$name"
  doctor 0 --json
  told "it.checks.some((one) => one.status === 'ok' && one.message.startsWith('$name is not installed'))" true
done
agents
agent gemini 'if [ "$1" = skills ]; then echo "okstra-run [Enabled]"; else echo 0.61.0; fi'
found 0 warning agents "okstra-status"
agents
rm "$HOME/.codex/auth.json"
doctor 0 --json
told 'it.checks.some((one) => one.message.startsWith("codex is called") && one.message.includes("log"))' true
echo '{}' >"$HOME/.codex/auth.json"
printf '[agents.codex]\ncommand = ["nowhere-to-be-found"]\n' >"$HOME/.okstra/config.toml"
found 2 problem agents "nowhere-to-be-found"
printf '[agents.codex\n' >"$HOME/.okstra/config.toml"
found 2 problem config "config.toml"
printf '[agents.codex]\ncolour = "red"\n' >"$HOME/.okstra/config.toml"
found 0 warning config "colour"
rm "$HOME/.okstra/config.toml"
healthy

step "state files that do not parse"
RUNS=".okstra/tasks/auth/login/runs"
# broken FILE NAME: the file is cut off, and then brought back.
broken() {
  [ -s "$1" ] || fail "there is no $1"
  cp "$1" "$WORK/kept"
  head -c "$(($(wc -c <"$WORK/kept") / 2))" "$WORK/kept" >"$1"
  doctor 2 --json
  told "it.checks.some((one) => one.status === 'problem' && one.name === '$2' && one.message.includes('$(basename "$1")'))" true
  cp "$WORK/kept" "$1"
  healthy
}
broken .okstra/project.json state-files
broken .okstra/tasks/auth/login/task-manifest.json state-files
broken "$RUNS/implementation/manifests/run-manifest-implementation-001.json" state-files
broken "$RUNS/implementation/state/team-state-implementation-001.json" state-files
broken "$(ls "$RUNS"/implementation-planning/plans/*.json)" state-files
broken "$HOME/.okstra/worktrees/registry.json" registry
LOG="$RUNS/implementation-planning/consumers.jsonl"
cp "$LOG" "$WORK/kept"
{ echo '{"broken'; cat "$WORK/kept"; } >"$LOG"
doctor 2 --json
told 'it.checks.some((one) => one.status === "problem" && one.message.includes("consumers.jsonl:1"))' true
{ cat "$WORK/kept"; printf '{"half a l'; } >"$LOG"
doctor 0 --json
told 'it.checks.some((one) => one.status === "warning" && one.message.includes("consumers.jsonl:3` was torn"))' true
cp "$WORK/kept" "$LOG"
healthy

step "what is lost, and comes back"
rm "$LOG"
doctor 2
pasted
equal "the log" "$(cksum <"$LOG")" "$(cksum <"$WORK/kept")"
healthy
rm -r .okstra
doctor 2
pasted
healthy
git update-ref -d refs/okstra/state/auth/login
found 0 warning mirror "auth/login is not mirrored"
pasted
healthy

step "worktrees and refs"
STAGE="$HOME/.okstra/worktrees/shop/auth/login-s1"
rm -r "$STAGE"
found 0 warning worktrees "login-s1"
pasted
healthy
git worktree add -q --detach "$HOME/.okstra/worktrees/shop/auth/stray"
found 0 warning worktrees "auth/stray"
pasted
healthy
git update-ref refs/okstra/keep/auth/login/stray HEAD
found 0 warning keep-refs "refs/okstra/keep/auth/login/stray"
pasted
healthy
git for-each-ref --format='delete %(refname)' refs/okstra/keep | git update-ref --stdin
found 0 warning commits "no ref keeps"
pasted
healthy
step "a commit that is gone"
HEAD_OF="$(git rev-parse feat-login-s1)"
mv ".git/objects/${HEAD_OF:0:2}/${HEAD_OF:2}" "$WORK/kept"
doctor 2 --json
told 'it.checks.some((one) => one.status === "problem" && one.name === "commits" && one.message.includes("does not exist"))' true
mv "$WORK/kept" ".git/objects/${HEAD_OF:0:2}/${HEAD_OF:2}"
healthy

step "a repository that was moved"
mv "$SHOP" "$WORK/moved"
cd "$WORK/moved"
found 2 problem registry "is held for the clone"
pasted
healthy
