//! What carries a stage: an integration that landed as a whole, and what it had lost again by then.

use serde_json::{Value, json};

use crate::common::story::{BRANCH, Story, branch};

/// Merges the branch of a stage into the task branch, which stays checked out.
fn integrate(story: &Story, stage: u32) {
    story.git(&["checkout", "-q", BRANCH]);
    story.git(&["merge", "-q", "--no-ff", "--no-edit", &branch(stage)]);
}

/// Records the task branch as an integration of stages 1 and 2, and lands it in main as one commit.
fn land(story: &Story) -> String {
    let integration = story.rev(BRANCH);
    story.write_registry(&json!({"integrations": [{"commit": integration, "stages": [1, 2]}]}));
    squash(story, BRANCH)
}

fn squash(story: &Story, name: &str) -> String {
    story.git(&["checkout", "-q", "main"]);
    story.git(&["merge", "-q", "--squash", name]);
    story.git(&["commit", "-q", "-m", "squashed"]);
    story.rev("HEAD")
}

fn into(story: &Story, stage: usize) -> Value {
    let ran = story.reconcile(&["--into", "main", "--json"]);
    ran.json()["into"][stage - 1].clone()
}

fn two_siblings() -> Story {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.stage(2, "main", &[("b.txt", 3, "two")]);
    integrate(&story, 1);
    integrate(&story, 2);
    story
}

#[test]
fn what_the_integration_had_lost_again_did_not_land_with_it() {
    let story = two_siblings();
    // Stage 1 is taken out of the task branch; later somebody works on the very line in main.
    story.git(&["revert", "--no-edit", "-m", "1", "HEAD~1"]);
    let landed = land(&story);
    for text in ["the line of main", "another line of main"] {
        let found = into(&story, 1);
        assert_ne!(found["verdict"], json!("contained"), "{found}");
        let found = into(&story, 2);
        assert_eq!((&found["verdict"], &found["matched_commit"]), (&json!("contained"), &json!(landed)), "{found}");
        story.edit("a.txt", 3, text);
    }
    let applied = story.json(2, &["--into", "main", "--apply"]);
    assert!(applied["applied"].as_array().unwrap().iter().all(|row| row["stage"] == json!(2)), "{applied}");
}

#[test]
fn what_was_merged_and_discarded_did_not_land() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.stage(2, "main", &[("b.txt", 3, "two")]);
    integrate(&story, 2);
    story.git(&["merge", "-q", "-s", "ours", "--no-edit", &branch(1)]);
    land(&story);
    story.edit("a.txt", 3, "the line of main");
    assert_ne!(into(&story, 1)["verdict"], json!("contained"), "{}", into(&story, 1));
}

#[test]
fn what_was_taken_out_and_worked_on_in_the_integration_did_not_land() {
    let story = two_siblings();
    story.git(&["revert", "--no-edit", "-m", "1", "HEAD~1"]);
    story.edit("a.txt", 3, "the line of a reviewer");
    land(&story);
    assert_ne!(into(&story, 1)["verdict"], json!("contained"), "{}", into(&story, 1));
}

#[test]
fn a_stage_that_the_next_one_undoes_is_not_carried_by_both() {
    let story = Story::new();
    let first = story.stage(1, "main", &[("a.txt", 3, "one"), ("a.txt", 20, "uno")]);
    story.stage(2, &first, &[("a.txt", 3, "line 3"), ("a.txt", 20, "line 20"), ("b.txt", 3, "two")]);
    squash(&story, &branch(2));
    story.edit("a.txt", 3, "the line of main");
    story.edit("a.txt", 20, "another line of main");
    assert_ne!(into(&story, 1)["verdict"], json!("contained"), "{}", into(&story, 1));
}

#[test]
fn what_main_took_out_after_the_landing_and_worked_on_is_asked_about() {
    let story = two_siblings();
    story.edit("a.txt", 3, "one, as reviewed");
    let landed = land(&story);
    assert_eq!(into(&story, 1)["matched_commit"], json!(landed));
    story.git(&["revert", "--no-edit", "HEAD"]);
    story.edit("a.txt", 3, "the line of main");
    assert_ne!(into(&story, 1)["verdict"], json!("contained"), "{}", into(&story, 1));
}

#[test]
fn a_stage_is_carried_whatever_its_last_commit_is() {
    for last in ["empty", "merge"] {
        let story = Story::new();
        let base = story.anchor.clone();
        story.build(1, "main", &[("a.txt", 3, "one"), ("a.txt", 20, "uno")]);
        story.edit("c.txt", 9, "main moved on");
        story.git(&["checkout", "-q", &branch(1)]);
        match last {
            "empty" => story.git(&["commit", "-q", "--allow-empty", "-m", "nothing"]),
            _ => story.git(&["merge", "-q", "--no-edit", "main"]),
        };
        story.record(1, &base, &story.rev("HEAD"));
        integrate(&story, 1);
        let reviewed = if last == "empty" { ("a.txt", 3, "one, as reviewed") } else { ("b.txt", 3, "reviewed") };
        story.edit(reviewed.0, reviewed.1, reviewed.2);
        let landed = land(&story);
        let found = into(&story, 1);
        assert_eq!(
            (&found["verdict"], &found["matched_commit"]),
            (&json!("contained"), &json!(landed)),
            "{last} {found}"
        );
    }
}
