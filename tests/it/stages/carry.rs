//! Carry files: completed after a crash, and handed to the stages that build on them.

use std::fs;

use okstra::domain::batch::Request;
use okstra::domain::hint::Hint;
use okstra::ops::stages;

use super::project::{Planned, Project, free};

/// A project of two stages of which the first left its carry, and not its row.
fn half_done(post: &str) -> (Project, String) {
    let post = [post];
    let planned = [Planned { files: &["**"], post: &post, depends_on: &[] }, free(&[1])];
    let (project, head) = Project::built(&planned);
    fs::create_dir_all(project.carry_folder()).unwrap();
    project.stage(0, &["done", "--stage", "1"]);
    fs::remove_file(project.story.log()).unwrap();
    project.story.git(&["update-ref", "-d", "refs/okstra/state/auth/login"]);
    (project, head)
}

#[test]
fn a_carry_without_its_row_is_completed_with_every_check() {
    let (project, head) = half_done("echo x >> \"$HOME/ran\"");
    let story = &project.story;
    let context = story.context();
    let task = story.task(&context);
    assert_eq!(stages::complete_from_carry(&context, &task).unwrap(), [1]);
    assert_eq!(story.rows()[0]["head_commit"].as_str(), Some(head.as_str()));
    assert_eq!(fs::read_to_string(story.sandbox.path().join("home/ran")).unwrap(), "x\nx\n");
    assert_eq!(project.carries(), [project.carry_name(1)]);
    assert_eq!(stages::complete_from_carry(&context, &task).unwrap(), [0_u32; 0]);
}

#[test]
fn a_check_that_fails_keeps_the_file_and_says_so() {
    let (project, _) = half_done("test ! -e \"$HOME/broken\"");
    let story = &project.story;
    fs::write(story.sandbox.path().join("home/broken"), "").unwrap();
    let context = story.context();
    let task = story.task(&context);
    let error = stages::complete_from_carry(&context, &task).unwrap_err();
    assert_eq!(error.code(), "check-failed");
    assert!(error.to_string().contains(&project.carry_name(1)), "{error}");
    assert!(error.hint().unwrap().contains("the file was kept"));
    assert!(story.rows().is_empty());
    assert_eq!(project.carries(), [project.carry_name(1)]);
}

#[test]
fn what_stages_hand_on_is_read_by_those_that_build_on_them() {
    let (project, _) = Project::built(&[free(&[]), free(&[1]), free(&[2])]);
    let story = &project.story;
    let context = story.context();
    let task = story.task(&context);
    assert_eq!(stages::carry_in(&context, &task, &[1]).unwrap(), "");
    let error = stages::carry_in(&context, &task, &[2]).unwrap_err();
    assert!(error.to_string().contains("stage 2 builds on stage 1, which has no carry file"), "{error}");
    project.stage(0, &["done", "--stage", "1"]);
    project.prepare("implementation-002", Request::Stage(2)).unwrap();
    project.work(2, "two.txt", "2");
    project.stage(0, &["done", "--stage", "2"]);
    let text = stages::carry_in(&context, &task, &[3]).unwrap();
    assert!(text.starts_with("## Stage 1: Stage 1\n") && text.contains("\n## Stage 2: Stage 2\n"), "{text}");
    assert!(text.contains("- `two.txt`"), "{text}");
    fs::remove_file(project.carry_folder().join(project.carry_name(1))).unwrap();
    let error = stages::carry_in(&context, &task, &[3]).unwrap_err();
    assert_eq!(error.code(), "no-carry");
    assert!(error.to_string().contains("has lost its carry file"), "{error}");
}

#[test]
fn a_carry_is_never_written_over() {
    let (project, first) = half_done("true");
    let old = fs::read(project.carry_folder().join(project.carry_name(1))).unwrap();
    let second = project.work(1, "more.txt", "x");
    assert_ne!(first, second);
    project.stage(0, &["done", "--stage", "1"]);
    assert_eq!(project.carries(), [project.carry_name(1).replace(".json", "-a2.json"), project.carry_name(1)]);
    assert_eq!(fs::read(project.carry_folder().join(project.carry_name(1))).unwrap(), old);
    assert!(project.story.rows()[0]["carry_path"].as_str().unwrap().ends_with("-a2.json"));
}
