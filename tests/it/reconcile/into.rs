//! `--into`: where the done stages are after a pull request.

use serde_json::{Value, json};

use crate::common::story::{BRANCH, Story, branch};

/// Two sibling stages, integrated into the task branch by okstra; a review commit on top.
fn integrated() -> (Story, [String; 2]) {
    let story = Story::new();
    let first = story.stage(1, "main", &[("a.txt", 3, "one"), ("a.txt", 9, "two")]);
    let second = story.stage(2, "main", &[("b.txt", 3, "three")]);
    story.git(&["checkout", "-q", BRANCH]);
    story.git(&["merge", "-q", "--no-ff", "--no-edit", &branch(1)]);
    story.git(&["merge", "-q", "--no-ff", "--no-edit", &branch(2)]);
    let integration = story.rev("HEAD");
    story.write_registry(&json!({"integrations": [{"commit": integration, "stages": [1, 2]}]}));
    (story, [first, second])
}

/// Squashes the task branch into main, as a pull request would, and deletes the branches.
fn squash(story: &Story) -> String {
    story.git(&["checkout", "-q", "main"]);
    story.edit("c.txt", 30, "main moved on");
    story.git(&["merge", "-q", "--squash", BRANCH]);
    story.git(&["commit", "-q", "-m", "Login (#7)"]);
    let landed = story.rev("HEAD");
    for name in [branch(1), branch(2), BRANCH.to_owned()] {
        story.git(&["branch", "-q", "-D", &name]);
    }
    story.edit("c.txt", 35, "and further");
    landed
}

fn answer(stage: u32, landed: &str, proof: &str) -> Value {
    json!({"stage": stage, "ref": "refs/heads/main", "matched_commit": landed, "proof": proof, "effect": "present",
        "verdict": "contained"})
}

#[test]
fn siblings_in_one_squash_are_carried_by_their_integration() {
    let (story, _) = integrated();
    // What a reviewer asked for, in a path of the first stage.
    story.edit("a.txt", 9, "two, as reviewed");
    story.git(&["update-ref", "refs/remotes/origin/fix-login", BRANCH]);
    let review = story.rev("HEAD");
    story.write_registry(&json!({"integrations": [{"commit": review, "stages": [1, 2]}]}));
    let landed = squash(&story);
    let found = story.json(0, &["--into", "main"]);
    assert_eq!(found["into"][0]["matched_commit"], json!(landed), "{found}");
    assert_eq!((&found["into"][0]["proof"], &found["into"][0]["verdict"]), (&json!("carrier"), &json!("contained")));
    assert_eq!(found["into"][1]["matched_commit"], json!(landed), "{found}");
}

#[test]
fn a_landing_in_the_base_is_recorded() {
    let (story, [first, second]) = integrated();
    let landed = squash(&story);
    let found = story.json(0, &["--into", "main"]);
    assert_eq!(found["into"], json!([answer(1, &landed, "same-change"), answer(2, &landed, "same-change")]), "{found}");
    assert_eq!(story.rows().len(), 2, "looking changes nothing");
    let applied = story.json(0, &["--into", "main", "--apply"]);
    let row =
        |stage, old: &str| json!({"stage": stage, "new_commit": landed, "replaced": old, "reason": "auto-patch-id"});
    assert_eq!(applied["applied"], json!([row(1, &first), row(2, &second)]), "{applied}");
    assert_eq!(story.rows()[3]["ref"], json!("refs/heads/main"));
    story.edit("c.txt", 1, "main goes on and on");
    let records = story.records();
    let again = story.json(0, &["--into", "main", "--apply"]);
    assert_eq!((&again["applied"], again["into"][0]["verdict"].clone()), (&json!([]), json!("contained")));
    assert_eq!(story.records(), records, "twice changes nothing");
    assert_eq!(story.items(0), Vec::<Value>::new());
}

#[test]
fn a_release_that_picked_only_the_last_commit_does_not_contain_the_stage() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one"), ("a.txt", 20, "two")]);
    story.git(&["checkout", "-q", "-b", "release", "main"]);
    story.git(&["cherry-pick", &branch(1)]);
    story.git(&["checkout", "-q", "main"]);
    let found = story.json(2, &["--into", "release"]);
    assert_ne!(found["into"][0]["verdict"], json!("contained"), "{found}");
    assert_eq!((&found["items"], &found["into"][0]["ref"]), (&json!([]), &json!("refs/heads/release")));
}

#[test]
fn what_is_recorded_must_come_from_where_later_stages_start() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.git(&["branch", "other", &branch(1)]);
    let ran = story.reconcile(&["--into", "other", "--apply", "--json"]);
    assert_eq!((ran.code, &ran.json()["code"]), (Some(1), &json!("not-the-base")), "{ran:?}");
    assert_eq!(story.json(0, &["--into", "other"])["into"][0]["proof"], json!("ancestry"));
    // The upstream of the base counts as the base.
    story.git(&["remote", "add", "origin", "https://example.com/shop.git"]);
    story.git(&["update-ref", "refs/remotes/origin/main", &branch(1)]);
    story.git(&["config", "branch.main.remote", "origin"]);
    story.git(&["config", "branch.main.merge", "refs/heads/main"]);
    assert_eq!(story.json(0, &["--into", "origin/main", "--apply"])["applied"], json!([]));
}

#[test]
fn stages_recorded_one_on_the_other_are_carried_by_the_whole() {
    let story = Story::new();
    let first = story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.stage(2, &first, &[("a.txt", 3, "one, and more")]);
    story.git(&["merge", "-q", "--squash", &branch(2)]);
    story.git(&["commit", "-q", "-m", "both"]);
    let landed = story.rev("HEAD");
    let found = story.json(0, &["--into", "main"]);
    assert_eq!(found["into"][0]["matched_commit"], json!(landed), "{found}");
    assert_eq!(found["into"][0]["proof"], json!("carrier"), "{found}");
}

#[test]
fn a_stage_that_nobody_merged_is_absent() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    let found = story.json(2, &["--into", "main"]);
    assert_eq!((&found["into"][0]["verdict"], &found["into"][0]["effect"]), (&json!("absent"), &json!("absent")));
}

#[test]
fn merged_for_real_and_reverted_is_contained_with_a_warning() {
    let story = Story::new();
    let tip = story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.edit("c.txt", 3, "main moved on");
    story.git(&["merge", "-q", "--no-ff", "--no-edit", &branch(1)]);
    story.git(&["revert", "--no-edit", "-m", "1", "HEAD"]);
    let ran = story.reconcile(&["--into", "main", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let into = &ran.json()["into"][0];
    assert_eq!((&into["matched_commit"], &into["effect"]), (&json!(tip), &json!("absent")), "{ran:?}");
    let warning = "warning: stage 1 is in refs/heads/main, but its changes are not there: they were taken out again\n";
    assert_eq!(ran.stderr, warning);
    assert_eq!(story.json(0, &["--into", "main", "--apply"])["applied"], json!([]));
}

#[test]
fn people_are_told_where_the_stages_are_and_how_to_record_it() {
    let (story, _) = integrated();
    let landed = squash(&story);
    let short = &landed[..8];
    story.move_into_project();
    let table = format!(
        "contained  both done stages are in refs/heads/main\n\n  what     verdict    landed    proof        effect\n  \
         stage 1  contained  {short}  same-change  present: merging it changes nothing\n  stage 2  contained  {short}  \
         same-change  present: merging it changes nothing\n"
    );
    let told = story.reconcile(&["--into", "main"]).stdout;
    let holds = "ok  every recorded commit holds: the anchor, stages 1 and 2\n";
    let next = "\nnext: record where it landed\n  okstra git-reconcile --task auth/login --into main --apply\n";
    assert_eq!(told, format!("{holds}{table}{next}"));
    let told = story.reconcile(&["--into", "main", "--apply"]).stdout;
    assert!(told.starts_with("git-reconcile: stage 1 done commit ") && told.ends_with(&table), "{told}");
    assert_eq!(story.reconcile(&["--into", "main"]).stdout, format!("{holds}{table}"), "nothing is left to record");
    // What merely holds is counted, and listed when it is asked for.
    assert_eq!(story.reconcile(&[]).stdout, holds);
    let told = story.reconcile(&["--all"]).stdout;
    assert!(told.contains(&format!("\n  stage 1  {short}  ok     reachable from refs/heads/main\n")), "{told}");
}

#[test]
fn an_automatic_row_is_never_evidence() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one"), ("a.txt", 9, "two")]);
    story.git(&["merge", "-q", "--squash", &branch(1)]);
    story.git(&["commit", "-q", "-m", "squashed"]);
    let applied = story.json(0, &["--into", "main", "--apply"]);
    assert_eq!(applied["applied"].as_array().unwrap().len(), 1, "{applied}");
    story.git(&["revert", "--no-edit", "HEAD"]);
    let into = story.json(2, &["--into", "main"])["into"][0].clone();
    assert_eq!((&into["verdict"], &into["effect"]), (&json!("ask"), &json!("absent")), "{into}");
}

#[test]
fn integrations_are_kept_again() {
    let (story, _) = integrated();
    let name = format!("refs/okstra/keep/auth/login/task-{}", story.rev(BRANCH));
    assert_eq!(story.sandbox.try_git(&story.shop, &["rev-parse", "--verify", "-q", &name]).code, Some(1));
    story.json(0, &["--apply"]);
    assert_eq!(story.rev(&name), story.rev(BRANCH));
}

#[test]
fn a_ref_without_the_work_is_not_suggested() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.git(&["branch", "-q", "-D", &branch(1)]);
    story.collect(true);
    story.move_into_project();
    let told = story.reconcile(&[]).stdout;
    assert!(told.contains("--stage 1 --use-ref REF"), "{told}");
}
