//! Snapshot worktrees: where workers look that do not edit, each in one of its own.

use std::path::Path;

use super::undo::Undo;
use super::{lock_worktrees, text};
use crate::context::Context;
use crate::domain::ids::CommitId;
use crate::domain::run::{RunManifest, WorkerRole};
use crate::ops::Error;
use crate::ops::task::Task;
use crate::store::claim::{Claim, Made};

/// Snapshots that were made; when this is dropped before they were kept, they are taken back.
pub struct Snapshots<'t>(Undo<'t>);

impl Snapshots<'_> {
    /// The run exists: they stay.
    pub fn keep(self) {
        self.0.keep();
    }
}

/// Makes the snapshot worktree of every analyst and verifier of a run, with `commit` checked out. One that is there with
/// another commit is made anew; it holds nothing of anybody's. Of a run of another clone there is none here.
///
/// # Errors
/// When git cannot make one. What was made is then taken back.
pub fn snapshots<'t>(
    context: &Context,
    task: &'t Task,
    manifest: &RunManifest,
    commit: CommitId,
    claim: Option<&Claim>,
) -> Result<Snapshots<'t>, Error> {
    let looks = |role| matches!(role, WorkerRole::Analyst | WorkerRole::Verifier);
    let folders =
        manifest.workers.iter().filter(|worker| looks(worker.role)).filter_map(|worker| worker.worktree.as_ref());
    // Declared before the lock, which has to be let go of before anything is taken back.
    let mut undo = Undo::new(context, task, claim);
    let _alone = lock_worktrees(context, task)?;
    for folder in folders.map(Path::new).filter(|folder| task.is_folder_here(folder)) {
        context.cancel().check()?;
        let path = text(folder)?;
        if folder.exists() {
            let there = task.repository.head_of(context, folder)?;
            if there.as_ref().is_some_and(|head| head.commit == commit) {
                continue;
            }
            if there.is_some() {
                task.repository.remove_worktree(context, &path)?;
            }
        }
        if let Some(parent) = folder.parent() {
            crate::fs::create_folder(parent)?;
        }
        undo.add(Made::Worktree { path: path.clone(), branch: None, commit: commit.to_string() })?;
        task.repository.add_detached_worktree(context, &path, commit)?;
    }
    Ok(Snapshots(undo))
}
