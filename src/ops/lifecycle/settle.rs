//! Brings what is written of a task's runs up to what their own files say.

use serde_json::{Map, Value};

use super::{index, started};
use crate::context::Context;
use crate::domain::lifecycle::{PhaseRun, RunName};
use crate::domain::names::TaskName;
use crate::domain::run::RunStatus;
use crate::ops::Error;
use crate::ops::task::Task;
use crate::store::runs::{self, Run};
use crate::store::{LatestTask, Layout, Manifest, ManifestGuard, claim, rebuild_catalog, timeline};

/// A line of the timeline, without its time.
#[derive(Clone, Debug)]
pub(super) struct Event {
    name: &'static str,
    run: Option<RunName>,
    more: Map<String, Value>,
}

impl Event {
    /// An event of the task itself.
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, run: None, more: Map::new() }
    }

    fn of(name: &'static str, run: RunName) -> Self {
        Self { name, run: Some(run), more: Map::new() }
    }

    fn with(mut self, field: &str, value: Option<String>) -> Self {
        self.more.extend(value.map(|value| (field.to_owned(), value.into())));
        self
    }

    fn fields(&self) -> Map<String, Value> {
        let run = self.run.map(|run| ("run".to_owned(), Value::from(run.to_string())));
        run.into_iter().chain(self.more.clone()).collect()
    }

    /// Whether the line `fields` says this.
    fn is(&self, fields: &Map<String, Value>) -> bool {
        let text = |field: &str| fields.get(field).and_then(Value::as_str);
        text("event") == Some(self.name) && text("run") == self.run.map(|run| run.to_string()).as_deref()
    }
}

/// Whether a run of the task is there, or has come to its end, that its manifest does not know of yet.
pub(super) fn is_unsettled(layout: &Layout, task: &TaskName) -> Result<bool, Error> {
    let path = layout.manifest(task);
    let Some(manifest) = Manifest::read(&path)? else { return Ok(false) };
    let known = manifest.lifecycle(&path)?;
    for name in runs::names(layout, &manifest.key)? {
        match known.run(name) {
            None => return Ok(true),
            // What has ended stays so.
            Some(listed) if listed.status.is_final() => {}
            Some(listed) => {
                if runs::read_state(&layout.team_state(task, name), name)?.status != listed.status {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// Completes what is written of the runs of `task`. The manifest of the task comes last: a run that it lists as it is has
/// everything else. Doing it again changes nothing.
///
/// # Errors
/// When anything cannot be read or written.
pub(in crate::ops) fn settle(context: &Context, task: &Task, layout: &Layout) -> Result<(), Error> {
    let name = &task.key.task;
    let path = layout.manifest(name);
    let guard = ManifestGuard::lock(&path, context)?;
    let missing = || Error::UnknownTask { task: name.clone(), folder: layout.tasks() };
    let mut manifest = guard.read()?.ok_or_else(missing)?;
    let known = manifest.lifecycle(&path)?;
    let all = runs::read_all(layout, &task.key)?;
    for run in &all {
        let listed = known.run(run.name);
        if listed.is_none() {
            claim::forget(&layout.instruction_set(name, run.name))?;
            LatestTask::write(layout, &task.key)?;
            started::append_started(context, task, &run.manifest)?;
            event_once(context, layout, name, &Event::of("prepared", run.name))?;
        }
        if run.state.status.is_final() && listed.is_none_or(|listed| !listed.status.is_final()) {
            complete_end(context, task, layout, run)?;
        }
    }
    let listed: Vec<_> = all.iter().map(|run| (run.name, listed(run))).collect();
    let new = known.with_runs(&listed);
    if manifest.set_lifecycle(&new) {
        index::write(layout, &manifest, &new)?;
        guard.write(&manifest)?;
    }
    drop(guard);
    rebuild_catalog(context, layout)?;
    Ok(())
}

/// What belongs to the end of a run: its reservations are released, and the timeline says so.
fn complete_end(context: &Context, task: &Task, layout: &Layout, run: &Run) -> Result<(), Error> {
    release_reservations(context, task, run.name)?;
    let event = if run.state.status == RunStatus::Finished { "finished" } else { "abandoned" };
    let event = Event::of(event, run.name).with("reason", run.state.reason.clone());
    event_once(context, layout, &task.key.task, &event)
}

/// Lets go of every stage that `run` has reserved.
fn release_reservations(context: &Context, task: &Task, run: RunName) -> Result<(), Error> {
    let registry = task.registry();
    let holds = |entry: &crate::domain::registry::TaskEntry| !entry.reserved_by(&run.to_string()).is_empty();
    if !registry.read(&task.key)?.as_ref().is_some_and(holds) {
        return Ok(());
    }
    let mut guard = registry.lock(context)?;
    let entry = guard.read(&task.key)?.unwrap_or_default();
    for stage in entry.reserved_by(&run.to_string()) {
        guard.release_stage(&task.key, stage, &run.to_string())?;
    }
    Ok(())
}

/// Adds an event to the timeline of a task, unless it is there.
///
/// # Errors
/// When the timeline cannot be read or written.
pub(super) fn event_once(context: &Context, layout: &Layout, task: &TaskName, event: &Event) -> Result<(), Error> {
    let path = layout.timeline(task);
    if timeline::read(&path, context)?.iter().any(|line| event.is(line)) {
        return Ok(());
    }
    Ok(timeline::append(&path, context, event.name, &event.fields())?)
}

/// A run as the manifest of its task lists it.
fn listed(run: &Run) -> PhaseRun {
    PhaseRun {
        run: run.name.to_string(),
        status: run.state.status,
        prepared_at: run.manifest.created_at.clone(),
        ended_at: run.state.ended_at.clone(),
    }
}
