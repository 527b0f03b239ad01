# What every scenario starts with: source this file. It gives the scenario an empty HOME, OKSTRA_HOME, npm cache and
# temporary folder, an environment without the caller's npm, git, Node and okstra settings, and helpers. Everything is
# removed when the scenario ends; OKSTRA_E2E_KEEP=1 keeps it. OKSTRA_PACK_DIR names other packed files than the last ones,
# OKSTRA_RECORDER another recorder (tests/fakes/recorder.rs).

set -euo pipefail

CHECKOUT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
SCENARIO="$(basename "$0" .sh)"
KEEP="${OKSTRA_E2E_KEEP:-}"
PACK="${OKSTRA_PACK_DIR:-$CHECKOUT/target/pack}"
RECORDER="${OKSTRA_RECORDER:-$CHECKOUT/target/debug/examples/recorder}"

for name in $(compgen -e); do
  case "$name" in
    npm_* | NPM_* | NODE | NODE_* | INIT_CWD | GIT_* | OKSTRA_* | CLAUDE* | CODEX* | GEMINI* | XDG_* | NO_COLOR | FORCE_COLOR | CARGO* | RUST* | NAPI_*) unset "$name" ;;
  esac
done

# The folder has a space in its name, as many a home folder has.
WORK="$(mktemp -d "${TMPDIR:-/tmp}/okstra e2e.XXXXXX")"
WORK="$(cd "$WORK" && pwd -P)"
export HOME="$WORK/home" OKSTRA_HOME="$WORK/okstra home" TMPDIR="$WORK/tmp"
mkdir -p "$HOME" "$OKSTRA_HOME" "$TMPDIR"

export npm_config_cache="$WORK/npm-cache" npm_config_userconfig="$WORK/npmrc" npm_config_globalconfig="$WORK/npmrc-global"
export npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false npm_config_fetch_retries=0

# Whatever asks for another machine asks a port where nobody listens.
export http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 no_proxy=127.0.0.1,localhost
export HTTP_PROXY="$http_proxy" HTTPS_PROXY="$https_proxy" NO_PROXY="$no_proxy"

export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_TERMINAL_PROMPT=0
export GIT_AUTHOR_NAME=Author GIT_AUTHOR_EMAIL=author@example.com GIT_COMMITTER_NAME=Committer GIT_COMMITTER_EMAIL=committer@example.com
export GIT_AUTHOR_DATE="2024-01-01T00:00:00Z" GIT_COMMITTER_DATE="2024-01-01T00:00:00Z"
export LC_ALL=C.UTF-8 TZ=UTC

# No program of the checkout may be found by its name.
clean_path=""
IFS=: read -r -a path_parts <<<"$PATH"
for part in "${path_parts[@]}"; do
  case "$part/" in
    "$CHECKOUT"/* | */node_modules/.bin/ | */node-gyp-bin/) ;;
    *) clean_path="${clean_path:+$clean_path:}$part" ;;
  esac
done
export PATH="$clean_path"

PASSED=0
REGISTRY_PID=""

finish() {
  local code=$? pid
  [ -z "$REGISTRY_PID" ] || kill "$REGISTRY_PID" 2>/dev/null || true
  for pid in $(jobs -p); do kill "$pid" 2>/dev/null || true; done
  if [ -n "$KEEP" ]; then
    echo "kept: $WORK"
  else
    cd /
    chmod -R u+w "$WORK" 2>/dev/null || true
    rm -rf "$WORK"
  fi
  if [ "$code" -eq 0 ]; then echo "$SCENARIO: $PASSED passed, 0 failed"; else echo "$SCENARIO: $PASSED passed, 1 failed"; fi
  exit "$code"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$WORK"

step() { echo "-- $*"; }

pass() { PASSED=$((PASSED + 1)); }

# fail WHAT...: ends the scenario, with what the last command said.
fail() {
  echo "FAILED: $*" >&2
  [ ! -s "$WORK/out" ] || { echo "stdout was:" >&2; head -c 4000 "$WORK/out" >&2; echo >&2; }
  [ ! -s "$WORK/err" ] || { echo "stderr was:" >&2; head -c 4000 "$WORK/err" >&2; echo >&2; }
  exit 1
}

# run CODE COMMAND...: runs it, its output in $WORK/out and $WORK/err; it must end with that exit code.
run() {
  local expected=$1 code=0
  shift
  "$@" >"$WORK/out" 2>"$WORK/err" </dev/null || code=$?
  [ "$code" -eq "$expected" ] || fail "\`$*\` ended with $code, not $expected"
  pass
}

# equal WHAT FOUND EXPECTED
equal() {
  [ "$2" = "$3" ] || fail "$1 is '$2', not '$3'"
  pass
}

# contains WHAT FILE TEXT: the file has the text somewhere.
contains() {
  grep -qF -- "$3" "$2" || fail "$1 does not say '$3'"
  pass
}

# empty WHAT FILE
empty() {
  [ ! -s "$2" ] || fail "$1 is not empty"
  pass
}

# field NAME: a field of the one JSON document in $WORK/out.
field() {
  node -e 'const value = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"))[process.argv[2]];
    process.stdout.write(value === undefined ? "(none)" : String(value));' "$WORK/out" "$1"
}

# told EXPRESSION EXPECTED: what the document that okstra printed says; `it` is the document, and lists become words.
told() {
  local found
  found="$(node -e 'const it = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
    console.log([eval(process.argv[2])].flat(Infinity).join(" "));' "$WORK/out" "$1" 2>&1)" || fail "\`$1\` cannot be told: $found"
  equal "$1" "$found" "$2"
}

# tree FOLDER...: every folder, every link with where it leads, and every file with its checksum and whether it can be
# started; of what can be read. What npm keeps in a home folder for itself is left out.
tree() {
  local folder
  for folder in "$@"; do
    echo "in $folder"
    {
      found "$folder" \( -type d -o -type f -perm -100 \) -exec ls -1dF {} +
      found "$folder" -type f -exec cksum {} +
      found "$folder" -type l -exec ls -ld {} + | sed 's/^.* \(\.\/.* -> \)/\1/'
    } | LC_ALL=C sort
  done
}
# found FOLDER EXPRESSION...: what `find` finds there, for `tree`.
found() { (cd "$1" && find . \( -name .npm -o -path ./.config \) -prune -o "${@:2}" 2>/dev/null) || true; }

# recorder ARGUMENT...: writes records as later commands will (tests/fakes/recorder.rs).
recorder() {
  [ -x "$RECORDER" ] || fail "$RECORDER is not built: run \`cargo build --example recorder\`"
  "$RECORDER" "$@"
}

# start_registry DIR: serves the packed files of DIR, and nothing else, to npm. Requests are listed in $WORK/requests.
start_registry() {
  node "$CHECKOUT/tests-e2e/registry.mjs" "$1" "$WORK/requests" >"$WORK/registry-url" 2>"$WORK/registry-err" &
  REGISTRY_PID=$!
  for _ in $(seq 100); do
    [ ! -s "$WORK/registry-url" ] || break
    kill -0 "$REGISTRY_PID" 2>/dev/null || fail "the registry did not start: $(cat "$WORK/registry-err")"
    sleep 0.1
  done
  npm_config_registry="$(cat "$WORK/registry-url")"
  [ -n "$npm_config_registry" ] || fail "the registry did not say where it listens"
  export npm_config_registry
}

# save FILE TEXT: writes the file and commits it.
save() {
  printf '%s\n' "$2" >"$1"
  git add -- "$1"
  git commit -q -m "change $1"
}
