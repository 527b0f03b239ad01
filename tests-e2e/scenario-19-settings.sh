#!/usr/bin/env bash
# Permissions for agents in a project's settings, whatever these look like: what is well formed gets okstra's entries and
# keeps every other byte, and is as it was once okstra is taken out; anything else is refused, and nothing is changed
# anywhere. All of it with the installed executable alone.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

umask 022
start_registry "$PACK"
mkdir "$WORK/elsewhere" "$WORK/projects" "$WORK/originals"
cd "$WORK/elsewhere"
tree "$HOME" >"$WORK/home-before"
run 0 npx -y okstra@latest install --yes --target claude --json
OKSTRA="$OKSTRA_HOME/bin/okstra"
kill "$REGISTRY_PID"
REGISTRY_PID=""
rm -rf "$npm_config_cache"
SETTINGS=.claude/settings.local.json

# project NAME: a repository, and from now on it is about that.
project() {
  PROJECT="$WORK/projects/$1"
  git init -q -b main "$PROJECT"
  cd "$PROJECT"
}

# settings FORMAT: what stands in its settings, as printf writes it.
settings() {
  mkdir -p .claude
  # shellcheck disable=SC2059
  printf "$1" >"$SETTINGS"
  chmod "${MODE:-644}" "$SETTINGS"
}

everything() { tree "$HOME" "$OKSTRA_HOME" "$PROJECT"; }

# begin and end of requests that are refused: outside of their projects nothing is changed either.
outside() { tree "$HOME" "$OKSTRA_HOME" "$WORK/elsewhere"; }
begin() {
  step "$1"
  outside >"$WORK/outside"
}
end() {
  outside >"$WORK/now"
  equal "what was changed outside of the projects" "$(diff "$WORK/outside" "$WORK/now")" ""
}

# merged NAME FORMAT: those settings get okstra's entries: one text is inserted, everything else is as it was.
merged() {
  project "$1"
  settings "$2"
  cp -p "$SETTINGS" "$WORK/originals/$1"
  run 0 "$OKSTRA" install --project --yes --json
  node -e '
    const [fs, assert] = [require("node:fs"), require("node:assert")];
    const [printed, before, after] = process.argv.slice(1).map((file) => fs.readFileSync(file));
    const { added, removed, backup } = JSON.parse(printed).project.permissions;
    assert.deepEqual(fs.readFileSync(backup), before, "the backup");
    let start = 0;
    while (start < before.length && before[start] === after[start]) start += 1;
    const rest = before.length - start;
    assert.deepEqual(after.subarray(after.length - rest), before.subarray(start), "what follows the insertion");
    const [old, now] = [before, after].map((bytes) => JSON.parse(new TextDecoder().decode(bytes)));
    const allowed = old.permissions?.allow ?? [];
    assert.ok(added.includes("Bash(okstra tasks:*)") && removed.length === 0);
    assert.ok(added.every((entry) => !allowed.includes(entry)), "an entry that was there is added");
    const expected = { ...old, permissions: { ...old.permissions, allow: [...allowed, ...added] } };
    assert.deepEqual(now, expected);
  ' "$WORK/out" "$WORK/originals/$1" "$SETTINGS" 2>"$WORK/err" || fail "settings with $1 are not merged as they should be"
  pass
}

# refused NAME TEXT...: one error that says each of the texts, and nothing is changed in the project.
refused() {
  local text
  tree "$PROJECT" >"$WORK/before"
  run 1 as_user "$OKSTRA" install --project --yes
  empty "stdout of $1" "$WORK/out"
  equal "the number of errors of $1" "$(grep -c '^error: ' "$WORK/err")" 1
  for text in "${@:2}"; do contains "the error of $1" "$WORK/err" "$text"; done
  tree "$PROJECT" >"$WORK/now"
  equal "what $1 changed" "$(diff "$WORK/before" "$WORK/now")" ""
}

# wrong NAME PLACE FORMAT: those settings are refused, and where they are wrong is said: a line and a column, or nothing.
wrong() {
  project "$1"
  settings "$3"
  refused "$1" "$PROJECT/$SETTINGS${2:+:$2}"
}

as_user() { "$@"; }

step "settings that are well formed, however they are written"
merged "nothing in them" '{}'
merged "no line feed at the end" '{\n  "permissions": {\n    "allow": [\n      "Bash(ls:*)"\n    ]\n  }\n}'
merged "tabs" '{\n\t"permissions": {\n\t\t"deny": [],\n\t\t"allow": [\n\t\t\t"Bash(ls:*)"\n\t\t]\n\t},\n\t"model": "opus"\n}\n'
merged "CRLF" '{\r\n    "permissions": {\r\n        "allow": [\r\n            "Bash(ls:*)"\r\n        ]\r\n    }\r\n}\r\n'
merged "a byte order mark" '\357\273\277{\n  "model": "opus"\n}\n'
merged "one line" '{"env":{"A":"}"},"permissions":{"allow":["Bash(a]b)","Read(\\"x\\")"],"deny":["x"]}}'
merged "other scripts and escapes" '{"\303\251": "\360\237\246\200 \\u00e9 \\ud83e\\udd80", "permi\\u0073sions": {"allow": ["Bash(\346\227\245\346\234\254:*)"]}}\n'
merged "a strange order" '\n\n{ "z" : [ 1,2 ,3 ] , "permissions":\n{"defaultMode":"plan","allow"   :[\n"b" ,"a","b"\n\n ],"ask":[]} ,\n "a": {"allow": 1, "permissions": []}\n\n}  \n\n'
merged "an empty list" '{"permissions":{"allow":[ ]}}\n'
merged "an entry of okstra's that was the user's" '{\n  "permissions": {\n    "allow": ["Bash(okstra status:*)", "Bash(ls:*)"]\n  }\n}\n'
merged "numbers that lose digits" '{"a": 1.0, "b": 1e2, "c": 12345678901234567890, "permissions": {}}\n'
# mode FILE: who may do what with it.
mode() { ls -l "$1" | cut -c1-10; }
MODE=600
merged "secrets in them" '{"env": {"TOKEN": "secret"}}\n'
MODE=644
equal "who may read the settings" "$(mode "$SETTINGS")" "-rw-------"
BACKUP="$(node -p 'JSON.parse(require("node:fs").readFileSync(process.argv[1])).project.permissions.backup' "$WORK/out")"
equal "who may read the backup" "$(mode "$BACKUP")" "-rw-------"
run 0 "$OKSTRA" install --project --yes --json
told '[it.changed, it.project.permissions.added.length, it.project.permissions.backup === null]' "false 0 true"

step "a dry run, and no permissions"
project "a dry run"
settings '{"permissions": {"allow": ["x"]}}'
everything >"$WORK/before"
run 0 "$OKSTRA" install --project --dry-run
contains "the plan" "$WORK/out" "Bash(okstra status:*)"
contains "the plan" "$WORK/out" "nothing was done"
run 0 "$OKSTRA" install --project --dry-run --json
told '[it.dryRun, it.changed, it.project.created, it.project.permissions.added.length > 20]' "true true true true"
run 1 "$OKSTRA" install --project --json
told it.code confirmation-needed
everything >"$WORK/now"
equal "what a dry run changed" "$(diff "$WORK/before" "$WORK/now")" ""
project "no permissions"
settings '{ no JSON at all'
cp "$SETTINGS" "$WORK/broken"
run 0 "$OKSTRA" install --project --no-permissions --yes --json
told '[it.project.created, it.project.permissions === null]' "true true"
cmp "$SETTINGS" "$WORK/broken" || fail "the settings were changed with --no-permissions"
[ -s .okstra/project.json ] || fail "it was not made a project"

begin "settings that are not well formed"
wrong "a comment" 2:3 '{\n  // mine\n  "a": 1\n}\n'
wrong "a comma at the end" 3:1 '{\n  "a": 1,\n}\n'
wrong "single quotes" 1:2 "{'a': 1}"
wrong "an end that is missing" 2:1 '{"permissions": {"allow": ["x"\n'
wrong "no text at all" 1:1 ''
wrong "white space alone" "" '\n \n'
wrong "two documents" 2:1 '{}\n{}\n'
wrong "a list at the top" 1:1 '[]'
wrong "null" 1:1 'null'
wrong "permissions that are a list" 2:18 '{\n  "permissions": ["x"]\n}'
wrong "permissions that are null" 1:17 '{"permissions": null}'
wrong "allow that is a text" 2:27 '{"permissions": {\n                 "allow": "x"}}'
wrong "allow with a number" 3:3 '{"permissions": {"allow": ["x",\n  "y",\n  1]}}'
wrong "allow in allow" 1:28 '{"permissions": {"allow": [["x"]]}}'
wrong "permissions that stand there twice" 2:2 '{"permissions": {},\n "permissions": {"allow": []}}'
wrong "bytes that are not UTF-8" "" '{"a": "\377"}'
wrong "UTF-16" "" '\377\376{\000}\000'
wrong "a NUL" 1:3 '{}\000'
run 1 "$OKSTRA" install --project --yes --json
told '[it.code, it.hint.length > 0]' "not-json true"
end

mkdir "$WORK/elsewhere/claude"
echo '{}' >"$WORK/elsewhere/claude/settings.local.json"
begin "links, and what is no file"
project "settings that are a link"
mkdir .claude
ln -s "$WORK/elsewhere/claude/settings.local.json" "$SETTINGS"
refused "settings that are a link" "$PROJECT/$SETTINGS"
project "settings that are a link to nothing"
mkdir .claude
ln -s "$WORK/elsewhere/nothing.json" "$SETTINGS"
refused "settings that are a link to nothing" "$PROJECT/$SETTINGS"
project "a folder that is a link"
ln -s "$WORK/elsewhere/claude" .claude
refused "a folder that is a link" "$PROJECT/.claude"
project "a folder that is a link to nothing"
ln -s "$WORK/elsewhere/nothing" .claude
refused "a folder that is a link to nothing" "$PROJECT/.claude"
project "a folder in the place of the settings"
mkdir -p "$SETTINGS"
refused "a folder in the place of the settings" "$PROJECT/$SETTINGS"
project "a file in the place of the folder"
echo "mine" >.claude
refused "a file in the place of the folder" "$PROJECT/.claude"
project "a pipe in the place of the settings"
mkdir .claude
mkfifo "$SETTINGS"
refused "a pipe in the place of the settings" "$PROJECT/$SETTINGS"
end

begin "no permission"
# Nothing is forbidden to root, so another user does it.
HIDDEN=""
if [ "$(id -u)" -eq 0 ]; then
  if setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
    as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
    chmod 755 "$WORK"
    chown -R 65534:65534 "$HOME" "$OKSTRA_HOME" "$TMPDIR"
  else
    HIDDEN=1
    echo "NOT SHOWN: what happens without permission, since this is root and there is no setpriv"
  fi
fi
# forbidden MODE PATH NAMED SETTINGS: with that access to the path, in a project with those settings or none, the error says
# so and names a path.
forbidden() {
  project "access $1 to ${2##*/}"
  [ -z "$4" ] || settings "$4"
  [ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$PROJECT"
  chmod "$1" "$2"
  refused "access $1 to $2" "$3" "no permission"
  chmod 755 "$2"
  [ -z "$4" ] || equal "the settings" "$(cat "$SETTINGS")" "$4"
}
if [ -z "$HIDDEN" ]; then
  forbidden 000 "$SETTINGS" "$SETTINGS" '{}'
  forbidden 555 .claude "$SETTINGS" '{}'
  forbidden 000 .claude ".claude" '{}'
  forbidden 555 . ".claude" ''
  forbidden 555 "$OKSTRA_HOME" "$OKSTRA_HOME" '{}'
fi
end

step "taken out: the settings are what they were"
run 0 as_user "$OKSTRA" uninstall --dry-run
run 0 "$OKSTRA" uninstall --yes --json
for original in "$WORK/originals"/*; do
  name="${original##*/}"
  cmp "$original" "$WORK/projects/$name/$SETTINGS" || fail "settings with $name are not as they were"
  pass
done
equal "who may read the settings" "$(mode "$WORK/projects/secrets in them/$SETTINGS")" "-rw-------"
equal "what is left in okstra's folder" "$(find "$OKSTRA_HOME" -mindepth 1 ! -name cache)" ""
tree "$HOME" >"$WORK/now"
equal "what is left in the home folder" "$(diff "$WORK/home-before" "$WORK/now")" ""
