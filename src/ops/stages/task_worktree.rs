//! The branch and the worktree of a task, and its anchor.

use std::path::PathBuf;

use super::place::Place;
use super::undo::{Made, Undo};
use super::{StageError, layout, lock_worktrees, text};
use crate::context::Context;
use crate::domain::equivalence::Candidate;
use crate::domain::ids::CommitId;
use crate::ops::Error;
use crate::ops::task::Task;
use crate::store::registry::TaskWanted;

/// The worktree of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskWorktree {
    /// Its folder.
    pub path: PathBuf,
    /// Its branch, a short name.
    pub branch: String,
    /// Its `HEAD`.
    pub head: CommitId,
    /// The anchor, as it is recorded.
    pub anchor: String,
}

/// Makes the branch and the worktree of `task` at `base`, whose name is a full ref name, and sets the anchor to its `HEAD`.
/// What is the task's own already is used again; an anchor never moves. Without `branch`, and where the registry knows
/// none, the branch is `<category>-<task-id>`.
///
/// # Errors
/// [`StageError::Place`] when something else is in the way, those of the registry when another task holds branch or
/// folder, and when git cannot make them. What was made is then taken back.
pub fn task_worktree(
    context: &Context,
    task: &Task,
    base: &Candidate,
    branch: Option<&str>,
) -> Result<TaskWorktree, Error> {
    layout(task)?;
    task.home.check_case(&task.key)?;
    let mut undo = Undo::new(context, task);
    let alone = lock_worktrees(context, task)?;
    let before = task.registry().read(&task.key)?.unwrap_or_default();
    let registered = before.branch.clone();
    let default = || format!("{}-{}", task.category, task.key.task.id);
    let known = registered.clone().or_else(|| before.last_branch.clone());
    let branch = branch.map(str::to_owned).or(known).unwrap_or_else(default);
    if !task.repository.is_branch_name(&branch) {
        return Err(StageError::BadBranch { name: branch }.into());
    }
    let standard = task.home.worktree(&task.key, None);
    let path = before.worktree_path.as_ref().map_or(standard, PathBuf::from);
    let is_own = registered.as_deref() == Some(&branch);
    let place = Place { of: "the task".to_owned(), branch: &branch, path: &path, is_own, must_hold: &[] };
    let placement = place.decide(context, task)?;
    reserve(context, task, (&path, &branch, &base.name))?;
    if before.branch.is_none() {
        undo.add(Made::Task);
    }
    place.make(context, task, (&placement, base.commit), &mut undo)?;
    let head = match task.repository.head_of(context, &path)? {
        Some(head) => head.commit,
        None => base.commit,
    };
    let anchor = task.registry().lock(context)?.set_implementation_base(&task.key, &head.to_string())?;
    undo.keep();
    drop(alone);
    Ok(TaskWorktree { path, branch, head, anchor })
}

fn reserve(context: &Context, task: &Task, (path, branch, base): (&PathBuf, &str, &str)) -> Result<(), Error> {
    let wanted = TaskWanted {
        worktree_path: text(path)?,
        branch: branch.to_owned(),
        base_ref: base.to_owned(),
        git_common_dir: text(task.repository.common_dir())?,
    };
    task.registry().lock(context)?.reserve_task(&task.key, &wanted)?;
    Ok(())
}
