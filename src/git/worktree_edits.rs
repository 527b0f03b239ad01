//! Making, comparing and removing worktrees, with the git command: as its user has it, without hooks.

use std::path::Path;

use super::{Error, Git, Repository};
use crate::context::Context;
use crate::domain::equivalence::RepoPath;
use crate::domain::ids::CommitId;

/// The file in which git says why a worktree is locked; while one is being made it holds [`INITIALIZING`].
const LOCKED: &str = "locked";
/// What git writes there.
const INITIALIZING: &str = "initializing";

/// What differs in a worktree from what it has checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The path, from the root of the worktree.
    pub path: RepoPath,
    /// Whether git knows nothing of it.
    pub is_untracked: bool,
}

impl Repository {
    /// Makes the worktree `path` with the branch `branch` checked out, which is made at `start` where that is given, and
    /// tracks nothing.
    ///
    /// # Errors
    /// [`Error::GitCommand`] with what git said.
    pub fn add_worktree(
        &self,
        context: &Context,
        path: &str,
        branch: &str,
        start: Option<CommitId>,
    ) -> Result<(), Error> {
        let id = start.map(|commit| commit.to_string());
        let arguments = match &id {
            Some(id) => vec!["worktree", "add", "--quiet", "--no-track", "-b", branch, "--", path, id],
            None => vec!["worktree", "add", "--quiet", "--", path, branch],
        };
        self.users_git().run(context, &arguments).map(drop)
    }

    /// Makes the worktree `path` with `commit` checked out, and no branch.
    ///
    /// # Errors
    /// [`Error::GitCommand`] with what git said.
    pub fn add_detached_worktree(&self, context: &Context, path: &str, commit: CommitId) -> Result<(), Error> {
        let id = commit.to_string();
        self.users_git().run(context, &["worktree", "add", "--quiet", "--detach", "--", path, &id]).map(drop)
    }

    /// Removes the worktree `path`, whatever has changed in it. Links are removed, and not followed.
    ///
    /// # Errors
    /// [`Error::GitCommand`] with what git said.
    pub fn remove_worktree(&self, context: &Context, path: &str) -> Result<(), Error> {
        // Twice: also where git did not come to the end of making it.
        self.users_git().run(context, &["worktree", "remove", "--force", "--force", "--", path]).map(drop)
    }

    /// Joins this repository and its linked worktrees again after either was moved; `paths` are worktrees that are there.
    ///
    /// # Errors
    /// [`Error::GitCommand`] with what git said.
    pub fn repair_worktrees(&self, context: &Context, paths: &[&str]) -> Result<(), Error> {
        self.users_git().run(context, &[&["worktree", "repair", "--"], paths].concat()).map(drop)
    }

    /// Removes the branch `branch`, a short name, if it still is at `commit`.
    ///
    /// # Errors
    /// [`Error::GitCommand`] with what git said.
    pub fn delete_branch(&self, context: &Context, branch: &str, commit: CommitId) -> Result<(), Error> {
        let (name, id) = (format!("refs/heads/{branch}"), commit.to_string());
        Git::plumbing(self).write(context, &["update-ref", "--no-deref", "-d", &name, &id], Vec::new())
    }

    /// Whether git was stopped while it made the worktree with this git folder.
    pub fn is_half_made(&self, git_dir: &Path) -> bool {
        std::fs::read_to_string(git_dir.join(LOCKED)).is_ok_and(|reason| reason.trim() == INITIALIZING)
    }

    /// Whether a branch can have this short name, by git's rules: those of refs, and neither `HEAD` nor an option.
    pub fn is_branch_name(&self, branch: &str) -> bool {
        let is_ref = gix::validate::reference::name(format!("refs/heads/{branch}").as_str().into()).is_ok();
        is_ref && branch != "HEAD" && !branch.starts_with('-')
    }

    fn users_git(&self) -> Git {
        Git::of_user(self.common_dir())
    }
}

/// What differs in the worktree `folder` from its `HEAD`, submodules with it; ignored files do not count.
///
/// # Errors
/// [`Error::GitCommand`] with what git said.
pub fn differences(context: &Context, folder: &Path) -> Result<Vec<Difference>, Error> {
    status(context, folder, "--ignored=no")
}

/// As [`differences`], with the ignored files too, as untracked ones.
///
/// # Errors
/// [`Error::GitCommand`] with what git said.
pub fn differences_with_ignored(context: &Context, folder: &Path) -> Result<Vec<Difference>, Error> {
    status(context, folder, "--ignored=traditional")
}

/// The ignored files in the worktree `folder`; of a folder in which all is ignored only the folder, with a `/` at its end.
///
/// # Errors
/// [`Error::GitCommand`] with what git said.
pub fn ignored(context: &Context, folder: &Path) -> Result<Vec<RepoPath>, Error> {
    let arguments =
        ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal", "--ignored=traditional"];
    let listed = Git::of_user(folder).run(context, &arguments)?;
    let lines = listed.split(|&byte| byte == 0).filter_map(|line| line.strip_prefix(b"!! "));
    Ok(lines.map(RepoPath::from).collect())
}

fn status(context: &Context, folder: &Path, ignored: &str) -> Result<Vec<Difference>, Error> {
    let arguments = [
        "status",
        "--porcelain=v1",
        "-z",
        "--no-renames",
        "--untracked-files=all",
        "--ignore-submodules=none",
        ignored,
    ];
    let listed = Git::of_user(folder).run(context, &arguments)?;
    let lines = listed.split(|&byte| byte == 0).filter(|line| line.len() > 3);
    let is_untracked = |line: &[u8]| line.starts_with(b"??") || line.starts_with(b"!!");
    Ok(lines.map(|line| Difference { is_untracked: is_untracked(line), path: RepoPath::from(&line[3..]) }).collect())
}

/// The files in the worktree `folder` that git knows nothing of and that the patterns in the file `patterns`, written as
/// in `.gitignore`, match. What lies in other repositories is left out.
///
/// # Errors
/// [`Error::GitCommand`] with what git said.
pub fn untracked_matching(context: &Context, folder: &Path, patterns: &Path) -> Result<Vec<RepoPath>, Error> {
    let from = format!("--exclude-from={}", patterns.to_string_lossy());
    let listed = Git::of_user(folder).run(context, &["ls-files", "-z", "--others", "--ignored", &from])?;
    let paths = listed.split(|&byte| byte == 0).filter(|path| !path.is_empty() && !path.ends_with(b"/"));
    Ok(paths.map(RepoPath::from).collect())
}
