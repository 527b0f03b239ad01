//! `stage list`: how each stage stands, and where it landed.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Serialize;

use super::landings::{Landings, Where};
use super::reserve::fact;
use super::{StageError, branch_and_worktree};
use crate::context::Context;
use crate::domain::reconcile::Into;
use crate::domain::stages::{RunFact, StageState, StateFacts};
use crate::ops::Error;
use crate::ops::task::{Selector, Task};
use crate::store::{consumers, plans};

/// Whose stages.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<PathBuf>,
    /// The task, `GROUP/ID`; by default that of the worktree one stands in.
    pub task: Option<String>,
}

/// The stages of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The task, `PROJECT/GROUP/ID`.
    pub task: String,
    /// The id of the plan.
    pub plan: String,
    /// Its stages, in order.
    pub stages: Vec<StageLine>,
}

/// One stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StageLine {
    /// Its number.
    pub stage: u32,
    /// Its title.
    pub title: String,
    /// How it stands.
    pub state: StageState,
    /// The stages that it depends on.
    pub depends_on: Vec<u32>,
    /// Those of them that are not done.
    pub waits_for: Vec<u32>,
    /// Its branch, a short name.
    pub branch: String,
    /// Its worktree, where that is there.
    pub worktree: Option<String>,
    /// Its recorded commit.
    pub commit: Option<String>,
    /// The run that did it, or works on it.
    pub run: Option<String>,
    /// Why its record is stale.
    pub reason: Option<String>,
    /// Where it landed: the task branch, the base.
    pub landed: Vec<Landed>,
}

/// Where a stage landed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Landed {
    /// The ref, in full.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The commit there.
    pub commit: Option<String>,
}

impl From<&Into> for Landed {
    fn from(into: &Into) -> Self {
        Self { reference: into.reference.clone(), commit: into.matched_commit.map(|commit| commit.to_string()) }
    }
}

/// Lists the stages of a task.
///
/// # Errors
/// [`StageError::NoPlan`], and when records or the repository cannot be read.
pub fn run(context: &Context, options: &Options) -> Result<Outcome, Error> {
    let task = Task::find(context, options.project_root.as_deref(), &Selector::Project(options.task.clone()))?;
    let missing = || StageError::NoPlan { task: task.key.task.clone() };
    let plan = plans::current(&task.plans(), &task.key)?.ok_or_else(missing)?;
    let rows = consumers::read_done(&task.log(), context, &task.key, Some(&plan))?;
    let entry = task.registry().read(&task.key)?.unwrap_or_default();
    let landings = match rows.is_empty() {
        true => Landings::default(),
        false => Landings::find(context, &task, &entry, Where::TaskAndBase)?,
    };
    let integrated = landings.in_task().unwrap_or_default();
    let done: BTreeSet<u32> = rows.keys().copied().collect();
    let mut stages = Vec::new();
    for planned in &plan.stages {
        let row = rows.get(&planned.stage).map(|done| &done.latest);
        let held = entry.stages.get(&planned.stage).and_then(|stage| stage.reserved_by.clone());
        let is_reserved = match &held {
            Some(holder) => fact(&task, &holder.run)? != RunFact::Ended,
            None => false,
        };
        let waits_for: Vec<u32> = planned.depends_on.iter().copied().filter(|on| !done.contains(on)).collect();
        let stale = landings.stale.get(&planned.stage).cloned();
        let facts = StateFacts {
            is_done: row.is_some(),
            is_stale: stale.is_some(),
            is_integrated: integrated.contains(&planned.stage),
            is_reserved,
            is_waiting: !waits_for.is_empty(),
        };
        let (branch, worktree) = branch_and_worktree(&task, planned.stage)?;
        let working = held.filter(|_| is_reserved).map(|holder| holder.run);
        stages.push(StageLine {
            stage: planned.stage,
            title: planned.title.clone(),
            state: StageState::of(facts),
            depends_on: planned.depends_on.clone(),
            waits_for,
            branch,
            worktree: worktree.map(|path| path.to_string_lossy().into_owned()),
            commit: row.map(|row| row.head_commit.clone()),
            run: row.and_then(|row| row.run.clone()).or(working),
            reason: stale,
            landed: landings.of(planned.stage).map(Landed::from).collect(),
        });
    }
    Ok(Outcome { task: task.key.to_string(), plan: plan.id, stages })
}
