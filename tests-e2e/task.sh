# What the scenarios about the records of a task share: source this file in the place of lib.sh. It installs okstra from
# the packed files, once, and gives helpers to make a task with done stages, to ask okstra about it, and to look at what
# became of its records.

source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

KEY=shop/auth/login
BRANCH=fix-login

start_registry "$PACK"
mkdir "$WORK/app"
cd "$WORK/app"
echo '{ "name": "app", "version": "1.0.0" }' >package.json
run 0 npm install okstra
OKSTRA="$WORK/app/node_modules/.bin/okstra"
cd "$WORK"

# Answers for `value`.
mkfifo "$WORK/questions" "$WORK/answers"
node "$CHECKOUT/tests-e2e/values.mjs" <"$WORK/questions" >"$WORK/answers" &
exec 8>"$WORK/questions" 9<"$WORK/answers"

# visit NAME: from now on it is about the task of this name, of which all lies in $WORK/NAME.
visit() {
  STORY="$WORK/$1"
  SHOP="$STORY/Björn's \"shop\""
  PLAN="$STORY/plan d'exécution"
  LOG="$PLAN/consumers.jsonl"
  export OKSTRA_HOME="$STORY/okstra home"
  REGISTRY="$OKSTRA_HOME/worktrees/registry.json"
  TASK=(--plan-run-root "$PLAN" --project-id shop --task-group auth --task-id login --work-category fix)
  mkdir -p "$SHOP" "$PLAN" "$OKSTRA_HOME/worktrees"
  cd "$SHOP"
}

# new_task NAME: a repository with `main` and the task branch, the task's registry entry, and no log yet; `visit`s it.
new_task() {
  visit "$1"
  git init -q -b main
  git config gc.auto 0
  for file in a.txt b.txt c.txt; do seq -f 'line %.0f' 40 >"$file"; done
  git add .
  git commit -q -m start
  ANCHOR="$(rev HEAD)"
  git branch "$BRANCH"
  register '{}'
}

# register FIELDS: writes the registry, with the task's entry, to which the fields are added.
register() {
  node -e '
    const [file, key, git_common_dir, branch, anchor, more] = process.argv.slice(1);
    const entry = { branch, base_ref: "refs/heads/main", git_common_dir, implementation_base_commit: anchor, stages: {} };
    const tasks = { [key]: { ...entry, ...JSON.parse(more) } };
    require("node:fs").writeFileSync(file, `${JSON.stringify({ schemaVersion: "1.0", tasks })}\n`);
  ' "$REGISTRY" "$KEY" "$SHOP/.git" "$BRANCH" "$ANCHOR" "$1"
}

rev() { git rev-parse --verify --quiet "$1^{commit}"; }

# edit FILE LINE TEXT: changes that line on the current branch, in a commit of its own.
edit() {
  awk -v line="$2" -v text="$3" 'NR == line { $0 = text } 1' "$1" >"$STORY/edited"
  cp "$STORY/edited" "$1"
  git commit -q -a -m "$3 in $1"
}

# stage N BASE [FILE LINE TEXT]...: does the stage on its own branch, a commit for each edit, and records it. Its commit
# is in $TIP then, and the shell on main.
stage() {
  local number=$1 base=$2
  shift 2
  git checkout -q -b "$BRANCH-s$number" "$base"
  while [ $# -gt 0 ]; do
    edit "$1" "$2" "$3"
    shift 3
  done
  TIP="$(rev HEAD)"
  git checkout -q main
  record "$number" "$base" "$TIP"
}

# record N BASE HEAD: records the stage as done.
record() { recorder "$SHOP" "$PLAN" "$KEY" fix "$1" "$(rev "$2")" "$(rev "$3")" >"$WORK/out" 2>"$WORK/err" || fail "stage $1 was not recorded"; }

# on BRANCH COMMAND...: does it on that branch, and goes back to main.
on() {
  git checkout -q "$1"
  "${@:2}"
  git checkout -q main
}

# collect: lets git throw away all that no ref holds.
collect() {
  git reflog expire --expire=now --all
  git gc --quiet --prune=now
}

# unkeep: removes the refs by which okstra holds commits.
unkeep() { git for-each-ref --format='delete %(refname)' refs/okstra | git update-ref --stdin; }

# reconcile CODE ARGUMENT...: asks about the task, with --json; it must end with that exit code.
reconcile() { run "$1" "$OKSTRA" git-reconcile "${TASK[@]}" "${@:2}" --json; }

# value FILE EXPRESSION: evaluates it in JavaScript, as values.mjs says; `it` is the document in the file.
value() {
  local answer
  printf '%s\0%s\0' "$1" "$2" >&8
  IFS= read -r answer <&9
  case "$answer" in
    ok*) echo "${answer#ok }" ;;
    *)
      echo "\`$2\` cannot be told of $1: ${answer#bad }" >&2
      return 1
      ;;
  esac
}

# says FILE EXPRESSION EXPECTED
says() {
  local found
  found="$(value "$1" "$2" 2>&1)" || fail "$found"
  equal "$2" "$found" "$3"
}

# told EXPRESSION EXPECTED: what the document that okstra printed says, as `value` does.
told() { says "$WORK/out" "$1" "$2"; }

# items EXPECTED: kind, stage, class and suggested commit of all items that were printed.
items() { told 'it.items.map((item) => [item.kind, item.stage, item.classification, item.suggested_commit])' "$1"; }

# refused CODE ARGUMENT...: that request is an error of this code; `remember` before, and see that all is `unchanged`.
refused() {
  reconcile 1 "${@:2}"
  is_error "$1"
}

# is_error CODE: the document that okstra printed is the error of this code.
is_error() { told '[it.code, Object.keys(it)]' "$1 error code hint"; }

# logged EXPRESSION EXPECTED: what the rows of the log say.
logged() { says "$LOG" "$1" "$2"; }

# state: everything that okstra could change: all files outside git, and git's refs, HEAD and operations.
state() {
  (cd "$STORY" && find . -type f ! -path '*/.git/*' ! -name '*.lock' ! -name edited -exec cksum {} + | sort)
  git -C "$SHOP" for-each-ref
  git -C "$SHOP" status
}

# remember: keeps in mind how everything is; see `unchanged` and `grown`.
remember() {
  state >"$WORK/remembered"
  cp "$LOG" "$WORK/log-before" 2>/dev/null || : >"$WORK/log-before"
}

# unchanged WHAT: nothing has changed since `remember`.
unchanged() {
  state >"$WORK/state"
  cmp -s "$WORK/state" "$WORK/remembered" || fail "$1 changed something: $(diff "$WORK/remembered" "$WORK/state")"
  pass
}

# grown ROWS: since `remember` the log was only added to, this many whole lines.
grown() {
  local before
  before="$(wc -c <"$WORK/log-before")"
  head -c "$before" "$LOG" | cmp -s - "$WORK/log-before" || fail "what was in the log was changed"
  equal "the number of new rows" "$(tail -c "+$((before + 1))" "$LOG" | wc -l | tr -d ' ')" "$1"
  equal "the end of the log" "$(tail -c 1 "$LOG" | od -An -c | tr -d ' ')" '\n'
}
