//! Tasks and runs from their beginning to their end, on real projects.

mod abandon;
mod finish;
mod init;
mod killed;
mod page;
mod status;
mod tasks;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use okstra::context::{Clock, Context};
use okstra::domain::lifecycle::{RunName, TaskType};
use okstra::domain::registry::Holder;
use okstra::domain::run::RunManifest;
use okstra::ops::lifecycle;
use okstra::store::registry::{Registry, StageWanted};
use okstra::store::{Layout, runs};
use serde_json::{Value, json};

use crate::common::story::{Story, branch};
use crate::common::{OKSTRA, Ran, Run};

/// The moment at which the clock stands when a run is prepared: the first of January 2026.
const PREPARED: u64 = 1_767_225_600;

/// The story's task in its project, with the runs that a test prepares.
struct Life {
    story: Story,
}

impl Life {
    /// A task without runs.
    fn new() -> Self {
        let story = Story::new();
        story.move_into_project();
        Self { story }
    }

    /// A task with an approved plan of three stages.
    fn planned() -> Self {
        let story = Story::new();
        story.write_plan(&[(1, &[]), (2, &[]), (3, &[1])]);
        story.move_into_project();
        Self { story }
    }

    fn layout(&self) -> Layout {
        Layout::new(&self.story.shop)
    }

    fn context(&self) -> Context {
        self.story.context().with_clock(Clock::fixed_at(PREPARED))
    }

    fn path(&self, below: &str) -> PathBuf {
        self.story.shop.join(".okstra/tasks/auth/login").join(below)
    }

    fn read(&self, below: &str) -> String {
        fs::read_to_string(self.path(below)).unwrap_or_default()
    }

    fn manifest(&self) -> Value {
        serde_json::from_str(&self.read("task-manifest.json")).unwrap()
    }

    /// The manifest of a run that owns `stages`.
    fn run_manifest(&self, run: &str, stages: &[u32]) -> RunManifest {
        let task_type = run.parse::<RunName>().unwrap().task_type;
        let stages: Vec<_> = stages
            .iter()
            .map(|stage| {
                json!({"stage": stage, "title": format!("Stage {stage}"), "hash": format!("hash-{stage}"),
                    "branch": branch(*stage), "worktree": self.worktree(*stage), "base": self.story.anchor})
            })
            .collect();
        let manifest = json!({
            "run": run, "taskKey": "shop/auth/login", "taskType": task_type, "category": "fix",
            "createdAt": "2026-01-01T00:00:00Z", "okstraVersion": "0.1.0", "runRoot": "r",
            "baseCommit": self.story.anchor, "brief": {"path": "b", "sha256": "00"}, "stages": stages,
            "lead": {"vendor": "claude", "sessionId": "s-1", "promptPath": "p", "folder": "f", "moreFolders": []},
            "workers": [{"name": "codex", "vendor": "codex", "role": "verifier", "sessionId": "s", "promptPath": "p",
                "resultPath": "r", "errorsPath": "e", "worktree": null, "deadlineSeconds": 60}],
            "instructionSet": [], "paths": {},
            "convergence": {"enabled": true, "maxRounds": 2, "adversarial": false, "verificationMode": "lightweight"},
        });
        serde_json::from_value(manifest).unwrap()
    }

    fn worktree(&self, stage: u32) -> PathBuf {
        self.story.home().join(format!("worktrees/shop/auth/login-s{stage}"))
    }

    /// Prepares a run, which reserves the stages that it owns and makes their worktrees.
    fn prepare(&self, run: &str, stages: &[u32]) {
        self.register(&self.run_manifest(run, stages));
    }

    fn register(&self, manifest: &RunManifest) {
        let context = self.context();
        let task = self.story.task(&context);
        let wanted = manifest.stages.iter().map(|stage| {
            fs::create_dir_all(&stage.worktree).unwrap();
            let reserved_by = Some(Holder { run: manifest.run.clone(), ..Holder::default() });
            let (worktree_path, branch, base_ref) = (stage.worktree.clone(), stage.branch.clone(), stage.base.clone());
            (
                stage.stage,
                StageWanted { worktree_path, branch, base_ref: Some(base_ref), reserved_by, reserved_at: None },
            )
        });
        let wanted: BTreeMap<_, _> = wanted.collect();
        let registry = Registry::new(self.story.registry());
        registry.lock(&context).unwrap().reserve_stages(&task.key, &wanted).unwrap();
        runs::write_manifest(&self.layout(), &task.key, manifest).unwrap();
        lifecycle::register_run(&context, &task, manifest).unwrap();
    }

    /// Writes the report of a run.
    fn report(&self, run: &str, text: &str) {
        let name: RunName = run.parse().unwrap();
        let path = self.layout().report(&"auth/login".parse().unwrap(), name, "md");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Prepares a run of this type, writes its report, and finishes it.
    fn whole_run(&self, task_type: TaskType, more: &[&str]) {
        let run = format!("{task_type}-001");
        self.prepare(&run, &[]);
        self.report(&run, "# Report\n");
        self.done(&[&["finish", &run], more].concat());
    }

    /// Merges the branch of a stage into the task branch, as `stage integrate` will.
    fn integrate(&self, stage: u32) {
        self.story.git(&["checkout", "-q", "fix-login"]);
        self.story.git(&["merge", "-q", "--no-ff", "-m", "integrate", &branch(stage)]);
        self.story.git(&["checkout", "-q", "main"]);
    }

    /// A command of okstra on the task, about to be run.
    fn command(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = self.story.sandbox.command(OKSTRA);
        command.current_dir(&self.story.shop).env("OKSTRA_HOME", self.story.home());
        command.args(arguments).args(["--task", "auth/login"]);
        command
    }

    fn okstra(&self, arguments: &[&str]) -> Ran {
        self.command(arguments).ran()
    }

    /// Runs a command that must succeed, and gives its document.
    fn done(&self, arguments: &[&str]) -> Value {
        let ran = self.okstra(&[arguments, &["--json"]].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{arguments:?}: {ran:?}");
        ran.json()
    }

    /// Runs a command that must fail, and gives its document.
    fn refused(&self, arguments: &[&str], code: &str) -> Value {
        let ran = self.okstra(&[arguments, &["--json"]].concat());
        assert_eq!((ran.code, ran.json()["code"].as_str()), (Some(1), Some(code)), "{arguments:?}: {ran:?}");
        ran.json()
    }

    fn status(&self) -> Value {
        self.done(&["status"])
    }

    /// The phases of `status`, each with its state.
    fn states(&self) -> Vec<String> {
        let status = self.status();
        let phases = status["phases"].as_array().unwrap();
        phases.iter().map(|phase| phase["state"].as_str().unwrap().to_owned()).collect()
    }

    /// The command that comes next.
    fn next(&self) -> String {
        self.status()["next"]["command"].as_str().unwrap_or_default().to_owned()
    }

    /// The events of the timeline with their runs.
    fn events(&self) -> Vec<(String, String)> {
        let text = |line: &Value, field: &str| line[field].as_str().unwrap_or_default().to_owned();
        let lines = self.read("timeline.jsonl");
        let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.map(|line| (text(&line, "event"), text(&line, "run"))).collect()
    }

    /// The stages that `run` has reserved.
    fn reserved_by(&self, run: &str) -> Vec<u32> {
        let entry = Registry::new(self.story.registry()).read(&"shop/auth/login".parse().unwrap()).unwrap();
        entry.unwrap().reserved_by(run)
    }

    /// What the mirror holds of a file of the task.
    fn mirrored(&self, below: &str) -> String {
        self.story.git(&["show", &format!("refs/okstra/state/auth/login:tasks/auth/login/{below}")])
    }
}
