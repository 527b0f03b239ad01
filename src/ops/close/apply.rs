//! Removes what was decided to go, place by place: each is forgotten once it is gone.

use super::Decided;
use super::places::{Of, Place};
use crate::context::Context;
use crate::domain::registry::StageEntry;
use crate::git::Worktree;
use crate::ops::Error;
use crate::ops::stages::done::dirty;
use crate::ops::stages::idle::refuse_open_runs;
use crate::ops::stages::{include, lock_worktrees};
use crate::ops::task::{Task, is_same_folder};
use crate::store::{consumers, plans};

/// Removes the places, then lets go of what only okstra still keeps of them.
pub(super) fn remove(context: &Context, task: &Task, decided: &Decided) -> Result<(), Error> {
    let _alone = lock_worktrees(context, task)?;
    // A run that was prepared meanwhile works there.
    refuse_open_runs(context, task)?;
    for place in &decided.going {
        context.cancel().check()?;
        remove_one(context, task, place)?;
        forget(context, task, &place.of)?;
    }
    Ok(task.repository.let_go(context, &decided.released.refs_now(context, task)?)?)
}

fn remove_one(context: &Context, task: &Task, place: &Place) -> Result<(), Error> {
    if let Some(worktree) = &place.worktree {
        still_clean(context, task, place, worktree)?;
        let path = worktree.path.to_string_lossy();
        task.repository.remove_worktree(context, &path)?;
    }
    match (&place.branch, place.tip) {
        // Only from where it was decided on.
        (Some(branch), Some(tip)) => Ok(task.repository.delete_branch(context, branch, tip)?),
        _ => Ok(()),
    }
}

/// Whether the worktree is as it was decided on: it may have been worked in meanwhile.
fn still_clean(context: &Context, task: &Task, place: &Place, worktree: &Worktree) -> Result<(), Error> {
    let now = task.repository.worktrees(context)?.into_iter().find(|now| is_same_folder(&now.path, &worktree.path));
    if now.as_ref().is_some_and(|now| now.head != worktree.head) {
        return Err(Error::ChangedMeanwhile { log: task.log() });
    }
    if worktree.path.exists() {
        let dirt = include::dirt(context, task, &worktree.path)?;
        if !dirt.is_empty() {
            return Err(dirty(&place.of.to_string(), &worktree.path, &dirt));
        }
    }
    Ok(())
}

/// The registry no longer says where it is. Where a stage started stays where its done row does not say it.
fn forget(context: &Context, task: &Task, of: &Of) -> Result<(), Error> {
    let mut registry = task.registry().lock(context)?;
    let Some(entry) = registry.read(&task.key)? else { return Ok(()) };
    match of {
        Of::Task => registry.forget_task(&task.key)?,
        Of::Stage(number) => {
            let plan = plans::current(&task.plans(), &task.key)?;
            let done = consumers::read_done(&task.log(), context, &task.key, plan.as_ref())?;
            let needs_base = done.get(number).is_some_and(|done| done.latest.base_commit.is_none());
            let base_ref = entry.stages.get(number).and_then(|stage| stage.base_ref.clone()).filter(|_| needs_base);
            registry.forget_stage(&task.key, *number, &StageEntry { base_ref, ..StageEntry::default() })?;
        }
        Of::Snapshot(_) => {}
    }
    Ok(())
}
