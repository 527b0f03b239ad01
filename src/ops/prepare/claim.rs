//! The number of a run: claimed by its folder in the instruction set, and held by a lock there while it is prepared.

use std::path::PathBuf;
use std::time::Duration;

use crate::context::Context;
use crate::domain::lifecycle::{RunName, TaskType};
use crate::fs::{self, LockGuard};
use crate::ops::Error;
use crate::ops::task::Task;
use crate::store::{Layout, runs};

/// How many numbers are tried that others take at the same moment.
const TRIES: u32 = 1000;

/// A number that this process alone prepares.
pub(super) struct Claim {
    run: RunName,
    guard: LockGuard,
}

impl Claim {
    /// Claims a number: one that a crash left without a manifest and without a holder, whose reservations are then let
    /// go, else the next.
    pub(super) fn take(context: &Context, task: &Task, layout: &Layout, task_type: TaskType) -> Result<Self, Error> {
        let known = runs::names(layout, &task.key)?;
        let next = runs::next_number(layout, &task.key, task_type)?;
        for number in 1..next.saturating_add(TRIES) {
            let run = RunName { task_type, number };
            if known.contains(&run) {
                continue;
            }
            let Some(guard) = lock(context, &folder(task, layout, run))? else { continue };
            // It may have come to exist before the lock was free.
            if runs::read(layout, &task.key, run)?.is_none() {
                let claim = Self { run, guard };
                claim.clear(context, task)?;
                return Ok(claim);
            }
        }
        Err(Error::ChangedMeanwhile { log: layout.instruction_sets(&task.key.task, task_type) })
    }

    /// The run.
    pub(super) fn run(&self) -> RunName {
        self.run
    }

    /// The run exists: its manifest holds the number from now on.
    pub(super) fn release(self) {
        drop(self.guard);
    }

    /// Lets go of what a prepare that was stopped had reserved under this number.
    fn clear(&self, context: &Context, task: &Task) -> Result<(), Error> {
        let run = self.run.to_string();
        let Some(entry) = task.registry().read(&task.key)? else { return Ok(()) };
        let stages = entry.reserved_by(&run);
        if stages.is_empty() {
            return Ok(());
        }
        let mut registry = task.registry().lock(context)?;
        for stage in stages {
            registry.release_stage(&task.key, stage, &run)?;
        }
        Ok(())
    }
}

fn folder(task: &Task, layout: &Layout, run: RunName) -> PathBuf {
    layout.instruction_set(&task.key.task, run)
}

/// The lock of a claim; `None` where another process holds it.
fn lock(context: &Context, folder: &std::path::Path) -> Result<Option<LockGuard>, Error> {
    fs::create_folder(folder)?;
    let stop = || context.cancel().is_cancelled();
    match LockGuard::acquire(&folder.join("prepare.lock"), Duration::ZERO, stop) {
        Ok(guard) => Ok(Some(guard)),
        Err(fs::Error::Locked { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
