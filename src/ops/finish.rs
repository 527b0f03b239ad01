//! Brings a run to its end: checks that it left what it must leave, then records that.

mod checks;
pub(super) mod snapshots;

use std::path::PathBuf;

use serde::Serialize;

use super::Error;
use super::lifecycle::choose::choose;
use super::lifecycle::known::Known;
use super::lifecycle::settle::settle;
use super::lifecycle::{complete_registrations, layout_of};
use super::mirror;
use super::status::{NextStep, next_step};
use super::task::{Selector, Task};
use crate::context::Context;
use crate::domain::lifecycle::{self, Lifecycle, Route, RunName, TaskType};
use crate::domain::run::{RunManifest, RunStatus};
use crate::store::runs::StateGuard;
use crate::store::{Layout, ManifestGuard};

/// Which run, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<PathBuf>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in.
    pub task: Option<String>,
    /// The run, as in `implementation-001`; by default the only one that is open.
    pub run: Option<String>,
    /// The route that requirements-discovery chose.
    pub route: Option<String>,
    /// Why it is finished although something is missing.
    pub force: Option<String>,
    /// Whether a person agreed to `force`.
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
    /// What is missing, a clause each.
    pub missing: Vec<String>,
    /// The route that is going to be recorded.
    pub route: Option<Route>,
    /// Whether a route has to be chosen, and none is.
    pub needs_route: bool,
}

impl Plan {
    /// The error where a person was not asked.
    pub fn unconfirmed(&self) -> Error {
        Error::ConfirmationNeeded { what: format!("finishing {} by force", self.run) }
    }
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finished {
    /// The task, `GROUP/ID`.
    pub task: String,
    /// The run.
    pub run: String,
    /// Whether it had been finished before.
    pub already: bool,
    /// What was missing, where it was finished by force.
    pub missing: Vec<String>,
    /// Why it was finished all the same.
    pub forced: Option<String>,
    /// The route of the task.
    pub route: Option<Route>,
    /// The stages that were released.
    pub released: Vec<u32>,
    /// The snapshot worktrees that were removed.
    pub removed: Vec<String>,
    /// What comes next.
    pub next: NextStep,
}

/// A task, and the run that is to be finished.
struct Finishing<'t> {
    task: &'t Task,
    layout: &'t Layout,
    plan: Plan,
    manifest: RunManifest,
    released: Vec<u32>,
}

/// Looks at what is missing; nothing is written.
///
/// # Errors
/// [`Error::UnknownRun`], [`Error::WhichRun`], [`Error::RunEnded`] for an abandoned run, [`Error::Request`] for a route
/// where none is chosen, and when files cannot be read.
pub fn plan(context: &Context, options: &Options) -> Result<Plan, Error> {
    let task = Task::find(context, options.project_root.as_deref(), &Selector::Project(options.task.clone()))?;
    Ok(look(context, options, &task, layout_of(&task)?)?.plan)
}

fn look<'t>(context: &Context, options: &Options, task: &'t Task, layout: &'t Layout) -> Result<Finishing<'t>, Error> {
    let known = Known::read(context, task, layout)?;
    let run = choose(&known, options.run.as_deref())?;
    if run.state.status == RunStatus::Abandoned {
        return Err(Error::RunEnded { task: task.key.task.clone(), run: run.name, status: "abandoned" });
    }
    let already = run.state.status == RunStatus::Finished;
    let route = chosen_route(options, run.name)?;
    let missing = if already { Vec::new() } else { checks::missing(&known, layout, run, route) };
    let released = known.entry.as_ref().map(|entry| entry.reserved_by(&run.name.to_string())).unwrap_or_default();
    let needs_route = lifecycle::needs_route(run.name.task_type, route.or(known.lifecycle.route));
    let plan = Plan { task: task.key.task.to_string(), run: run.name, already, missing, route, needs_route };
    Ok(Finishing { task, layout, plan, manifest: run.manifest.clone(), released })
}

fn chosen_route(options: &Options, run: RunName) -> Result<Option<Route>, Error> {
    let route = options.route.as_deref().map(str::parse::<Route>).transpose()?;
    if route.is_some() && run.task_type != TaskType::RequirementsDiscovery {
        let message = format!("{run} chooses no route: only requirements-discovery does");
        return Err(Error::Request { message, hint: "leave --route out".to_owned() });
    }
    Ok(route)
}

/// Does it. A run that was finished before stays so, and what a crash left undone of that is completed.
///
/// # Errors
/// Those of [`plan`], [`Error::Unfinished`] with what is missing, [`Error::ConfirmationNeeded`] for `force` without a
/// person's word, and when anything cannot be written.
pub fn run(context: &Context, options: &Options) -> Result<Finished, Error> {
    let task = Task::find(context, options.project_root.as_deref(), &Selector::Project(options.task.clone()))?;
    let layout = layout_of(&task)?;
    let finishing = look(context, options, &task, layout)?;
    let forced = forced(options, &finishing)?;
    complete_registrations(context, &task.root)?;
    finishing.record_route(context)?;
    finishing.end(context, forced.as_deref())?;
    settle(context, &task, layout)?;
    let removed = snapshots::remove(context, &task, &finishing.manifest)?;
    mirror::write_or_warn(context, &task)?;
    let mut known = Known::read(context, &task, layout)?;
    known.examine(context, &task)?;
    let next = next_step(&task, &known, options.project_root.as_deref(), lifecycle::next(&known.facts(layout)?));
    let route = known.lifecycle.route;
    let Finishing { plan: Plan { task, run, already, missing, .. }, released, .. } = finishing;
    Ok(Finished { task, run: run.to_string(), already, missing, forced, route, released, removed, next })
}

/// Why it is finished although something is missing; `None` where nothing is.
fn forced(options: &Options, finishing: &Finishing<'_>) -> Result<Option<String>, Error> {
    let Plan { run, missing, needs_route, .. } = &finishing.plan;
    if missing.is_empty() {
        return Ok(None);
    }
    let reason = options.force.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    match reason {
        None => {
            let (task, run, missing) = (finishing.task.key.task.clone(), *run, missing.clone());
            Err(Error::Unfinished { task, run, missing, needs_route: *needs_route })
        }
        Some(_) if !options.yes => Err(finishing.plan.unconfirmed()),
        Some(reason) => Ok(Some(reason.to_owned())),
    }
}

impl Finishing<'_> {
    /// Writes the route into the manifest of the task; before the run ends, so that no crash loses it.
    fn record_route(&self, context: &Context) -> Result<(), Error> {
        let Some(route) = self.plan.route.filter(|_| !self.plan.already) else { return Ok(()) };
        let path = self.layout.manifest(&self.task.key.task);
        let guard = ManifestGuard::lock(&path, context)?;
        let missing = || Error::UnknownTask { task: self.task.key.task.clone(), folder: self.layout.tasks() };
        let mut manifest = guard.read()?.ok_or_else(missing)?;
        let lifecycle = manifest.lifecycle(&path)?;
        if manifest.set_lifecycle(&Lifecycle { route: Some(route), ..lifecycle }) {
            guard.write(&manifest)?;
        }
        Ok(())
    }

    /// Says in the team state that the run is finished.
    fn end(&self, context: &Context, forced: Option<&str>) -> Result<(), Error> {
        let run = self.plan.run;
        let guard = StateGuard::lock(context, self.layout, &self.task.key, run)?;
        let mut state = guard.read()?;
        match state.status {
            RunStatus::Finished => return Ok(()),
            RunStatus::Abandoned => {
                return Err(Error::RunEnded { task: self.task.key.task.clone(), run, status: "abandoned" });
            }
            RunStatus::Prepared | RunStatus::Running => {}
        }
        state.status = RunStatus::Finished;
        state.ended_at = Some(context.clock().moment().to_string());
        state.reason = forced.map(str::to_owned);
        Ok(guard.write(&state)?)
    }
}
