//! Snapshot worktrees: where workers look that do not edit, each in one of its own.

use std::path::Path;

use super::{lock_worktrees, text};
use crate::context::Context;
use crate::domain::ids::CommitId;
use crate::domain::run::{RunManifest, WorkerRole};
use crate::ops::Error;
use crate::ops::task::Task;

/// Makes the snapshot worktree of every analyst and verifier of a run, with `commit` checked out. One that is there with
/// another commit is made anew; it holds nothing of anybody's.
///
/// # Errors
/// When git cannot make one.
pub fn snapshots(context: &Context, task: &Task, manifest: &RunManifest, commit: CommitId) -> Result<(), Error> {
    let looks = |role| matches!(role, WorkerRole::Analyst | WorkerRole::Verifier);
    let folders =
        manifest.workers.iter().filter(|worker| looks(worker.role)).filter_map(|worker| worker.worktree.as_ref());
    let _alone = lock_worktrees(context, task)?;
    for folder in folders.map(Path::new) {
        context.cancel().check()?;
        if folder.exists() {
            let there = task.repository.head_of(context, folder)?;
            if there.as_ref().is_some_and(|head| head.commit == commit) {
                continue;
            }
            if there.is_some() {
                task.repository.remove_worktree(context, &text(folder)?)?;
            }
        }
        if let Some(parent) = folder.parent() {
            crate::fs::create_folder(parent)?;
        }
        task.repository.add_detached_worktree(context, &text(folder)?, commit)?;
    }
    Ok(())
}
