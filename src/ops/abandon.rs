//! Gives a run up: its reservations are released, its worktrees stay.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Error;
use super::finish::snapshots;
use super::lifecycle::choose::choose;
use super::lifecycle::known::Known;
use super::lifecycle::settle::settle;
use super::lifecycle::{complete_registrations, layout_of};
use super::mirror;
use super::task::{Selector, Task};
use crate::context::Context;
use crate::domain::lifecycle::RunName;
use crate::domain::run::RunStatus;
use crate::store::Layout;
use crate::store::runs::{self, StateGuard};

/// Which run, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<PathBuf>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in.
    pub task: Option<String>,
    /// The run, as in `implementation-001`.
    pub run: String,
    /// Why, for people.
    pub reason: String,
    /// Whether a person agreed.
    pub yes: bool,
}

/// What is going to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The task, `GROUP/ID`.
    pub task: String,
    /// The run.
    pub run: RunName,
    /// Whether that was done before.
    pub already: bool,
    /// The stages that it has reserved, and that others may take then.
    pub released: Vec<u32>,
    /// The worktrees that stay.
    pub worktrees: Vec<Kept>,
}

impl Plan {
    /// The error where a person was not asked.
    pub fn unconfirmed(&self) -> Error {
        Error::ConfirmationNeeded { what: format!("giving up {}", self.run) }
    }
}

/// A worktree that stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Kept {
    /// The stage.
    pub stage: u32,
    /// Its branch.
    pub branch: String,
    /// The folder.
    pub worktree: String,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Abandoned {
    /// The task, `GROUP/ID`.
    pub task: String,
    /// The run.
    pub run: String,
    /// Why, as it is recorded.
    pub reason: String,
    /// Whether it had been abandoned before.
    pub already: bool,
    /// The stages that others may take now.
    pub released: Vec<u32>,
    /// The worktrees that stay.
    pub worktrees: Vec<Kept>,
    /// The folders of workers that only looked; they are gone.
    pub removed: Vec<String>,
}

/// Looks at what would be done; nothing is written.
///
/// # Errors
/// [`Error::UnknownRun`], [`Error::RunEnded`] for a finished run, and when files cannot be read.
pub fn plan(context: &Context, options: &Options) -> Result<Plan, Error> {
    let task = Task::find(context, options.project_root.as_deref(), &Selector::Project(options.task.clone()))?;
    plan_for(context, options, &task, layout_of(&task)?)
}

fn plan_for(context: &Context, options: &Options, task: &Task, layout: &Layout) -> Result<Plan, Error> {
    if options.reason.trim().is_empty() {
        let message = "a run is not given up without a reason".to_owned();
        return Err(Error::Request { message, hint: "say why: --reason TEXT".to_owned() });
    }
    let known = Known::read(context, task, layout)?;
    let run = choose(&known, Some(&options.run))?;
    if run.state.status == RunStatus::Finished {
        return Err(Error::RunEnded { task: task.key.task.clone(), run: run.name, status: "finished" });
    }
    let stages = run.manifest.stages.iter().filter(|stage| Path::new(&stage.worktree).is_dir());
    let worktrees =
        stages.map(|stage| Kept { stage: stage.stage, branch: stage.branch.clone(), worktree: stage.worktree.clone() });
    Ok(Plan {
        task: task.key.task.to_string(),
        run: run.name,
        already: run.state.status == RunStatus::Abandoned,
        released: known.entry.as_ref().map(|entry| entry.reserved_by(&options.run)).unwrap_or_default(),
        worktrees: worktrees.collect(),
    })
}

/// Does it. A run that was abandoned before stays so, and what a crash left undone of that is completed.
///
/// # Errors
/// Those of [`plan`], [`Error::ConfirmationNeeded`] without a person's word, and when anything cannot be written.
pub fn run(context: &Context, options: &Options) -> Result<Abandoned, Error> {
    let task = Task::find(context, options.project_root.as_deref(), &Selector::Project(options.task.clone()))?;
    let layout = layout_of(&task)?;
    let plan = plan_for(context, options, &task, layout)?;
    if !options.yes && !plan.already {
        return Err(plan.unconfirmed());
    }
    complete_registrations(context, &task.root)?;
    let (already, reason) = end(context, &task, layout, (plan.run, options.reason.trim()))?;
    settle(context, &task, layout)?;
    let manifest = runs::read_all(layout, &task.key)?.into_iter().find(|run| run.name == plan.run);
    let removed = manifest.map(|run| snapshots::remove(context, &task, &run.manifest)).transpose()?.unwrap_or_default();
    mirror::write_or_warn(context, &task)?;
    let Plan { task, run, released, worktrees, .. } = plan;
    Ok(Abandoned { task, run: run.to_string(), reason, already, released, worktrees, removed })
}

/// Says in the team state that the run is abandoned. Answers whether it had been, and the reason that stands.
fn end(
    context: &Context,
    task: &Task,
    layout: &Layout,
    (run, reason): (RunName, &str),
) -> Result<(bool, String), Error> {
    let guard = StateGuard::lock(context, layout, &task.key, run)?;
    let mut state = guard.read()?;
    match state.status {
        RunStatus::Abandoned => return Ok((true, state.reason.unwrap_or_default())),
        RunStatus::Finished => {
            return Err(Error::RunEnded { task: task.key.task.clone(), run, status: "finished" });
        }
        RunStatus::Prepared | RunStatus::Running => {}
    }
    state.status = RunStatus::Abandoned;
    state.ended_at = Some(context.clock().moment().to_string());
    state.reason = Some(reason.to_owned());
    guard.write(&state)?;
    Ok((false, reason.to_owned()))
}
