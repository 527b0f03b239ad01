#!/usr/bin/env bash
# An older okstra is brought up to date through the registry, with files that the user edited, removed and replaced in
# between; and then taken out. The older one is another version, made of the packed files: its skills are others, and it
# has one that is no longer shipped.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

VERSION="$(node -p 'require(process.argv[1]).version' "$CHECKOUT/package.json")"
# The newest one before it that is written with as many characters.
OLDER="$(node -p '
  const [major, minor, patch] = process.argv[1].split(".").map(Number);
  const before = [[major, minor, patch - 1], ...[9, 99].map((most) => [major, minor - 1, most]),
    ...[9, 99].flatMap((most) => [9, 99].map((more) => [major - 1, most, more]))];
  before.find((one) => Math.min(...one) >= 0 && one.join(".").length === process.argv[1].length).join(".");' "$VERSION")"
# Whatever follows "description: " is the same in both, so that this stays true when a skill is written anew.
RUN=$'name: okstra-run\ndescription: Use'
STATUS=$'name: okstra-status\ndescription: Use'
SHIPPED=okstra-run/references/stale-commits.md
NO_LONGER=okstra-stale-commits-of-a-run/SKILL.md

step "okstra $OLDER, made of the packed files of $VERSION"
run 0 node "$CHECKOUT/tests-e2e/older.mjs" "$PACK" "$WORK/registry" "$OLDER" \
  "$RUN when" "$RUN once" "$STATUS when" "$STATUS once" "$SHIPPED" "$NO_LONGER"
start_registry "$WORK/registry"

# publish: from now on the registry has the packed files as well, as the newer version.
publish() {
  cp "$PACK"/*.tgz "$WORK/registry"
  node -e '
    const [fs, [into, from]] = [require("node:fs"), process.argv.slice(1)];
    const [older, newer] = [into, from].map((file) => JSON.parse(fs.readFileSync(file)));
    fs.writeFileSync(into, JSON.stringify({ ...older, tarballs: [...older.tarballs, ...newer.tarballs] }));
  ' "$WORK/registry/pack.json" "$PACK/pack.json"
}

# same WHAT BEFORE: the home folder is as it was when it was noted in the file.
same() {
  tree "$HOME" >"$WORK/now"
  equal "what $1 changed" "$(diff "$2" "$WORK/now")" ""
}

unset OKSTRA_HOME CLAUDE_CONFIG_DIR
CLAUDE=.claude/skills
SHARED=.agents/skills
mkdir -p "$WORK/elsewhere" "$HOME/$CLAUDE/mine" "$HOME/.codex" "$HOME/dotfiles"
echo "mine" >"$HOME/$CLAUDE/mine/SKILL.md"
cd "$WORK/elsewhere"
cp -Rp "$HOME" "$WORK/home-before"

step "$OLDER is installed"
run 0 npx -y okstra@latest install --yes --json
told '[it.version, it.changed, it.targets]' "$OLDER true claude codex"
told '[...new Set(it.files.map((one) => one.action))]' create
OKSTRA="$HOME/.okstra/bin/okstra"
run 0 "$OKSTRA" --version
equal "the installed version" "$(cat "$WORK/out")" "okstra $OLDER"
for skills in "$CLAUDE" "$SHARED"; do
  [ -s "$HOME/$skills/$NO_LONGER" ] || fail "$skills/$NO_LONGER is not there"
  [ ! -e "$HOME/$skills/$SHIPPED" ] || fail "$skills/$SHIPPED is there"
  contains "the skill of $OLDER" "$HOME/$skills/okstra-run/SKILL.md" "description: Use once"
done
run 0 "$OKSTRA" doctor
contains "doctor" "$WORK/out" "okstra $OLDER is installed for claude, codex"
cp "$OKSTRA" "$WORK/okstra-$OLDER"

step "the user edits, removes, and adds"
MINE=("$CLAUDE/okstra-run/SKILL.md" "$SHARED/$NO_LONGER" ".okstra/runtime/$OLDER/prompts/lead.md")
for file in "${MINE[@]}"; do printf 'edited, and no line feed at the end: \303\251' >>"$HOME/$file"; done
echo "my own" >"$HOME/$CLAUDE/okstra-run/notes.md"
rm -r "$HOME/$SHARED/okstra-status"
mv "$HOME/$CLAUDE/okstra-status/SKILL.md" "$HOME/dotfiles/status.md"
ln -s "$HOME/dotfiles/status.md" "$HOME/$CLAUDE/okstra-status/SKILL.md"
THEIRS=("${MINE[@]}" "$CLAUDE/okstra-run/notes.md" "$CLAUDE/okstra-status/SKILL.md")
theirs() { (cd "$HOME" && cksum "${THEIRS[@]}" && readlink "$CLAUDE/okstra-status/SKILL.md"); }
theirs >"$WORK/theirs"
# What has to be left in the end: what was there before okstra, and theirs.
for file in "${THEIRS[@]}"; do
  mkdir -p "$WORK/home-before/$(dirname "$file")"
  cp -pP "$HOME/$file" "$WORK/home-before/$file"
done
cp -p "$HOME/dotfiles/status.md" "$WORK/home-before/dotfiles/status.md"
tree "$WORK/home-before" | sed "s,^in .*,in $HOME," >"$WORK/left"
tree "$HOME" >"$WORK/edited"
run 2 "$OKSTRA" doctor --json
told 'it.checks.find((one) => one.name === "installation").message.includes("is not there")' true

step "$VERSION comes out, and nothing happens by itself"
publish
run 0 npx -y okstra@latest --version
equal "the latest version" "$(cat "$WORK/out")" "okstra $VERSION"
run 2 npx -y okstra@latest doctor --json
told 'it.checks.find((one) => one.name === "installation").message.split(";")[0]' "okstra $OLDER is installed, and this is okstra $VERSION"
run 0 npx -y okstra@latest install --dry-run
contains "the plan" "$WORK/out" "okstra's own is ~/$CLAUDE/okstra-run/SKILL.md.new"
contains "the plan" "$WORK/out" "nothing was done"
run 1 npx -y okstra@latest install --json
told it.code confirmation-needed
same "asking" "$WORK/edited"
cp -Rp "$HOME" "$WORK/home-edited"

# upgraded: what the upgrade has to leave.
upgraded() {
  theirs >"$WORK/now"
  equal "what became of the user's files" "$(diff "$WORK/theirs" "$WORK/now")" ""
  run 0 "$OKSTRA" --version
  equal "the installed version" "$(cat "$WORK/out")" "okstra $VERSION"
  # Brought up to date, and offered where the user has their own: the same text in both places.
  contains "the skill of $VERSION" "$HOME/$SHARED/okstra-run/SKILL.md" "description: Use when"
  cmp "$HOME/$SHARED/okstra-run/SKILL.md" "$HOME/$CLAUDE/okstra-run/SKILL.md.new" || fail "what is offered is not the new one"
  cmp "$HOME/$SHARED/okstra-status/SKILL.md" "$HOME/$CLAUDE/okstra-status/SKILL.md.new" || fail "what is offered beside the link is not the new one"
  equal "where the link leads" "$(readlink "$HOME/$CLAUDE/okstra-status/SKILL.md")" "$HOME/dotfiles/status.md"
  for skills in "$CLAUDE" "$SHARED"; do [ -s "$HOME/$skills/$SHIPPED" ] || fail "$skills/$SHIPPED is not there"; done
  [ ! -e "$HOME/$CLAUDE/$(dirname "$NO_LONGER")" ] || fail "the skill that is no longer shipped is still there"
  equal "what is left of the old runtime" "$(cd "$HOME/.okstra/runtime/$OLDER" && find . -type f)" "./prompts/lead.md"
  [ -s "$HOME/.okstra/runtime/$VERSION/prompts/lead.md" ] || fail "the new runtime is not there"
  equal "what is offered" "$(cd "$HOME" && find . -name '*.new' | LC_ALL=C sort | tr '\n' ' ')" "./$CLAUDE/okstra-run/SKILL.md.new ./$CLAUDE/okstra-status/SKILL.md.new "
}

step "it is brought up to date: what people are told"
run 0 npx -y okstra@latest install --yes
contains "the summary" "$WORK/out" "okstra $VERSION for claude, codex"
contains "the summary" "$WORK/out" "okstra's own is ~/$CLAUDE/okstra-run/SKILL.md.new"
for file in "${MINE[@]}"; do contains "the summary" "$WORK/out" "~/$file"; done
upgraded
tree "$HOME" >"$WORK/upgraded"

step "and what programs are told"
rm -rf "$HOME"
mv "$WORK/home-edited" "$HOME"
same "putting it back" "$WORK/edited"
run 0 npx -y okstra@latest install --yes --json
# of ACTION FILES: those are the files outside the runtime to which that happens.
of() { told "it.files.filter((one) => one.action === \"$1\").map((one) => one.path.slice(${#HOME} + 1)).filter((path) => !path.startsWith(\".okstra/runtime\")).sort()" "$2"; }
told '[it.version, it.changed, it.targets]' "$VERSION true claude codex"
of create "$SHARED/$SHIPPED $SHARED/okstra-status/SKILL.md $CLAUDE/$SHIPPED"
of update "$SHARED/okstra-run/SKILL.md .okstra/bin/okstra"
of remove "$CLAUDE/$NO_LONGER"
of keep "$SHARED/$NO_LONGER $CLAUDE/okstra-run/SKILL.md $CLAUDE/okstra-status/SKILL.md"
told 'it.files.filter((one) => one.offered !== null).map((one) => one.offered === `${one.path}.new`)' "true true"
upgraded
same "doing it with --json" "$WORK/upgraded"

step "from the installed files alone: again changes nothing"
mv "$npm_config_cache" "$WORK/cache"
run 0 "$OKSTRA" install --json
told it.changed false
run 0 "$OKSTRA" install --yes
contains "what is said" "$WORK/out" "is installed already"
contains "what is said" "$WORK/out" "~/${MINE[0]}"
same "installing again" "$WORK/upgraded"
run 0 "$OKSTRA" doctor --json
told '((one) => [one.status, /changed since okstra wrote them/.test(one.message)])(it.checks.find((one) => one.name === "installation"))' "warning true"
run 0 "$OKSTRA" doctor
contains "doctor" "$WORK/out" "what is yours stays when okstra is brought up to date"
same "doctor" "$WORK/upgraded"

step "an older one over a newer one, asked for by its version"
mv "$WORK/cache" "$npm_config_cache"
# It asks as always. What the newer one ships and the older one does not goes, and the way back is the same again.
run 1 npx -y "okstra@$OLDER" install --json
told it.code confirmation-needed
same "asking" "$WORK/upgraded"
run 0 npx -y "okstra@$OLDER" install --yes --json
told it.version "$OLDER"
of keep "$SHARED/$NO_LONGER $CLAUDE/okstra-run/SKILL.md $CLAUDE/okstra-status/SKILL.md"
theirs >"$WORK/now"
equal "what became of the user's files" "$(diff "$WORK/theirs" "$WORK/now")" ""
run 0 "$OKSTRA" --version
equal "the installed version" "$(cat "$WORK/out")" "okstra $OLDER"
[ ! -e "$HOME/.okstra/runtime/$VERSION" ] || fail "the runtime of $VERSION is still there"
[ ! -e "$HOME/$SHARED/$SHIPPED" ] || fail "$SHARED/$SHIPPED is still there"
run 0 npx -y okstra@latest install --yes --json
upgraded
same "going to $OLDER and back" "$WORK/upgraded"

step "taken out: what was there before and what the user made is left, and nothing else"
rm -rf "$npm_config_cache"
kill "$REGISTRY_PID"
run 0 "$OKSTRA" uninstall --dry-run --json
same "a dry run" "$WORK/upgraded"
run 0 "$OKSTRA" uninstall --yes
contains "what stays" "$WORK/out" "~/$CLAUDE/okstra-run/SKILL.md"
same "coming and going" "$WORK/left"
