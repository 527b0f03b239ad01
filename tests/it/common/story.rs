//! A task with recorded stages, in a repository that people then change.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};

use okstra::context::{Context, Environment};
use okstra::ops::record_done::{self, Done};
use okstra::ops::task::{FullSelector, Selector, Task};
use serde_json::{Value, json};

use super::{OKSTRA, Ran, Run, Sandbox};

/// The task key.
pub(crate) const KEY: &str = "shop/auth/login";
/// The branch of the task.
pub(crate) const BRANCH: &str = "fix-login";

/// A repository `shop` with `main` and the task branch `fix-login`, its registry entry and its log.
pub(crate) struct Story {
    pub(crate) sandbox: Sandbox,
    pub(crate) shop: PathBuf,
    pub(crate) anchor: String,
    /// Whether commands name the task as a project would, by `.okstra/`.
    in_project: Cell<bool>,
}

impl Story {
    /// `main` has some commits, the task branch stands at the anchor, nothing is recorded.
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new();
        let shop = sandbox.repository("shop");
        sandbox.git(&shop, &["config", "gc.auto", "0"]);
        let lines = (1..=40).map(|number| format!("line {number}\n")).collect::<String>();
        for file in ["a.txt", "b.txt", "c.txt", "shared.txt"] {
            sandbox.commit(&shop, file, &lines, &format!("add {file}"));
        }
        let anchor = sandbox.git(&shop, &["rev-parse", "HEAD"]);
        sandbox.git(&shop, &["branch", BRANCH]);
        let story = Self { sandbox, shop, anchor, in_project: Cell::new(false) };
        fs::create_dir_all(story.plan_run_root()).unwrap();
        story.write_registry(&json!({}));
        story
    }

    pub(crate) fn plan_run_root(&self) -> PathBuf {
        match self.in_project.get() {
            true => self.shop.join(".okstra/tasks/auth/login/runs/implementation-planning"),
            false => self.sandbox.path().join("plan run"),
        }
    }

    /// From now on the records lie in `.okstra/`, and commands name the task with `--task`.
    pub(crate) fn move_into_project(&self) {
        let old = self.plan_run_root();
        self.in_project.set(true);
        let new = self.plan_run_root();
        fs::create_dir_all(new.parent().unwrap()).unwrap();
        fs::rename(old, &new).unwrap();
        let okstra = self.shop.join(".okstra");
        fs::write(okstra.join("project.json"), r#"{"schemaVersion":"1.0","projectId":"shop"}"#).unwrap();
        let manifest = json!({"schemaVersion": "1.0", "taskKey": KEY, "title": "Login", "category": "fix"});
        fs::write(okstra.join("tasks/auth/login/task-manifest.json"), manifest.to_string()).unwrap();
        fs::write(okstra.join(".gitignore"), "*\n").unwrap();
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.sandbox.path().join("okstra home")
    }

    pub(crate) fn registry(&self) -> PathBuf {
        self.home().join("worktrees/registry.json")
    }

    /// Writes the registry with the task's entry, to which `more` is added.
    pub(crate) fn write_registry(&self, more: &Value) {
        let mut entry = json!({
            "branch": BRANCH,
            "base_ref": "refs/heads/main",
            "git_common_dir": self.shop.join(".git"),
            "implementation_base_commit": self.anchor,
            "stages": {},
        });
        let fields = more.as_object().unwrap();
        entry.as_object_mut().unwrap().extend(fields.iter().map(|(name, value)| (name.clone(), value.clone())));
        fs::create_dir_all(self.registry().parent().unwrap()).unwrap();
        let document = json!({"schemaVersion": "1.0", "tasks": {KEY: entry}});
        fs::write(self.registry(), document.to_string()).unwrap();
    }

    /// Freezes a plan whose stages depend on these others.
    pub(crate) fn write_plan(&self, stages: &[(u32, &[u32])]) {
        let stages: Vec<Value> = stages
            .iter()
            .map(|(stage, depends_on)| {
                json!({"stage": stage, "title": format!("Stage {stage}"), "dependsOn": depends_on, "stepCount": 1,
                    "files": [], "hash": format!("hash-{stage}")})
            })
            .collect();
        let plan = json!({"schemaVersion": "1.0", "id": "001", "taskKey": KEY, "approvedBy": "ann",
            "approvedAt": "2026-01-01T00:00:00Z", "sha256": "0", "stages": stages});
        fs::create_dir_all(self.plan_run_root().join("plans")).unwrap();
        fs::write(self.plan_run_root().join("plans/001.json"), plan.to_string()).unwrap();
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        self.sandbox.git(&self.shop, arguments)
    }

    pub(crate) fn commit(&self, file: &str, content: &str, message: &str) -> String {
        self.sandbox.commit(&self.shop, file, content, message)
    }

    /// Changes line `line` of `file` on the current branch, in a commit of its own.
    pub(crate) fn edit(&self, file: &str, line: usize, text: &str) -> String {
        let old = fs::read_to_string(self.shop.join(file)).unwrap();
        let mut lines: Vec<&str> = old.lines().collect();
        lines[line - 1] = text;
        self.commit(file, &format!("{}\n", lines.join("\n")), &format!("{text} in {file}"))
    }

    /// Does stage `stage` on its own branch, from `base`: an edit for each of `edits`. Gives its tip.
    pub(crate) fn build(&self, stage: u32, base: &str, edits: &[(&str, usize, &str)]) -> String {
        self.git(&["checkout", "-q", "-b", &branch(stage), base]);
        for (file, line, text) in edits {
            self.edit(file, *line, text);
        }
        let tip = self.rev("HEAD");
        self.git(&["checkout", "-q", "main"]);
        tip
    }

    /// Builds stage `stage` and records it.
    pub(crate) fn stage(&self, stage: u32, base: &str, edits: &[(&str, usize, &str)]) -> String {
        let tip = self.build(stage, base, edits);
        self.record(stage, base, &tip);
        tip
    }

    /// Records a stage as done, as `stage done` will.
    pub(crate) fn record(&self, stage: u32, base: &str, head: &str) {
        let context = self.context();
        let task = self.task(&context);
        let commit = |text: &str| task.repository.commit_by_id(text).unwrap().unwrap();
        let base = commit(&self.rev(base));
        let done = Done {
            stage,
            head: commit(head),
            base,
            run: "implementation-001".to_owned(),
            plan: None,
            carry_path: None,
        };
        assert!(record_done::run(&context, &task, &done).unwrap());
    }

    /// The machine as the library sees it.
    pub(crate) fn context(&self) -> Context {
        let path = std::env::var_os("PATH").unwrap();
        let variables: Environment = [
            ("PATH".into(), path),
            ("HOME".into(), self.sandbox.path().join("home").into_os_string()),
            ("OKSTRA_HOME".into(), self.home().into_os_string()),
            ("TMPDIR".into(), self.sandbox.path().as_os_str().to_owned()),
        ]
        .into_iter()
        .collect::<Vec<(std::ffi::OsString, std::ffi::OsString)>>()
        .into_iter()
        .collect();
        Context::new(&self.shop, variables)
    }

    pub(crate) fn task(&self, context: &Context) -> Task {
        let selector = match self.in_project.get() {
            true => Selector::Project(Some("auth/login".to_owned())),
            false => Selector::Full(Box::new(FullSelector {
                plan_run_root: self.plan_run_root(),
                project_id: "shop".to_owned(),
                task_group: "auth".to_owned(),
                task_id: "login".to_owned(),
                work_category: "fix".to_owned(),
            })),
        };
        Task::find(context, Some(&self.shop), &selector).unwrap()
    }

    pub(crate) fn rev(&self, name: &str) -> String {
        self.git(&["rev-parse", "--verify", &format!("{name}^{{commit}}")])
    }

    /// Runs `okstra git-reconcile` on the task with these arguments besides.
    pub(crate) fn reconcile(&self, arguments: &[&str]) -> Ran {
        self.command(arguments).ran()
    }

    /// `okstra git-reconcile` on the task, about to be run with these arguments besides.
    pub(crate) fn command(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = self.sandbox.command(OKSTRA);
        command.current_dir(&self.shop).env("OKSTRA_HOME", self.home()).arg("git-reconcile");
        match self.in_project.get() {
            true => command.args(["--task", "auth/login"]),
            false => command
                .args(["--project-id", "shop", "--task-group", "auth", "--task-id", "login", "--work-category", "fix"])
                .arg("--plan-run-root")
                .arg(self.plan_run_root()),
        };
        command.args(arguments);
        command
    }

    /// The same with `--json`; it must end with `code`, and say nothing on stderr unless it repaired something.
    pub(crate) fn json(&self, code: i32, arguments: &[&str]) -> Value {
        let ran = self.reconcile(&[arguments, &["--json"]].concat());
        assert_eq!(ran.code, Some(code), "{ran:?}");
        ran.json()
    }

    /// The items of an inspection, which must end with `code`.
    pub(crate) fn items(&self, code: i32) -> Vec<Value> {
        self.json(code, &[])["items"].as_array().unwrap().clone()
    }

    /// The one item of an inspection.
    pub(crate) fn item(&self, code: i32) -> Value {
        let items = self.items(code);
        assert_eq!(items.len(), 1, "{items:?}");
        items[0].clone()
    }

    /// The log's rows.
    pub(crate) fn rows(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.log()).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.plan_run_root().join("consumers.jsonl")
    }

    /// Appends a row to the log by hand.
    pub(crate) fn append(&self, row: &Value) {
        let old = fs::read_to_string(self.log()).unwrap_or_default();
        fs::write(self.log(), format!("{old}{row}\n")).unwrap();
    }

    /// Lets git collect everything that no ref reaches; also what okstra keeps, if `unkeep`.
    pub(crate) fn collect(&self, unkeep: bool) {
        if unkeep {
            for name in self.git(&["for-each-ref", "--format=%(refname)", "refs/okstra"]).lines() {
                self.git(&["update-ref", "-d", name]);
            }
        }
        self.git(&["reflog", "expire", "--expire=now", "--all"]);
        self.git(&["gc", "--quiet", "--prune=now"]);
    }

    /// Everything below the folders of the records, with its bytes.
    pub(crate) fn records(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        for folder in [self.plan_run_root(), self.home()] {
            walk(&folder, &mut found);
        }
        found.sort();
        found
    }
}

/// The branch of a stage.
pub(crate) fn branch(stage: u32) -> String {
    format!("{BRANCH}-s{stage}")
}

fn walk(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => walk(&path, found),
            false if path.extension().is_some_and(|extension| extension == "lock") => {}
            false => found.push((path.clone(), fs::read(&path).unwrap())),
        }
    }
}
