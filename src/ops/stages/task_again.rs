//! The branch and the worktree of a task that the registry knows, made again where either is gone: the folder was deleted,
//! or the branch, or the records came from another clone.

use std::path::Path;

use super::place::full_branch;
use super::{StageError, TaskPlace, task_worktree};
use crate::context::Context;
use crate::domain::equivalence::Candidate;
use crate::domain::ids::CommitId;
use crate::domain::registry::TaskEntry;
use crate::domain::revision::Purpose;
use crate::ops::Error;
use crate::ops::task::Task;
use crate::store::claim::Claim;

/// The place of the task, made again; `None` where all of it is there, or the registry knows no branch.
///
/// # Errors
/// Those of [`task_worktree`].
pub fn task_again<'t>(
    context: &Context,
    task: &'t Task,
    claim: Option<&Claim>,
) -> Result<Option<TaskPlace<'t>>, Error> {
    let entry = task.registry().read(&task.key)?.unwrap_or_default();
    let Some(branch) = &entry.branch else { return Ok(None) };
    let tip = task.repository.ref_commit(context, &full_branch(branch))?;
    let folder = entry.worktree_path.as_ref().map(Path::new);
    let head = folder.map(|folder| task.repository.head_of(context, folder)).transpose()?.flatten();
    if tip.is_some() && head.is_some() {
        return Ok(None);
    }
    let missing = || StageError::NoTaskWorktree { task: task.key.task.clone(), path: entry.worktree_path.clone() };
    let base = base(context, task, &entry, tip)?.ok_or_else(missing)?;
    Ok(Some(task_worktree(context, task, &base, None, claim)?))
}

/// What the task grows from. Where that is a branch of the clone that the records came from, where the work stands is
/// recorded; where the branch is here, nothing starts at its base.
fn base(context: &Context, task: &Task, entry: &TaskEntry, tip: Option<CommitId>) -> Result<Option<Candidate>, Error> {
    let Some(name) = entry.base_ref.clone() else { return Ok(None) };
    if let Ok(resolved) = task.repository.commit_by_ref(context, &name, Purpose::Candidate)? {
        return Ok(Some(Candidate { name, commit: resolved.commit }));
    }
    let commit = anchor(task)?.or(tip);
    Ok(commit.map(|commit| Candidate { name, commit }))
}

/// The anchor of the task, where it is recorded and in this clone.
pub fn anchor(task: &Task) -> Result<Option<CommitId>, Error> {
    let entry = task.registry().read(&task.key)?.unwrap_or_default();
    let commit = entry.implementation_base_commit.map(|id| task.repository.commit_by_id(&id)).transpose()?;
    Ok(commit.and_then(Result::ok))
}
