//! What preparing a run does first: repair by itself, then let the gate decide.

use okstra::context::{Event, EventSink};
use okstra::domain::hint::Hint;
use okstra::ops::reconcile::{Repair, auto_reconcile, check_gate};
use std::sync::{Arc, Mutex};

use serde_json::json;

use crate::common::story::{BRANCH, Story, branch};

/// Repairs, and gives what was repaired and what was said.
fn repair(story: &Story) -> (usize, Option<String>, Vec<String>) {
    let said = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&said);
    let sink = EventSink::new(move |event| {
        if let Event::Notice(text) = event {
            heard.lock().unwrap().push(text);
        }
    });
    let context = story.context().with_events(sink);
    let task = story.task(&context);
    let done = auto_reconcile(&context, &task).unwrap();
    let said = said.lock().unwrap().clone();
    (done.applied.len(), done.skipped, said)
}

/// What the gate of stage 3 says: the rows that it wrote, or message and hint.
fn gate(story: &Story) -> Result<Vec<Repair>, (String, String)> {
    let context = story.context();
    let task = story.task(&context);
    check_gate(&context, &task, 3).map_err(|error| (error.to_string(), error.hint().unwrap_or_default()))
}

fn two_and_one() -> (Story, [String; 2]) {
    let story = Story::new();
    story.write_plan(&[(1, &[]), (2, &[]), (3, &[1, 2])]);
    let first = story.stage(1, "main", &[("a.txt", 3, "one"), ("a.txt", 9, "two")]);
    let second = story.stage(2, "main", &[("b.txt", 3, "three")]);
    (story, [first, second])
}

#[test]
fn what_is_proved_is_repaired_and_said() {
    let (story, [first, _]) = two_and_one();
    story.edit("a.txt", 35, "main moved on");
    story.git(&["rebase", "-q", "main", &branch(1)]);
    story.git(&["checkout", "-q", "main"]);
    let new = story.rev(&branch(1));
    let said = format!("git-reconcile: stage 1 done commit {} -> {} (patch-equivalent)", &first[..8], &new[..8]);
    assert_eq!(repair(&story), (1, None, vec![said]));
    assert_eq!(repair(&story), (0, None, vec![]));
}

#[test]
fn a_repair_that_fails_is_said_and_stops_nothing() {
    let (story, _) = two_and_one();
    story.git(&["checkout", "-q", &branch(1)]);
    story.edit("a.txt", 35, "theirs");
    story.git(&["checkout", "-q", "main"]);
    story.edit("a.txt", 35, "main moved on");
    assert_eq!(story.sandbox.try_git(&story.shop, &["rebase", "main", &branch(1)]).code, Some(1));
    let (applied, skipped, said) = repair(&story);
    assert_eq!((applied, said.len()), (0, 1));
    assert!(said[0].starts_with("git-reconcile skipped: a rebase of `refs/heads/fix-login-s1`"), "{said:?}");
    assert!(skipped.is_some());
}

#[test]
fn old_rows_get_their_fingerprints_while_their_commits_exist() {
    let story = Story::new();
    let tip = story.build(1, "main", &[("a.txt", 3, "one")]);
    story.write_registry(&json!({"stages": {"1": {"branch": branch(1), "base_ref": story.anchor}}}));
    let old = json!({"impl_task_key": "shop/auth/login", "stage": 1, "status": "done", "head_commit": tip, "x": [1]});
    story.append(&old);
    assert_eq!(repair(&story), (0, None, vec![]), "nothing was repaired, so nothing is said");
    let rows = story.rows();
    assert_eq!((rows.len(), &rows[0], &rows[1]["x"], &rows[1]["content"]["v"]), (2, &old, &json!([1]), &json!(1)));
    repair(&story);
    assert_eq!(story.rows().len(), 2);
}

#[test]
fn a_stage_of_several_dependencies_needs_them_in_the_task_worktree() {
    let (story, [first, second]) = two_and_one();
    let (message, hint) = gate(&story).unwrap_err();
    let head = &story.anchor[..8];
    let line = |stage, commit: &str| {
        format!(
            "multi-dependency stage 3: predecessor stage {stage} ({}) is not merged into the task worktree ({head})",
            &commit[..8]
        )
    };
    assert_eq!(message, format!("{}\n{}", line(1, &first), line(2, &second)));
    assert!(hint.contains("okstra stage integrate --task auth/login") && hint.contains("fix-login-s1"), "{hint}");

    story.git(&["checkout", "-q", BRANCH]);
    story.git(&["merge", "-q", "--no-ff", "--no-edit", &branch(1)]);
    story.git(&["merge", "-q", "--no-ff", "--no-edit", &branch(2)]);
    assert_eq!(gate(&story), Ok(vec![]));
}

#[test]
fn a_dependency_that_is_there_by_its_content_is_recorded() {
    let (story, [first, _]) = two_and_one();
    story.git(&["checkout", "-q", BRANCH]);
    story.edit("a.txt", 35, "moved on");
    story.git(&["merge", "-q", "--squash", &branch(1)]);
    story.git(&["commit", "-q", "-m", "squashed"]);
    let landed = story.rev("HEAD");
    story.git(&["merge", "-q", "--no-ff", "--no-edit", &branch(2)]);
    let repairs = gate(&story).unwrap();
    let expected = json!([{"stage": 1, "new_commit": landed, "replaced": first, "reason": "auto-patch-id"}]);
    assert_eq!(serde_json::to_value(&repairs).unwrap(), expected);
    assert_eq!(gate(&story), Ok(vec![]));
    assert_eq!(story.rows().len(), 3);
}

#[test]
fn a_stale_dependency_refuses_with_commands_that_help_when_pasted() {
    let (story, _) = two_and_one();
    story.git(&["checkout", "-q", &branch(1)]);
    std::fs::write(story.shop.join("a.txt"), "else\n").unwrap();
    story.git(&["commit", "-q", "-a", "--amend", "-m", "amended"]);
    let (_, hint) = gate(&story).unwrap_err();
    let guidance = hint.find("Recorded stage SHAs no longer match the git history").expect(&hint);
    let commands: Vec<&str> = hint[guidance..].lines().skip(1).map(str::trim).collect();
    assert_eq!(commands.len(), 2, "{hint}");
    for (command, code) in [(commands[0], 2), (commands[1], 0)] {
        let okstra = std::path::Path::new(crate::common::OKSTRA).parent().unwrap();
        let path = format!("{}:/usr/bin:/bin", okstra.display());
        let mut shell = story.sandbox.command("sh");
        let ran = shell.env("PATH", path).env("OKSTRA_HOME", story.home()).args(["-c", command]).output().unwrap();
        assert_eq!(ran.status.code(), Some(code), "{command}: {ran:?}");
    }
    assert_eq!(story.rows().last().unwrap()["head_commit"], json!(story.rev(&branch(1))));
}

#[test]
fn a_single_dependency_that_is_stale_refuses_too() {
    let story = Story::new();
    story.write_plan(&[(1, &[]), (3, &[1])]);
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    assert_eq!(gate(&story), Ok(vec![]));
    story.git(&["checkout", "-q", &branch(1)]);
    std::fs::write(story.shop.join("a.txt"), "else\n").unwrap();
    story.git(&["commit", "-q", "-a", "--amend", "-m", "amended"]);
    let (message, hint) = gate(&story).unwrap_err();
    assert!(message.starts_with("stage 3: predecessor stage 1 ("), "{message}");
    assert!(hint.contains("--apply --stage 1 --use-ref fix-login-s1"), "{hint}");
}

#[test]
fn a_stage_never_starts_from_what_its_dependencys_branch_has_left_behind() {
    let story = Story::new();
    story.write_plan(&[(1, &[]), (3, &[1])]);
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.edit("a.txt", 35, "main moved on");
    story.git(&["rebase", "-q", "main", &branch(1)]);
    story.git(&["checkout", "-q", "main"]);
    // The repair before it was skipped, for whatever reason.
    let repairs = gate(&story).unwrap();
    assert_eq!(repairs.len(), 1, "{repairs:?}");
    assert_eq!(story.rows().last().unwrap()["head_commit"], json!(story.rev(&branch(1))));
    assert_eq!(gate(&story), Ok(vec![]));
}

#[test]
fn a_gate_passed_from_a_detached_head_writes_once() {
    let (story, _) = two_and_one();
    let worktree = story.sandbox.path().join("task worktree");
    story.git(&["worktree", "add", "-q", "--detach", worktree.to_str().unwrap(), BRANCH]);
    story.write_registry(&json!({"worktree_path": worktree}));
    for stage in [1, 2] {
        story.sandbox.git(&worktree, &["merge", "-q", "--squash", &branch(stage)]);
        story.sandbox.git(&worktree, &["commit", "-q", "-m", "squashed"]);
    }
    let mut rows = Vec::new();
    for _ in 0..3 {
        repair(&story);
        gate(&story).unwrap();
        rows.push(story.rows().len());
    }
    assert_eq!((rows[0], rows[1]), (rows[1], rows[2]), "{rows:?}");
}
