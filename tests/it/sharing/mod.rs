//! A task in two clones of one remote: shared, fetched, gone on with.

mod conflicts;
mod hostile;
mod killed;
mod remotes;
mod story;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use okstra::context::{Context, Environment};
use okstra::domain::moment::Moment;
use okstra::git::{NewSnapshot, Repository, SnapshotFile};
use serde_json::Value;

use crate::common::{OKSTRA, Ran, Run, Sandbox};

const STATE: &str = "refs/okstra/state/auth/login";
const FETCHED: &str = "refs/okstra/remotes/origin/state/auth/login";
const LOG: &str = "runs/implementation-planning/consumers.jsonl";

/// A remote and the machines that work with it.
struct World {
    sandbox: Sandbox,
    remote: PathBuf,
}

/// A clone on a machine of its own.
#[derive(Clone, Copy)]
struct Place<'w> {
    world: &'w World,
    name: &'static str,
}

impl World {
    /// A remote whose `main` has three files.
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let remote = sandbox.path().join("origin.git");
        fs::create_dir(&remote).unwrap();
        sandbox.git(&remote, &["init", "-q", "--bare", "-b", "main"]);
        let seed = sandbox.repository("seed");
        for file in ["a.txt", "b.txt", "c.txt"] {
            sandbox.commit(&seed, file, &format!("{file}\n"), &format!("add {file}"));
        }
        sandbox.git(&seed, &["push", "-q", "../origin.git", "main"]);
        Self { sandbox, remote }
    }

    /// A remote, and a first clone with a project and a task that has a plan: 3 needs 1 and 2.
    fn planned() -> Self {
        let world = Self::new();
        let a = world.place("a");
        a.json(0, &["init", "--project-id", "shop", "--yes"]);
        a.approve(&[(1, "(none)"), (2, "(none)"), (3, "1, 2")]);
        world
    }

    /// The clone with this name, made where it is not there.
    fn place(&self, name: &'static str) -> Place<'_> {
        let place = Place { world: self, name };
        if !place.folder().exists() {
            fs::create_dir_all(place.machine()).unwrap();
            let folder = place.folder();
            self.sandbox.git(self.sandbox.path(), &["clone", "-q", "origin.git", folder.to_str().unwrap()]);
        }
        place
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.sandbox.git(&self.remote, arguments)
    }

    /// Puts a commit on top of the records that the remote has; `change` is given its files.
    fn tamper(&self, change: impl FnOnce(&mut BTreeMap<String, Vec<u8>>)) {
        let repository = Repository::discover(&self.remote).unwrap();
        let context = self.place("a").context();
        let there = repository.read_snapshot(&context, STATE).unwrap().unwrap();
        let mut files: BTreeMap<_, _> = there.into_iter().map(|file| (file.path.to_string(), file.content)).collect();
        change(&mut files);
        let files: Vec<_> =
            files.into_iter().map(|(path, content)| SnapshotFile { path: path.as_bytes().into(), content }).collect();
        let new = NewSnapshot { files: &files, message: "other", at: Moment::from_seconds(9), more_parents: &[] };
        repository.write_snapshot(&context, STATE, &new).unwrap();
    }
}

impl Place<'_> {
    /// The machine's own folder.
    fn machine(self) -> PathBuf {
        self.world.sandbox.path().join(format!("machine {}", self.name))
    }

    fn folder(self) -> PathBuf {
        self.machine().join("shop")
    }

    fn home(self) -> PathBuf {
        self.machine().join("okstra")
    }

    fn context(self) -> Context {
        let variables: Environment = [
            ("PATH".to_owned(), std::env::var("PATH").unwrap()),
            ("OKSTRA_HOME".to_owned(), self.home().to_str().unwrap().to_owned()),
        ]
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
        Context::new(self.folder(), variables)
    }

    fn command(self, arguments: &[&str]) -> Command {
        let mut command = self.world.sandbox.command(OKSTRA);
        command.current_dir(self.folder()).env("HOME", self.machine()).env("OKSTRA_HOME", self.home()).args(arguments);
        command
    }

    fn okstra(self, arguments: &[&str]) -> Ran {
        self.command(arguments).ran()
    }

    fn json(self, code: i32, arguments: &[&str]) -> Value {
        let ran = self.okstra(&[arguments, &["--json"]].concat());
        assert_eq!(ran.code, Some(code), "{}: {arguments:?}: {ran:?}", self.name);
        ran.json()
    }

    /// `okstra WORDS… --task auth/login --json`.
    fn of_task(self, code: i32, words: &[&str]) -> Value {
        self.json(code, &[words, &["--task", "auth/login"]].concat())
    }

    fn share(self) -> Value {
        self.of_task(0, &["task", "share"])
    }

    /// What a fetch says that must end with `code`.
    fn fetch(self, code: i32) -> Value {
        self.of_task(code, &["task", "fetch"])
    }

    fn git(self, arguments: &[&str]) -> String {
        self.world.sandbox.git(&self.folder(), arguments)
    }

    /// Approves a plan whose stages depend on these; stage 1 is about `a.txt`, 2 about `b.txt` and so on.
    fn approve(self, stages: &[(u32, &str)]) {
        let mut text = "# Login\n\n## Stage Map\n\n| stage | title | depends-on | step-count | files |\n".to_owned();
        text.push_str("| --- | --- | --- | --- | --- |\n");
        for (stage, depends_on) in stages {
            text.push_str(&format!("| {stage} | Part {stage} | {depends_on} | 1 | `{}` |\n", file(*stage)));
        }
        for (stage, _) in stages {
            text.push_str(&format!(
                "\n## Stage {stage}: Part {stage}\n\n### Steps\n\n1. Do it.\n\n### Stage Validation\n\n- post: `git status`\n\n\
                 ### Stage Exit Contract\n\n- Done.\n\n### Rollback\n\nRevert.\n"
            ));
        }
        let path = self.machine().join("plan.md");
        fs::write(&path, text).unwrap();
        self.of_task(0, &["plan", "approve", path.to_str().unwrap(), "--category", "fix", "--by", "Ann", "--yes"]);
    }

    /// Prepares a run that builds; gives what was prepared.
    fn prepare(self, more: &[&str]) -> Value {
        let brief = self.machine().join("brief.md");
        fs::write(&brief, "Build it.\n").unwrap();
        let words = [
            "render-bundle",
            "--type",
            "implementation",
            "--workers",
            "claude,codex",
            "--brief",
            brief.to_str().unwrap(),
        ];
        self.of_task(0, &[&words, more].concat())
    }

    /// Builds a stage that a run has reserved, and records it; gives its commit.
    fn build(self, stage: u32) -> String {
        let worktree = self.home().join(format!("worktrees/shop/auth/login-s{stage}"));
        let content = format!("stage {stage} by {}\n", self.name);
        let commit = self.world.sandbox.commit(&worktree, file(stage), &content, &format!("stage {stage}"));
        self.of_task(0, &["stage", "done", "--stage", &stage.to_string()]);
        commit
    }

    /// The path of a file of the task.
    fn path(self, below: &str) -> PathBuf {
        self.folder().join(".okstra/tasks/auth/login").join(below)
    }

    fn read(self, below: &str) -> String {
        fs::read_to_string(self.path(below)).unwrap_or_default()
    }

    fn write(self, below: &str, content: &str) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn append(self, below: &str, line: &str) {
        self.write(below, &format!("{}{line}\n", self.read(below)));
    }

    /// Everything of okstra's that is here: files with their bytes, and refs, but for what was fetched.
    fn everything(self) -> (BTreeMap<PathBuf, Vec<u8>>, String) {
        let mut files = BTreeMap::new();
        walk(&self.folder().join(".okstra"), &mut files);
        walk(&self.home().join("worktrees"), &mut files);
        let refs = self.git(&["for-each-ref", "refs/okstra/state", "refs/okstra/keep", "refs/heads"]);
        (files, refs)
    }

    /// The stages that are done, with their commits, as `stage list` tells them.
    fn stages(self) -> Vec<(u64, String, String)> {
        let listed = self.of_task(0, &["stage", "list"])["stages"].as_array().unwrap().clone();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        listed
            .iter()
            .map(|stage| (stage["stage"].as_u64().unwrap(), text(&stage["state"]), text(&stage["commit"])))
            .collect()
    }
}

fn file(stage: u32) -> &'static str {
    ["a.txt", "b.txt", "c.txt", "d.txt"][stage as usize - 1]
}

fn walk(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if path.join(".git").exists() => {}
            true => walk(&path, found),
            false if path.extension().is_some_and(|extension| extension == "lock") => {}
            false => drop(found.insert(path.clone(), fs::read(&path).unwrap())),
        }
    }
}

/// The conflicts of a fetch: kind, and stage, run or file.
fn conflicts(outcome: &Value) -> Vec<(String, String)> {
    let told = |conflict: &Value| {
        let of = [&conflict["stage"], &conflict["run"], &conflict["paths"][0], &conflict["what"]];
        let of = of.into_iter().find(|value| !value.is_null()).unwrap();
        (conflict["kind"].as_str().unwrap().to_owned(), of.to_string().replace('"', ""))
    };
    outcome["conflicts"].as_array().unwrap().iter().map(told).collect()
}
