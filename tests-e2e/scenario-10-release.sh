#!/usr/bin/env bash
# A release branch picked only the last commit of a stage: it does not contain the stage, whatever else it contains.
source "$(dirname "${BASH_SOURCE[0]}")/task.sh"

# release NAME COMMIT...: a branch of this name where these were picked, and something else.
release() {
  git checkout -q -b "$1" "$ANCHOR"
  edit c.txt 20 "only in $1"
  git cherry-pick "${@:2}" >"$WORK/out"
  git checkout -q main
}

# into CODE REF EXPECTED: proof, effect and verdict of the stage in the ref.
into() {
  reconcile "$1" --into "$2"
  told 'it.into.map((one) => [one.stage, one.ref, one.proof, one.effect, one.verdict])' "1 refs/heads/$2 $3"
  items ""
}

new_task release
stage 1 main a.txt 3 one a.txt 20 two b.txt 9 three
remember

step "only the last commit, or all but the last"
release release/1.0 "$TIP"
into 2 release/1.0 "null partial ask"
release release/1.1 "$TIP~2" "$TIP~1"
into 2 release/1.1 "null partial ask"
release release/1.2 "$TIP~2" "$TIP"
into 2 release/1.2 "null partial ask"

step "content-merged says the same"
run 2 "$OKSTRA" content-merged --commit "$TIP" --candidate release/1.0 --base "$ANCHOR" --json
equal "the verdict" "$(field verdict)" ask

step "all of them, also in another order, or as one"
release release/2.0 "$TIP~2" "$TIP~1" "$TIP"
into 0 release/2.0 "replay present contained"
release release/2.1 "$TIP" "$TIP~2" "$TIP~1"
into 0 release/2.1 "replay present contained"
git checkout -q -b release/2.2 "$ANCHOR"
git merge -q --squash "$BRANCH-s1" >"$WORK/out"
git commit -q -m "squashed"
git checkout -q main
into 0 release/2.2 "same-change present contained"

step "all of them, and one taken out again"
git checkout -q release/2.0
git revert --no-edit HEAD >"$WORK/out"
git checkout -q main
reconcile 2 --into release/2.0
told 'it.into.map((one) => one.verdict)' ask

step "none of them"
into 2 main "null absent absent"

step "nothing is recorded from a release, whatever it contains"
git for-each-ref --format='%(refname)' refs/heads/release >"$WORK/releases"
remember
while read -r name; do
  reconcile 1 --into "$name" --apply
  told it.code not-the-base
done <"$WORK/releases"
unchanged "a release"
