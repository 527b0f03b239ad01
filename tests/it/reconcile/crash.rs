//! Commands that are killed while they work: nothing is lost, and the same command once more ends where an undisturbed one
//! does.
//!
//! `OKSTRA_CRASHES=N` kills each of them N times.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use okstra::context::Context;
use okstra::ops::record_done::{self, Done};
use okstra::ops::task::{Selector, Task};
use serde_json::Value;

use crate::common::Run;
use crate::common::story::{KEY, Story, branch};
use crate::histories::rng::Rng;

/// So often is each command killed by default.
const CRASHES: usize = 14;
/// The longest that a command is left alone, in microseconds: about as long as it takes.
const LONGEST: usize = 80_000;

/// What a task looks like once a command is through, line by line: rows without their times, anchor, refs of okstra's,
/// mirror.
fn state(story: &Story) -> Vec<String> {
    let timeless = |text: &str| {
        let mut value: Value = serde_json::from_str(text).unwrap_or(Value::Null);
        if let Some(object) = value.as_object_mut() {
            object.retain(|name, _| !["completed_at", "started_at", "at", "time"].contains(&name.as_str()));
        }
        value.to_string()
    };
    let registry: Value = serde_json::from_str(&std::fs::read_to_string(story.registry()).unwrap()).unwrap();
    let anchor = &registry["tasks"][KEY]["implementation_base_commit"];
    let keep = story.git(&["for-each-ref", "--format=%(refname) %(objectname)", "refs/okstra/keep"]);
    let mut lines: Vec<String> = story.rows().iter().map(|row| timeless(&row.to_string())).collect();
    lines.extend([format!("anchor {anchor}"), keep]);
    let mirror = "refs/okstra/state/auth/login";
    let listed = story.sandbox.try_git(&story.shop, &["ls-tree", "-r", "--name-only", mirror]).stdout;
    for path in listed.lines() {
        let text = story.git(&["show", &format!("{mirror}:{path}")]);
        let is_log = path.ends_with(".jsonl");
        let told =
            text.lines().map(|line| format!("{path}: {}", if is_log { timeless(line) } else { line.to_owned() }));
        let mut told: Vec<String> = told.collect();
        if path.ends_with("timeline.jsonl") {
            // What a crash kept it from knowing is told later, after what was told since.
            told.sort();
        }
        lines.extend(told);
    }
    lines
}

/// Two stages: one that was rebased, one that was amended; the task is one of a project.
fn prepared() -> Story {
    let story = Story::new();
    story.move_into_project();
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.stage(2, "main", &[("b.txt", 3, "two")]);
    story.edit("a.txt", 35, "main moved on");
    story.git(&["rebase", "-q", "main", &branch(1)]);
    story.git(&["checkout", "-q", &branch(2)]);
    std::fs::write(story.shop.join("b.txt"), "else\n").unwrap();
    story.git(&["commit", "-q", "-a", "--amend", "-m", "amended"]);
    story.git(&["checkout", "-q", "main"]);
    story
}

/// Kills what `command` makes after longer and longer times, each time from the same start; then does it once more,
/// undisturbed.
fn kill_and_go_on(story: &Story, command: &dyn Fn() -> Command) {
    let (start, before) = (Saved::of(story.sandbox.path()), state(story));
    let through = command().ran();
    assert!(matches!(through.code, Some(0 | 2)), "{through:?}");
    let expected = state(story);
    assert_ne!(expected, before);
    let (times, mut rng) = (crashes(), Rng::new(7));
    for time in 0..times {
        let wait = if time % 3 == 2 { rng.below(LONGEST) } else { time * LONGEST / times };
        start.restore(story.sandbox.path());
        let before = story.rows();
        let mut child = command().started();
        std::thread::sleep(Duration::from_micros(wait.try_into().unwrap()));
        child.kill().unwrap();
        child.wait().unwrap();
        // A line that is torn is told, and left out.
        let text = std::fs::read_to_string(story.log()).unwrap_or_default();
        let whole = text.lines().map_while(|line| serde_json::from_str::<Value>(line).ok()).collect::<Vec<_>>();
        assert!(whole.starts_with(&before) && whole.len() + 1 >= text.lines().count(), "after {wait} µs: {text}");
        story.reconcile(&["--json"]).json();
        let ran = command().ran();
        assert_eq!(ran.code, through.code, "killed after {wait} µs: {ran:?}");
        let ended = state(story);
        let differs = ended.iter().zip(&expected).find(|(ended, expected)| ended != expected);
        assert!(differs.is_none() && ended.len() == expected.len(), "killed after {wait} µs: {differs:?}");
        story.git(&["fsck", "--strict", "--no-dangling"]);
    }
}

/// The files below a folder.
struct Saved(Vec<(PathBuf, Vec<u8>)>);

impl Saved {
    fn of(folder: &Path) -> Self {
        let mut files = Vec::new();
        collect(folder, folder, &mut files);
        Self(files)
    }

    fn restore(&self, folder: &Path) {
        for entry in std::fs::read_dir(folder).unwrap() {
            std::fs::remove_dir_all(entry.unwrap().path()).unwrap();
        }
        std::fs::create_dir(folder.join("home")).unwrap();
        for name in ["refs/heads", "refs/tags", "objects"] {
            std::fs::create_dir_all(folder.join("shop/.git").join(name)).unwrap();
        }
        for (path, bytes) in &self.0 {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
    }
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => collect(root, &path, files),
            false => files.push((path.strip_prefix(root).unwrap().to_owned(), std::fs::read(&path).unwrap())),
        }
    }
}

fn crashes() -> usize {
    let machine = Context::from_process();
    let set = machine.environment().get("OKSTRA_CRASHES").and_then(|value| value.to_str()?.parse().ok());
    set.unwrap_or(CRASHES)
}

fn kill_reconcile(arguments: &[&str]) {
    let story = prepared();
    kill_and_go_on(&story, &|| story.command(&[arguments, &["--json"]].concat()));
}

#[test]
fn an_automatic_repair() {
    kill_reconcile(&["--apply"]);
}

#[test]
fn what_a_person_named() {
    kill_reconcile(&["--apply", "--stage", "2", "--use-ref", "fix-login-s2"]);
}

#[test]
fn an_anchor_and_a_ref_in_one_call() {
    kill_reconcile(&["--apply", "--reset-anchor", "main", "--stage", "2", "--use-ref", "fix-login-s2"]);
}

/// Where the child that records a stage finds its task.
const CHILD: &str = "OKSTRA_CRASH_TASK";

#[test]
fn a_stage_that_is_done() {
    let story = prepared();
    story.build(3, "main", &[("c.txt", 3, "three")]);
    kill_and_go_on(&story, &|| {
        let mut child = story.sandbox.command(std::env::current_exe().unwrap());
        child.args(["--exact", "reconcile::crash::a_child_records_stage_3"]).env(CHILD, &story.shop);
        child.env("OKSTRA_HOME", story.home());
        child
    });
}

/// Not a test of its own: the process that [`a_stage_that_is_done`] kills.
#[test]
fn a_child_records_stage_3() {
    let machine = Context::from_process();
    let Some(shop) = machine.environment().get(CHILD).map(PathBuf::from) else { return };
    let selector = Selector::Project(Some("auth/login".to_owned()));
    let task = Task::find(&machine, Some(&shop), &selector).unwrap();
    let commit = |name: &str| task.repository.ref_commit(&machine, name).unwrap().unwrap();
    let done = Done {
        stage: 3,
        head: commit("refs/heads/fix-login-s3"),
        base: commit("refs/heads/main"),
        run: "implementation-003".to_owned(),
        plan: None,
        carry_path: None,
    };
    record_done::run(&machine, &task, &done).unwrap();
}
