//! The stages of a task: choosing and reserving them, their branches and worktrees.

mod bases;
mod carry;
pub mod done;
mod error;
pub(super) mod hints;
pub(super) mod idle;
pub(super) mod include;
pub mod integrate;
pub(in crate::ops) mod landings;
pub mod list;
mod place;
mod provision;
pub mod remove;
mod reserve;
mod run_again;
mod runs;
mod snapshots;
mod task_again;
mod task_start;
mod task_worktree;
pub(super) mod trunk;
mod undo;

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Error;
use super::task::Task;
use crate::context::Context;
use crate::fs::{self, LockGuard};
use crate::store::{Home, Layout};

pub use bases::{StageBase, bases};
pub use carry::{carry_in, complete_from_carry};
pub use error::StageError;
pub(super) use include::{dirt_in, ignored_in};
pub use provision::{Provisioned, provision};
pub use reserve::{Reserved, Wanted, check_choice, choose_and_reserve, holder};
pub use run_again::run_again;
pub use snapshots::{Snapshots, snapshots};
pub use task_again::{anchor, task_again};
pub use task_worktree::{TaskPlace, TaskWorktree, task_worktree};
pub use undo::clear;

/// How long the lock of the worktrees is waited for: making one takes as long as writing all its files.
const WORKTREES_WAIT: Duration = Duration::from_secs(600);

/// Locks the making and removing of worktrees on this machine: in git, parallel calls race.
pub(super) fn lock_worktrees(context: &Context, task: &Task) -> Result<LockGuard, Error> {
    lock_worktrees_of(context, &task.home)
}

/// As [`lock_worktrees`], of okstra's own folder.
pub(super) fn lock_worktrees_of(context: &Context, home: &Home) -> Result<LockGuard, Error> {
    let folder = home.worktrees();
    fs::create_folder(&folder)?;
    let stop = || context.cancel().is_cancelled();
    Ok(LockGuard::acquire(&folder.join("worktrees.lock"), WORKTREES_WAIT, stop)?)
}

/// The project's `.okstra/`, without which there are no stages.
fn layout(task: &Task) -> Result<&Layout, Error> {
    task.layout.as_ref().ok_or_else(|| Error::NoProject { root: task.root.clone() })
}

/// A path as the registry and the git command have it.
fn text(path: &Path) -> Result<String, Error> {
    let not_utf8 = || StageError::PathNotUtf8 { path: path.to_owned() };
    Ok(path.to_str().ok_or_else(not_utf8)?.to_owned())
}

/// The branch of a stage, a short name, and its worktree where that is there.
fn branch_and_worktree(task: &Task, stage: u32) -> Result<(String, Option<PathBuf>), Error> {
    let entry = task.registry().read(&task.key)?.unwrap_or_default();
    let default = || format!("{}-{}-s{stage}", task.category, task.key.task.id);
    let branch = entry.stage_branch(stage).unwrap_or_else(default);
    let worktree = entry.stages.get(&stage).and_then(|stage| stage.worktree_path.clone()).map(PathBuf::from);
    Ok((branch, worktree.filter(|path| path.exists())))
}

/// The file that a record names.
fn to_recorded(task: &Task, path: &str) -> PathBuf {
    task.root.join(path)
}
