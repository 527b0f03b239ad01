#!/usr/bin/env bash
# How a task is named, and what is wrong with a request: one clear error each time, and nothing changed.
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

# into_project: moves the records into .okstra/, where --task finds them.
into_project() {
  local folder=.okstra/tasks/auth/login
  mkdir -p "$folder/runs"
  mv "$PLAN" "$folder/runs/implementation-planning"
  PLAN="$SHOP/$folder/runs/implementation-planning"
  LOG="$PLAN/consumers.jsonl"
  TASK=(--plan-run-root "$PLAN" "${TASK[@]:2}")
  echo '*' >.okstra/.gitignore
  echo '{"schemaVersion":"1.0","projectId":"shop"}' >.okstra/project.json
  echo '{"schemaVersion":"1.0","taskKey":"shop/auth/login","title":"Login","category":"fix"}' >"$folder/task-manifest.json"
}

# asked CODE ARGUMENT...: git-reconcile with these arguments and --json alone.
asked() { run "$1" "$OKSTRA" git-reconcile "${@:2}" --json; }

# wrong CODE ARGUMENT...: these are an error of this code; `remember` before, and see that all is `unchanged`.
wrong() {
  asked 1 "${@:2}"
  is_error "$1"
}

step "a task is named in full, or by .okstra/, or by the worktree that one stands in: it is the same task"
rebased "Zoë's project"
into_project
git worktree add -q "$STORY/Zoë's \"login\"" "$BRANCH"
git worktree add -q "$STORY/stage 1" "$BRANCH-s1"
register "$(node -p 'JSON.stringify({
  worktree_path: process.argv[1], stages: { 1: { worktree_path: process.argv[2] } } })' "$STORY/Zoë's \"login\"" "$STORY/stage 1")"
mkdir -p "sub folder/ü" "$STORY/Zoë's \"login\"/sub folder" "$STORY/Zoë's \"login\"/.okstra" "$STORY/elsewhere"
echo '{"schemaVersion":"1.0","projectId":"another"}' >"$STORY/Zoë's \"login\"/.okstra/project.json"
reconcile 0
items "done 1 auto $NEW"
cp "$WORK/out" "$WORK/expected"
# same FOLDER ARGUMENT...: asked there and so, the document is the same.
same() {
  cd "$1"
  asked 0 "${@:2}"
  cmp -s "$WORK/out" "$WORK/expected" || fail "from $1 with ${*:2} it says something else"
  pass
  cd "$SHOP"
}
same "$SHOP" --task auth/login
same "$SHOP/sub folder/ü" --task auth/login
same "$STORY/stage 1" --task auth/login
same "$STORY/elsewhere" --task auth/login --project-root "../Björn's \"shop\""
same "$SHOP/.okstra/tasks" --plan-run-root auth/login/runs/implementation-planning "${TASK[@]:2}"
same "$STORY/Zoë's \"login\""
same "$STORY/Zoë's \"login\"/sub folder"
same "$STORY/stage 1"
same "$STORY/elsewhere" "${TASK[@]}" --project-root "$STORY/stage 1"
remember
wrong no-task
told 'it.hint.includes("--task auth/login")' true

step "a project, a task, a folder, a repository that are not there"
wrong unknown-task --task auth/none
wrong no-such-folder --task auth/login --project-root nowhere
wrong no-such-folder --plan-run-root nowhere "${TASK[@]:2}"
cd "$STORY/elsewhere"
wrong not-a-repository --task auth/login
git init -q
wrong not-a-project --task auth/login
cd "$SHOP"

step "names with characters of paths, and other names that are none"
for name in '' a/b ../x .. .x -x a..b x.lock 'a b' ü 'a\b' "$(printf 'x%.0s' $(seq 65))"; do
  wrong bad-name --plan-run-root "$PLAN" --project-id shop --task-group auth "--task-id=$name" --work-category fix
done
for option in --project-id --task-group --work-category; do
  wrong bad-name --plan-run-root "$PLAN" --task-id login "$option=../x" \
    $(printf '%s\n' --project-id=shop --task-group=auth --work-category=fix | grep -v -- "$option")
done
for name in '' login auth/ /login auth/login/x ../x/y auth/.. auth/../../x; do wrong bad-name "--task=$name"; done

step "names that differ only in case from one that is there"
for name in auth/Login AUTH/login; do
  wrong case-collision --task "$name"
  told 'it.error.includes("auth/login") || it.error.includes("`login`") || it.error.includes("`auth`")' true
done
wrong case-collision --plan-run-root "$PLAN" --project-id shop --task-group auth --task-id LOGIN --work-category fix
wrong case-collision --plan-run-root "$PLAN" --project-id Shop --task-group auth --task-id login --work-category fix --apply

unchanged "naming a task badly"

step "options that do not go together, or are none"
while read -r line; do
  # shellcheck disable=SC2086 # these are words
  wrong usage --task auth/login $line
done <<'END'
--use-ref main
--use-ref main --apply
--stage 1
--stage 1 --apply
--stage 1 --use-ref main
--reset-anchor main
--reset-anchor main --stage 1 --use-ref main
--all --apply
--task-id login
--task auth/login
--stage 0 --use-ref main --apply
--stage -1 --use-ref main --apply
--stage one --use-ref main --apply
--stage 4294967296 --use-ref main --apply
--appply
--use-ref
extra
END
wrong usage --project-id shop --task-id login
told 'it.error' "these are missing: --plan-run-root, --task-group, --work-category"
run 1 "$OKSTRA" git-reconcile --task auth/login --stage 1 --use-ref main
empty "stdout" "$WORK/out"
contains "stderr" "$WORK/err" "error: --use-ref requires --apply"
unchanged "options that do not go together"

step "a stage without a done row, and refs that are none, several, or no ref"
refused no-done-row --apply --stage 9 --use-ref main
told it.error "stage 9 has no done row to reconcile"
git tag double main
git branch double "$BRANCH-s1"
remember
for reference in '' none 'main~1' 'main@{1}' :/start double "${NEW:0:6}" 0123456789abcdef; do
  refused unresolvable-ref --apply --stage 1 "--use-ref=$reference"
  contains "the error" "$WORK/out" "could not resolve ref \`$reference\`"
done
refused unresolvable-ref --apply --reset-anchor none
refused unresolvable-ref --apply --into none
refused unresolvable-ref --into none
refused not-the-base --apply --into "$BRANCH"
unchanged "a stage or a ref that is none"

step "a folder that cannot be written: looking works, repairing is one clear error"
# as_user COMMAND...: without root's right to write everywhere.
as_user() {
  if [ "$(id -u)" -ne 0 ]; then "$@"; else
    setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-dac_override,-dac_read_search "$@"
  fi
}
if [ "$(id -u)" -ne 0 ] || as_user true 2>/dev/null; then
  remember
  chmod -R a-w "$PLAN"
  run 0 as_user "$OKSTRA" git-reconcile --task auth/login --json
  items "done 1 auto $NEW"
  empty "stderr" "$WORK/err"
  run 1 as_user "$OKSTRA" git-reconcile --task auth/login --apply --json
  is_error permission-denied
  told 'it.error.includes("implementation-planning/consumers.jsonl.lock`: no permission")' true
  run 1 as_user "$OKSTRA" git-reconcile --task auth/login --apply
  equal "the lines on stderr" "$(grep -c '^error: ' "$WORK/err")" 1
  unchanged "a folder that cannot be written"
  chmod -R u+w "$PLAN"
else
  echo "   left out: root writes everywhere, and there is no setpriv"
fi

step "another clone with the same project id does not touch the records of the first"
git clone -q "$SHOP" "$STORY/clone of Zoë's" 2>/dev/null
cp -R .okstra "$STORY/clone of Zoë's/.okstra"
remember
cd "$STORY/clone of Zoë's"
for more in "" "--apply" "--apply --reset-anchor main" "--apply --stage 1 --use-ref main"; do
  # shellcheck disable=SC2086 # these are words
  wrong registry-conflict --task auth/login $more
  contains "the error" "$WORK/out" "clone of Zoë's"
  contains "the error" "$WORK/out" "Björn's \\\"shop\\\""
  unchanged "the clone, with '$more',"
done
cd "$SHOP"

step "after all of that the record is repaired"
mv "$STORY/clone of Zoë's" "$STORY/gone"
asked 0 --task auth/login --apply
told 'it.applied.map((one) => [one.replaced, one.new_commit])' "$OLD $NEW"
grown 1
says "$SHOP/.okstra/tasks/auth/login/timeline.jsonl" 'it.map((event) => [event.event, event.stage, event.commit])' "reconciled 1 $NEW"
