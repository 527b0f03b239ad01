//! `task share`: pushes the records of a task, and the commits that they name, to a remote.

use std::path::PathBuf;

use serde::Serialize;

use super::{SharingError, TRIES, keep_prefix, remote};
use crate::context::Context;
use crate::domain::ids::CommitId;
use crate::domain::sharing::{PushedRef, ShareFacts, SharePlan, plan_share};
use crate::domain::shell;
use crate::git::{self, History, Limits, Push, keep};
use crate::ops::lifecycle::{complete_registrations, layout_of};
use crate::ops::task::{Selector, Task};
use crate::ops::{Error, mirror};
use crate::store::consumers;

/// What to share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<PathBuf>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in.
    pub task: Option<String>,
    /// The remote; by default that of the branch that is checked out, else the only one, else `origin`.
    pub remote: Option<String>,
    /// Only say what would be pushed.
    pub dry_run: bool,
}

/// What was pushed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The task, `GROUP/ID`.
    pub task: String,
    /// The remote.
    pub remote: String,
    /// The commit that holds the records.
    pub commit: String,
    /// The refs that were moved there; none where the remote had all of it.
    pub pushed: Vec<PushedRef>,
    /// Whether nothing was pushed, since that was only asked for.
    pub dry_run: bool,
}

/// Pushes what the remote lacks: all of it or nothing. Nothing is removed there, and no ref is moved but forward.
///
/// # Errors
/// [`SharingError::FetchFirst`] when the remote has records that are not here, [`git::Error::Remote`] when it cannot be
/// reached, [`git::Error::Refused`] when it does not take something; those of finding the task and mirroring it.
pub fn run(context: &Context, options: &Options) -> Result<Outcome, Error> {
    let task = Task::find(context, options.project_root.as_deref(), &Selector::Project(options.task.clone()))?;
    layout_of(&task)?;
    let remote = remote(context, &task.repository, options.remote.as_deref())?;
    complete_registrations(context, &task.root)?;
    mirror::refuse_lost_log(context, &task)?;
    pin(context, &task)?;
    mirror::write(context, &task)?;
    let mut refused: Option<(Vec<PushedRef>, git::Error)> = None;
    for _ in 0..TRIES {
        let facts = facts(context, &task, &remote)?;
        let SharePlan::Push(pushed) = plan_share(&facts) else {
            return Err(fetch_first(&task, &remote, options).into());
        };
        let outcome = Outcome {
            task: task.key.task.to_string(),
            remote: remote.clone(),
            commit: facts.ours.to_string(),
            pushed,
            dry_run: options.dry_run,
        };
        if outcome.pushed.is_empty() || options.dry_run {
            return Ok(outcome);
        }
        // Somebody may have been faster, which shows when it is looked at again.
        if refused.as_ref().is_some_and(|(before, _)| *before == outcome.pushed) {
            break;
        }
        let refs: Vec<_> = outcome.pushed.iter().map(|pushed| (pushed.name.clone(), pushed.new)).collect();
        match task.repository.push(context, &remote, &refs)? {
            Push::Done => return Ok(outcome),
            Push::Rejected { name, reason } => {
                let path = task.root.clone();
                let error = git::Error::Refused { remote: remote.clone(), name, path, reason };
                refused = Some((outcome.pushed, error));
            }
        }
    }
    Err(refused.map_or_else(|| Error::ChangedMeanwhile { log: task.log() }, |(_, error)| error.into()))
}

fn fetch_first(task: &Task, remote: &str, options: &Options) -> SharingError {
    let name = task.key.task.to_string();
    let mut words = vec!["okstra", "task", "fetch", "--task", &name, "--remote", remote];
    let root = options.project_root.as_ref().map(|root| root.to_string_lossy().into_owned());
    words.extend(root.iter().flat_map(|root| ["--project-root", root]));
    let command = shell::command(words);
    SharingError::FetchFirst { task: task.key.task.clone(), remote: remote.to_owned(), command }
}

/// Makes sure that refs keep all commits that are recorded and exist: what no ref has is not pushed.
fn pin(context: &Context, task: &Task) -> Result<(), Error> {
    let name = &task.key.task;
    let done = consumers::read_done(&task.log(), context, &task.key, None)?;
    let entry = task.registry().read(&task.key)?.unwrap_or_default();
    let mut refs = Vec::new();
    for (stage, done) in done {
        for row in std::iter::once(done.latest).chain(done.witness) {
            refs.extend(existing(task, &row.head_commit)?.map(|commit| (keep::ref_name(name, stage, commit), commit)));
        }
    }
    for made in &entry.integrations {
        refs.extend(existing(task, &made.commit)?.map(|commit| (keep::integration_ref_name(name, commit), commit)));
    }
    if let Some(anchor) = &entry.implementation_base_commit {
        refs.extend(existing(task, anchor)?.map(|commit| (keep::anchor_ref_name(name, commit), commit)));
    }
    refs.sort();
    refs.dedup();
    Ok(task.repository.keep_commits(context, &refs)?)
}

fn existing(task: &Task, text: &str) -> Result<Option<CommitId>, Error> {
    Ok(task.repository.commit_by_id(text)?.ok())
}

/// What is here, and what the remote has.
fn facts(context: &Context, task: &Task, remote: &str) -> Result<ShareFacts, Error> {
    let (name, repository) = (&task.key.task, &task.repository);
    let state = mirror::ref_name(name);
    let missing = || Error::NoMirror { task: name.clone(), root: task.root.clone(), mirrored: Vec::new() };
    let ours = repository.ref_commit(context, &state)?.ok_or_else(missing)?;
    let there = repository.refs_of_remote(context, remote, &[state.clone(), keep_prefix(name)])?;
    let theirs = there.iter().find(|(name, _)| *name == state).map(|(_, commit)| *commit);
    let is_contained = match theirs {
        Some(theirs) if existing(task, &theirs.to_string())?.is_some() => {
            let mut history = History::new(repository);
            history.reaches(context, ours, theirs, Limits::default())? == Some(true)
        }
        _ => false,
    };
    let kept_there = there.into_iter().filter(|(name, _)| *name != state).collect();
    Ok(ShareFacts { state, ours, theirs, is_contained, kept: repository.kept(context, name)?, kept_there })
}
