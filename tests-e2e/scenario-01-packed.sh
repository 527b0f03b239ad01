#!/usr/bin/env bash
# The packed packages as a user gets them: from a registry, through npx and npm install, on a machine that has nothing
# of okstra, and never from this checkout.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

VERSION="$(node -p 'require(process.argv[1]).version' "$CHECKOUT/package.json")"
PLATFORM="$(node --input-type=module -e '
  const { hostPlatform } = await import(process.argv[1]);
  console.log(hostPlatform().name);' "file://$CHECKOUT/npm/platforms.js")"

start_registry "$PACK"

step "npx okstra --version and --help"
mkdir "$WORK/elsewhere"
cd "$WORK/elsewhere"
run 0 npx -y okstra@latest --version
equal "npx okstra --version" "$(cat "$WORK/out")" "okstra $VERSION"
run 0 npx -y okstra@latest --help
contains "the help" "$WORK/out" "content-merged"
INSTALLED="$(dirname "$(find "$npm_config_cache/_npx" -path '*/node_modules/okstra/package.json')")"
equal "the addon of the npx cache" "$(ls "$INSTALLED/../okstra-$PLATFORM" | tr '\n' ' ')" "LICENSE okstra okstra.$PLATFORM.node package.json "
equal "the other platforms in the npx cache" "$(ls -d "$INSTALLED"/../okstra-* | wc -l | tr -d ' ')" 1
run 0 "$INSTALLED/../okstra-$PLATFORM/okstra" --version
equal "the executable's version" "$(cat "$WORK/out")" "okstra $VERSION"

step "a repository with a merged, a squashed and an open branch"
git init -q -b main "$WORK/repository"
cd "$WORK/repository"
save base.txt "base"
for name in merged squashed open; do
  git checkout -q -b "$name" main
  save "$name-1.txt" "first of $name"
  save "$name-2.txt" "second of $name"
  git checkout -q main
done
save drift.txt "drift"
git merge -q --no-ff -m "merge it" merged
git merge -q --squash squashed >"$WORK/out" 2>"$WORK/err"
git commit -q -m "squash it"
SQUASH="$(git rev-parse HEAD)"
save later.txt "later"

# answer CODE BRANCH STATUS VERDICT MATCHED
answer() {
  run "$1" npx -y okstra@latest content-merged --commit "$(git rev-parse "$2")" --candidate main --json
  empty "stderr for $2" "$WORK/err"
  equal "status of $2" "$(field status)" "$3"
  equal "verdict of $2" "$(field verdict)" "$4"
  equal "matched commit of $2" "$(field matchedCommit)" "$5"
}
answer 0 merged ancestor contained "$(git rev-parse merged)"
answer 0 squashed patch-equivalent contained "$SQUASH"
answer 2 open not-merged absent null
run 2 npx -y okstra@latest content-merged --commit "$(git rev-parse open)" --candidate main
[ -s "$WORK/out" ] || fail "without --json nothing was printed"
run 1 npx -y okstra@latest content-merged --commit "$(git rev-parse open)" --candidate main --project-root "$WORK/elsewhere" --json
equal "the code outside a repository" "$(field code)" "not-a-repository"

step "the core that ran is the one in the npx cache"
cat >"$WORK/probe.mjs" <<'JS'
import { appendFileSync } from "node:fs";
process.on("exit", () => {
  const loaded = process.report.getReport().sharedObjects.filter((file) => /okstra[^/]*\.node$/.test(file));
  for (const file of loaded) appendFileSync(process.env.PROBE_FILE, `${file}\n`);
});
JS
PROBE_URL="$(node -p 'require("node:url").pathToFileURL(process.argv[1]).href' "$WORK/probe.mjs")"
run 0 env PROBE_FILE="$WORK/loaded" NODE_OPTIONS="--import=$PROBE_URL" npx -y okstra@latest content-merged --commit "$(git rev-parse merged)" --candidate main
LOADED="$(cat "$WORK/loaded")"
case "$LOADED" in
  "$npm_config_cache"/_npx/*/node_modules/okstra-"$PLATFORM"/okstra."$PLATFORM".node) pass ;;
  *) fail "the addon came from '$LOADED'" ;;
esac

step "a project that imports okstra"
mkdir "$WORK/importer"
cd "$WORK/importer"
echo '{ "name": "importer", "version": "1.0.0", "type": "module" }' >package.json
run 0 npm install okstra
cat >index.js <<'JS'
import { contentMerged } from "okstra";
const [projectRoot, commit] = process.argv.slice(2);
try {
  console.log(JSON.stringify(await contentMerged({ projectRoot, commit, candidate: "main" })));
} catch (error) {
  console.log(JSON.stringify({ error: error.message, code: error.code, hint: error.hint }));
}
JS
run 0 node index.js "$WORK/repository" "$(git -C "$WORK/repository" rev-parse squashed)"
equal "what the importer is told" "$(field status) $(field matchedCommit)" "patch-equivalent $SQUASH"

step "the platform package in another version"
MANIFEST="node_modules/okstra-$PLATFORM/package.json"
sed "s/\"version\": \"$VERSION\"/\"version\": \"9.9.9\"/" "$MANIFEST" >"$WORK/manifest"
cp "$WORK/manifest" "$MANIFEST"
run 70 ./node_modules/.bin/okstra content-merged --commit abcdef0 --candidate main --json
equal "the code" "$(field code)" "version-mismatch"
contains "the error" "$WORK/out" "version 9.9.9"
run 0 node index.js "$WORK/repository" abcdef0
equal "the importer's code" "$(field code)" "version-mismatch"

step "without optional dependencies the true cause is named"
mkdir "$WORK/omitted"
cd "$WORK/omitted"
echo '{ "name": "omitted", "version": "1.0.0" }' >package.json
run 0 npm install --omit=optional okstra
run 70 ./node_modules/.bin/okstra content-merged --commit abcdef0 --candidate main
empty "stdout" "$WORK/out"
contains "the error" "$WORK/err" "okstra-$PLATFORM is missing"
contains "the error" "$WORK/err" "--omit=optional"
contains "the error" "$WORK/err" "okstra $VERSION in $WORK/omitted/node_modules/okstra, Node $(node -p process.version)"
run 70 ./node_modules/.bin/okstra content-merged --commit abcdef0 --candidate main --json
empty "stderr with --json" "$WORK/err"
equal "the code" "$(field code)" "platform-package-missing"
run 0 ./node_modules/.bin/okstra --version
equal "the version without a core" "$(cat "$WORK/out")" "okstra $VERSION"

step "npm asked for nothing but okstra, and fetched no other platform"
if grep -vE "^GET /okstra(-[a-z0-9-]+)?(/-/okstra(-$PLATFORM)?-$VERSION\.tgz)? 200$" "$WORK/requests" >"$WORK/strange"; then
  fail "npm also asked: $(cat "$WORK/strange")"
fi
pass
