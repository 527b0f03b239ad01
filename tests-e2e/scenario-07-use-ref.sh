#!/usr/bin/env bash
# A person decides: which commit a stage has, there and back again, and where the task started.
source "$(dirname "${BASH_SOURCE[0]}")/task.sh"

new_task decided
stage 1 main a.txt 3 one
FIRST="$TIP"
stage 2 main b.txt 3 three
git checkout -q "$BRANCH-s1"
edit a.txt 3 another
git reset -q --soft HEAD^^
git commit -q -m "another"
A="$(rev HEAD)"
git branch "Björns-'fix'" main
git checkout -q "Björns-'fix'"
edit a.txt 3 "a third one"
B="$(rev HEAD)"
git tag -a -m "reviewed" reviewed "$A"
git checkout -q main

# decide REF COMMIT REPLACED: makes REF the commit of stage 1, which is one row; once more is none.
decide() {
  remember
  reconcile 0 --apply --stage 1 --use-ref "$1"
  told 'it.applied.map((one) => [one.stage, one.new_commit, one.replaced, one.reason])' "1 $2 $3 user-ref"
  grown 1
  logged '[it.at(-1).head_commit, it.at(-1).branch_tip, it.at(-1).reconciled]' "$2 $A true"
  remember
  reconcile 0 --apply --stage 1 --use-ref "$1"
  told it.applied ""
  reconcile 0
  items ""
  unchanged "deciding the same again"
}

step "A, B, A are three rows"
reconcile 2
items "done 1 confirm null"
decide "$BRANCH-s1" "$A" "$FIRST"
decide "Björns-'fix'" "$B" "$A"
decide "refs/tags/reviewed" "$A" "$B"
decide "${FIRST:0:7}" "$FIRST" "$A"
logged 'it.map((row) => row.ref)' "undefined undefined refs/heads/$BRANCH-s1 refs/heads/Björns-'fix' refs/tags/reviewed $FIRST"
for commit in "$FIRST" "$A" "$B"; do
  equal "the keep ref" "$(rev "refs/okstra/keep/auth/login/s1-$commit")" "$commit"
done

step "a decision holds until the branch moves, and then it is asked for again"
on "$BRANCH-s1" edit c.txt 3 "more"
remember
reconcile 2
items "done 1 confirm null"
reconcile 2 --apply
told it.applied ""
unchanged "a moved branch"
reconcile 0 --apply --stage 1 --use-ref "$BRANCH-s1"
grown 1

step "later proofs start from what the person named"
edit a.txt 35 "main moved on"
NAMED="$(rev "$BRANCH-s1")"
git rebase -q main "$BRANCH-s1"
git checkout -q main
remember
reconcile 0 --apply
told 'it.applied.map((one) => [one.stage, one.reason])' "1 auto-patch-id"
grown 1
logged '[it.at(-1).witness_commit, it.at(-1).head_commit]' "$NAMED $(rev "$BRANCH-s1")"

# anchor: where the task starts, as recorded.
anchor() { value "$REGISTRY" "it.tasks['$KEY'].implementation_base_commit"; }

step "the anchor moves on purpose only, and no byte outside the entry changes with it"
ENTRY="{\"branch\":\"$BRANCH\",\"base_ref\":\"refs/heads/main\",\"implementation_base_commit\":\"$ANCHOR\",\"ä\":[1]}"
BEFORE="{\"note\":1.50, \"tasks\" : { \"shop/auth/ä\": {\"x\":  [ ]},"
AFTER=',"q/g/t":{ } } ,"schemaVersion": "1.3"}'
printf '%s"%s":%s%s' "$BEFORE" "$KEY" "$ENTRY" "$AFTER" >"$REGISTRY"
remember
reconcile 0 --apply
unchanged "a repair of nothing"
reconcile 0 --apply --reset-anchor main
told it.applied "{\"anchor\":\"$(rev main)\"}"
equal "the anchor" "$(anchor)" "$(rev main)"
contains "the registry" "$REGISTRY" "$BEFORE"
contains "the registry" "$REGISTRY" "$AFTER"
says "$REGISTRY" "JSON.stringify(it.tasks['$KEY'])" "${ENTRY/$ANCHOR/$(rev main)}"
grown 0
remember
reconcile 0 --apply --reset-anchor refs/heads/main
told it.applied ""
unchanged "moving it to where it is"

step "an anchor that git threw away is asked about, and named by a person"
register '{"implementation_base_commit": "ffffffffffffffffffffffffffffffffffffffff"}'
remember
reconcile 2
items "anchor null confirm null"
told 'it.items[0].reason.startsWith("anchor SHA unresolvable: ")' true
reconcile 2 --apply
told it.applied ""
unchanged "an anchor that is gone"
run 2 "$OKSTRA" git-reconcile "${TASK[@]}"
contains "what to do next" "$WORK/out" "--apply --reset-anchor REF"

step "both decisions in one call, and neither when one is wrong"
remember
for wrong in "--reset-anchor $ANCHOR --stage 1 --use-ref no-such-ref" "--reset-anchor no-such-ref --stage 1 --use-ref $A"; do
  # shellcheck disable=SC2086 # these are words
  refused unresolvable-ref --apply $wrong
done
refused no-done-row --apply --reset-anchor "$ANCHOR" --stage 9 --use-ref "$A"
unchanged "half a wrong request"
reconcile 0 --apply --reset-anchor "$ANCHOR" --stage 1 --use-ref "$A"
told 'it.applied.map((one) => one.anchor ?? [one.stage, one.new_commit])' "$ANCHOR 1 $A"
equal "the anchor" "$(anchor)" "$ANCHOR"
grown 1
