//! A project that was cloned from a forge, with a task that is built through the real commands.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::common::{OKSTRA, Ran, Run, Sandbox};

/// The branch of the task.
pub(super) const BRANCH: &str = "fix-login";

/// A stage of the plan: the files it may touch, and what it depends on.
pub(super) type Planned<'a> = (&'a str, &'a str);

/// Two stages that stand alone, and one that needs both.
pub(super) const THREE: &[Planned<'_>] = &[("a.txt", "(none)"), ("b.txt", "(none)"), ("c.txt", "1, 2")];
/// One stage on top of the other, both at the same file.
pub(super) const STACKED: &[Planned<'_>] = &[("a.txt", "(none)"), ("a.txt", "1"), ("c.txt", "1, 2")];

pub(super) struct Shop {
    pub(super) sandbox: Sandbox,
    /// The project.
    pub(super) folder: PathBuf,
    /// The clone of a colleague, who merges on the forge.
    other: PathBuf,
}

impl Shop {
    /// A project whose task has an approved plan.
    pub(super) fn new(planned: &[Planned<'_>]) -> Self {
        let sandbox = Sandbox::new();
        let seed = sandbox.repository("seed");
        let lines = (1..=40).map(|number| format!("line {number}\n")).collect::<String>();
        for file in ["a.txt", "b.txt", "c.txt"] {
            sandbox.commit(&seed, file, &lines, &format!("add {file}"));
        }
        let (folder, other) = (sandbox.path().join("my shop"), sandbox.path().join("other"));
        sandbox.git(sandbox.path(), &["clone", "-q", "--bare", "seed", "forge.git"]);
        sandbox.git(sandbox.path(), &["clone", "-q", "forge.git", "my shop"]);
        sandbox.git(sandbox.path(), &["clone", "-q", "forge.git", "other"]);
        sandbox.git(&folder, &["config", "gc.auto", "0"]);
        let shop = Self { sandbox, folder, other };
        shop.done(&["init", "--project-id", "shop", "--yes"]);
        shop.approve(planned);
        shop
    }

    /// The same with these stages built and integrated, and their run ended.
    pub(super) fn built(planned: &[Planned<'_>], edits: &[Edit<'_>]) -> Self {
        let shop = Self::new(planned);
        shop.build(edits);
        shop
    }

    fn approve(&self, planned: &[Planned<'_>]) {
        let mut text = "# Login\n\n## Stage Map\n\n| stage | title | depends-on | step-count | files |\n| --- | --- | --- | --- | --- |\n".to_owned();
        for (number, (file, depends_on)) in (1..).zip(planned) {
            text.push_str(&format!("| {number} | Stage {number} | {depends_on} | 1 | `{file}` |\n"));
        }
        for number in 1..=planned.len() {
            text.push_str(&format!(
                "\n## Stage {number}: Stage {number}\n\n### Steps\n\n1. Do it.\n\n### Stage Validation\n\n- post: `git status`\n\n\
                 ### Stage Exit Contract\n\n- Done.\n\n### Rollback\n\nRevert.\n"
            ));
        }
        let path = self.sandbox.path().join("plan.md");
        fs::write(&path, text).unwrap();
        let plan = path.to_str().unwrap();
        self.json(0, &["plan", "approve", plan, "--task", "auth/login", "--category", "fix", "--by", "Ann", "--yes"]);
    }

    /// Prepares a run through the real door.
    pub(super) fn prepare(&self, code: i32, more: &[&str]) -> Value {
        let brief = self.sandbox.path().join("brief.md");
        fs::write(&brief, "Build it.\n").unwrap();
        let words = ["render-bundle", "--task", "auth/login", "--type", "implementation", "--workers", "claude,codex"];
        self.json(code, &[&words[..], &["--brief", brief.to_str().unwrap()], more].concat())
    }

    /// Builds stages in runs of their own, integrates them, and ends the runs.
    pub(super) fn build(&self, edits: &[Edit<'_>]) {
        for (stage, file, line, text) in edits {
            let prepared = self.prepare(0, &["--stage", &stage.to_string()]);
            let run = prepared["run"].as_str().unwrap();
            self.edit(&self.worktree(Some(*stage)), file, *line, text);
            self.task(0, &["stage", "done", "--stage", &stage.to_string()]);
            self.task(0, &["stage", "integrate"]);
            self.end(run);
        }
    }

    pub(super) fn end(&self, run: &str) {
        self.task(0, &["finish", run, "--force", "it is a test", "--yes"]);
    }

    /// Changes a line of a file in `folder`, in a commit of its own.
    pub(super) fn edit(&self, folder: &std::path::Path, file: &str, line: usize, text: &str) -> String {
        let old = fs::read_to_string(folder.join(file)).unwrap();
        let mut lines: Vec<&str> = old.lines().collect();
        lines[line - 1] = text;
        self.sandbox.commit(folder, file, &format!("{}\n", lines.join("\n")), &format!("{text} in {file}"))
    }

    /// The worktree of the task, or of a stage.
    pub(super) fn worktree(&self, stage: Option<u32>) -> PathBuf {
        let suffix = stage.map_or_else(String::new, |stage| format!("-s{stage}"));
        self.home().join(format!("worktrees/shop/auth/login{suffix}"))
    }

    pub(super) fn home(&self) -> PathBuf {
        self.sandbox.path().join("okstra home")
    }

    pub(super) fn command(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = self.sandbox.command(OKSTRA);
        command.current_dir(&self.folder).env("OKSTRA_HOME", self.home()).args(arguments);
        command
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Ran {
        self.command(arguments).ran()
    }

    pub(super) fn json(&self, code: i32, arguments: &[&str]) -> Value {
        let ran = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(ran.code, Some(code), "{arguments:?}: {ran:?}");
        ran.json()
    }

    fn done(&self, arguments: &[&str]) {
        self.json(0, arguments);
    }

    /// A command about the task.
    pub(super) fn task(&self, code: i32, words: &[&str]) -> Value {
        self.json(code, &[words, &["--task", "auth/login"]].concat())
    }

    /// `task sync`, which must do this.
    pub(super) fn sync(&self, how: &str) -> Value {
        let synced = self.task(0, &["task", "sync"]);
        assert_eq!(synced["how"], how, "{synced}");
        assert_eq!(synced["commit"], json!(self.rev(BRANCH)));
        assert_eq!(self.git_in(None, &["status", "--porcelain"]), "");
        assert_eq!(self.git_in(None, &["symbolic-ref", "HEAD"]), format!("refs/heads/{BRANCH}"));
        synced
    }

    /// A command that is refused and changes nothing.
    pub(super) fn refused(&self, code: &str, words: &[&str]) -> Value {
        let before = self.everything();
        let refused = self.task(1, words);
        assert_eq!(refused["code"], code, "{refused}");
        assert_eq!(self.everything(), before, "{words:?}");
        refused
    }

    /// Refs, worktrees and the registry.
    pub(super) fn everything(&self) -> (String, String, String) {
        let refs = self.git(&["for-each-ref", "--format=%(refname) %(objectname)"]);
        let registry = fs::read_to_string(self.home().join("worktrees/registry.json")).unwrap_or_default();
        (refs, self.git(&["worktree", "list", "--porcelain"]), registry)
    }

    pub(super) fn git(&self, arguments: &[&str]) -> String {
        self.sandbox.git(&self.folder, arguments)
    }

    /// git in the worktree of the task, or of a stage.
    pub(super) fn git_in(&self, stage: Option<u32>, arguments: &[&str]) -> String {
        self.sandbox.git(&self.worktree(stage), arguments)
    }

    pub(super) fn rev(&self, name: &str) -> String {
        self.git(&["rev-parse", "--verify", &format!("{name}^{{commit}}")])
    }

    pub(super) fn exists(&self, name: &str) -> bool {
        self.sandbox.try_git(&self.folder, &["rev-parse", "--verify", "-q", name]).code == Some(0)
    }

    /// `task close --yes`, which must end with `code`.
    pub(super) fn close(&self, code: i32) -> Value {
        self.task(code, &["task", "close", "--yes"])
    }

    /// The checks of doctor that are not as they should be; which agents this machine has is not the matter here.
    pub(super) fn ailments(&self) -> Vec<Value> {
        let checks = self.run(&["doctor", "--json"]).json()["checks"].clone();
        checks
            .as_array()
            .unwrap()
            .iter()
            .filter(|check| check["status"] != "ok" && check["name"] != "agents")
            .cloned()
            .collect()
    }

    /// What git-reconcile lists, but for gates that only wait.
    pub(super) fn unsettled(&self) -> Vec<Value> {
        let items = self.task(0, &["git-reconcile"])["items"].clone();
        items.as_array().unwrap().iter().filter(|item| item["classification"] != "waiting").cloned().collect()
    }

    /// Lets git collect everything that no ref reaches.
    pub(super) fn collect(&self) {
        self.git(&["reflog", "expire", "--expire=now", "--all"]);
        self.git(&["gc", "--quiet", "--prune=now"]);
    }

    /// What the registry holds of the task.
    pub(super) fn entry(&self) -> Value {
        let text = fs::read_to_string(self.home().join("worktrees/registry.json")).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["tasks"]["shop/auth/login"].clone()
    }

    /// The events of the timeline with this name.
    pub(super) fn events(&self, name: &str) -> Vec<Value> {
        let lines = fs::read_to_string(self.folder.join(".okstra/tasks/auth/login/timeline.jsonl")).unwrap();
        let events = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        events.filter(|event| event["event"] == name).collect()
    }

    /// On the forge `main` moves on by this edit; it is fetched.
    pub(super) fn main_moves(&self, file: &str, line: usize, text: &str) {
        self.on_the_forge(|other| drop(self.edit(other, file, line, text)));
    }

    /// The task branch lands on the forge, by these commands of git in a clone that has it as `origin/fix-login`.
    pub(super) fn lands(&self, commands: &[&[&str]]) {
        self.git(&["push", "-q", "-f", "origin", BRANCH]);
        self.on_the_forge(|other| {
            for command in commands {
                self.sandbox.git(other, command);
            }
        });
    }

    /// By a squash.
    pub(super) fn lands_squashed(&self) {
        self.lands(&[&["merge", "-q", "--squash", "origin/fix-login"], &["commit", "-q", "-m", "Login (#1)"]]);
    }

    pub(super) fn on_the_forge(&self, work: impl FnOnce(&std::path::Path)) {
        self.sandbox.git(&self.other, &["fetch", "-q"]);
        self.sandbox.git(&self.other, &["checkout", "-q", "-B", "main", "origin/main"]);
        work(&self.other);
        self.sandbox.git(&self.other, &["push", "-q", "origin", "HEAD:main"]);
        self.git(&["fetch", "-q"]);
    }
}

/// Stage, file, line, text.
pub(super) type Edit<'a> = (u32, &'a str, usize, &'a str);
