//! `stage list`: how each stage stands, and where it landed.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Serialize;

use super::reserve::fact;
use super::{StageError, branch_and_worktree};
use crate::context::Context;
use crate::domain::equivalence::Verdict;
use crate::domain::registry::TaskEntry;
use crate::domain::stages::{RunFact, StageState, StateFacts};
use crate::ops::Error;
use crate::ops::reconcile::{self, Item, Kind};
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

/// What was found of the done stages.
struct Landings {
    items: Vec<Item>,
    task: Vec<reconcile::Into>,
    base: Vec<reconcile::Into>,
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
    let landings = if rows.is_empty() { Landings::none() } else { Landings::find(context, options, &task, &entry)? };
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
        let stale = landings.stale(planned.stage);
        let facts = StateFacts {
            is_done: row.is_some(),
            is_stale: stale.is_some(),
            is_integrated: landings.task.iter().any(|into| is_there(into, planned.stage)),
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
            landed: landings.of(planned.stage),
        });
    }
    Ok(Outcome { task: task.key.to_string(), plan: plan.id, stages })
}

impl Landings {
    fn none() -> Self {
        Self { items: Vec::new(), task: Vec::new(), base: Vec::new() }
    }

    fn find(context: &Context, options: &Options, task: &Task, entry: &TaskEntry) -> Result<Self, Error> {
        let mut found = Self::none();
        let branch = entry.branch.as_ref().map(|branch| format!("refs/heads/{branch}"));
        let base = entry.base_ref.clone();
        let ask = |into: Option<String>| {
            let task = options.task.clone().or_else(|| Some(task.key.task.to_string()));
            let options =
                reconcile::Options { project_root: options.project_root.clone(), task, into, ..Default::default() };
            reconcile::run(context, &options)
        };
        for (name, is_base) in [(branch, false), (base, true)] {
            let Some(name) = name else { continue };
            if task.repository.ref_commit(context, &name)?.is_none() {
                continue;
            }
            let answer = ask(Some(name))?;
            let reconcile::Outcome::Inspected(inspection) = answer.outcome else { continue };
            let into = inspection.into.unwrap_or_default();
            if is_base {
                found.base = into
            } else {
                found.task = into
            }
            found.items = answer.items;
        }
        if found.items.is_empty() {
            found.items = ask(None)?.items;
        }
        Ok(found)
    }

    /// Why the record of a stage no longer holds.
    fn stale(&self, stage: u32) -> Option<String> {
        let own = |item: &&Item| item.kind == Kind::Done && item.stage == Some(stage) && item.is_confirm();
        self.items.iter().find(own).map(|item| item.reason.clone())
    }

    fn of(&self, stage: u32) -> Vec<Landed> {
        let there = self.task.iter().chain(&self.base).filter(|into| is_there(into, stage));
        there
            .map(|into| Landed {
                reference: into.reference.clone(),
                commit: into.matched_commit.map(|commit| commit.to_string()),
            })
            .collect()
    }
}

fn is_there(into: &reconcile::Into, stage: u32) -> bool {
    into.stage == stage && into.verdict == Verdict::Contained
}
