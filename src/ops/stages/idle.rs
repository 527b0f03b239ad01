//! Whether anybody is at work on a task: what is taken from under a run would be missed.

use std::collections::BTreeSet;
use std::time::Duration;

use super::layout;
use super::reserve::{fact, process_of};
use crate::context::Context;
use crate::domain::lifecycle::{RunName, TaskType};
use crate::domain::stages::is_held;
use crate::fs::{self, LockGuard};
use crate::ops::Error;
use crate::ops::task::Task;
use crate::store::runs;

/// Refuses a task of which a run is open, or is being prepared.
///
/// # Errors
/// [`Error::OpenRuns`] with their names.
pub(in crate::ops) fn refuse_open_runs(context: &Context, task: &Task) -> Result<(), Error> {
    let mut at_work: BTreeSet<String> = BTreeSet::new();
    for run in runs::read_all(layout(task)?, &task.key)?.into_iter().filter(runs::Run::is_open) {
        at_work.insert(run.name.to_string());
    }
    let entry = task.registry().read(&task.key)?.unwrap_or_default();
    for holder in entry.stages.values().filter_map(|stage| stage.reserved_by.as_ref()) {
        let is_alive = process_of(holder).and_then(|process| process.is_alive(context));
        if is_held(fact(task, &holder.run)?, is_alive) {
            at_work.insert(holder.run.clone());
        }
    }
    for run in being_prepared(context, task)? {
        at_work.insert(run.to_string());
    }
    match at_work.is_empty() {
        true => Ok(()),
        false => Err(Error::OpenRuns { task: task.key.task.clone(), runs: at_work.into_iter().collect() }),
    }
}

/// The runs that do not exist yet, and whose number a living process has claimed.
fn being_prepared(context: &Context, task: &Task) -> Result<Vec<RunName>, Error> {
    let (layout, known) = (layout(task)?, runs::names(layout(task)?, &task.key)?);
    let mut found = Vec::new();
    for task_type in TaskType::ALL {
        for name in fs::names_in(&layout.instruction_sets(&task.key.task, task_type))? {
            let Ok(number) = name.parse() else { continue };
            let run = RunName { task_type, number };
            let lock = layout.instruction_set(&task.key.task, run).join("prepare.lock");
            if known.contains(&run) || !lock.is_file() {
                continue;
            }
            match LockGuard::acquire(&lock, Duration::ZERO, || context.cancel().is_cancelled()) {
                Ok(_free) => {}
                Err(fs::Error::Locked { .. }) => found.push(run),
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(found)
}
