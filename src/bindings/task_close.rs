//! `taskClose`: the worktrees and branches of a task go, as far as they have landed.

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use okstra::ops::close;

use crate::job::{Cancel, Job, start};

/// Which task.
#[napi(object)]
pub struct TaskCloseOptions {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<String>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in.
    pub task: Option<String>,
    /// Only say what would be done.
    pub dry_run: Option<bool>,
    /// A person agreed; without it the promise is rejected with `confirmation-needed` where something would be removed.
    pub yes: Option<bool>,
}

/// What was removed, and what stays.
#[napi(object, use_nullable = true)]
pub struct TaskClosed {
    /// The task, `PROJECT/GROUP/ID`.
    pub task: String,
    /// The base on which its work was looked for, a full ref name; null where nothing of the task is left.
    pub base: Option<String>,
    /// What went.
    pub removed: Vec<TaskCloseRemoved>,
    /// What stays: a person has to look at it.
    pub kept: Vec<TaskCloseKept>,
    /// The refs of okstra's own that no longer keep what has landed.
    pub released: Vec<String>,
    /// The stages of the approved plan that are not done.
    pub undone: Vec<u32>,
    /// Whether the task is closed with that.
    pub closed: bool,
    /// The removed worktree that the current folder is in.
    pub stood_in: Option<String>,
}

/// A place that went.
#[napi(object, use_nullable = true)]
pub struct TaskCloseRemoved {
    /// Whose it was: the task, a stage, a worker of a run.
    pub of: String,
    /// Its worktree, where there was one.
    pub worktree: Option<String>,
    /// Its branch, a short name, where there was one.
    pub branch: Option<String>,
    /// Where that was.
    pub commit: Option<String>,
    /// Why nothing is lost with it.
    pub safe: Option<String>,
    /// The ignored files in the worktree, which went with it; of a folder in which all is ignored only the folder.
    pub ignored: Vec<String>,
}

/// A place that stays.
#[napi(object, use_nullable = true)]
pub struct TaskCloseKept {
    /// Whose it is.
    pub of: String,
    /// Its worktree, where there is one.
    pub worktree: Option<String>,
    /// Its branch, a short name, where there is one.
    pub branch: Option<String>,
    /// Where that is.
    pub commit: Option<String>,
    /// Why it stays.
    pub reason: String,
    /// The command that shows it.
    pub command: String,
}

/// Removes worktrees and branches of a task, as far as their content is proved to have landed on its base.
#[napi(ts_return_type = "Promise<TaskClosed>")]
pub fn task_close(options: TaskCloseOptions, cancel: &Cancel) -> AsyncTask<Job<TaskClosed>> {
    let TaskCloseOptions { project_root, task, dry_run, yes } = options;
    let (dry_run, yes) = (dry_run.unwrap_or(false), yes.unwrap_or(false));
    let options = close::Options { project_root: project_root.map(Into::into), task, dry_run, yes };
    start(cancel, move |context| Ok(close::run(context, &options)?.into()))
}

impl From<close::Plan> for TaskClosed {
    fn from(plan: close::Plan) -> Self {
        let close::Plan { task, base, removed, kept, released, undone, closed, stood_in } = plan;
        let removed = removed.into_iter().map(|gone| {
            let close::Removed { of, worktree, branch, commit, safe, ignored } = gone;
            TaskCloseRemoved { of, worktree, branch, commit, safe, ignored }
        });
        let kept = kept.into_iter().map(|kept| {
            let close::Kept { of, worktree, branch, commit, reason, command } = kept;
            TaskCloseKept { of, worktree, branch, commit, reason, command }
        });
        Self { task, base, removed: removed.collect(), kept: kept.collect(), released, undone, closed, stood_in }
    }
}
