//! `kill -9` at any moment of `stage done` and `stage integrate`: doing it again completes it.

use std::fs;
use std::thread;
use std::time::Duration;

use okstra::domain::batch::Request;
use serde_json::json;

use super::project::{Planned, Project, RUN, free};
use crate::common::story::BRANCH;
use crate::common::{OKSTRA, Run, host};

/// Kills the command after longer and longer times, until it comes to its end before; gives how often it was killed.
fn kill_until_done(project: &Project, words: &[&str]) -> u32 {
    let mut killed = 0;
    for pause in (0..).map(|number| Duration::from_millis(number * 7)) {
        let mut command = project.story.sandbox.command(OKSTRA);
        command.current_dir(&project.story.shop).env("OKSTRA_HOME", project.story.home());
        let mut child = command.arg("stage").args(words).args(["--task", "auth/login", "--json"]).started();
        thread::sleep(pause);
        if child.try_wait().unwrap().is_some() {
            let ran = child.ran();
            if ran.code == Some(0) {
                return killed;
            }
            // A git that the one before had started may still be at work.
            assert!(matches!(ran.json()["code"].as_str(), Some("dirty-worktree" | "git-failed")), "{ran:?}");
            assert!(pause < Duration::from_secs(20), "{ran:?}");
            continue;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        killed += 1;
        // Whatever it was in the middle of, everything can be read.
        project.stage(0, &["list"]);
    }
    unreachable!()
}

#[test]
fn done_is_completed_after_every_kill() {
    let post = ["sleep 0.02"];
    let (project, head) = Project::built(&[Planned { files: &["**"], post: &post, depends_on: &[] }]);
    assert!(kill_until_done(&project, &["done", "--stage", "1"]) > 3);
    let rows = project.story.rows();
    assert_eq!((rows.len(), &rows[0]["head_commit"]), (1, &json!(head)));
    assert_eq!(project.carries(), [project.carry_name(1)]);
    assert!(fs::read_to_string(project.carry_folder().join(project.carry_name(1))).unwrap().ends_with("}\n"));
}

#[test]
fn integrate_is_completed_after_every_kill() {
    let project = Project::new(&[free(&[]), free(&[])]);
    project.start();
    project.prepare(RUN, Request::Auto).unwrap();
    for stage in [1, 2] {
        project.work(stage, &format!("{stage}.txt"), "x");
        project.stage(0, &["done", "--stage", &stage.to_string()]);
    }
    let story = &project.story;
    assert!(kill_until_done(&project, &["integrate"]) > 3);
    let tip = story.rev(BRANCH);
    let merges = story.git(&["rev-list", "--merges", "--count", &format!("{}..{tip}", story.anchor)]);
    assert_eq!(merges, "2");
    let made = project.entry()["integrations"].clone();
    assert_eq!(
        (made.as_array().unwrap().len(), &made[0]["commit"], &made[0]["stages"]),
        (1, &json!(tip), &json!([1, 2]))
    );
    assert_eq!(story.sandbox.git(&project.task_worktree(), &["status", "--porcelain"]), "");
}

#[test]
fn what_a_killed_preparation_left_is_used_by_the_next() {
    for pause in (0..12).map(|number| Duration::from_millis(number * 8)) {
        let project = Project::new(&[free(&[]), free(&[])]);
        project.start();
        let mut command = project.story.sandbox.command(host());
        command.env("OKSTRA_HOME", project.story.home()).arg("provision").arg(&project.story.shop);
        let mut child = command.args(["auth/login", RUN]).started();
        thread::sleep(pause);
        child.kill().unwrap();
        child.wait().unwrap();
        // A git that it had started comes to its end, or holds a lock for a moment.
        thread::sleep(Duration::from_millis(100));
        let made =
            project.prepare("implementation-002", Request::Auto).unwrap_or_else(|error| panic!("{pause:?}: {error}"));
        assert_eq!(made.len(), 2, "{pause:?}");
        for stage in [1, 2] {
            assert_eq!(project.git_in(stage, &["status", "--porcelain"]), "", "{pause:?}");
            assert_eq!(project.tip(stage), project.story.anchor, "{pause:?}");
        }
    }
}
