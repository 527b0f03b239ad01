//! The snapshot worktrees of a run: those in which workers only look. They go with the run.

use std::path::Path;

use crate::context::Context;
use crate::domain::run::{RunManifest, WorkerRole};
use crate::git::Head;
use crate::ops::Error;
use crate::ops::task::{Task, is_same_folder};

/// Removes the snapshots of the run; what is not clean, or has a branch checked out, stays and is told. Gives the folders
/// that were removed.
///
/// # Errors
/// When the worktrees cannot be listed, or the work was cancelled.
pub(in crate::ops) fn remove(context: &Context, task: &Task, manifest: &RunManifest) -> Result<Vec<String>, Error> {
    let lookers = manifest.workers.iter().filter(|worker| worker.role != WorkerRole::Executor);
    let mut folders: Vec<_> = lookers.filter_map(|worker| worker.worktree.as_ref()).collect();
    folders.sort();
    folders.dedup();
    let mut removed = Vec::new();
    for folder in folders.into_iter().filter(|folder| Path::new(folder).is_dir()) {
        context.cancel().check()?;
        if !is_snapshot(context, task, manifest, Path::new(folder))? {
            continue;
        }
        match task.repository.remove_clean_worktree(context, Path::new(folder)) {
            Ok(()) => removed.push(folder.clone()),
            Err(error) => context.warn(format!("the snapshot `{folder}` stays: {error}")),
        }
    }
    Ok(removed)
}

/// Whether `folder` is a linked worktree of this repository without a branch, and not one that holds work.
fn is_snapshot(context: &Context, task: &Task, manifest: &RunManifest, folder: &Path) -> Result<bool, Error> {
    let holds_work = manifest.stages.iter().map(|stage| &stage.worktree).chain(&manifest.task_worktree);
    if holds_work.into_iter().any(|other| is_same_folder(Path::new(other), folder)) {
        return Ok(false);
    }
    let worktrees = task.repository.worktrees(context)?;
    let found = worktrees.iter().find(|worktree| worktree.name.is_some() && is_same_folder(&worktree.path, folder));
    Ok(found.is_some_and(|worktree| matches!(worktree.head, Some(Head::Detached(_)))))
}
