//! The worktree of a task with its branch checked out, where that branch is moved.

use std::path::PathBuf;

use super::done::dirty;
use super::{StageError, include, task_again};
use crate::context::Context;
use crate::domain::ids::CommitId;
use crate::fs::{self, LOCK_WAIT, LockGuard};
use crate::git::{self, Head, History, Limits};
use crate::ops::Error;
use crate::ops::task::Task;

/// The worktree of the task, with its branch checked out.
pub(in crate::ops) struct Trunk {
    pub(in crate::ops) folder: PathBuf,
    /// The branch, a short name.
    pub(in crate::ops) branch: String,
    pub(in crate::ops) head: CommitId,
}

/// Locks the branch of a task: one command at a time moves it, or removes it.
pub(in crate::ops) fn lock(context: &Context, task: &Task) -> Result<LockGuard, Error> {
    fs::create_folder(&task.plan_run_root)?;
    let stop = || context.cancel().is_cancelled();
    Ok(LockGuard::acquire(&task.plan_run_root.join("integrate.lock"), LOCK_WAIT, stop)?)
}

impl Trunk {
    /// The same, made again first where the registry knows the branch, and that or its folder is gone. What is made stays.
    ///
    /// # Errors
    /// Those of [`task_again`] and of [`Trunk::open`].
    pub(in crate::ops) fn open_or_make(context: &Context, task: &Task) -> Result<Self, Error> {
        if let Some(place) = task_again(context, task, None)? {
            let made = place.keep();
            context.notice(format!("the worktree of `{}` was made again: {}", made.branch, made.path.display()));
        }
        Self::open(context, task)
    }

    /// Finds it, and refuses one that is not there, or not ready for its branch to be moved.
    ///
    /// # Errors
    /// [`StageError::NoTaskWorktree`], [`StageError::NotOnBranch`], [`StageError::Dirty`], [`Error::OperationInProgress`].
    pub(in crate::ops) fn open(context: &Context, task: &Task) -> Result<Self, Error> {
        let entry = task.registry().read(&task.key)?.unwrap_or_default();
        let missing = || StageError::NoTaskWorktree { task: task.key.task.clone(), path: entry.worktree_path.clone() };
        let (Some(path), Some(branch)) = (&entry.worktree_path, entry.branch.clone()) else {
            return Err(missing().into());
        };
        let folder = PathBuf::from(path);
        let head = task.repository.head_of(context, &folder)?.ok_or_else(missing)?;
        let reference = format!("refs/heads/{branch}");
        if let Some(operation) = task.repository.operation_in_progress(context, &reference)? {
            return Err(Error::OperationInProgress { reference, operation });
        }
        if task.repository.head(context, &head.name) != Some(Head::Branch(reference)) {
            return Err(StageError::NotOnBranch { path: path.clone(), branch }.into());
        }
        let dirt = include::dirt(context, task, &folder)?;
        if !dirt.is_empty() {
            return Err(dirty("the task", &folder, &dirt));
        }
        Ok(Self { folder, branch, head: head.commit })
    }

    /// The same where it stands after it went on to what was integrated since, which is ahead of it: another clone did that.
    ///
    /// # Errors
    /// When git cannot read the history, or move the branch.
    pub(in crate::ops) fn follow(self, context: &Context, task: &Task) -> Result<Self, Error> {
        let entry = task.registry().read(&task.key)?.unwrap_or_default();
        let (mut history, mut head) = (History::new(&task.repository), self.head);
        for made in &entry.integrations {
            if let Ok(commit) = task.repository.commit_by_id(&made.commit)?
                && history.reaches(context, commit, head, Limits::default())? == Some(true)
            {
                head = commit;
            }
        }
        if head != self.head {
            git::fast_forward(context, &self.folder, head)?;
        }
        Ok(Self { head, ..self })
    }
}
