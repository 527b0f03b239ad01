//! `task fetch`: brings the records of a task from a remote, and puts them together with those that are here.

mod apply;
mod conflict;
mod plan;
mod theirs;

use std::path::PathBuf;

use serde::Serialize;

use self::plan::{Decided, EntryPlan, Here, Plan};
use self::theirs::{Source, Theirs};
use super::{SharingError, TRIES, fetched, keep_prefix, remote};
use crate::context::Context;
use crate::domain::ids::CommitId;
use crate::domain::names::TaskName;
use crate::git::{History, Limits, Repository, keep};
use crate::ops::lifecycle::{complete_registrations, refresh};
use crate::ops::task::{Selector, Task};
use crate::ops::{Error, doctor, mirror};
use crate::store::{Home, Layout, Project};

pub use conflict::{Conflict, ConflictKind};

/// What to fetch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<PathBuf>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in.
    pub task: Option<String>,
    /// The remote; by default that of the branch that is checked out, else the only one, else `origin`.
    pub remote: Option<String>,
    /// Only say what would be written.
    pub dry_run: bool,
}

/// What became of the records here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// The task is new here.
    New,
    /// What was there was added to what is here.
    Merged,
    /// All of it was here.
    UpToDate,
    /// A person has to decide first, and nothing was written.
    Conflict,
}

/// What was fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The task, `GROUP/ID`.
    pub task: String,
    /// The remote.
    pub remote: String,
    /// The ref that its records were fetched to.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The commit that holds them.
    pub commit: String,
    /// What became of them.
    pub state: State,
    /// The files that are new here, from the project root.
    pub added: Vec<String>,
    /// The files of which the other clone had a later state.
    pub updated: Vec<String>,
    /// How many rows the log got.
    pub rows: usize,
    /// How many lines the timeline got.
    pub events: usize,
    /// Whether something was written into the registry.
    pub registry: bool,
    /// How many commits are kept here from now on.
    pub commits: usize,
    /// What was there and no okstra of this version writes; it was left there.
    pub ignored: Vec<String>,
    /// What only a person can decide.
    pub conflicts: Vec<Conflict>,
    /// Whether nothing was written, since that was only asked for.
    pub dry_run: bool,
}

impl Outcome {
    /// Whether a person has to decide something.
    pub fn needs_a_person(&self) -> bool {
        !self.conflicts.is_empty()
    }
}

/// Fetches the records of a task, and adds here what is missing. Where both sides say something else of one thing, and
/// neither is known to be the later, nothing is written.
///
/// # Errors
/// [`crate::git::Error::Remote`] when the remote cannot be reached, [`SharingError::NotShared`] when it holds nothing of the
/// task, [`SharingError::Unusable`] when what it holds is not what it should be; when something cannot be written.
pub fn run(context: &Context, options: &Options) -> Result<Outcome, Error> {
    let (root, repository) = doctor::root(context, options.project_root.as_deref())?;
    let remote = remote(context, &repository, options.remote.as_deref())?;
    let named = named(context, options)?;
    let there = repository.refs_of_remote(context, &remote, &[mirror::PREFIX.to_owned()])?;
    let shared = || there.iter().filter_map(|(name, _)| name.strip_prefix(mirror::PREFIX)?.parse().ok()).collect();
    let Some(task) = named else { return Err(SharingError::WhichTask { remote, shared: shared() }.into()) };
    let state = mirror::ref_name(&task);
    if !there.iter().any(|(name, _)| *name == state) {
        return Err(SharingError::NotShared { task, remote, shared: shared() }.into());
    }
    let keep = keep_prefix(&task);
    let specs = [format!("+{state}:{}", fetched(&remote, &state)), format!("+{keep}*:{}*", fetched(&remote, &keep))];
    repository.fetch(context, &remote, &specs)?;
    if !options.dry_run {
        complete_registrations(context, &root)?;
    }
    let layout = Layout::new(root);
    let fetching = Fetching { context, repository: &repository, remote: &remote, task: &task, layout, options };
    fetching.take()
}

/// The task that is named, or whose worktree one stands in.
fn named(context: &Context, options: &Options) -> Result<Option<TaskName>, Error> {
    if let Some(text) = &options.task {
        return Ok(Some(text.parse()?));
    }
    match Task::find(context, options.project_root.as_deref(), &Selector::Project(None)) {
        Ok(task) => Ok(Some(task.key.task)),
        Err(Error::NoTask { .. } | Error::NoProject { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What was fetched, about to be taken over.
struct Fetching<'a> {
    context: &'a Context,
    repository: &'a Repository,
    remote: &'a str,
    task: &'a TaskName,
    layout: Layout,
    options: &'a Options,
}

impl Fetching<'_> {
    fn take(&self) -> Result<Outcome, Error> {
        let reference = fetched(self.remote, &mirror::ref_name(self.task));
        let gone =
            || SharingError::NotShared { task: self.task.clone(), remote: self.remote.to_owned(), shared: vec![] };
        let commit = self.repository.ref_commit(self.context, &reference)?.ok_or_else(gone)?;
        let project = Project::read(&self.layout.project())?.map(|project| project.id().clone());
        let is_project = project.is_some();
        let (repository, remote, task) = (self.repository, self.remote, self.task);
        let theirs = Source { repository, remote, task, reference, project }.read(self.context, commit)?;
        let home = Home::find(self.context)?;
        for _ in 0..TRIES {
            let mirror = repository.ref_commit(self.context, &mirror::ref_name(task))?;
            let kept = self.kept()?;
            if self.is_contained(mirror, commit)? {
                if !self.options.dry_run {
                    repository.keep_commits(self.context, &kept)?;
                }
                return Ok(Outcome { commits: kept.len(), ..self.outcome(&theirs, State::UpToDate) });
            }
            let here = Here { repository, layout: &self.layout, home: &home, mirror, is_project };
            let plan = match plan::decide(self.context, &here, &theirs)? {
                Decided::Conflicts(conflicts) => {
                    return Ok(Outcome { conflicts, ..self.outcome(&theirs, State::Conflict) });
                }
                Decided::Plan(plan) => plan,
            };
            let outcome = Outcome { commits: kept.len(), ..self.told(&theirs, &plan) };
            if self.options.dry_run {
                return Ok(outcome);
            }
            repository.keep_commits(self.context, &kept)?;
            if apply::apply(self.context, &here, &theirs, &plan)? {
                self.complete(&theirs)?;
                return Ok(outcome);
            }
        }
        Err(Error::ChangedMeanwhile { log: self.layout.consumers(task) })
    }

    /// Whether the records here were made from what was fetched.
    fn is_contained(&self, mirror: Option<CommitId>, commit: CommitId) -> Result<bool, Error> {
        let Some(mirror) = mirror else { return Ok(false) };
        let mut history = History::new(self.repository);
        let is_made_from = history.reaches(self.context, mirror, commit, Limits::default())? == Some(true);
        Ok(is_made_from && self.layout.manifest(self.task).exists())
    }

    /// The refs that keep the commits of the records, as far as they are not here.
    fn kept(&self) -> Result<Vec<(String, CommitId)>, Error> {
        let prefix = keep_prefix(self.task);
        let below = fetched(self.remote, &prefix);
        let here = self.repository.kept(self.context, self.task)?;
        let mut kept = Vec::new();
        for (name, commit) in self.repository.refs_below(self.context, &below)? {
            let last = name.strip_prefix(&below).unwrap_or_default();
            let is_own = keep::parse(last).is_some_and(|(_, named)| named == commit);
            if !is_own || self.repository.commit_by_id(&commit.to_string())?.is_err() {
                self.context.warn(format!("`{name}` keeps no commit that it is named for, and is left out"));
                continue;
            }
            kept.push((format!("{prefix}{last}"), commit));
        }
        kept.retain(|kept| !here.contains(kept));
        Ok(kept)
    }

    /// Brings up to date what follows from the records, and mirrors them on top of both mirrors.
    fn complete(&self, theirs: &Theirs) -> Result<(), Error> {
        let root = self.layout.root();
        let task = Task::find(self.context, Some(root), &Selector::Project(Some(self.task.to_string())))?;
        refresh(self.context, &task)?;
        mirror::write_onto(self.context, &task, &[theirs.commit])?;
        for lost in plan::lost_commits(self.context, self.repository, theirs)? {
            self.context.warn(lost);
        }
        Ok(())
    }

    fn told(&self, theirs: &Theirs, plan: &Plan) -> Outcome {
        let state = if plan.is_new { State::New } else { State::Merged };
        let paths = |is_new: bool| {
            let writes = plan.writes.iter().filter(move |write| write.before.is_none() == is_new);
            writes.map(|write| format!(".okstra/{}", write.shown)).collect::<Vec<_>>()
        };
        let fields = (!plan.fields.is_empty()).then(|| self.layout.recorded(&self.layout.manifest(self.task)));
        Outcome {
            added: paths(true),
            updated: paths(false).into_iter().chain(fields).collect(),
            rows: plan.rows.len(),
            events: plan.events.len(),
            registry: !matches!(plan.entry, EntryPlan::Nothing),
            ..self.outcome(theirs, state)
        }
    }

    fn outcome(&self, theirs: &Theirs, state: State) -> Outcome {
        Outcome {
            task: self.task.to_string(),
            remote: self.remote.to_owned(),
            reference: theirs.reference.clone(),
            commit: theirs.commit.to_string(),
            state,
            added: Vec::new(),
            updated: Vec::new(),
            rows: 0,
            events: 0,
            registry: false,
            commits: 0,
            ignored: theirs.ignored.clone(),
            conflicts: Vec::new(),
            dry_run: self.options.dry_run,
        }
    }
}
