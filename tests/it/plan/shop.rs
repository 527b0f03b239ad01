//! A project `shop` without tasks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::{OKSTRA, Ran, Run, Sandbox};

/// The task that most tests are about.
pub(super) const TASK: &str = "auth/login";

/// A project in a repository of its own.
pub(super) struct Shop {
    pub(super) sandbox: Sandbox,
    pub(super) root: PathBuf,
}

impl Shop {
    pub(super) fn new() -> Self {
        let sandbox = Sandbox::new();
        let root = sandbox.repository("shop");
        sandbox.commit(&root, "a.txt", "a\n", "add a");
        sandbox.git(&root, &["config", "user.name", "Ann Approver"]);
        fs::create_dir(root.join(".okstra")).unwrap();
        fs::write(root.join(".okstra/project.json"), r#"{"schemaVersion":"1.0","projectId":"shop"}"#).unwrap();
        Self { sandbox, root }
    }

    /// `okstra` in the project, about to run.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command(OKSTRA);
        command.current_dir(&self.root).env("OKSTRA_HOME", self.sandbox.path().join("okstra home")).args(arguments);
        command
    }

    pub(super) fn okstra(&self, arguments: &[&str]) -> Ran {
        self.command(arguments).ran()
    }

    /// The document that `okstra … --json` prints; it must end with `code`.
    pub(super) fn json(&self, code: i32, arguments: &[&str]) -> Value {
        let ran = self.okstra(&[arguments, &["--json"]].concat());
        assert_eq!(ran.code, Some(code), "{ran:?}");
        ran.json()
    }

    /// Approves `plan`, which is written first, for [`TASK`].
    pub(super) fn approve(&self, plan: &str) -> Value {
        self.write("plan.md", plan);
        self.json(0, &["plan", "approve", "--task", TASK, "plan.md", "--category", "fix", "--yes"])
    }

    pub(super) fn write(&self, path: &str, content: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(super) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    /// The folder of the task.
    pub(super) fn task(&self) -> PathBuf {
        self.root.join(".okstra/tasks").join(TASK)
    }

    pub(super) fn plans(&self) -> PathBuf {
        self.task().join("runs/implementation-planning/plans")
    }

    /// The names in a folder, sorted; none where there is no such folder.
    pub(super) fn names(&self, folder: &Path) -> Vec<String> {
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The events of the task's timeline.
    pub(super) fn events(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.task().join("timeline.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Says in the log that a stage is done or started, as it is in the plan that was approved last.
    pub(super) fn row(&self, stage: u32, status: &str, approval: &Value) {
        let hash = &approval["stages"][stage as usize - 1]["hash"];
        let head = self.sandbox.git(&self.root, &["rev-parse", "HEAD"]);
        let row = serde_json::json!({"impl_task_key": format!("shop/{TASK}"), "stage": stage, "status": status,
            "head_commit": head, "run": "implementation-001", "stage_hash": hash});
        let log = self.task().join("runs/implementation-planning/consumers.jsonl");
        let old = fs::read_to_string(&log).unwrap_or_default();
        fs::write(log, format!("{old}{row}\n")).unwrap();
    }
}

/// The fixtures.
pub(super) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/plans")
}

/// The text of a fixture.
pub(super) fn fixture(name: &str) -> String {
    fs::read_to_string(fixtures().join(name)).unwrap()
}

/// The good plan with four stages.
pub(super) fn login() -> String {
    fixture("good/login.md")
}
