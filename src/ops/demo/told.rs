//! The story as a value: what was done, what git and okstra said, and what it means.

use std::path::PathBuf;

use serde::{Serialize, Serializer};

use crate::domain::records::Reason;
use crate::ops::content_merged::ContentMerged;
use crate::ops::reconcile::{self, Reconciled};

/// What was done, and what came of it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Demo {
    /// The scratch folder; null when it was removed at the end.
    pub folder: Option<PathBuf>,
    /// Commands that look around in it, to be typed one after the other; none when it was removed.
    pub look: Vec<String>,
    /// One question about one commit, asked on several days.
    pub scenes: Vec<Scene>,
    /// What that means for the user.
    pub moral: &'static str,
    /// The records of a task, and what people do to the commits behind them.
    pub task: TaskStory,
}

/// The question on one day.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Scene {
    /// The day.
    pub title: &'static str,
    /// What someone did.
    pub story: &'static str,
    /// The commands behind it, without their options for quiet.
    pub commands: Vec<String>,
    /// What plain git says: whether the recorded commit is reachable from `main`.
    pub reachable: bool,
    /// The question put to okstra, as a command.
    pub question: String,
    /// What okstra says.
    pub answer: ContentMerged,
}

/// A task whose recorded commits people change.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskStory {
    /// The task, `GROUP/ID`.
    pub task: String,
    /// Its stages, as planned, with what is recorded of them when the story begins.
    pub stages: Vec<StageLine>,
    /// What happened, in order.
    pub steps: Vec<Step>,
    /// The task's log at the end: every row, oldest first.
    pub log: Vec<LogRow>,
    /// What that means for the user.
    pub moral: &'static str,
}

/// A stage of the plan.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StageLine {
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
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// Its title.
    pub title: &'static str,
    /// What someone did.
    pub story: &'static str,
    /// The commands behind it, without their options for quiet.
    pub commands: Vec<String>,
    /// What plain git knows of the recorded commits then.
    pub git: Vec<GitFacts>,
    /// The run that was prepared then; null where none was.
    pub run: Option<PreparedRun>,
    /// What okstra was asked, and what it said.
    pub calls: Vec<Call>,
    /// What that means for the user; empty for the last, which ends with the log.
    pub moral: &'static str,
}

/// A run that was prepared.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreparedRun {
    /// The command, as it is typed.
    pub command: String,
    /// What okstra repaired on the way, as it is said.
    pub notices: Vec<String>,
    /// The run.
    pub run: String,
    /// The stages that it builds.
    pub stages: Vec<StageStart>,
}

/// Where a stage of a run starts.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StageStart {
    /// The stage.
    pub stage: u32,
    /// The commit that it starts from.
    pub base: String,
    /// Its branch.
    pub branch: String,
}

/// What plain git knows of a recorded commit.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GitFacts {
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
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// As it is typed.
    pub command: String,
    /// Its options.
    #[serde(skip)]
    pub options: reconcile::Options,
    /// Its document, which is snake_case through every door.
    #[serde(rename = "document", serialize_with = "document")]
    pub reconciled: Reconciled,
}

/// A row of the task's log.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LogRow {
    /// The stage.
    pub stage: u32,
    /// The commit that it records.
    pub commit: String,
    /// The one that was recorded before.
    pub replaced: Option<String>,
    /// By what right it was repaired; null for a row that says the stage is done.
    pub reason: Option<Reason>,
    /// The run that did the stage; null for a repair.
    pub run: Option<String>,
    /// The ref on which the commit was found, or that a person named; null for a row that says the stage is done.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
}

fn document<S: Serializer>(reconciled: &Reconciled, serializer: S) -> Result<S::Ok, S::Error> {
    reconciled.outcome.serialize(serializer)
}
