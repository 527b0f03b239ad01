//! The places of a task: its branch and worktree, those of its stages, and the worktrees of workers that only looked.

use std::fmt;
use std::path::{Path, PathBuf};

use super::Removed;
use crate::context::Context;
use crate::domain::base::PlaceFacts;
use crate::domain::ids::CommitId;
use crate::domain::registry::TaskEntry;
use crate::domain::run::WorkerRole;
use crate::git::{Head, Worktree};
use crate::ops::Error;
use crate::ops::lifecycle::layout_of;
use crate::ops::stages::done::dirty;
use crate::ops::stages::{ignored_in, include};
use crate::ops::task::{Task, is_inside, is_same_folder};
use crate::store::runs;

/// Whose a place is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Task,
    Stage(u32),
    /// A worker of a run, who only looked.
    Snapshot(String),
}

/// A branch and a worktree; one of them may be missing, or both.
pub(super) struct Place {
    pub(super) of: Of,
    /// A short name.
    pub(super) branch: Option<String>,
    pub(super) tip: Option<CommitId>,
    folder: Option<PathBuf>,
    /// As git has it.
    pub(super) worktree: Option<Worktree>,
    /// The commit that the work began at, where that is known.
    pub(super) start: Option<CommitId>,
    pub(super) facts: PlaceFacts,
}

impl Place {
    /// Whether there is something that could go.
    pub(super) fn is_there(&self) -> bool {
        self.tip.is_some() || self.worktree.is_some()
    }

    /// The commits that would go with it: the tip of its branch, and what the worktree has checked out without one.
    pub(super) fn commits(&self) -> Vec<CommitId> {
        let detached = match self.worktree.as_ref().and_then(|worktree| worktree.head.clone()) {
            Some(Head::Detached(commit)) => Some(commit),
            _ => None,
        };
        let mut commits: Vec<CommitId> = self.tip.into_iter().chain(detached).collect();
        commits.dedup();
        commits
    }

    /// Its folder, where something is there.
    pub(super) fn folder_text(&self) -> Option<String> {
        let folder = self.folder.as_ref().filter(|folder| folder.symlink_metadata().is_ok())?;
        Some(folder.to_string_lossy().into_owned())
    }

    /// Whether somebody who stands in `folder` stands in its worktree.
    pub(super) fn holds(&self, folder: &Path) -> bool {
        self.worktree.as_ref().is_some_and(|worktree| is_inside(folder, &worktree.path))
    }

    pub(super) fn removed(&self, context: &Context, task: &Task, safe: Option<String>) -> Result<Removed, Error> {
        let worktree = self.worktree.as_ref();
        Ok(Removed {
            of: self.of.to_string(),
            worktree: worktree.map(|worktree| worktree.path.to_string_lossy().into_owned()),
            branch: self.tip.and(self.branch.clone()),
            commit: self.tip.map(|tip| tip.to_string()),
            safe,
            ignored: ignored_in(context, &task.root, worktree.map(|worktree| worktree.path.as_path()))?,
        })
    }
}

/// All places of the task, with what is known of each but for its commits.
pub(super) fn find(context: &Context, task: &Task, entry: &TaskEntry) -> Result<Vec<Place>, Error> {
    let worktrees = task.repository.worktrees(context)?;
    let commit = |text: &Option<String>| match text {
        Some(text) => Ok::<_, Error>(task.repository.commit_by_id(text)?.ok()),
        None => Ok(None),
    };
    let mut wanted =
        vec![(Of::Task, entry.branch.clone(), entry.worktree_path.clone(), &entry.implementation_base_commit)];
    for (number, stage) in &entry.stages {
        // Without a base it was reserved and never made: what has its name is somebody else's, and only the row goes.
        let (branch, folder) = match stage.base_ref {
            Some(_) => (stage.branch.clone(), stage.worktree_path.clone()),
            None => (None, None),
        };
        wanted.push((Of::Stage(*number), branch, folder, &stage.base_ref));
    }
    let mut places = Vec::new();
    for (of, branch, folder, start) in wanted {
        let found = (of, branch, folder.map(PathBuf::from), commit(start)?);
        places.push(place(context, task, &worktrees, found)?);
    }
    for (name, folder) in snapshots(task)? {
        let is_one = |worktree: &&Worktree| {
            is_same_folder(&worktree.path, &folder) && matches!(worktree.head, Some(Head::Detached(_)))
        };
        if worktrees.iter().any(|worktree| is_one(&worktree)) {
            places.push(place(context, task, &worktrees, (Of::Snapshot(name), None, Some(folder), None))?);
        }
    }
    for place in &mut places {
        place.facts.base_of = base_of(task, place)?;
    }
    Ok(places)
}

/// The folders of workers of ended runs who only looked, and that are still there.
fn snapshots(task: &Task) -> Result<Vec<(String, PathBuf)>, Error> {
    let mut found = Vec::new();
    for run in runs::read_all(layout_of(task)?, &task.key)?.into_iter().filter(|run| !run.is_open()) {
        let lookers = run.manifest.workers.iter();
        for worker in lookers.filter(|worker| matches!(worker.role, WorkerRole::Analyst | WorkerRole::Verifier)) {
            let folder = worker.worktree.as_ref().map(PathBuf::from).filter(|folder| folder.is_dir());
            found.extend(folder.map(|folder| (format!("{} of {}", worker.name, run.name), folder)));
        }
    }
    found.dedup_by(|a, b| a.1 == b.1);
    Ok(found)
}

fn place(
    context: &Context,
    task: &Task,
    worktrees: &[Worktree],
    (of, branch, folder, start): (Of, Option<String>, Option<PathBuf>, Option<CommitId>),
) -> Result<Place, Error> {
    let is_own = |worktree: &&Worktree| folder.as_ref().is_some_and(|own| is_same_folder(&worktree.path, own));
    // The main worktree is nobody's to remove.
    let worktree = worktrees.iter().filter(|worktree| worktree.name.is_some()).find(is_own).cloned();
    let full = branch.as_ref().map(|branch| format!("refs/heads/{branch}"));
    let tip = match &full {
        Some(full) => task.repository.ref_commit(context, full)?,
        None => None,
    };
    let metadata = folder.as_ref().and_then(|folder| folder.symlink_metadata().ok());
    let is_link = metadata.as_ref().is_some_and(std::fs::Metadata::is_symlink);
    let mut facts =
        PlaceFacts { is_foreign: is_link || (metadata.is_some() && worktree.is_none()), ..PlaceFacts::default() };
    let elsewhere = worktrees.iter().filter(|other| !is_own(other) && other.path.exists());
    let is_on =
        |other: &&Worktree| matches!((&other.head, &full), (Some(Head::Branch(name)), Some(full)) if name == full);
    facts.elsewhere = elsewhere.into_iter().find(is_on).map(|other| other.path.to_string_lossy().into_owned());
    if let Some(worktree) = worktree.as_ref().filter(|_| !is_link) {
        let lock = std::fs::read_to_string(worktree.git_dir.join("locked")).ok();
        facts.locked =
            lock.filter(|_| !task.repository.is_half_made(&worktree.git_dir)).map(|why| why.trim().to_owned());
        facts.has_submodules = worktree.git_dir.join("modules").exists();
        if worktree.path.exists() {
            let dirt = include::dirt(context, task, &worktree.path)?;
            facts.dirt = dirt.iter().map(ToString::to_string).collect();
        }
    }
    Ok(Place { of, branch, tip, folder, worktree, start, facts })
}

/// Another task that grew from the branch of a place.
fn base_of(task: &Task, place: &Place) -> Result<Option<String>, Error> {
    let Some(full) = place.branch.as_ref().filter(|_| place.tip.is_some()).map(|branch| format!("refs/heads/{branch}"))
    else {
        return Ok(None);
    };
    let clone = task.repository.common_dir().to_string_lossy();
    let grew = |entry: &TaskEntry| {
        entry.base_ref.as_deref() == Some(&full)
            && !entry.has_no_place()
            && entry.git_common_dir.as_ref().is_none_or(|other| *other == clone)
    };
    let all = task.registry().read_all()?;
    Ok(all.into_iter().find(|(key, entry)| *key != task.key.to_string() && grew(entry)).map(|(key, _)| key))
}

/// Refuses to go on while somebody works in one of the worktrees.
pub(super) fn refuse_work_under_way(context: &Context, task: &Task, places: &[Place]) -> Result<(), Error> {
    for place in places {
        let branch = place.branch.as_ref().map(|branch| format!("refs/heads/{branch}"));
        let head = place.worktree.as_ref().map(|worktree| worktree.head_name.clone());
        for reference in head.into_iter().chain(branch) {
            if let Some(operation) = task.repository.operation_in_progress(context, &reference)? {
                return Err(Error::OperationInProgress { reference, operation });
            }
        }
        // What a worker left where it only looked is listed.
        if let (Some(worktree), false) = (&place.worktree, matches!(place.of, Of::Snapshot(_)))
            && !place.facts.dirt.is_empty()
        {
            let dirt = include::dirt(context, task, &worktree.path)?;
            return Err(dirty(&place.of.to_string(), &worktree.path, &dirt));
        }
    }
    Ok(())
}

impl fmt::Display for Of {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task => f.write_str("the task"),
            Self::Stage(number) => write!(f, "stage {number}"),
            Self::Snapshot(of) => f.write_str(of),
        }
    }
}
