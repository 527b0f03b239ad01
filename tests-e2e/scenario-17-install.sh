#!/usr/bin/env bash
# okstra installed from the registry, and then used from the installed files alone: without npm's cache, without Node.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

start_registry "$PACK"
VERSION="$(node -p 'require(process.argv[1]).version' "$CHECKOUT/package.json")"
unset OKSTRA_HOME CLAUDE_CONFIG_DIR
mkdir -p "$WORK/elsewhere" "$HOME/.claude/skills/mine" "$HOME/.codex"
echo "mine" >"$HOME/.claude/skills/mine/SKILL.md"
cd "$WORK/elsewhere"
# tree FILE: every folder, and every file with its checksum, of the home folder.
tree() {
  (cd "$HOME" && { find . -type d; find . -type f -exec cksum {} +; } | grep -v -e '/\.npm' -e '\./\.config' | LC_ALL=C sort) >"$1"
}
run 0 npx -y okstra@latest --version
tree "$WORK/before"

step "it is shown, and not done without an answer"
run 0 npx -y okstra@latest install --dry-run
contains "the plan" "$WORK/out" ".claude/skills/okstra-status/SKILL.md"
run 1 npx -y okstra@latest install --json
equal "the code" "$(field code)" "confirmation-needed"
tree "$WORK/now"
equal "what changed" "$(diff "$WORK/before" "$WORK/now")" ""

step "npx -y okstra@latest install"
run 0 npx -y okstra@latest install --yes --json
equal "the agents" "$(field targets)" "claude,codex"
for file in .okstra/bin/okstra .okstra/install.json ".okstra/runtime/$VERSION/prompts/lead.md" \
  .claude/skills/okstra-status/SKILL.md .agents/skills/okstra-status/SKILL.md; do
  [ -s "$HOME/$file" ] || fail "$file is not there"
done
pass
tree "$WORK/installed"
run 0 npx -y okstra@latest install --json
equal "whether installing again changed anything" "$(field changed)" false
tree "$WORK/now"
equal "what changed" "$(diff "$WORK/installed" "$WORK/now")" ""

step "from the installed files alone"
rm -rf "$npm_config_cache"
OKSTRA="$HOME/.okstra/bin/okstra"
git init -q -b main "$WORK/shop"
cd "$WORK/shop"
save a.txt "a"
run 0 "$OKSTRA" install --project --yes --json
equal "the project" "$(node -p 'JSON.parse(require("node:fs").readFileSync(process.argv[1])).project.id' "$WORK/out")" "shop"
contains "the settings" .claude/settings.local.json "Bash(okstra status:*)"
run 0 "$OKSTRA" render-bundle --task auth/login --category fix --brief "$WORK/shop/a.txt" --workers claude --json
# The commands of the skill, as an agent runs them.
sed -n 's/^.*Which tasks are there? `\([^`]*\)`.*$/\1/p' "$HOME/.claude/skills/okstra-status/SKILL.md" >"$WORK/command"
[ -s "$WORK/command" ] || fail "the skill names no command"
run 0 env PATH=/usr/bin:/bin bash "$WORK/command"
contains "the tasks" "$WORK/out" "auth/login"
run 0 "$OKSTRA" doctor
contains "doctor" "$WORK/out" "okstra $VERSION is installed for claude, codex"

step "what the user changed is kept, and the rest taken out"
echo "changed" >>"$HOME/.agents/skills/okstra-status/SKILL.md"
run 0 "$OKSTRA" uninstall --yes
contains "what stays" "$WORK/out" ".agents/skills/okstra-status/SKILL.md"
rm -r "$HOME/.agents"
rmdir "$HOME/.okstra/worktrees" 2>/dev/null || rm -rf "$HOME/.okstra/worktrees" "$HOME/.okstra/cache"
rmdir "$HOME/.okstra" 2>/dev/null || true
tree "$WORK/now"
equal "what is left" "$(diff "$WORK/before" "$WORK/now")" ""
[ ! -e .claude ] || fail "the settings that okstra made are still there"
[ -s .okstra/project.json ] || fail "the project's records are gone"
pass
