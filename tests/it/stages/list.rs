//! `stage list`: each state, through the life of a plan.

use std::fs;

use okstra::domain::batch::Request;
use serde_json::{Value, json};

use super::project::{Project, RUN, free};

fn states(project: &Project) -> Vec<Value> {
    let document = project.stage(0, &["list"]);
    document["stages"].as_array().unwrap().iter().map(|stage| stage["state"].clone()).collect()
}

#[test]
fn a_stage_goes_through_its_states() {
    let project = Project::new(&[free(&[]), free(&[1])]);
    let story = &project.story;
    assert_eq!(states(&project), ["ready", "waiting"]);
    project.start();
    project.prepare(RUN, Request::Auto).unwrap();
    assert_eq!(states(&project), ["started", "waiting"]);
    let head = project.work(1, "one.txt", "1\n");
    project.stage(0, &["done", "--stage", "1"]);
    assert_eq!(states(&project), ["done", "ready"]);
    let listed = project.stage(0, &["list"])["stages"].clone();
    assert_eq!(
        (&listed[0]["commit"], &listed[0]["branch"], &listed[0]["run"]),
        (&json!(head), &json!("fix-login-s1"), &json!(RUN))
    );
    assert_eq!((&listed[0]["landed"], &listed[1]["waitsFor"]), (&json!([]), &json!([])));
    project.stage(0, &["integrate"]);
    assert_eq!(states(&project), ["integrated", "ready"]);
    story.git(&["merge", "-q", "--squash", "fix-login"]);
    story.git(&["commit", "-q", "-m", "squashed"]);
    let landed = project.stage(0, &["list"])["stages"][0]["landed"].clone();
    assert_eq!(landed[0]["ref"], json!("refs/heads/fix-login"));
    assert_eq!(landed[1], json!({"ref": "refs/heads/main", "commit": story.rev("main")}));
    let people = project.okstra(&["stage", "list", "--task", "auth/login"]);
    assert!(people.stdout.contains("1 of 2 stages are done"), "{people:?}");
    assert!(people.stdout.contains("1      integrated  fix-login-s1"), "{people:?}");
    assert!(people.stdout.contains("fix-login, main"), "{people:?}");
}

#[test]
fn a_stage_that_was_amended_is_stale() {
    let (project, _) = Project::built(&[free(&[])]);
    project.stage(0, &["done", "--stage", "1"]);
    fs::write(project.worktree(1).join("one.txt"), "else").unwrap();
    project.git_in(1, &["commit", "-q", "-a", "--amend", "-m", "amended"]);
    let stage = project.stage(0, &["list"])["stages"][0].clone();
    assert_eq!(stage["state"], json!("stale"));
    let reason = stage["reason"].as_str().unwrap();
    assert!(!reason.is_empty());
    let way_out = "next: decide on what is stale\n  okstra git-reconcile --task auth/login\n";
    let people = project.okstra(&["stage", "list", "--task", "auth/login"]).stdout;
    assert!(people.contains("stage 1 is stale: ") && people.ends_with(way_out), "{people}");
    let status = project.okstra(&["status", "--task", "auth/login", "--json"]).json();
    assert_eq!(
        (&status["plan"]["stages"][0]["stale"], &status["next"]["command"]),
        (&json!(reason), &json!("okstra git-reconcile --task auth/login"))
    );
    project.ended(RUN);
    let status = project.okstra(&["status", "--task", "auth/login", "--json"]).json();
    assert_eq!(status["next"]["command"], json!("okstra git-reconcile --task auth/login"));
    let people = project.okstra(&["status", "--task", "auth/login"]).stdout;
    assert!(people.contains("1      stale  Stage 1") && people.contains("stage 1 is stale: "), "{people}");
    assert_eq!(people.matches("okstra git-reconcile").count(), 1, "{people}");
}

#[test]
fn what_was_taken_out_of_the_task_branch_again_is_not_integrated() {
    let (project, _) = Project::built(&[free(&[])]);
    project.stage(0, &["done", "--stage", "1"]);
    project.stage(0, &["integrate"]);
    project.ended(RUN);
    let status = |expected: &Value| {
        let status = project.okstra(&["status", "--task", "auth/login", "--json"]).json();
        assert_eq!(&status["plan"]["stages"][0]["integrated"], expected, "{status}");
        status["next"]["step"].clone()
    };
    assert_eq!(status(&json!(true)), json!("run"));
    project.story.sandbox.git(&project.task_worktree(), &["reset", "-q", "--hard", "HEAD~1"]);
    assert_eq!(states(&project), ["done"]);
    assert_ne!(status(&json!(false)), json!("run"));
}

#[test]
fn without_a_plan_there_is_nothing_to_list() {
    let project = Project::new(&[free(&[])]);
    fs::remove_file(project.story.plan_run_root().join("plans/001.json")).unwrap();
    assert_eq!(project.stage(1, &["list"])["code"], json!("no-plan"));
}
