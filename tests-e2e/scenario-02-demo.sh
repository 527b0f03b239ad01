#!/usr/bin/env bash
# The demo as the README's first command: offline, from the installed packages, leaving nothing behind unless asked.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

start_registry "$PACK"
mkdir "$WORK/elsewhere"
cd "$WORK/elsewhere"

step "the demo, told"
run 0 npx -y okstra@latest demo
[ "$(wc -l <"$WORK/out")" -gt 10 ] || fail "it told too little"
pass
equal "what it left behind" "$(ls "$TMPDIR")" ""
equal "what it left here" "$(ls -A)" ""

step "the demo, as one document"
run 0 npx -y okstra@latest demo --json
empty "stderr" "$WORK/err"
cp "$WORK/out" "$WORK/story"
run 0 node -e '
  const { folder, scenes } = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
  if (folder !== null || scenes.length < 3) throw new Error("an odd document");
  const verdicts = new Set(scenes.map((scene) => scene.answer.verdict));
  if (!["contained", "absent", "ask"].every((verdict) => verdicts.has(verdict))) throw new Error([...verdicts].join());
' "$WORK/story"

step "the demo, kept"
run 0 npx -y okstra@latest demo --keep --json
KEPT="$(field folder)"
case "$KEPT" in "$TMPDIR"/*) pass ;; *) fail "it was kept in '$KEPT'" ;; esac
[ -d "$KEPT" ] || fail "nothing was kept"
pass
