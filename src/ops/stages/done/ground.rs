//! Where the commands of a stage run: in its worktree when its commit is checked out there, else in a scratch worktree.

use std::path::{Path, PathBuf};

use super::super::{include, lock_worktrees, text};
use super::{Facts, StageError};
use crate::context::{Cancel, Context};
use crate::domain::equivalence::RepoPath;
use crate::domain::ids::CommitId;
use crate::ops::Error;
use crate::ops::task::{Task, is_same_folder};
use crate::{fs, git};

/// A worktree with the commit checked out and nothing changed; a scratch worktree goes when this value goes.
pub(super) struct Ground<'t> {
    pub(super) folder: PathBuf,
    scratch: Option<(Context, &'t Task)>,
}

impl<'t> Ground<'t> {
    /// # Errors
    /// [`StageError::Dirty`] for a stage worktree in which something is not committed, whether or not it is used.
    pub(super) fn open(context: &Context, task: &'t Task, facts: &Facts) -> Result<Self, Error> {
        let stage = facts.planned.stage;
        if let Some(worktree) = &facts.worktree {
            under_way(context, task, facts)?;
            let dirt = include::dirt(context, task, worktree)?;
            if !dirt.is_empty() {
                return Err(dirty(&format!("stage {stage}"), worktree, &dirt));
            }
            let head = task.repository.head_of(context, worktree)?.map(|head| head.commit);
            if facts.is_tip && head == Some(facts.head.commit) {
                return Ok(Self { folder: worktree.clone(), scratch: None });
            }
        }
        Self::scratch(context, task, (stage, facts.head.commit))
    }

    fn scratch(context: &Context, task: &'t Task, (stage, commit): (u32, CommitId)) -> Result<Self, Error> {
        let name = task.key.task.clone();
        let parent = task.home.cache().join("checks").join(task.key.project.as_str()).join(name.group.as_str());
        fs::create_folder(&parent)?;
        let folder = parent.join(format!("{}-s{stage}", name.id));
        let path = text(&folder)?;
        // One that was killed may have left it behind.
        remove(context, task, &folder)?;
        let ground = Self { folder, scratch: Some((context.clone().with_cancel(Cancel::default()), task)) };
        {
            let _alone = lock_worktrees(context, task)?;
            task.repository.add_detached_worktree(context, &path, commit)?;
        }
        include::copy(context, task, &ground.folder)?;
        Ok(ground)
    }

    /// The files that git knows and that are not as they were checked out, now that the commands have run.
    pub(super) fn changed(&self, context: &Context) -> Result<Vec<RepoPath>, Error> {
        let differences = git::differences(context, &self.folder)?;
        Ok(differences.into_iter().filter(|found| !found.is_untracked).map(|found| found.path).collect())
    }
}

impl Drop for Ground<'_> {
    fn drop(&mut self) {
        let Some((context, task)) = &self.scratch else { return };
        if let Err(error) = remove(context, task, &self.folder) {
            context.warn(format!("a scratch worktree could not be removed: {error}"));
        }
    }
}

fn remove(context: &Context, task: &Task, folder: &Path) -> Result<(), Error> {
    let worktrees = task.repository.worktrees(context)?;
    if worktrees.iter().any(|worktree| is_same_folder(&worktree.path, folder)) {
        let _alone = lock_worktrees(context, task)?;
        task.repository.remove_worktree(context, &text(folder)?)?;
    }
    Ok(())
}

fn under_way(context: &Context, task: &Task, facts: &Facts) -> Result<(), Error> {
    if !facts.is_tip {
        return Ok(());
    }
    let reference = facts.head.name.clone();
    match task.repository.operation_in_progress(context, &reference)? {
        Some(operation) => Err(Error::OperationInProgress { reference, operation }),
        None => Ok(()),
    }
}

/// The error for a worktree in which something is not committed.
pub(in crate::ops) fn dirty(of: &str, worktree: &Path, dirt: &[RepoPath]) -> Error {
    let files = dirt.iter().map(ToString::to_string).collect();
    StageError::Dirty { of: of.to_owned(), path: worktree.to_string_lossy().into_owned(), files }.into()
}
