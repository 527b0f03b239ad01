//! `stage integrate`: all stages or none, in one fast-forward.

use std::fs;

use okstra::domain::batch::Request;
use serde_json::json;

use super::project::{Project, RUN, free};
use crate::common::story::BRANCH;

/// Two stages of one run, done; each wrote its file.
fn two_done(files: [&str; 2]) -> Project {
    let project = Project::new(&[free(&[]), free(&[]), free(&[1, 2])]);
    project.start();
    project.prepare(RUN, Request::Auto).unwrap();
    for (stage, file) in [(1, files[0]), (2, files[1])] {
        project.work(stage, file, &format!("{stage}\n"));
        project.stage(0, &["done", "--stage", &stage.to_string()]);
    }
    project
}

#[test]
fn stages_are_merged_in_order_in_one_fast_forward() {
    let project = two_done(["one.txt", "two.txt"]);
    let story = &project.story;
    let document = project.stage(0, &["integrate"]);
    let tip = story.rev(BRANCH);
    assert_eq!((&document["before"], &document["commit"]), (&json!(story.anchor), &json!(tip)));
    let merged: Vec<_> = document["merged"].as_array().unwrap().iter().map(|merged| merged["stage"].clone()).collect();
    assert_eq!(merged, [1, 2]);
    let subjects = story.git(&["log", "--first-parent", "--format=%s", &format!("{}..{BRANCH}", story.anchor)]);
    assert_eq!(subjects, "Merge stage 2: Stage 2\nMerge stage 1: Stage 1");
    assert_eq!(story.git(&["rev-parse", &format!("{tip}^2")]), project.tip(2));
    let worktree = project.task_worktree();
    assert!(worktree.join("one.txt").exists() && worktree.join("two.txt").exists());
    assert_eq!(story.sandbox.git(&worktree, &["status", "--porcelain"]), "");
    let made = project.entry()["integrations"].clone();
    assert_eq!((&made[0]["commit"], &made[0]["stages"]), (&json!(tip), &json!([1, 2])));
    story.git(&["rev-parse", "--verify", &format!("refs/okstra/keep/auth/login/task-{tip}")]);
    // Twice changes nothing; and the stage that needs both can start.
    let before = project.everything();
    assert_eq!(project.stage(0, &["integrate"])["merged"], json!([]));
    assert_eq!(project.everything(), before);
    assert_eq!(project.prepare("implementation-002", Request::Stage(3)).unwrap()[0].base, tip);
}

#[test]
fn a_conflict_names_files_and_stages_and_changes_nothing() {
    let project = two_done(["same \"é\".txt", "same \"é\".txt"]);
    let (error, hint) = project.refused("merge-conflict", &["integrate"]);
    assert_eq!(error, "stage 2 conflicts with stage 1 in same \"é\".txt");
    assert!(hint.contains("nothing was changed") && hint.contains("--stage 2 --use-ref"), "{hint}");
    assert!(!project.task_worktree().join("same \"é\".txt").exists());
}

#[test]
fn a_worktree_that_is_not_ready_is_refused() {
    let project = two_done(["one.txt", "two.txt"]);
    let (story, worktree) = (&project.story, project.task_worktree());
    let git = |arguments: &[&str]| story.sandbox.git(&worktree, arguments);
    fs::write(worktree.join("a.txt"), "changed").unwrap();
    assert!(project.refused("dirty-worktree", &["integrate"]).0.contains("the task has changes"));
    git(&["checkout", "-q", "--", "a.txt"]);
    git(&["checkout", "-q", "--detach"]);
    project.refused("not-on-branch", &["integrate"]);
    git(&["checkout", "-q", BRANCH]);
    story.commit("a.txt", "main's", "on main");
    story.sandbox.commit(&worktree, "a.txt", "the task's", "on the task");
    assert_eq!(story.sandbox.try_git(&worktree, &["merge", "main"]).code, Some(1));
    project.refused("operation-in-progress", &["integrate"]);
    git(&["merge", "--abort"]);
    // An ignored file in the way is not written over.
    fs::write(story.shop.join(".git/info/exclude"), "two.txt\n").unwrap();
    fs::write(worktree.join("two.txt"), "precious").unwrap();
    let before = story.rev(BRANCH);
    let document = project.stage(1, &["integrate"]);
    assert_eq!(document["code"], json!("git-failed"));
    assert_eq!((story.rev(BRANCH), fs::read(worktree.join("two.txt")).unwrap()), (before, b"precious".to_vec()));
    fs::remove_file(worktree.join("two.txt")).unwrap();
    // A folder that is gone is made again; what is in its place is not touched.
    fs::remove_dir_all(&worktree).unwrap();
    fs::write(&worktree, "mine").unwrap();
    project.stage(1, &["integrate"]);
    assert_eq!(fs::read(&worktree).unwrap(), b"mine");
    fs::remove_file(&worktree).unwrap();
    project.stage(0, &["integrate"]);
    assert!(worktree.join("a.txt").exists());
}

#[test]
fn the_stages_of_open_runs_come_first_then_all() {
    let project = Project::new(&[free(&[]), free(&[])]);
    project.start();
    let first = project.prepare(RUN, Request::Stage(1)).unwrap();
    project.work(1, "one.txt", "1");
    project.stage(0, &["done", "--stage", "1"]);
    project.write_run(RUN, &first, "finished", None);
    project.prepare("implementation-002", Request::Stage(2)).unwrap();
    project.work(2, "two.txt", "2");
    project.stage(0, &["done", "--stage", "2"]);
    let stages = |document: serde_json::Value| {
        document["merged"]
            .as_array()
            .unwrap()
            .iter()
            .map(|merged| merged["stage"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(stages(project.stage(0, &["integrate"])), [2]);
    assert_eq!(stages(project.stage(0, &["integrate"])), [1]);
    assert_eq!(stages(project.stage(0, &["integrate"])), [0_u64; 0]);
}

#[test]
fn a_stage_whose_record_is_stale_or_whose_content_is_there_is_not_merged() {
    let project = two_done(["one.txt", "two.txt"]);
    let (story, worktree) = (&project.story, project.task_worktree());
    // Stage 1 was squashed by hand.
    story.sandbox.git(&worktree, &["merge", "-q", "--squash", "fix-login-s1"]);
    story.sandbox.git(&worktree, &["commit", "-q", "-m", "squashed"]);
    fs::write(project.worktree(2).join("two.txt"), "else").unwrap();
    project.git_in(2, &["commit", "-q", "-a", "--amend", "-m", "amended"]);
    let document = project.stage(1, &["integrate"]);
    assert_eq!(document["code"], json!("stage-blocked"));
    assert!(document["hint"].as_str().unwrap().contains("--apply --stage 2 --use-ref fix-login-s2"), "{document}");
    story.reconcile(&["--apply", "--stage", "2", "--use-ref", "fix-login-s2"]);
    let document = project.stage(0, &["integrate"]);
    assert_eq!((&document["contained"], &document["merged"][0]["stage"]), (&json!([1]), &json!(2)));
}
