//! doctor on real projects: what is lost and comes back, what is wrong and is found.

mod checks;
mod hostile;
#[cfg(unix)]
mod killed;
#[cfg(unix)]
mod machine;
mod mirror;
mod moved;
mod refs;
mod registry;
mod restore;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::story::Story;
use crate::common::{OKSTRA, Ran, Run};

/// The mirror of the story's task.
const MIRROR: &str = "refs/okstra/state/auth/login";

/// A project with a task of which stages 1 and 2 are done and mirrored, with a plan and templates of its own.
fn project() -> Story {
    let story = Story::new();
    story.write_plan(&[(1, &[]), (2, &[]), (3, &[1, 2])]);
    story.move_into_project();
    write(&story.shop.join(".okstra/prompts/workers/ü b.md"), "ours\r\n");
    story.stage(1, "main", &[("a.txt", 3, "one"), ("a.txt", 9, "two")]);
    story.stage(2, "main", &[("b.txt", 3, "three")]);
    story
}

fn write(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// `okstra doctor` in the story's project, about to be run where claude is installed.
fn command(story: &Story, arguments: &[&str]) -> std::process::Command {
    let mut command = story.sandbox.command(OKSTRA);
    let programs = story.sandbox.path().join("programs");
    if !programs.exists() {
        story.sandbox.program(&programs.join("claude"), "echo 2.1.3");
    }
    let path = command.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, path)| path).unwrap();
    let path = std::env::join_paths(std::iter::once(programs).chain(std::env::split_paths(path))).unwrap();
    command.env("PATH", path).current_dir(&story.shop).env("OKSTRA_HOME", story.home()).arg("doctor").args(arguments);
    command
}

/// Runs `okstra doctor` in the story's project.
fn doctor(story: &Story, arguments: &[&str]) -> Ran {
    command(story, arguments).ran()
}

/// The document of `okstra doctor --restore`, which must end with `code`.
fn restore(story: &Story, code: i32, arguments: &[&str]) -> Value {
    let ran = doctor(story, &[&["--restore", "--json"], arguments].concat());
    assert_eq!(ran.code, Some(code), "{ran:?}");
    assert_eq!(ran.stderr, "");
    ran.json()
}

/// A check, as `status name: message`, and its advice.
type Said = (String, String);

/// What `okstra doctor` finds in the story's project that is not ok. It must end with `code`.
fn found(story: &Story, code: i32) -> Vec<Said> {
    let ran = doctor(story, &["--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(code), ""), "{ran:?}");
    said(&ran.json()).into_iter().filter(|(text, _)| !text.starts_with("ok ")).collect()
}

fn said(document: &Value) -> Vec<Said> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let checks = document["checks"].as_array().unwrap().iter();
    checks
        .map(|check| {
            let found = format!("{} {}: {}", text(&check["status"]), text(&check["name"]), text(&check["message"]));
            (found, text(&check["advice"]))
        })
        .collect()
}

/// Every file below `.okstra/` by its path from the project root, without locks.
fn files(story: &Story) -> BTreeMap<String, Vec<u8>> {
    files_in(&story.shop)
}

fn files_in(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![root.join(".okstra")];
    while let Some(path) = left.pop() {
        if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir()) {
            left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.is_file() && path.extension().is_none_or(|extension| extension != "lock") {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            found.insert(name, fs::read(path).unwrap());
        }
    }
    found
}

fn lose_okstra(story: &Story) {
    fs::remove_dir_all(story.shop.join(".okstra")).unwrap();
}

fn lose_home(story: &Story) {
    fs::remove_dir_all(story.home()).unwrap();
}

/// The registry's entry of the story's task.
fn entry(story: &Story) -> Value {
    let text = fs::read_to_string(story.registry()).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["tasks"][crate::common::story::KEY].clone()
}

/// The texts in a list of a document.
fn texts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

/// Where the worktree of the story's task belongs.
fn worktree(story: &Story) -> PathBuf {
    story.home().join("worktrees/shop/auth/login")
}
