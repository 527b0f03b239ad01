//! Where the branch of a task starts that the registry knows, and that is not in this clone: its records came from another
//! one, or the branch was deleted.

use super::StageError;
use crate::context::Context;
use crate::domain::base::{Follow, Next, decide, next};
use crate::domain::equivalence::Candidate;
use crate::domain::ids::CommitId;
use crate::domain::registry::TaskEntry;
use crate::domain::stages::{RecordedCommit, StartFacts, TaskStart, task_start};
use crate::git::{History, Limits};
use crate::ops::Error;
use crate::ops::reconcile::Work;
use crate::ops::task::Task;

/// Below it lies what remotes have.
const TRACKING: &str = "refs/remotes/";

/// The commit at which `branch`, a short name, is made: where the work is, as far as any is recorded in `entry`; at `base`
/// where all of that is proved to have landed, or nothing is recorded.
///
/// # Errors
/// [`StageError::LostWork`] when what is recorded is not in this clone.
pub(super) fn start(
    context: &Context,
    task: &Task,
    (entry, branch): (&TaskEntry, &str),
    base: &Candidate,
) -> Result<CommitId, Error> {
    let integration = last_integration(context, task, entry)?;
    let anchor = match &entry.implementation_base_commit {
        None => RecordedCommit::None,
        Some(id) => recorded(task, "its anchor", id)?,
    };
    let needed = match (&integration, &anchor) {
        (RecordedCommit::There(commit), _) | (RecordedCommit::None, RecordedCommit::There(commit)) => Some(*commit),
        _ => None,
    };
    let tracking = match needed {
        Some(commit) => tracking(context, task, branch, commit)?,
        None => Vec::new(),
    };
    match task_start(&StartFacts { integration, anchor, tracking }) {
        TaskStart::Base => Ok(base.commit),
        TaskStart::At(commit) if landed(context, task, commit, base)? => Ok(base.commit),
        TaskStart::At(commit) => Ok(commit),
        TaskStart::Lost(what) => {
            Err(StageError::LostWork { task: task.key.task.clone(), branch: branch.to_owned(), what }.into())
        }
    }
}

/// Whether the base holds the work, by ancestry or by its content: as `task sync` decides it.
fn landed(context: &Context, task: &Task, work: CommitId, base: &Candidate) -> Result<bool, Error> {
    let mut facts = Work::read(context, task)?;
    let how = match next(facts.reaches(work, base.commit)?, facts.reaches(base.commit, work)?) {
        Next::Decided(how) => how,
        Next::Search => decide(&facts.span_in((None, work), base)?),
    };
    Ok(matches!(how, Follow::FastForward | Follow::Restart))
}

/// The integration that holds all others; where none does, since two clones integrated at once, the last one.
fn last_integration(context: &Context, task: &Task, entry: &TaskEntry) -> Result<RecordedCommit, Error> {
    let mut commits = Vec::new();
    for made in entry.integrations.iter().rev() {
        match recorded(task, "the integration", &made.commit)? {
            RecordedCommit::There(commit) => commits.push(commit),
            gone => return Ok(gone),
        }
    }
    let mut history = History::new(&task.repository);
    for &commit in &commits {
        let mut holds = |other: &CommitId| history.reaches(context, commit, *other, Limits::default());
        if commits.iter().try_fold(true, |all, other| Ok::<_, crate::git::Error>(all && holds(other)? == Some(true)))? {
            return Ok(RecordedCommit::There(commit));
        }
    }
    Ok(commits.first().map_or(RecordedCommit::None, |commit| RecordedCommit::There(*commit)))
}

fn recorded(task: &Task, what: &str, id: &str) -> Result<RecordedCommit, Error> {
    Ok(match task.repository.commit_by_id(id)? {
        Ok(commit) => RecordedCommit::There(commit),
        Err(_) => RecordedCommit::Gone(format!("{what} {id}")),
    })
}

/// Where remotes have `branch`, those of them that hold `needed`; `origin` first.
fn tracking(context: &Context, task: &Task, branch: &str, needed: CommitId) -> Result<Vec<CommitId>, Error> {
    let repository = &task.repository;
    let mut remotes = repository.remotes();
    remotes.sort_by_key(|remote| remote != "origin");
    let mut history = History::new(repository);
    let mut found = Vec::new();
    for remote in remotes {
        let tip = repository.ref_commit(context, &format!("{TRACKING}{remote}/{branch}"))?;
        if let Some(tip) = tip
            && history.reaches(context, tip, needed, Limits::default())? == Some(true)
        {
            found.push(tip);
        }
    }
    Ok(found)
}
