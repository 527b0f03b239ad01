//! A repository that somebody moved to another folder.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::{command, entry, found, project, restore, worktree};
use crate::common::story::{BRANCH, KEY, Story};
use crate::common::{Ran, Run};

/// The story's project with a worktree of the task, in a folder to which it was moved.
fn moved() -> Story {
    let mut story = project();
    approve(&story);
    let worktree = worktree(&story);
    fs::create_dir_all(worktree.parent().unwrap()).unwrap();
    story.git(&["worktree", "add", "-q", worktree.to_str().unwrap(), BRANCH]);
    story.write_registry(&json!({"worktree_path": worktree}));
    fs::write(story.shop.join("brief.md"), "Log in\n").unwrap();
    let new = story.sandbox.path().join("it's another shop");
    fs::rename(&story.shop, &new).unwrap();
    story.shop = new;
    story
}

/// Another command than doctor in the story's project.
fn okstra(story: &Story, arguments: &[&str]) -> Ran {
    let doctor = command(story, &[]);
    let mut other = Command::new(doctor.get_program());
    other.current_dir(&story.shop).env_clear().args(arguments);
    other.envs(doctor.get_envs().filter_map(|(name, value)| Some((name, value?))));
    other.ran()
}

/// Approves a plan with a third stage, which needs nothing.
fn approve(story: &Story) {
    let plan = story.sandbox.path().join("plan.md");
    let mut text =
        "# Login\n\n## Stage Map\n\n| stage | title | depends-on | step-count | files |\n|---|---|---|---|---|\n"
            .to_owned();
    (1..4).for_each(|stage| text.push_str(&format!("| {stage} | Do {stage} | (none) | 1 | `{stage}.txt` |\n")));
    (1..4).for_each(|stage| {
        text.push_str(&format!(
            "\n## Stage {stage}: Do {stage}\n\n### Steps\n\n1. Do it.\n\n### Stage Validation\n\n- post: `true`\n\n\
             ### Stage Exit Contract\n\n- Done.\n\n### Rollback\n\nRevert.\n"
        ));
    });
    fs::write(&plan, text).unwrap();
    let words = ["plan", "approve", plan.to_str().unwrap(), "--task", "auth/login", "--by", "Ann", "--yes"];
    let ran = okstra(story, &words);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

fn prepare(story: &Story) -> Ran {
    let brief = story.shop.join("brief.md");
    okstra(story, &["render-bundle", "--task", "auth/login", "--workers", "claude", "--brief", brief.to_str().unwrap()])
}

#[test]
fn it_is_told_and_holds_its_tasks_again() {
    let story = moved();
    let refused = prepare(&story);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("if this repository was moved, say so: okstra doctor --restore"), "{refused:?}");
    let said = found(&story, 2);
    let (problem, advice) =
        said.iter().find(|(text, _)| text.contains("registry")).unwrap_or_else(|| panic!("{said:?}"));
    assert!(problem.starts_with(&format!("problem registry: `{KEY}` is held for the clone `")), "{problem}");
    assert_eq!(advice, "if this repository was moved, say so: okstra doctor --restore");

    let restored = restore(&story, 0, &[]);
    assert_eq!((&restored["moved"], &restored["registry"]), (&json!([KEY]), &json!([])));
    assert_eq!(entry(&story)["git_common_dir"], json!(story.shop.canonicalize().unwrap().join(".git")));
    let worktree = worktree(&story);
    assert_eq!(story.sandbox.git(&worktree, &["rev-parse", "--abbrev-ref", "HEAD"]), BRANCH);
    assert!(found(&story, 0).iter().all(|(text, _)| !text.contains("registry")));
    assert_eq!(restore(&story, 0, &[])["moved"], json!([]));
    // It replaces no template, and stands in the way of runs.
    fs::remove_file(story.shop.join(".okstra/prompts/workers/ü b.md")).unwrap();
    let prepared = prepare(&story);
    assert_eq!(prepared.code, Some(0), "{prepared:?}");
}

#[test]
fn one_task_alone() {
    let story = moved();
    assert_eq!(restore(&story, 0, &["--task", "auth/login"])["moved"], json!([KEY]));
}

#[test]
fn a_copy_beside_it_gets_nothing() {
    let mut story = project();
    approve(&story);
    story.write_registry(&json!({}));
    fs::write(story.shop.join("brief.md"), "Log in\n").unwrap();
    let before = fs::read(story.registry()).unwrap();
    let copy = story.sandbox.path().join("copy");
    let copied = Command::new("cp").arg("-r").args([&story.shop, &copy]).status().unwrap();
    assert!(copied.success());
    story.shop = copy;
    let refused = prepare(&story);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("go on in that clone"), "{refused:?}");
    assert_eq!(restore(&story, 2, &[])["moved"], json!([]));
    assert_eq!(fs::read(story.registry()).unwrap(), before);
}
