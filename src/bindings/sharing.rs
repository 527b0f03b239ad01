//! `taskShare`, `taskFetch`: a task in another clone.

use napi::bindgen_prelude::{AsyncTask, Either, Null};
use napi_derive::napi;
use okstra::ops::sharing::{fetch, share};

use crate::content_merged::word;
use crate::git_reconcile::or_null;
use crate::job::{Cancel, Job, start};

/// What to share.
#[napi(object)]
pub struct TaskShareOptions {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<String>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in.
    pub task: Option<String>,
    /// The remote; by default that of the branch that is checked out, else the only one, else `origin`.
    pub remote: Option<String>,
    /// Only say what would be pushed.
    pub dry_run: Option<bool>,
}

/// What was pushed.
#[napi(object)]
pub struct TaskShared {
    /// The task, `GROUP/ID`.
    pub task: String,
    /// The remote.
    pub remote: String,
    /// The commit that holds the records.
    pub commit: String,
    /// The refs that were moved there; none where the remote had all of it.
    pub pushed: Vec<TaskPushedRef>,
    /// Whether nothing was pushed, since that was only asked for.
    pub dry_run: bool,
}

/// A ref that is moved on a remote.
#[napi(object)]
pub struct TaskPushedRef {
    /// Its full name.
    #[napi(js_name = "ref")]
    pub reference: String,
    /// Where the remote had it; null where it had it not.
    pub old: Either<String, Null>,
    /// Where it is.
    pub new: String,
}

/// What to fetch.
#[napi(object)]
pub struct TaskFetchOptions {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<String>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in.
    pub task: Option<String>,
    /// The remote; by default that of the branch that is checked out, else the only one, else `origin`.
    pub remote: Option<String>,
    /// Only say what would be written.
    pub dry_run: Option<bool>,
}

/// What was fetched.
#[napi(object)]
pub struct TaskFetched {
    /// The task, `GROUP/ID`.
    pub task: String,
    /// The remote.
    pub remote: String,
    /// The ref that its records were fetched to.
    #[napi(js_name = "ref")]
    pub reference: String,
    /// The commit that holds them.
    pub commit: String,
    /// What became of them: the task is new here; what was there was added; all of it was here; a person has to decide
    /// first, and nothing was written.
    #[napi(ts_type = "'new' | 'merged' | 'up-to-date' | 'conflict'")]
    pub state: String,
    /// The files that are new here, from the project root.
    pub added: Vec<String>,
    /// The files of which the other clone had a later state.
    pub updated: Vec<String>,
    /// How many rows the log got.
    pub rows: u32,
    /// How many lines the timeline got.
    pub events: u32,
    /// Whether something was written into the registry.
    pub registry: bool,
    /// How many commits are kept here from now on.
    pub commits: u32,
    /// What was there and no okstra of this version writes; it was left there.
    pub ignored: Vec<String>,
    /// What only a person can decide.
    pub conflicts: Vec<TaskConflict>,
    /// Whether nothing was written, since that was only asked for.
    pub dry_run: bool,
}

/// Something that is one thing here and another there.
#[napi(object)]
pub struct TaskConflict {
    /// What kind of thing.
    #[napi(ts_type = "'stage' | 'run' | 'file' | 'manifest' | 'registry'")]
    pub kind: String,
    /// What it is.
    pub what: String,
    /// The stage that it is about.
    pub stage: Either<u32, Null>,
    /// The run that it is about.
    pub run: Either<String, Null>,
    /// The files that differ, from the project root.
    pub paths: Vec<String>,
    /// What is here.
    pub ours: String,
    /// What is there.
    pub theirs: String,
    /// Commands that show both.
    pub look: Vec<String>,
    /// What takes over what is there.
    pub way_out: String,
}

/// Pushes the records of a task to a remote, and the commits that they name: all of it or nothing.
#[napi(ts_return_type = "Promise<TaskShared>")]
pub fn task_share(options: TaskShareOptions, cancel: &Cancel) -> AsyncTask<Job<TaskShared>> {
    let TaskShareOptions { project_root, task, remote, dry_run } = options;
    let (project_root, dry_run) = (project_root.map(Into::into), dry_run.unwrap_or(false));
    let options = share::Options { project_root, task, remote, dry_run };
    start(cancel, move |context| Ok(share::run(context, &options)?.into()))
}

/// Brings the records of a task from a remote, and adds what is missing here. Where something is one thing here and another
/// there, nothing is written.
#[napi(ts_return_type = "Promise<TaskFetched>")]
pub fn task_fetch(options: TaskFetchOptions, cancel: &Cancel) -> AsyncTask<Job<TaskFetched>> {
    let TaskFetchOptions { project_root, task, remote, dry_run } = options;
    let (project_root, dry_run) = (project_root.map(Into::into), dry_run.unwrap_or(false));
    let options = fetch::Options { project_root, task, remote, dry_run };
    start(cancel, move |context| Ok(fetch::run(context, &options)?.into()))
}

impl From<share::Outcome> for TaskShared {
    fn from(outcome: share::Outcome) -> Self {
        let share::Outcome { task, remote, commit, pushed, dry_run } = outcome;
        let pushed = pushed.into_iter().map(|pushed| TaskPushedRef {
            reference: pushed.name,
            old: or_null(pushed.old.map(|old| old.to_string())),
            new: pushed.new.to_string(),
        });
        Self { task, remote, commit, pushed: pushed.collect(), dry_run }
    }
}

impl From<fetch::Outcome> for TaskFetched {
    fn from(outcome: fetch::Outcome) -> Self {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self {
            task: outcome.task,
            remote: outcome.remote,
            reference: outcome.reference,
            commit: outcome.commit,
            state: word(outcome.state),
            added: outcome.added,
            updated: outcome.updated,
            rows: count(outcome.rows),
            events: count(outcome.events),
            registry: outcome.registry,
            commits: count(outcome.commits),
            ignored: outcome.ignored,
            conflicts: outcome.conflicts.into_iter().map(Into::into).collect(),
            dry_run: outcome.dry_run,
        }
    }
}

impl From<fetch::Conflict> for TaskConflict {
    fn from(conflict: fetch::Conflict) -> Self {
        Self {
            kind: word(conflict.kind),
            what: conflict.what,
            stage: or_null(conflict.stage),
            run: or_null(conflict.run),
            paths: conflict.paths,
            ours: conflict.ours,
            theirs: conflict.theirs,
            look: conflict.look,
            way_out: conflict.way_out,
        }
    }
}
