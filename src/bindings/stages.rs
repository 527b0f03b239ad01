//! `stageList`, `stageDone`, `stageIntegrate`, `stageRemove`: the stages of a task.

use napi::bindgen_prelude::{AsyncTask, Either, Null};
use napi_derive::napi;
use okstra::cli::Failure;
use okstra::domain::stages;
use okstra::ops::stages::{done, integrate, list, remove};

use crate::content_merged::word;
use crate::git_reconcile::{or_null, stage_number};
use crate::job::{Cancel, Job, start};

/// Which task.
#[napi(object)]
pub struct StageListOptions {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<String>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in.
    pub task: Option<String>,
}

/// The stages of a task.
#[napi(object)]
pub struct StageList {
    /// The task, `PROJECT/GROUP/ID`.
    pub task: String,
    /// The id of the plan.
    pub plan: String,
    /// Its stages, in order.
    pub stages: Vec<StageLine>,
}

/// How a stage stands.
#[napi(object)]
pub struct StageLine {
    /// Its number.
    pub stage: u32,
    /// Its title.
    pub title: String,
    /// How it stands, in one word.
    #[napi(ts_type = "'waiting' | 'ready' | 'started' | 'done' | 'integrated' | 'stale'")]
    pub state: String,
    /// The stages that it depends on.
    pub depends_on: Vec<u32>,
    /// Those of them that are not done.
    pub waits_for: Vec<u32>,
    /// Its branch, a short name.
    pub branch: String,
    /// Its worktree, where that is there.
    pub worktree: Either<String, Null>,
    /// Its recorded commit.
    pub commit: Either<String, Null>,
    /// The run that did it, or works on it.
    pub run: Either<String, Null>,
    /// Why its record is stale.
    pub reason: Either<String, Null>,
    /// Where it landed: the task branch, the base.
    pub landed: Vec<StageLanded>,
}

/// Where a stage landed.
#[napi(object)]
pub struct StageLanded {
    /// The ref, in full.
    #[napi(js_name = "ref")]
    pub reference: String,
    /// The commit there.
    pub commit: Either<String, Null>,
}

/// What is done.
#[napi(object)]
pub struct StageDoneOptions {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<String>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in.
    pub task: Option<String>,
    /// The stage.
    pub stage: f64,
    /// The ref whose commit is the stage's; by default the stage's branch.
    pub head: Option<String>,
    /// The file in which the agent says what it claims.
    pub carry: Option<String>,
    /// Paths outside of the stage's files that it may have touched.
    pub allow_outside: Option<Vec<String>>,
    /// Why they may.
    pub reason: Option<String>,
}

/// A stage that is done.
#[napi(object)]
pub struct StageDone {
    /// The task, `PROJECT/GROUP/ID`.
    pub task: String,
    /// The stage.
    pub stage: u32,
    /// The run that did it.
    pub run: String,
    /// The commit that it started from.
    pub base_commit: String,
    /// Its commit.
    pub head_commit: String,
    /// Whether that was news; no when it was recorded before.
    pub is_news: bool,
    /// Its carry file, from the project root.
    pub carry_path: Either<String, Null>,
    /// The commands that were run.
    pub validation: Vec<StageCheck>,
    /// The paths outside of its files.
    pub outside: Vec<StageAllowedPath>,
    /// Why commands that failed were waived.
    pub qa_waiver: Either<String, Null>,
}

/// A command of the plan that was run.
#[napi(object)]
pub struct StageCheck {
    /// The command.
    pub command: String,
    /// `post`: okstra ran it.
    pub phase: String,
    /// How it ended.
    pub exit_code: i32,
    /// How long it took, in milliseconds.
    pub duration_ms: f64,
    /// The tree that it ran on.
    pub tree: Either<String, Null>,
    /// What it said, a file from the project root.
    pub log: Either<String, Null>,
}

/// A path outside of a stage's files.
#[napi(object)]
pub struct StageAllowedPath {
    /// The path.
    pub path: String,
    /// Why it was allowed.
    pub reason: String,
}

/// What was integrated.
#[napi(object)]
pub struct StageIntegrated {
    /// The task, `PROJECT/GROUP/ID`.
    pub task: String,
    /// Its branch, a short name.
    pub branch: String,
    /// Where the branch was.
    pub before: String,
    /// Where it is now.
    pub commit: String,
    /// The stages that were merged, in this order.
    pub merged: Vec<StageMerged>,
    /// The done stages that were in it already.
    pub contained: Vec<u32>,
}

/// A stage that was merged.
#[napi(object)]
pub struct StageMerged {
    /// The stage.
    pub stage: u32,
    /// Its title.
    pub title: String,
    /// Its commit.
    pub commit: String,
    /// The merge commit.
    pub merge_commit: String,
}

/// What to remove.
#[napi(object)]
pub struct StageRemoveOptions {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<String>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in.
    pub task: Option<String>,
    /// The stage.
    pub stage: f64,
    /// A person has said yes; without it nothing is removed.
    pub yes: Option<bool>,
}

/// What was removed.
#[napi(object)]
pub struct StageRemoved {
    /// The task, `PROJECT/GROUP/ID`.
    pub task: String,
    /// The stage.
    pub stage: u32,
    /// Its worktree, where there was one.
    pub worktree: Either<String, Null>,
    /// Its branch, a short name, where there was one.
    pub branch: Either<String, Null>,
    /// Where that was.
    pub commit: Either<String, Null>,
    /// Why nothing is lost with it.
    pub safe: Either<String, Null>,
    /// The ignored files in the worktree, which went with it; of a folder in which all is ignored only the folder.
    pub ignored: Vec<String>,
    /// The folder that one stood in, where that went.
    pub stood_in: Either<String, Null>,
}

/// Lists the stages of a task: how each stands, its branch, its commit, where it landed.
#[napi(ts_return_type = "Promise<StageList>")]
pub fn stage_list(options: StageListOptions, cancel: &Cancel) -> AsyncTask<Job<StageList>> {
    let StageListOptions { project_root, task } = options;
    let options = list::Options { project_root: project_root.map(Into::into), task };
    start(cancel, move |context| Ok(list::run(context, &options)?.into()))
}

/// Checks a stage, its commands included, and records it as done.
#[napi(ts_return_type = "Promise<StageDone>")]
pub fn stage_done(options: StageDoneOptions, cancel: &Cancel) -> AsyncTask<Job<StageDone>> {
    start(cancel, |context| Ok(done::run(context, &options.try_into()?)?.into()))
}

/// Merges done stages into the branch of the task, all of them or none.
#[napi(ts_return_type = "Promise<StageIntegrated>")]
pub fn stage_integrate(options: StageListOptions, cancel: &Cancel) -> AsyncTask<Job<StageIntegrated>> {
    let StageListOptions { project_root, task } = options;
    let options = integrate::Options { project_root: project_root.map(Into::into), task };
    start(cancel, move |context| Ok(integrate::run(context, &options)?.into()))
}

/// Removes worktree and branch of a stage, when nothing is lost with them.
#[napi(ts_return_type = "Promise<StageRemoved>")]
pub fn stage_remove(options: StageRemoveOptions, cancel: &Cancel) -> AsyncTask<Job<StageRemoved>> {
    start(cancel, |context| Ok(remove::run(context, &options.try_into()?)?.into()))
}

impl TryFrom<StageDoneOptions> for done::Options {
    type Error = Failure;

    fn try_from(options: StageDoneOptions) -> Result<Self, Failure> {
        let StageDoneOptions { project_root, task, stage, head, carry, allow_outside, reason } = options;
        Ok(Self {
            project_root: project_root.map(Into::into),
            task,
            stage: stage_number(stage)?,
            head,
            carry: carry.map(Into::into),
            allow_outside: allow_outside.unwrap_or_default(),
            reason,
        })
    }
}

impl TryFrom<StageRemoveOptions> for remove::Options {
    type Error = Failure;

    fn try_from(options: StageRemoveOptions) -> Result<Self, Failure> {
        let StageRemoveOptions { project_root, task, stage, yes } = options;
        let (project_root, yes) = (project_root.map(Into::into), yes.unwrap_or(false));
        Ok(Self { project_root, task, stage: stage_number(stage)?, yes })
    }
}

impl From<list::Outcome> for StageList {
    fn from(list: list::Outcome) -> Self {
        let stages = list.stages.into_iter().map(Into::into).collect();
        Self { task: list.task, plan: list.plan, stages }
    }
}

impl From<list::StageLine> for StageLine {
    fn from(line: list::StageLine) -> Self {
        let landed = line.landed.into_iter();
        let landed = landed.map(|to| StageLanded { reference: to.reference, commit: or_null(to.commit) });
        Self {
            stage: line.stage,
            title: line.title,
            state: word(line.state),
            depends_on: line.depends_on,
            waits_for: line.waits_for,
            branch: line.branch,
            worktree: or_null(line.worktree),
            commit: or_null(line.commit),
            run: or_null(line.run),
            reason: or_null(line.reason),
            landed: landed.collect(),
        }
    }
}

impl From<done::Outcome> for StageDone {
    fn from(done: done::Outcome) -> Self {
        let outside = done.outside.into_iter();
        let outside = outside.map(|path| StageAllowedPath { path: path.path, reason: path.reason });
        Self {
            task: done.task,
            stage: done.stage,
            run: done.run,
            base_commit: done.base_commit,
            head_commit: done.head_commit,
            is_news: done.is_news,
            carry_path: or_null(done.carry_path),
            validation: done.validation.into_iter().map(Into::into).collect(),
            outside: outside.collect(),
            qa_waiver: or_null(done.qa_waiver),
        }
    }
}

impl From<stages::Check> for StageCheck {
    #[expect(clippy::cast_precision_loss, reason = "JavaScript has no other number for milliseconds")]
    fn from(check: stages::Check) -> Self {
        Self {
            command: check.command,
            phase: check.phase,
            exit_code: check.exit_code,
            duration_ms: check.duration_ms as f64,
            tree: or_null(check.tree),
            log: or_null(check.log),
        }
    }
}

impl From<integrate::Outcome> for StageIntegrated {
    fn from(outcome: integrate::Outcome) -> Self {
        let merged = outcome.merged.into_iter().map(|merged| StageMerged {
            stage: merged.stage,
            title: merged.title,
            commit: merged.commit,
            merge_commit: merged.merge_commit,
        });
        Self {
            task: outcome.task,
            branch: outcome.branch,
            before: outcome.before,
            commit: outcome.commit,
            merged: merged.collect(),
            contained: outcome.contained,
        }
    }
}

impl From<remove::Plan> for StageRemoved {
    fn from(plan: remove::Plan) -> Self {
        Self {
            task: plan.task,
            stage: plan.stage,
            worktree: or_null(plan.worktree),
            branch: or_null(plan.branch),
            commit: or_null(plan.commit),
            safe: or_null(plan.safe),
            ignored: plan.ignored,
            stood_in: or_null(plan.stood_in),
        }
    }
}
