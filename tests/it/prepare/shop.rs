//! A project of which runs are prepared, through the executable.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::common::{OKSTRA, Ran, Run, Sandbox};

const PLAN: &str = "# Login

## Stage Map

| stage | title | depends-on | step-count | files |
| --- | --- | --- | --- | --- |
| 1 | One | (none) | 1 | `a.txt` |
| 2 | Two | (none) | 1 | `b.txt` |
| 3 | Three | 1, 2 | 1 | `c.txt` |
";

pub(super) struct Shop {
    pub(super) sandbox: Sandbox,
    pub(super) folder: PathBuf,
}

impl Shop {
    pub(super) fn new() -> Self {
        let sandbox = Sandbox::new();
        let folder = sandbox.repository("my shop");
        sandbox.commit(&folder, "a.txt", "a\n", "start");
        let shop = Self { sandbox, folder };
        shop.json(0, &["init", "--project-id", "shop", "--yes"]);
        shop
    }

    pub(super) fn home(&self) -> PathBuf {
        self.sandbox.path().join("okstra home")
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = self.sandbox.command(OKSTRA);
        command.current_dir(&self.folder).env("OKSTRA_HOME", self.home()).args(arguments).ran()
    }

    pub(super) fn json(&self, code: i32, arguments: &[&str]) -> Value {
        let ran = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(ran.code, Some(code), "{arguments:?}: {ran:?}");
        ran.json()
    }

    pub(super) fn prepare(&self, code: i32, arguments: &[&str]) -> Value {
        let fixed = ["render-bundle", "--task", "auth/login", "--workers", "claude,codex"];
        self.json(code, &[&fixed, arguments].concat())
    }

    pub(super) fn brief(&self, text: &str) -> String {
        let path = self.sandbox.path().join("brief.md");
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Approves a plan of three stages, the last of which needs the others.
    pub(super) fn approve(&self) {
        let section = |number, title| {
            format!(
                "\n## Stage {number}: {title}\n\n### Steps\n\n1. Do it.\n\n### Stage Validation\n\n- post: `true`\n\n\
                 ### Stage Exit Contract\n\n- Done.\n\n### Rollback\n\nRevert.\n"
            )
        };
        let text = format!("{PLAN}{}{}{}", section(1, "One"), section(2, "Two"), section(3, "Three"));
        let path = self.sandbox.path().join("plan.md");
        fs::write(&path, text).unwrap();
        let plan = path.to_str().unwrap();
        self.json(0, &["plan", "approve", plan, "--task", "auth/login", "--category", "fix", "--by", "Ann", "--yes"]);
    }

    pub(super) fn build(&self, stage: u32, file: &str) {
        let worktree = self.home().join(format!("worktrees/shop/auth/login-s{stage}"));
        self.sandbox.commit(&worktree, file, &format!("stage {stage}\n"), &format!("stage {stage}"));
        self.json(0, &["stage", "done", "--task", "auth/login", "--stage", &stage.to_string()]);
    }
}

pub(super) fn manifest(prepared: &Value) -> Value {
    let path = prepared["manifestPath"].as_str().unwrap();
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

pub(super) fn stages(prepared: &Value) -> Vec<u64> {
    prepared["stages"].as_array().unwrap().iter().map(|stage| stage["stage"].as_u64().unwrap()).collect()
}
