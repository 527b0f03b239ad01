#!/usr/bin/env bash
# The log and the registry themselves: many writers, killed writers, torn and damaged files, held locks. Nothing is lost,
# nothing is repeated, nothing that cannot be read is touched.
source "$(dirname "${BASH_SOURCE[0]}")/task.sh"

# rebased NAME: a task whose stage can be repaired.
rebased() {
  new_task "$1"
  stage 1 main a.txt 3 one
  OLD="$TIP"
  edit a.txt 35 "main moved on"
  git rebase -q main "$BRANCH-s1"
  git checkout -q main
  NEW="$(rev "$BRANCH-s1")"
}

# hold: another process holds the lock of the log.
hold() {
  "$RECORDER" --hold "$LOG" >"$STORY/held" &
  HOLDER=$!
  for _ in $(seq 100); do
    [ ! -s "$STORY/held" ] || break
    sleep 0.05
  done
  equal "what the holder says" "$(cat "$STORY/held")" held
}

# apply_beside: repairs what is proved in the background; it is then process $APPLYING.
apply_beside() {
  "$OKSTRA" git-reconcile "${TASK[@]}" --apply --json >"$STORY/out" 2>"$STORY/err" &
  APPLYING=$!
}

# applied_beside CODE PROCESS: it ended so; what it said is in $WORK/out and $WORK/err.
applied_beside() {
  local code=0
  wait "$2" || code=$?
  cp "$STORY/out" "$WORK/out"
  cp "$STORY/err" "$WORK/err"
  equal "the exit code of who repaired beside" "$code" "$1"
}

# kill_now PROCESS: as the system would, without a chance to clean up.
kill_now() {
  kill -9 "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}

step "in the background two processes append 1,000 rows each, and one waits for a lock in vain"
rebased many
"$RECORDER" --many 1000 "$LOG" "$KEY" 2 >"$STORY/first" &
FIRST=$!
"$RECORDER" --many 1000 "$LOG" "$KEY" 1002 >"$STORY/second" &
SECOND=$!
rebased held
hold
HOLDS=$HOLDER
apply_beside
WAITS=$APPLYING
reconcile 0
items "done 1 auto $NEW"

step "a log that was torn by a crash is read, warned of once, and sealed by the next row"
rebased torn
printf '{"impl_task_key":"shop/auth/login","stage":1,"status":"done","head_com' >>"$LOG"
remember
reconcile 0
items "done 1 auto $NEW"
equal "stderr" "$(cat "$WORK/err")" "warning: \`$LOG:2\` was torn by a crash and is left out"
unchanged "looking at a torn log"
reconcile 0 --apply
told 'it.applied.map((one) => one.new_commit)' "$NEW"
equal "the warnings" "$(grep -c '^warning: ' "$WORK/err")" 1
head -c "$(wc -c <"$WORK/log-before")" "$LOG" | cmp -s - "$WORK/log-before" || fail "what was in the log was changed"
equal "the sealed line" "$(sed -n 2p "$LOG")" '{"impl_task_key":"shop/auth/login","stage":1,"status":"done","head_com #torn'
equal "the lines" "$(wc -l <"$LOG" | tr -d ' ')" 3
remember
reconcile 0 --all
items "anchor null ok null done 1 ok null"
equal "the warnings" "$(grep -c '^warning: ' "$WORK/err")" 1
unchanged "looking at a sealed log"

step "a last line that is whole but for its end counts"
rebased unended
printf '%s' "$(cat "$LOG")" >"$STORY/edited"
cp "$STORY/edited" "$LOG"
reconcile 0 --apply
told 'it.applied.map((one) => [one.replaced, one.new_commit])' "$OLD $NEW"
empty "the warnings" <(grep '^warning: ' "$WORK/err" || true)
equal "the lines" "$(wc -l <"$LOG" | tr -d ' ')" 2
logged 'it.map((row) => row.head_commit)' "$OLD $NEW"

step "a bad line in the middle is named, and the file is left byte for byte"
GOOD="$(cat "$LOG")"
# damaged CODE LINE: with this line in the middle of the log everything is refused.
damaged() {
  printf '%s\n%s\n%s\n' "$GOOD" "$2" "$GOOD" >"$LOG"
  remember
  refused "$1" --apply
  unchanged "a damaged log"
}
for line in nonsense '[1]' '{"stage":1,' '{"status":"done","stage":1}' '' '{"stage":1} {"stage":2}'; do
  damaged bad-line "$line"
  contains "the error for '$line'" "$WORK/out" "plan d'exécution/consumers.jsonl:3\` is not a"
done
damaged file-not-utf8 $'{"stage":1,"x":"\xff"}'
contains "the error" "$WORK/out" "line 3"
refused file-not-utf8
refused file-not-utf8 --apply --stage 1 --use-ref main
unchanged "a damaged log"
printf '%s\n' "$GOOD" | awk '{ printf "%s\r\n", $0 }' >"$LOG"
reconcile 0
items ""

step "a registry that is no JSON, no registry, or newer than this okstra"
rebased registry
cp "$REGISTRY" "$WORK/good"
# registry CODE TEXT: with this text in the registry everything is refused.
registry() {
  printf '%s' "$2" >"$REGISTRY"
  remember
  refused "$1" --apply --reset-anchor main
  unchanged "a registry that cannot be read"
  contains "the error" "$WORK/out" "okstra home/worktrees/registry.json"
}
registry not-json '{'
registry not-json ''
registry wrong-shape '[]'
registry wrong-shape "{\"schemaVersion\":\"1.0\",\"tasks\":{\"$KEY\":{\"stages\":[1]}}}"
registry newer-schema '{"schemaVersion":"2.0","tasks":{}}'
told it.hint "upgrade okstra"
refused newer-schema
refused newer-schema --apply
unchanged "a newer registry"
rm "$REGISTRY"
remember
refused no-anchor --apply
unchanged "a task without a registry"
mkdir "$REGISTRY"
refused wrong-kind-of-file --apply
rmdir "$REGISTRY"
cp "$WORK/good" "$REGISTRY"
reconcile 0 --apply
told 'it.applied.map((one) => one.new_commit)' "$NEW"

step "writers are killed, again and again: what they said they wrote is there, once"
new_task killed
stage 1 main a.txt 3 one
: >"$WORK/acknowledged"
for round in 1 2 3 4 5 6; do
  from=$(($(wc -l <"$WORK/acknowledged") + 2))
  "$RECORDER" --many 100000 "$LOG" "$KEY" "$from" >>"$WORK/acknowledged" &
  sleep "0.$((round * 5 + 10))"
  kill_now $!
  reconcile 0 --all
  items "anchor null ok null done 1 ok null"
done
ACKNOWLEDGED="$(wc -l <"$WORK/acknowledged" | tr -d ' ')"
[ "$ACKNOWLEDGED" -gt 20 ] || fail "only $ACKNOWLEDGED rows were written, which shows nothing"
recorder --many 30 "$LOG" "$KEY" "$ACKNOWLEDGED" >>"$WORK/acknowledged"
logged 'it.slice(1).map((row) => row.stage).join() === Array.from({ length: it.length - 1 }, (_, n) => n + 2).join()' true
logged "it.length >= $ACKNOWLEDGED + 1" true

step "okstra is killed while it records a person's decisions: every row follows on the one before"
git branch other main
on other edit a.txt 3 other
for round in 1 2 3 4 5 6 7 8 9 10; do
  name=other
  [ $((round % 2)) -eq 0 ] || name="$BRANCH-s1"
  : >"$LOG.lock"
  "$OKSTRA" git-reconcile "${TASK[@]}" --apply --stage 1 --use-ref "$name" --json >"$STORY/out" 2>&1 &
  # While the lock is held its file names the holder; it is held for what is written, and then ever a little longer.
  while [ ! -s "$LOG.lock" ] && kill -0 $! 2>/dev/null; do :; done
  for _ in $(seq $((round * 10))); do :; done
  kill_now $!
done
reconcile 0 --apply --stage 1 --use-ref other
reconcile 0
items ""
logged 'it.filter((row) => row.status === "done").every((row, n, all) => n === 0 || row.replaced_commit === all[n - 1].head_commit)' true
logged 'it.at(-1).head_commit' "$(rev other)"

step "who waits for a lock goes on when its holder is killed"
rebased released
remember
hold
apply_beside
sleep 0.5
kill -0 "$APPLYING" || fail "it did not wait"
grown 0
kill_now "$HOLDER"
applied_beside 0 "$APPLYING"
told 'it.applied.map((one) => one.new_commit)' "$NEW"
grown 1

step "who waited in vain is told who holds it and since when"
visit held
applied_beside 1 "$WAITS"
told it.code locked
contains "the error" "$WORK/out" "plan d'exécution/consumers.jsonl.lock\` is locked by process $HOLDS since 20"
contains "the hint" "$WORK/out" "process $HOLDS is at work on it"
logged it.length 1
kill_now "$HOLDS"
reconcile 0 --apply
logged it.length 2

step "of the rows of both processes none is lost and none is there twice"
visit many
wait "$FIRST" || fail "the first of two writers failed"
wait "$SECOND" || fail "the second of two writers failed"
logged it.length 2001
logged 'new Set(it.map((row) => row.stage)).size' 2001
equal "what the first wrote" "$(cat "$STORY/first")" "$(seq 2 1001)"
equal "what the second wrote" "$(cat "$STORY/second")" "$(seq 1002 2001)"
run 0 recorder --many 20 "$LOG" "$KEY" 992
empty "what is written once more" "$WORK/out"
remember
reconcile 0 --apply
told 'it.applied.map((one) => one.stage)' 1
grown 1
