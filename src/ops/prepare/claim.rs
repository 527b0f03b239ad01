//! The number of a run: claimed by its folder in the instruction set, and held by a lock there while it is prepared.

use std::path::Path;

use super::number;
use crate::context::{Cancel, Context};
use crate::domain::lifecycle::{RunName, TaskType};
use crate::fs;
use crate::ops::task::Task;
use crate::ops::{Error, stages};
use crate::store::{self, Layout, runs};

/// How many numbers are tried that others take at the same moment.
const TRIES: u32 = 1000;

/// A number that this process alone prepares. When it is dropped before the run exists, its files are removed.
pub(super) struct Claim<'t> {
    run: RunName,
    held: store::claim::Claim,
    context: Context,
    task: &'t Task,
    layout: &'t Layout,
}

impl<'t> Claim<'t> {
    /// Clears what crashes left of other claims of the task, and claims the next number.
    pub(super) fn take(
        context: &Context,
        task: &'t Task,
        layout: &'t Layout,
        task_type: TaskType,
    ) -> Result<Self, Error> {
        for other in TaskType::ALL {
            for number in claimed(layout, task, other)? {
                // Whoever holds it is at work.
                drop(Self::one(context, task, layout, RunName { task_type: other, number })?);
            }
        }
        let last = number::last_known(context, task, layout, task_type)?;
        for number in (last..last.saturating_add(TRIES)).map(|last| last.saturating_add(1)) {
            if let Some(claim) = Self::one(context, task, layout, RunName { task_type, number })? {
                return Ok(claim);
            }
        }
        Err(Error::ChangedMeanwhile { log: layout.instruction_sets(&task.key.task, task_type) })
    }

    /// The claim of this run, cleared of what was left under its number; `None` where another process holds it, or the
    /// run exists.
    fn one(context: &Context, task: &'t Task, layout: &'t Layout, run: RunName) -> Result<Option<Self>, Error> {
        let exists = || runs::read(layout, &task.key, run).map(|run| run.is_some());
        if exists()? {
            return Ok(None);
        }
        let folder = layout.instruction_set(&task.key.task, run);
        let Some(held) = store::claim::Claim::take(context, &folder)? else { return Ok(None) };
        // It may have come to exist before the lock was free.
        if exists()? {
            return Ok(None);
        }
        stages::clear(context, task, &held)?;
        release(context, task, run)?;
        // That the work was cancelled is a reason to clear up.
        let context = context.clone().with_cancel(Cancel::default());
        let claim = Self { run, held, context, task, layout };
        claim.remove_files()?;
        Ok(Some(claim))
    }

    /// The run.
    pub(super) fn run(&self) -> RunName {
        self.run
    }

    /// What holds it.
    pub(super) fn held(&self) -> &store::claim::Claim {
        &self.held
    }

    /// Removes the texts of a run that does not exist.
    fn remove_files(&self) -> Result<(), Error> {
        let prompts = self.layout.root_of_run(&self.task.key.task, self.run).join("prompts");
        let end = format!("-{}.md", self.run);
        let prompts =
            fs::names_in(&prompts)?.into_iter().filter(|name| name.ends_with(&end)).map(|name| prompts.join(name));
        self.held.files()?.into_iter().chain(prompts).try_for_each(|file| Ok(fs::remove(&file)?))
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next one.
        if runs::read(self.layout, &self.task.key, self.run).is_ok_and(|run| run.is_none()) {
            let _ = stages::clear(&self.context, self.task, &self.held).and_then(|()| self.remove_files());
        }
    }
}

/// The numbers of the claims of which no run came.
fn claimed(layout: &Layout, task: &Task, task_type: TaskType) -> Result<Vec<u32>, Error> {
    let folder = layout.instruction_sets(&task.key.task, task_type);
    let is_claim = |folder: &Path| folder.is_dir();
    let names = fs::names_in(&folder)?.into_iter().filter(|name| is_claim(&folder.join(name)));
    let numbers = names.filter_map(|name| name.parse::<u32>().ok().filter(|number| format!("{number:03}") == name));
    let known = runs::names(layout, &task.key)?;
    Ok(numbers.filter(|&number| number > 0 && !known.contains(&RunName { task_type, number })).collect())
}

/// Lets go of what is reserved under the number of a run that does not exist.
fn release(context: &Context, task: &Task, run: RunName) -> Result<(), Error> {
    let run = run.to_string();
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
