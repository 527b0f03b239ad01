//! `task sync`: the task branch follows its base. Nothing is fetched.

mod look;
mod record;

use std::path::PathBuf;

use serde::Serialize;

use self::look::Found;
use super::lifecycle::complete_registrations;
use super::reconcile::typed;
use super::stages::idle::refuse_open_runs;
use super::stages::trunk::{self, Trunk};
use super::stages::{StageError, lock_worktrees};
use super::task::{Selector, Task};
use super::{Error, mirror};
use crate::context::Context;
pub use crate::domain::base::Follow;
use crate::domain::equivalence::Proof;
use crate::domain::ids::CommitId;
use crate::git;

/// Which task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<PathBuf>,
    /// The task, `GROUP/ID`; by default that of the worktree one stands in.
    pub task: Option<String>,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The task, `PROJECT/GROUP/ID`.
    pub task: String,
    /// Its branch, a short name.
    pub branch: String,
    /// What was done with it.
    pub how: Follow,
    /// The base that it follows, a full ref name.
    pub base: String,
    /// Where the base is.
    pub base_commit: String,
    /// Where the branch was.
    pub before: String,
    /// Where it is now.
    pub commit: String,
    /// Where its content landed, where it starts again from there.
    pub landed: Option<String>,
    /// What proves that.
    pub proof: Option<Proof>,
    /// Why, one sentence.
    pub reason: String,
}

/// Lets the task branch follow its base: it moves on where the base holds all of it, starts again where its content is
/// proved to have landed there, and else gets the base merged in. Doing it again changes nothing.
///
/// # Errors
/// [`Error::OpenRuns`], [`StageError::Dirty`] and what else [`Trunk::open_or_make`] refuses, [`Error::NoBaseRef`],
/// [`Error::BaseConflict`] with the files; nothing has then changed.
pub fn run(context: &Context, options: &Options) -> Result<Outcome, Error> {
    let task = Task::find(context, options.project_root.as_deref(), &Selector::Project(options.task.clone()))?;
    complete_registrations(context, &task.root)?;
    let entry = task.registry().read(&task.key)?.unwrap_or_default();
    if entry.branch.is_none() {
        return Err(StageError::NoTaskWorktree { task: task.key.task.clone(), path: None }.into());
    }
    let _alone = trunk::lock(context, &task)?;
    refuse_open_runs(context, &task)?;
    let trunk = Trunk::open_or_make(context, &task)?;
    record::complete(context, &task, trunk.head)?;
    let found = look::find(context, &task, &trunk)?;
    let commit = match found.how {
        Follow::Nothing => {
            record::tell_what_was_not(context, &task, trunk.head, &found.base)?;
            trunk.head
        }
        _ => follow(context, &task, &trunk, &found)?,
    };
    mirror::write_or_warn(context, &task)?;
    Ok(Outcome {
        task: task.key.to_string(),
        branch: trunk.branch,
        how: found.how,
        base: found.base.name,
        base_commit: found.base.commit.to_string(),
        before: trunk.head.to_string(),
        commit: commit.to_string(),
        landed: found.landed.as_ref().map(|(landed, _)| landed.to_string()),
        proof: found.landed.map(|(_, proof)| proof),
        reason: found.reason,
    })
}

/// Moves the branch; gives where it is then.
fn follow(context: &Context, task: &Task, trunk: &Trunk, found: &Found) -> Result<CommitId, Error> {
    let to = match found.how {
        Follow::Merge => merge(context, task, trunk, found)?,
        _ => found.base.commit,
    };
    {
        // A run that is prepared meanwhile makes worktrees under this lock.
        let _alone = lock_worktrees(context, task)?;
        refuse_open_runs(context, task)?;
        if Trunk::open(context, task)?.head != trunk.head {
            return Err(Error::ChangedMeanwhile { log: task.log() });
        }
        if found.how != Follow::FastForward {
            record::keep_old_tip(context, task, trunk.head)?;
        }
        match found.how {
            Follow::Restart => start_again(context, task, trunk, to)?,
            _ => git::fast_forward(context, &trunk.folder, to)?,
        }
    }
    record::tell(context, task, (trunk.head, to), (found.how, &found.base.name))?;
    Ok(to)
}

/// Merges the base into the task branch, as a commit of which no ref knows yet.
fn merge(context: &Context, task: &Task, trunk: &Trunk, found: &Found) -> Result<CommitId, Error> {
    let base = typed(&found.base.name);
    let kind = match &found.base.name {
        name if name.starts_with("refs/heads/") => "branch",
        name if name.starts_with("refs/remotes/") => "remote-tracking branch",
        name if name.starts_with("refs/tags/") => "tag",
        _ => "commit",
    };
    let message = format!("Merge {kind} '{base}' into {}", trunk.branch);
    match task.repository.merge_as_commit(context, (trunk.head, found.base.commit), &message)? {
        git::MergeCommit::Made(commit) => Ok(commit),
        git::MergeCommit::Conflict(files) => Err(Error::BaseConflict {
            base: base.to_owned(),
            branch: trunk.branch.clone(),
            files: files.iter().map(ToString::to_string).collect(),
            folder: trunk.folder.clone(),
        }),
    }
}

/// Starts the branch again. What somebody committed on it in the very moment stays kept.
fn start_again(context: &Context, task: &Task, trunk: &Trunk, to: CommitId) -> Result<(), Error> {
    git::start_again(context, &trunk.folder, &trunk.branch, to)?;
    let left = git::moved_from(context, &trunk.folder, &trunk.branch)?;
    if let Some(left) = left.filter(|left| *left != trunk.head && *left != to) {
        record::keep_old_tip(context, task, left)?;
        let short = left.short();
        context.warn(format!(
            "{short} was committed on `{}` meanwhile, and is kept: git cherry-pick {short}",
            trunk.branch
        ));
    }
    Ok(())
}
