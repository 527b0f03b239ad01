//! `stage remove`: what may go goes, and nothing else.

use std::fs;

use okstra::domain::batch::Request;
use serde_json::json;

use super::project::{Project, RUN, free};
use crate::common::Run;
use crate::common::story::branch;

const REMOVE: [&str; 4] = ["remove", "--stage", "1", "--yes"];

/// A stage that is done and whose run has ended.
fn ended() -> Project {
    let (project, _) = Project::built(&[free(&[])]);
    project.stage(0, &["done", "--stage", "1"]);
    project.write_run(RUN, &[], "finished", None);
    project
}

#[test]
fn what_is_integrated_may_go_once_somebody_says_yes() {
    let project = ended();
    project.stage(0, &["integrate"]);
    let (error, hint) = project.refused("confirmation-needed", &REMOVE[..3]);
    assert!(error.contains("the worktree `") && error.contains("the branch `fix-login-s1` at "), "{error}");
    assert!(hint.contains("--yes"), "{hint}");
    let tip = project.tip(1);
    let document = project.stage(0, &REMOVE);
    assert_eq!((&document["commit"], &document["branch"]), (&json!(tip), &json!("fix-login-s1")));
    assert_eq!(document["safe"], json!("refs/heads/fix-login reaches it"));
    assert!(!project.worktree(1).exists());
    assert_eq!(
        project.story.sandbox.try_git(&project.story.shop, &["rev-parse", "--verify", &branch(1)]).code,
        Some(128)
    );
    assert_eq!(project.entry()["stages"], json!(null));
    // The record holds, and again there is nothing to remove.
    assert_eq!(project.stage(0, &["list"])["stages"][0]["state"], json!("integrated"));
    assert_eq!(project.stage(0, &REMOVE)["branch"], json!(null));
}

#[test]
fn ignored_files_are_named_first_and_the_folder_that_one_stands_in() {
    let project = ended();
    project.stage(0, &["integrate"]);
    let worktree = project.worktree(1);
    fs::write(project.story.shop.join(".git/info/exclude"), "*.env\nbuild/\n").unwrap();
    fs::write(worktree.join("secret.env"), "x").unwrap();
    fs::create_dir(worktree.join("build")).unwrap();
    fs::write(worktree.join("build/a"), "x").unwrap();
    let people = |yes: &[&str]| {
        let mut command = project.story.sandbox.command(crate::common::OKSTRA);
        command.current_dir(&worktree).env("OKSTRA_HOME", project.story.home());
        command.args([&["stage"], &REMOVE[..3], yes].concat()).ran()
    };
    assert_eq!(people(&[]).code, Some(1));
    let ran = people(&["--yes"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    let gone = format!(
        "ignored files in it, which nothing keeps: build/, secret.env\nthe folder that you stand in goes with it: {}\n",
        worktree.display()
    );
    assert!(ran.stdout.ends_with(&gone), "{ran:?}");
    let doctor = project.okstra(&["doctor", "--json"]).json();
    assert!(!doctor.to_string().contains("is behind"), "{doctor}");
}

#[test]
fn a_commit_that_only_okstra_keeps_stays() {
    let project = ended();
    let (error, hint) = project.refused("stage-kept", &REMOVE);
    assert!(error.contains("nothing else reaches its commit") && hint.contains("integrate"), "{error} {hint}");
    // Landed by a squash, and the branches that reach it gone.
    project.story.git(&["merge", "-q", "--squash", &branch(1)]);
    project.story.git(&["commit", "-q", "-m", "squashed"]);
    let document = project.stage(0, &REMOVE);
    assert!(document["safe"].as_str().unwrap().starts_with("it landed on refs/heads/main"), "{document}");
}

#[test]
fn what_is_worked_on_stays() {
    let (project, _) = Project::built(&[free(&[])]);
    let (error, _) = project.refused("stage-kept", &REMOVE);
    assert!(error.contains("implementation-001 works on it"), "{error}");
    project.stage(0, &["done", "--stage", "1"]);
    project.stage(0, &["integrate"]);
    project.write_run(RUN, &[], "finished", None);
    let worktree = project.worktree(1);
    fs::write(worktree.join("new"), "x").unwrap();
    assert!(project.refused("stage-kept", &REMOVE).0.contains("not committed: new"));
    fs::remove_file(worktree.join("new")).unwrap();
    project.git_in(1, &["checkout", "-q", "--detach"]);
    let lost = project.work(1, "detached", "x");
    assert!(project.refused("stage-kept", &REMOVE).0.contains(&lost[..8]));
    project.git_in(1, &["checkout", "-q", &branch(1)]);
    let modules = project.story.shop.join(".git/worktrees/login-s1/modules");
    fs::create_dir(&modules).unwrap();
    assert!(project.refused("stage-kept", &REMOVE).0.contains("submodules"));
    fs::remove_dir(&modules).unwrap();
    project.stage(0, &REMOVE);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let project = ended();
    project.stage(0, &["integrate"]);
    let (worktree, outside) = (project.worktree(1), project.story.sandbox.path().join("outside"));
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("precious"), "x").unwrap();
    fs::write(project.story.shop.join(".git/info/exclude"), "link\n").unwrap();
    std::os::unix::fs::symlink(&outside, worktree.join("link")).unwrap();
    project.stage(0, &REMOVE);
    assert!(!worktree.exists() && outside.join("precious").exists());

    // The folder itself is a link to somewhere else.
    let project = ended();
    project.stage(0, &["integrate"]);
    let (worktree, moved) = (project.worktree(1), project.story.sandbox.path().join("moved"));
    fs::rename(&worktree, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &worktree).unwrap();
    project.refused("stage-kept", &REMOVE);
    assert!(moved.join("one.txt").exists());
}

#[test]
fn a_folder_that_is_gone_lets_its_branch_go_alone_and_others_stay() {
    let project = Project::new(&[free(&[]), free(&[])]);
    project.start();
    project.prepare(RUN, Request::Auto).unwrap();
    project.write_run(RUN, &[], "abandoned", None);
    fs::remove_dir_all(project.worktree(1)).unwrap();
    fs::remove_dir_all(project.worktree(2)).unwrap();
    project.stage(0, &REMOVE);
    let worktrees = project.story.git(&["worktree", "list"]);
    assert!(!worktrees.contains("login-s1") && worktrees.contains("login-s2"), "{worktrees}");
}
