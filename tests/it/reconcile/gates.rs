//! The gates of the stages to come.

use serde_json::{Value, json};

use crate::common::story::{BRANCH, Story, branch};

/// The gate items of an inspection, as (stage, predecessor, class, cause).
fn gates(story: &Story, code: i32) -> Vec<Value> {
    let items = story.json(code, &["--all"])["items"].as_array().unwrap().clone();
    let gates = items.iter().filter(|item| item["kind"] == "gate");
    gates.map(|item| json!([item["stage"], item["predecessor"], item["classification"], item["cause"]])).collect()
}

/// A plan whose third stage depends on two others, which are done.
fn two_and_one() -> Story {
    let story = Story::new();
    story.write_plan(&[(1, &[]), (2, &[]), (3, &[1, 2])]);
    story.stage(1, "main", &[("a.txt", 3, "one"), ("a.txt", 9, "two")]);
    story.stage(2, "main", &[("b.txt", 3, "three")]);
    story
}

#[test]
fn what_is_not_done_is_waited_for() {
    let story = Story::new();
    story.write_plan(&[(1, &[]), (2, &[1]), (3, &[2])]);
    assert_eq!(gates(&story, 0), [json!([2, 1, "waiting", "not-done"]), json!([3, 2, "waiting", "not-done"])]);
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    assert_eq!(gates(&story, 0), [json!([2, 1, "ok", null]), json!([3, 2, "waiting", "not-done"])]);
}

#[test]
fn what_is_not_integrated_is_waited_for() {
    let story = two_and_one();
    let waiting = |stage| json!([3, stage, "waiting", "not-integrated"]);
    assert_eq!(gates(&story, 0), [waiting(1), waiting(2)]);
    assert_eq!(story.json(0, &["--apply"])["remaining_confirm"], json!([]));
    story.git(&["checkout", "-q", BRANCH]);
    story.git(&["merge", "-q", "--no-ff", "--no-edit", &branch(1)]);
    assert_eq!(gates(&story, 0), [json!([3, 1, "ok", null]), waiting(2)]);
}

#[test]
fn the_worktrees_head_is_asked_not_the_branch() {
    let story = two_and_one();
    let worktree = story.sandbox.path().join("task worktree");
    story.git(&["worktree", "add", "-q", "--detach", worktree.to_str().unwrap(), BRANCH]);
    story.write_registry(&json!({"worktree_path": worktree}));
    story.sandbox.git(&worktree, &["merge", "-q", "--no-ff", "--no-edit", &branch(1)]);
    story.sandbox.git(&worktree, &["merge", "-q", "--no-ff", "--no-edit", &branch(2)]);
    assert_eq!(gates(&story, 0), [json!([3, 1, "ok", null]), json!([3, 2, "ok", null])]);
}

#[test]
fn what_landed_in_the_base_only_is_shown_and_mended_before_a_run() {
    let story = two_and_one();
    story.git(&["merge", "-q", "--squash", &branch(1)]);
    story.git(&["commit", "-q", "-m", "squashed"]);
    let landed = story.rev("HEAD");
    let item = story.items(2).remove(0);
    assert_eq!((&item["cause"], &item["classification"]), (&json!("landed-elsewhere"), &json!("confirm")), "{item}");
    assert_eq!(item["matched_commit"], json!(landed));
    let remaining = story.json(2, &["--apply"])["remaining_confirm"].clone();
    assert_eq!((remaining.as_array().unwrap().len(), &remaining[0]["kind"]), (1, &json!("gate")), "{remaining}");
    story.git(&["checkout", "-q", BRANCH]);
    story.git(&["merge", "-q", "--ff-only", "main"]);
    assert_eq!(gates(&story, 0), [json!([3, 1, "ok", null]), json!([3, 2, "waiting", "not-integrated"])]);
}

#[test]
fn a_stale_dependency_holds_up_also_what_depends_on_it_through_others() {
    let story = Story::new();
    story.write_plan(&[(1, &[]), (2, &[1]), (3, &[2])]);
    let first = story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.stage(2, &first, &[("b.txt", 3, "two")]);
    story.git(&["checkout", "-q", &branch(1)]);
    std::fs::write(story.shop.join("a.txt"), "else\n").unwrap();
    story.git(&["commit", "-q", "-a", "--amend", "-m", "amended"]);
    assert_eq!(gates(&story, 2), [json!([3, 1, "confirm", "stale"]), json!([3, 2, "ok", null])]);
}

#[test]
fn what_was_taken_out_of_the_task_branch_again_is_undecided() {
    let story = two_and_one();
    story.git(&["checkout", "-q", BRANCH]);
    story.git(&["merge", "-q", "--squash", &branch(1)]);
    story.git(&["commit", "-q", "-m", "squashed"]);
    story.git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!(gates(&story, 2)[0], json!([3, 1, "confirm", "undecided"]));
}
