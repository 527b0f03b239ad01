//! `.worktreeinclude` of the project: files that git knows nothing of and that every worktree needs, `.env` and the like.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::context::Context;
use crate::domain::equivalence::RepoPath;
use crate::fs;
use crate::git;
use crate::ops::Error;
use crate::ops::task::Task;

/// Where the patterns are, in the project root.
const PATTERNS: &str = ".worktreeinclude";
/// What is never copied: the state of okstra itself.
const STATE: &str = ".okstra";

/// Copies what the project lists into the worktree `folder`, never over anything.
///
/// # Errors
/// When a file cannot be read or written.
pub(super) fn copy(context: &Context, task: &Task, folder: &Path) -> Result<(), Error> {
    let Some(patterns) = patterns(&task.root) else { return Ok(()) };
    for path in git::untracked_matching(context, &task.root, &patterns)? {
        let below = to_path(&path);
        if below.starts_with(STATE) || folder.starts_with(task.root.join(&below)) {
            continue;
        }
        fs::take_copy(&task.root, folder, &below)?;
    }
    Ok(())
}

/// What makes the worktree `folder` dirty: what differs there, without the files that the project lists.
///
/// # Errors
/// When git cannot be asked.
pub(in crate::ops) fn dirt(context: &Context, task: &Task, folder: &Path) -> Result<Vec<RepoPath>, Error> {
    dirt_in(context, &task.root, folder)
}

/// As [`dirt`], of a worktree of the project at `root`.
///
/// # Errors
/// When git cannot be asked.
pub(in crate::ops) fn dirt_in(context: &Context, root: &Path, folder: &Path) -> Result<Vec<RepoPath>, Error> {
    let differences = git::differences(context, folder)?;
    let listed: HashSet<RepoPath> = match patterns(root) {
        Some(patterns) if differences.iter().any(|difference| difference.is_untracked) => {
            git::untracked_matching(context, folder, &patterns)?.into_iter().collect()
        }
        _ => HashSet::new(),
    };
    let dirt = differences.into_iter().filter(|found| !(found.is_untracked && listed.contains(&found.path)));
    Ok(dirt.map(|found| found.path).collect())
}

/// The ignored files in the worktree `folder`, which go with it: a folder in which all is ignored with a `/` at its end;
/// none where there is no such folder. Without what was copied from the project at `root` and is as it is there.
///
/// # Errors
/// When git cannot be asked.
pub(in crate::ops) fn ignored_in(context: &Context, root: &Path, folder: Option<&Path>) -> Result<Vec<String>, Error> {
    let Some(folder) = folder.filter(|folder| folder.is_dir()) else { return Ok(Vec::new()) };
    let is_copy = |path: &RepoPath| {
        let below = to_path(path);
        patterns(root).is_some() && fs::is_same_content(&folder.join(&below), &root.join(&below))
    };
    let ignored = git::ignored(context, folder)?.into_iter().filter(|path| !is_copy(path));
    Ok(ignored.map(|path| path.to_string()).collect())
}

/// What is in the worktree `folder` besides what it has checked out, ignored files too, without what was copied from the
/// project and is as it is there.
///
/// # Errors
/// When git cannot be asked, or a file cannot be read.
pub(super) fn added(context: &Context, task: &Task, folder: &Path) -> Result<Vec<RepoPath>, Error> {
    let mut added = git::differences_with_ignored(context, folder)?;
    added.retain(|found| {
        let below = to_path(&found.path);
        let (there, here) = (folder.join(&below), task.root.join(&below));
        let is_copy = || patterns(&task.root).is_some() && fs::is_same_content(&there, &here);
        !(found.is_untracked && is_copy())
    });
    Ok(added.into_iter().map(|found| found.path).collect())
}

fn patterns(root: &Path) -> Option<PathBuf> {
    Some(root.join(PATTERNS)).filter(|path| path.is_file())
}

/// A path of git as one of this machine.
fn to_path(path: &RepoPath) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        PathBuf::from(std::ffi::OsStr::from_bytes(path.as_bytes()))
    }
    #[cfg(not(unix))]
    PathBuf::from(String::from_utf8_lossy(path.as_bytes()).into_owned())
}
