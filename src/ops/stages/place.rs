//! Branch and worktree of a task, or of a stage: what is there, and making what is not.

use std::path::Path;

use super::undo::Undo;
use super::{StageError, text};
use crate::context::Context;
use crate::domain::ids::CommitId;
use crate::domain::stages::{BranchFact, FolderFact, Obstacle, PlaceFacts, Placement, place};
use crate::git::{Head, History, Limits, Worktree};
use crate::ops::Error;
use crate::ops::task::{Task, is_same_folder};
use crate::store::claim::Made;

/// A place: of the task, or of a stage.
pub(super) struct Place<'a> {
    /// Whose it is, for people.
    pub(super) of: String,
    /// Its branch, a short name.
    pub(super) branch: &'a str,
    /// Its folder.
    pub(super) path: &'a Path,
    /// Whether the registry says that both are its own.
    pub(super) is_own: bool,
    /// What the history of the branch has to hold.
    pub(super) must_hold: &'a [CommitId],
}

impl Place<'_> {
    /// What is to be done for it.
    ///
    /// # Errors
    /// [`StageError::Place`] when something is in the way.
    pub(super) fn decide(&self, context: &Context, task: &Task) -> Result<Placement, Error> {
        match place(&self.facts(context, task)?) {
            Placement::Refuse(obstacle) => Err(self.refusal(task, obstacle)),
            placement => Ok(placement),
        }
    }

    /// Makes what is missing; a branch at `start`.
    pub(super) fn make(
        &self,
        context: &Context,
        task: &Task,
        (placement, start): (&Placement, CommitId),
        undo: &mut Undo<'_>,
    ) -> Result<(), Error> {
        if matches!(placement, Placement::Reuse | Placement::Refuse(_)) {
            return Ok(());
        }
        let path = text(self.path)?;
        if *placement == Placement::Remake {
            task.repository.remove_worktree(context, &path)?;
        }
        let (tip, branch) = (self.tip(context, task)?, self.branch.to_owned());
        let exists = tip.is_some();
        if !exists {
            undo.add(Made::Branch { name: branch.clone(), commit: start.to_string() })?;
        }
        let commit = tip.unwrap_or(start).to_string();
        undo.add(Made::Worktree { path: path.clone(), branch: Some(branch), commit })?;
        task.repository.add_worktree(context, &path, self.branch, Some(start).filter(|_| !exists))?;
        Ok(())
    }

    /// Where the branch stands.
    pub(super) fn tip(&self, context: &Context, task: &Task) -> Result<Option<CommitId>, Error> {
        Ok(task.repository.ref_commit(context, &full_branch(self.branch))?)
    }

    fn facts(&self, context: &Context, task: &Task) -> Result<PlaceFacts, Error> {
        let worktrees = task.repository.worktrees(context)?;
        let full = full_branch(self.branch);
        let is_on = |worktree: &&Worktree| matches!(&worktree.head, Some(Head::Branch(name)) if *name == full);
        let elsewhere = worktrees.iter().filter(is_on).find(|worktree| !is_same_folder(&worktree.path, self.path));
        let own = worktrees.iter().find(|worktree| is_same_folder(&worktree.path, self.path));
        let folder = match own {
            Some(own) if task.repository.is_half_made(&own.git_dir) => FolderFact::HalfMade,
            Some(own) if is_on(&own) && own.path.exists() => FolderFact::OnBranch,
            Some(own) if is_on(&own) => FolderFact::Gone,
            Some(own) => FolderFact::OnOther(checked_out(own)),
            None if is_free(self.path)? => FolderFact::Free,
            None => FolderFact::Foreign,
        };
        let elsewhere = elsewhere.map(|worktree| worktree.path.to_string_lossy().into_owned());
        Ok(PlaceFacts { is_own: self.is_own, branch: self.branch_fact(context, task)?, elsewhere, folder })
    }

    fn branch_fact(&self, context: &Context, task: &Task) -> Result<BranchFact, Error> {
        let Some(tip) = self.tip(context, task)? else { return Ok(BranchFact::None) };
        let mut history = History::new(&task.repository);
        for commit in self.must_hold {
            if history.reaches(context, tip, *commit, Limits::default())? != Some(true) {
                return Ok(BranchFact::LacksBase);
            }
        }
        Ok(BranchFact::HoldsBase)
    }

    fn refusal(&self, task: &Task, obstacle: Obstacle) -> Error {
        let base = self.must_hold.first().map(ToString::to_string);
        let (path, root) = (self.path.to_string_lossy().into_owned(), task.root.to_string_lossy().into_owned());
        StageError::Place { of: self.of.clone(), obstacle, branch: self.branch.to_owned(), path, base, root }.into()
    }
}

/// The full ref name of a branch.
pub(super) fn full_branch(branch: &str) -> String {
    format!("refs/heads/{branch}")
}

fn checked_out(worktree: &Worktree) -> String {
    match &worktree.head {
        Some(Head::Branch(name)) => format!("`{}`", name.strip_prefix("refs/heads/").unwrap_or(name)),
        Some(Head::Detached(commit)) => format!("the commit {}", commit.short()),
        None => "something that cannot be read".to_owned(),
    }
}

/// Whether a worktree can be made there: nothing is, or an empty folder.
fn is_free(path: &Path) -> Result<bool, Error> {
    match path.symlink_metadata() {
        Err(_) => Ok(true),
        Ok(metadata) => Ok(metadata.is_dir() && crate::fs::names_in(path)?.is_empty()),
    }
}
