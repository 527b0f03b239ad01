//! The branch and the worktree of a task, and its anchor.

use std::path::PathBuf;

use super::place::Place;
use super::undo::Undo;
use super::{StageError, layout, lock_worktrees, task_start, text};
use crate::context::Context;
use crate::domain::equivalence::Candidate;
use crate::domain::ids::CommitId;
use crate::fs::LockGuard;
use crate::ops::Error;
use crate::ops::task::Task;
use crate::store::claim::{Claim, Made};
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

/// The place of a task; when this is dropped before it was kept, what was made of it is taken back, unless others use it by
/// then.
pub struct TaskPlace<'t> {
    /// The worktree.
    pub worktree: TaskWorktree,
    /// Held until stages were reserved, so that nobody takes back a place that others are about to use. Declared before
    /// `undo`, which needs it.
    alone: Option<LockGuard>,
    undo: Undo<'t>,
}

impl TaskPlace<'_> {
    /// The stages of the run are reserved: others may make and remove worktrees again.
    pub fn unlock(&mut self) {
        self.alone = None;
    }

    /// All stays.
    pub fn keep(self) -> TaskWorktree {
        self.undo.keep();
        self.worktree
    }
}

/// Makes the branch and the worktree of `task` at `base`, whose name is a full ref name, and sets the anchor to its `HEAD`.
/// Where work on the task is recorded, and the branch is not there, it starts at that work.
/// What is the task's own already is used again; an anchor never moves. Without `branch`, and where the registry knows
/// none, the branch is `<category>-<task-id>`.
///
/// # Errors
/// [`StageError::Place`] when something else is in the way, those of the registry when another task holds branch or
/// folder, and when git cannot make them. What was made is then taken back.
pub fn task_worktree<'t>(
    context: &Context,
    task: &'t Task,
    base: &Candidate,
    branch: Option<&str>,
    claim: Option<&Claim>,
) -> Result<TaskPlace<'t>, Error> {
    layout(task)?;
    task.home.check_case(&task.key)?;
    let mut undo = Undo::new(context, task, claim);
    let alone = lock_worktrees(context, task)?;
    let before = task.registry().read(&task.key)?.unwrap_or_default();
    let known = before.branch.as_deref().or(before.last_branch.as_deref());
    let branch = name(task, branch, known)?;
    let standard = task.home.worktree(&task.key, None);
    let path = before.worktree_path.as_ref().map_or(standard, PathBuf::from);
    let is_own = before.branch.as_deref() == Some(&branch);
    let place = Place { of: "the task".to_owned(), branch: &branch, path: &path, is_own, must_hold: &[] };
    let placement = place.decide(context, task)?;
    if before.branch.is_none() {
        let anchor = before.implementation_base_commit.is_none().then(|| base.commit.to_string());
        undo.add(Made::Task { anchor })?;
    }
    reserve(context, task, (&path, &branch, &base.name))?;
    // The registry knows the task, and its branch is not here: the work on it may be.
    let start = match is_own && place.tip(context, task)?.is_none() {
        true => task_start::start(context, task, (&before, &branch), base)?,
        false => base.commit,
    };
    place.make(context, task, (&placement, start), &mut undo)?;
    let head = match task.repository.head_of(context, &path)? {
        Some(head) => head.commit,
        None => start,
    };
    let anchor = task.registry().lock(context)?.set_implementation_base(&task.key, &head.to_string())?;
    Ok(TaskPlace { worktree: TaskWorktree { path, branch, head, anchor }, alone: Some(alone), undo })
}

/// The branch: the one asked for, else the one that the registry knows, else the standard one.
fn name(task: &Task, asked: Option<&str>, known: Option<&str>) -> Result<String, Error> {
    let standard = || format!("{}-{}", task.category, task.key.task.id);
    let name = asked.or(known).map_or_else(standard, str::to_owned);
    match task.repository.is_branch_name(&name) {
        true => Ok(name),
        false => Err(StageError::BadBranch { name }.into()),
    }
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
