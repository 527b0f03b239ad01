//! Merges as commits: made in memory, as the user's git would make them, then one fast-forward.

use std::path::Path;

use super::{Error, Git, Repository};
use crate::context::Context;
use crate::domain::equivalence::RepoPath;
use crate::domain::ids::{CommitId, ObjectId};
use crate::process::Ending;

/// What a merge gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeCommit {
    /// This commit, which no ref has yet.
    Made(CommitId),
    /// Conflicts in these files.
    Conflict(Vec<RepoPath>),
}

impl Repository {
    /// Merges `theirs` into `ours`, as a commit with both as parents. Neither a worktree nor a ref changes. Where the user's
    /// configuration does not say who they are, okstra commits.
    ///
    /// # Errors
    /// [`Error::GitCommand`] with what git said.
    pub fn merge_as_commit(
        &self,
        context: &Context,
        (ours, theirs): (CommitId, CommitId),
        message: &str,
    ) -> Result<MergeCommit, Error> {
        let git = Git::of_user(self.common_dir());
        let (ours, theirs) = (ours.to_string(), theirs.to_string());
        let merge = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", &ours, &theirs];
        let (ending, stdout, stderr) = git.try_run(context, &merge, |command| command)?;
        let mut parts = stdout.split(|&byte| byte == 0).filter(|part| !part.is_empty());
        let tree = parts.next().map(|id| String::from_utf8_lossy(id).into_owned()).unwrap_or_default();
        match ending {
            Ending::Code(0) => {}
            Ending::Code(1) => {
                let mut files: Vec<RepoPath> = parts.map(RepoPath::from).collect();
                files.dedup();
                return Ok(MergeCommit::Conflict(files));
            }
            _ => return Err(git.failed(&merge, &stderr)),
        }
        let identified = identified(context, git)?;
        let commit = ["commit-tree", &tree, "-p", &ours, "-p", &theirs, "-m", message];
        let made = identified.run(context, &commit)?;
        let id = String::from_utf8_lossy(made.trim_ascii()).parse::<ObjectId>();
        id.map(|id| MergeCommit::Made(CommitId(id))).map_err(|_| identified.failed(&commit, &made))
    }
}

/// Moves the branch that is checked out in the worktree `folder`, and its files, on to `commit`, which is ahead of it.
///
/// # Errors
/// [`Error::GitCommand`] with what git said; nothing has then changed.
pub fn fast_forward(context: &Context, folder: &Path, commit: CommitId) -> Result<(), Error> {
    let id = commit.to_string();
    let arguments = [
        "merge",
        "--ff-only",
        "--quiet",
        "--no-stat",
        "--no-autostash",
        "--no-verify-signatures",
        "--no-overwrite-ignore",
        &id,
    ];
    Git::of_user(folder).run(context, &arguments).map(drop)
}

/// Lets the branch `branch`, a short name, that is checked out in the worktree `folder` start again at `commit`, its files with
/// it. What is changed there, ignored or untracked and in the way stops it.
///
/// # Errors
/// [`Error::GitCommand`] with what git said; nothing has then changed.
pub fn start_again(context: &Context, folder: &Path, branch: &str, commit: CommitId) -> Result<(), Error> {
    let id = commit.to_string();
    let arguments = ["checkout", "--quiet", "--no-overwrite-ignore", "--no-track", "-B", branch, &id, "--"];
    Git::of_user(folder).run(context, &arguments).map(drop)
}

/// Where the branch that is checked out in the worktree `folder` was before it was moved last; `None` where git has not
/// written that down.
///
/// # Errors
/// [`Error::GitCommand`] when git cannot be asked.
pub fn moved_from(context: &Context, folder: &Path, branch: &str) -> Result<Option<CommitId>, Error> {
    let before = format!("refs/heads/{branch}@{{1}}");
    let told = Git::of_user(folder).ask(context, &["rev-parse", "--verify", "--quiet", "--end-of-options", &before])?;
    let id = told.and_then(|id| String::from_utf8_lossy(id.trim_ascii()).parse::<ObjectId>().ok());
    Ok(id.map(CommitId))
}

/// git as the user, or as okstra where nothing says who that is.
fn identified(context: &Context, git: Git) -> Result<Git, Error> {
    let ask = ["-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT"];
    match git.try_run(context, &ask, |command| command)?.0 {
        Ending::Code(0) => Ok(git),
        _ => {
            let now = u64::try_from(context.clock().moment().seconds()).unwrap_or_default();
            Ok(git.as_committer("okstra", "okstra@localhost", now))
        }
    }
}
