//! A project of which runs are prepared, through the executable.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::common::{OKSTRA, Ran, Run, Sandbox};

/// A stage of a plan: its title, what it depends on, how many steps it has, its file.
pub(super) type Planned<'a> = (&'a str, &'a str, usize, &'a str);

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
        let none = "(none)";
        self.approve_stages(&[("One", none, 1, "a.txt"), ("Two", none, 1, "b.txt"), ("Three", "1, 2", 1, "c.txt")]);
    }

    /// Approves a plan of these stages, numbered from 1.
    pub(super) fn approve_stages(&self, stages: &[Planned<'_>]) {
        let path = self.sandbox.path().join("plan.md");
        fs::write(&path, plan(stages)).unwrap();
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

fn plan(stages: &[Planned<'_>]) -> String {
    let head = "| stage | title | depends-on | step-count | files |\n| --- | --- | --- | --- | --- |\n";
    let mut text = format!("# Login\n\n## Stage Map\n\n{head}");
    for (number, (title, depends_on, steps, file)) in (1..).zip(stages) {
        text.push_str(&format!("| {number} | {title} | {depends_on} | {steps} | `{file}` |\n"));
    }
    for (number, (title, _, steps, _)) in (1..).zip(stages) {
        let steps: String = (1..=*steps).map(|step| format!("{step}. Do it.\n")).collect();
        text.push_str(&format!(
            "\n## Stage {number}: {title}\n\n### Steps\n\n{steps}\n### Stage Validation\n\n- post: `true`\n\n\
             ### Stage Exit Contract\n\n- Done.\n\n### Rollback\n\nRevert.\n"
        ));
    }
    text
}
