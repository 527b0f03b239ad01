//! `demo`: the story of okstra on a scratch project.

use napi::bindgen_prelude::{AsyncTask, Either};
use napi_derive::napi;
use okstra::ops::demo;

use crate::content_merged::{ContentMerged, word};
use crate::git_reconcile::{GitReconcileApplied, GitReconcileInspection, document};
use crate::job::{Cancel, Job, start};

/// How the demo is told.
#[napi(object)]
pub struct DemoOptions {
    /// Leave the scratch project to look at.
    pub keep: Option<bool>,
}

/// What was done, and what came of it.
#[napi(object, use_nullable = true)]
pub struct Demo {
    /// The scratch folder; null when it was removed at the end.
    pub folder: Option<String>,
    /// Commands that look around in it, to be typed one after the other; none when it was removed.
    pub look: Vec<String>,
    /// One question about one commit, asked on several days.
    pub scenes: Vec<DemoScene>,
    /// What that means for the user.
    pub moral: String,
    /// The records of a task, and what people do to the commits behind them.
    pub task: DemoTask,
}

/// The question on one day.
#[napi(object, use_nullable = true)]
pub struct DemoScene {
    /// The day.
    pub title: String,
    /// What someone did.
    pub story: String,
    /// The commands behind it.
    pub commands: Vec<String>,
    /// What plain git says: whether the recorded commit is reachable from `main`.
    pub reachable: bool,
    /// The question put to okstra, as a command.
    pub question: String,
    /// What okstra says.
    pub answer: ContentMerged,
}

/// A task whose recorded commits people change.
#[napi(object, use_nullable = true)]
pub struct DemoTask {
    /// The task, `GROUP/ID`.
    pub task: String,
    /// Its stages, as planned, with what is recorded of them when the story begins.
    pub stages: Vec<DemoStage>,
    /// What happened, in order.
    pub steps: Vec<DemoStep>,
    /// The task's log at the end: every row, oldest first.
    pub log: Vec<DemoLogRow>,
    /// What that means for the user.
    pub moral: String,
}

/// A stage of the plan.
#[napi(object, use_nullable = true)]
pub struct DemoStage {
    /// Its number.
    pub stage: u32,
    /// Its title.
    pub title: String,
    /// The stages that must be done before it.
    pub depends_on: Vec<u32>,
    /// The commit that is recorded for it; null while it is not done.
    pub commit: Option<String>,
}

/// Something that happened to the task.
#[napi(object, use_nullable = true)]
pub struct DemoStep {
    /// Its title.
    pub title: String,
    /// What someone did.
    pub story: String,
    /// The commands behind it.
    pub commands: Vec<String>,
    /// What plain git knows of the recorded commits then, where that is telling.
    pub git: Vec<DemoGitFacts>,
    /// The run that was prepared then; null where none was.
    pub run: Option<DemoRun>,
    /// What okstra was asked, and what it said.
    pub calls: Vec<DemoCall>,
    /// What that means for the user; empty for the last, which ends with the log.
    pub moral: String,
}

/// A run that was prepared.
#[napi(object, use_nullable = true)]
pub struct DemoRun {
    /// The command, as it is typed.
    pub command: String,
    /// What okstra repaired on the way, as it is said.
    pub notices: Vec<String>,
    /// The run.
    pub run: String,
    /// The stages that it builds.
    pub stages: Vec<DemoStageStart>,
}

/// Where a stage of a run starts.
#[napi(object, use_nullable = true)]
pub struct DemoStageStart {
    /// The stage.
    pub stage: u32,
    /// The commit that it starts from.
    pub base: String,
    /// Its branch.
    pub branch: String,
}

/// What plain git knows of a recorded commit.
#[napi(object, use_nullable = true)]
pub struct DemoGitFacts {
    /// The commit.
    pub commit: String,
    /// Whether a branch reaches it.
    pub on_a_branch: bool,
    /// Whether `git cherry` finds all that it brings in `main`, by patch-id.
    pub found_by_cherry: bool,
    /// The ref by which okstra keeps it; null when git has nothing that holds it.
    pub kept_by: Option<String>,
}

/// A call of `git-reconcile`.
#[napi(object, use_nullable = true)]
pub struct DemoCall {
    /// As it is typed.
    pub command: String,
    /// What it says; see `gitReconcile`.
    pub document: Either<GitReconcileInspection, GitReconcileApplied>,
}

/// A row of the task's log.
#[napi(object, use_nullable = true)]
pub struct DemoLogRow {
    /// The stage.
    pub stage: u32,
    /// The commit that it records.
    pub commit: String,
    /// The one that was recorded before.
    pub replaced: Option<String>,
    /// By what right it was repaired; null for a row that says the stage is done.
    #[napi(ts_type = "'auto-patch-id' | 'auto-fingerprint' | 'user-ref' | null")]
    pub reason: Option<String>,
    /// The run that did the stage; null for a repair.
    pub run: Option<String>,
    /// The ref on which the commit was found, or that a person named; null for a row that says the stage is done.
    #[napi(js_name = "ref")]
    pub reference: Option<String>,
}

/// Shows what okstra does, on a scratch project in the temporary folder.
#[napi(ts_return_type = "Promise<Demo>")]
pub fn demo(options: DemoOptions, cancel: &Cancel) -> AsyncTask<Job<Demo>> {
    start(cancel, move |context| Ok(demo::run(context, &demo::Options { keep: options.keep.unwrap_or(false) })?.into()))
}

impl From<demo::Demo> for Demo {
    fn from(told: demo::Demo) -> Self {
        Self {
            folder: told.folder.map(|folder| folder.to_string_lossy().into_owned()),
            look: told.look,
            scenes: all(told.scenes),
            moral: told.moral.to_owned(),
            task: told.task.into(),
        }
    }
}

impl From<demo::Scene> for DemoScene {
    fn from(scene: demo::Scene) -> Self {
        Self {
            title: scene.title.to_owned(),
            story: scene.story.to_owned(),
            commands: scene.commands,
            reachable: scene.reachable,
            question: scene.question,
            answer: scene.answer.into(),
        }
    }
}

impl From<demo::TaskStory> for DemoTask {
    fn from(told: demo::TaskStory) -> Self {
        let demo::TaskStory { task, stages, steps, log, moral } = told;
        Self { task, stages: all(stages), steps: all(steps), log: all(log), moral: moral.to_owned() }
    }
}

impl From<demo::StageLine> for DemoStage {
    fn from(line: demo::StageLine) -> Self {
        let demo::StageLine { stage, title, depends_on, commit } = line;
        Self { stage, title, depends_on, commit }
    }
}

impl From<demo::Step> for DemoStep {
    fn from(step: demo::Step) -> Self {
        Self {
            title: step.title.to_owned(),
            story: step.story.to_owned(),
            commands: step.commands,
            git: all(step.git),
            run: step.run.map(DemoRun::from),
            calls: all(step.calls),
            moral: step.moral.to_owned(),
        }
    }
}

impl From<demo::PreparedRun> for DemoRun {
    fn from(prepared: demo::PreparedRun) -> Self {
        Self { command: prepared.command, notices: prepared.notices, run: prepared.run, stages: all(prepared.stages) }
    }
}

impl From<demo::StageStart> for DemoStageStart {
    fn from(start: demo::StageStart) -> Self {
        Self { stage: start.stage, base: start.base, branch: start.branch }
    }
}

impl From<demo::GitFacts> for DemoGitFacts {
    fn from(facts: demo::GitFacts) -> Self {
        let demo::GitFacts { commit, on_a_branch, found_by_cherry, kept_by } = facts;
        Self { commit, on_a_branch, found_by_cherry, kept_by }
    }
}

impl From<demo::Call> for DemoCall {
    fn from(call: demo::Call) -> Self {
        Self { command: call.command, document: document(call.reconciled.outcome) }
    }
}

impl From<demo::LogRow> for DemoLogRow {
    fn from(row: demo::LogRow) -> Self {
        let demo::LogRow { stage, commit, replaced, reason, run, reference } = row;
        Self { stage, commit, replaced, reason: reason.map(word), run, reference }
    }
}

/// A list of values, each as it goes through this door.
fn all<T, U: From<T>>(values: Vec<T>) -> Vec<U> {
    values.into_iter().map(U::from).collect()
}
