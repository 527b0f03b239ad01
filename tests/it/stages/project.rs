//! A project with a task, its frozen plan and its runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use okstra::context::Context;
use okstra::domain::batch::{BUDGET, Request};
use okstra::domain::equivalence::Candidate;
use okstra::domain::plan::Plan;
use okstra::domain::run::RunStage;
use okstra::domain::stage_map;
use okstra::ops::Error;
use okstra::ops::stages::{self, Wanted};
use okstra::ops::task::Task;
use okstra::store::plans;
use serde_json::{Value, json};

use crate::common::story::{KEY, Story, branch};
use crate::common::{OKSTRA, Ran, Run};

/// The first run that builds.
pub(super) const RUN: &str = "implementation-001";

/// A project whose task has a plan, and nothing else yet.
pub(super) struct Project {
    pub(super) story: Story,
}

/// A stage of the plan.
#[derive(Clone, Copy, Default)]
pub(super) struct Planned<'a> {
    pub(super) depends_on: &'a [u32],
    pub(super) files: &'a [&'a str],
    pub(super) post: &'a [&'a str],
}

impl Project {
    /// A project whose plan has these stages, numbered from 1.
    pub(super) fn new(planned: &[Planned<'_>]) -> Self {
        let story = Story::new();
        story.git(&["branch", "-D", crate::common::story::BRANCH]);
        fs::remove_file(story.registry()).unwrap();
        story.move_into_project();
        let project = Self { story };
        project.write_plan(planned);
        project
    }

    pub(super) fn write_plan(&self, planned: &[Planned<'_>]) {
        let text = text(planned);
        let checked = stage_map::check(&text);
        let plan = json!({"schemaVersion": "1.0", "id": "001", "taskKey": KEY, "approvedBy": "ann",
            "approvedAt": "2026-01-01T00:00:00Z", "sha256": checked.sha256, "stages": checked.stages});
        let plans = self.story.plan_run_root().join("plans");
        fs::create_dir_all(&plans).unwrap();
        fs::write(plans.join("001.md"), text).unwrap();
        fs::write(plans.join("001.json"), plan.to_string()).unwrap();
    }

    /// The name of the first carry of a stage.
    pub(super) fn carry_name(&self, stage: u32) -> String {
        format!("stage-{stage}-{}.json", &self.plan().stage(stage).unwrap().hash[..8])
    }

    pub(super) fn plan(&self) -> Plan {
        plans::current(&self.story.plan_run_root().join("plans"), &KEY.parse().unwrap()).unwrap().unwrap()
    }

    /// Makes the worktree of the task, at `main`.
    pub(super) fn start(&self) -> PathBuf {
        let context = self.story.context();
        let task = self.story.task(&context);
        stages::task_worktree(&context, &task, &self.main(&task), None, None).unwrap().keep().path
    }

    pub(super) fn main(&self, task: &Task) -> Candidate {
        let commit = task.repository.commit_by_id(&self.story.rev("main")).unwrap().unwrap();
        Candidate { name: "refs/heads/main".to_owned(), commit }
    }

    /// Reserves and provisions stages for `run`, which then exists.
    pub(super) fn prepare(&self, run: &str, request: Request) -> Result<Vec<RunStage>, Error> {
        let context = self.story.context();
        self.prepare_in(&context, run, request)
    }

    pub(super) fn prepare_in(&self, context: &Context, run: &str, request: Request) -> Result<Vec<RunStage>, Error> {
        let (task, plan) = (self.story.task(context), self.plan());
        let holder = stages::holder(context, run, true);
        let wanted = Wanted { plan: &plan, request, budget: BUDGET, holder, take_over: None, claim: None };
        let reserved = stages::choose_and_reserve(context, &task, &wanted)?;
        let bases = stages::bases(context, &task, &plan, reserved.stages())?;
        let stages = stages::provision(context, &task, &plan, reserved, &bases)?.keep();
        self.write_run(run, &stages, "prepared", None);
        Ok(stages)
    }

    /// Writes the manifest and the team state of a run.
    pub(super) fn write_run(&self, run: &str, stages: &[RunStage], status: &str, waiver: Option<&str>) {
        let root = self.story.shop.join(".okstra/tasks/auth/login/runs/implementation");
        let seq = run.rsplit_once('-').unwrap().1;
        let mut manifest = json!({"schemaVersion": "1.0", "run": run, "taskKey": KEY, "taskType": "implementation",
            "category": "fix", "createdAt": "2026-01-01T00:00:00Z", "okstraVersion": "0", "runRoot": "r",
            "baseCommit": self.story.anchor, "brief": {"path": "b", "sha256": "0"},
            "plan": {"id": "001", "path": "p"}, "stages": stages,
            "lead": {"vendor": "claude", "sessionId": "s", "promptPath": "p", "folder": "f", "moreFolders": []},
            "workers": [], "instructionSet": [], "paths": BTreeMap::<String, String>::new(),
            "convergence": {"enabled": true, "maxRounds": 2, "adversarial": false, "verificationMode": "lightweight"}});
        if let Some(waiver) = waiver {
            manifest["qaWaiver"] = json!(waiver);
        }
        for (folder, name, document) in [
            ("manifests", "run-manifest", manifest),
            ("state", "team-state", json!({"schemaVersion": "1.0", "run": run, "status": status})),
        ] {
            fs::create_dir_all(root.join(folder)).unwrap();
            fs::write(root.join(folder).join(format!("{name}-implementation-{seq}.json")), document.to_string())
                .unwrap();
        }
    }

    /// Ends a run, as its lead does.
    pub(super) fn ended(&self, run: &str) {
        let root = self.story.shop.join(".okstra/tasks/auth/login/runs/implementation");
        let state = json!({"schemaVersion": "1.0", "run": run, "status": "finished"});
        fs::write(root.join(format!("state/team-state-{run}.json")), state.to_string()).unwrap();
    }

    pub(super) fn worktree(&self, stage: u32) -> PathBuf {
        self.story.home().join(format!("worktrees/shop/auth/login-s{stage}"))
    }

    pub(super) fn task_worktree(&self) -> PathBuf {
        self.story.home().join("worktrees/shop/auth/login")
    }

    /// Commits `content` as `file` in the worktree of a stage; gives the commit.
    pub(super) fn work(&self, stage: u32, file: &str, content: &str) -> String {
        self.story.sandbox.commit(&self.worktree(stage), file, content, &format!("{file} of stage {stage}"))
    }

    pub(super) fn registry(&self) -> Value {
        serde_json::from_str(&fs::read_to_string(self.story.registry()).unwrap()).unwrap()
    }

    /// What the registry holds of the task.
    pub(super) fn entry(&self) -> Value {
        self.registry()["tasks"][KEY].clone()
    }

    pub(super) fn okstra(&self, arguments: &[&str]) -> Ran {
        let mut command = self.story.sandbox.command(OKSTRA);
        command.current_dir(&self.story.shop).env("OKSTRA_HOME", self.story.home()).args(arguments).ran()
    }

    /// The branches and worktrees that git knows, and what the registry holds.
    pub(super) fn everything(&self) -> (String, String, Value) {
        let branches = self.story.git(&["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads"]);
        (branches, self.story.git(&["worktree", "list", "--porcelain"]), self.entry())
    }

    /// The commit of the branch of a stage.
    pub(super) fn tip(&self, stage: u32) -> String {
        self.story.rev(&branch(stage))
    }
}

/// A stage that may touch everything and is checked by nothing.
pub(super) fn free(depends_on: &[u32]) -> Planned<'_> {
    Planned { depends_on, files: &["**"], post: &[] }
}

impl Project {
    /// Prepares the first run for stage 1, in which `one.txt` is then committed; gives the commit.
    pub(super) fn built(planned: &[Planned<'_>]) -> (Self, String) {
        let project = Self::new(planned);
        project.start();
        project.prepare(RUN, Request::Stage(1)).unwrap();
        let head = project.work(1, "one.txt", "1\n");
        (project, head)
    }

    /// `okstra stage WORDS… --task auth/login --json`, which must end with `code`.
    pub(super) fn stage(&self, code: i32, words: &[&str]) -> Value {
        let ran = self.okstra(&[&["stage"], words, &["--task", "auth/login", "--json"]].concat());
        assert_eq!(ran.code, Some(code), "{ran:?}");
        ran.json()
    }

    /// The same, refused with the code `code`, and with nothing recorded; gives error and hint.
    pub(super) fn refused(&self, code: &str, words: &[&str]) -> (String, String) {
        let before = (self.story.rows(), self.carries(), self.everything());
        let document = self.stage(1, words);
        assert_eq!(document["code"], json!(code), "{document}");
        assert_eq!((self.story.rows(), self.carries(), self.everything()), before);
        let text = |field: &str| document[field].as_str().unwrap_or_default().to_owned();
        (text("error"), text("hint"))
    }

    /// The names of the carry files.
    pub(super) fn carries(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.carry_folder()) else { return Vec::new() };
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name.ends_with(".json")).collect();
        names.sort();
        names
    }

    pub(super) fn carry_folder(&self) -> PathBuf {
        self.story.shop.join(".okstra/tasks/auth/login/runs/implementation/carry")
    }

    /// git in the worktree of a stage.
    pub(super) fn git_in(&self, stage: u32, arguments: &[&str]) -> String {
        self.story.sandbox.git(&self.worktree(stage), arguments)
    }
}

/// The plan as it was approved.
fn text(planned: &[Planned<'_>]) -> String {
    let list = |words: &mut dyn Iterator<Item = String>| words.collect::<Vec<_>>().join(", ");
    let mut text =
        "# Plan\n\n## Stage Map\n\n| stage | title | depends-on | step-count | files |\n|---|---|---|---|---|\n"
            .to_owned();
    for (number, planned) in (1..).zip(planned) {
        let depends = match planned.depends_on {
            [] => "(none)".to_owned(),
            some => list(&mut some.iter().map(u32::to_string)),
        };
        let files = list(&mut planned.files.iter().map(|file| format!("`{file}`")));
        text.push_str(&format!("| {number} | Stage {number} | {depends} | 1 | {files} |\n"));
    }
    for (number, planned) in (1..).zip(planned) {
        let post: String = planned.post.iter().map(|command| format!("- post: `{command}`\n")).collect();
        text.push_str(&format!(
            "\n## Stage {number}: Stage {number}\n\n### Steps\n\n1. Do it.\n\n### Stage Validation\n\n{post}\n\
             ### Stage Exit Contract\n\n- it works\n\n### Rollback\n\nRevert.\n"
        ));
    }
    text
}
