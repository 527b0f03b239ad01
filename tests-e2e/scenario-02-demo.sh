#!/usr/bin/env bash
# The demo as the README's first command: offline, from the installed packages, leaving nothing behind unless asked.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

start_registry "$PACK"
mkdir "$WORK/elsewhere"
cd "$WORK/elsewhere"

step "the demo, told"
run 0 npx -y okstra@latest demo
[ "$(wc -l <"$WORK/out")" -gt 60 ] || fail "it told too little"
pass
for said in "okstra  absent: " "okstra  contained: " "okstra  ask: " "same-change" "│ prepared  implementation-002" "│ auto  " "│ confirm  " ", as you decided" \
  "│ ok  every recorded commit holds"; do
  contains "the story" "$WORK/out" "$said"
done
equal "what it left behind" "$(ls "$TMPDIR")" ""
equal "what it left here" "$(ls -A)" ""
equal "what it left in OKSTRA_HOME" "$(ls -A "$OKSTRA_HOME")" ""

step "the demo, as one document"
run 0 npx -y okstra@latest demo --json
empty "stderr" "$WORK/err"
cp "$WORK/out" "$WORK/story"
run 0 node -e '
  const { folder, scenes, task } = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
  if (folder !== null || scenes.length < 3) throw new Error("an odd document");
  const verdicts = new Set(scenes.map((scene) => scene.answer.verdict));
  if (!["contained", "absent", "ask"].every((verdict) => verdicts.has(verdict))) throw new Error([...verdicts].join());
  const reasons = new Set(task.log.map((row) => row.reason));
  if (!["auto-patch-id", "user-ref", null].every((reason) => reasons.has(reason))) throw new Error([...reasons].join());
  const last = task.steps.at(-1).calls.at(-1).document;
  if (last.items.length > 0) throw new Error("it does not end well");
' "$WORK/story"

step "the demo, kept"
run 0 npx -y okstra@latest demo --keep --json
KEPT="$(field folder)"
case "$KEPT" in "$TMPDIR"/*) pass ;; *) fail "it was kept in '$KEPT'" ;; esac
# The commands that it names, as they are pasted.
node -e 'console.log(JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")).look.join("\n"))' "$WORK/out" |
  sed 's/^okstra /npx -y okstra@latest /' >"$WORK/look"
run 0 bash -e "$WORK/look"
contains "what is kept" "$WORK/out" "every recorded commit holds"
contains "what is kept" "$WORK/out" "Safe logins (#12)"

step "the demo, without room to play"
TMPDIR="$WORK/nowhere" run 1 npx -y okstra@latest demo
contains "the hint" "$WORK/err" "TMPDIR=FOLDER okstra demo"
