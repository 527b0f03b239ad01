//! `taskSync`: the branch of a task follows its base.

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use okstra::ops::sync;

use crate::content_merged::word;
use crate::job::{Cancel, Job, start};

/// Which task.
#[napi(object)]
pub struct TaskSyncOptions {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<String>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in.
    pub task: Option<String>,
}

/// What was done.
#[napi(object, use_nullable = true)]
pub struct TaskSynced {
    /// The task, `PROJECT/GROUP/ID`.
    pub task: String,
    /// Its branch, a short name.
    pub branch: String,
    /// What was done with it.
    #[napi(ts_type = "'nothing' | 'fast-forward' | 'restart' | 'merge'")]
    pub how: String,
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
    #[napi(
        ts_type = "'ancestry' | 'same-change' | 'replay' | 'per-commit' | 'same-end' | 'carrier' | 'fingerprint' | null"
    )]
    pub proof: Option<String>,
    /// Why, one sentence.
    pub reason: String,
}

/// Lets the branch of a task follow its base: it moves on, starts again where its content landed, or gets the base merged
/// in. Nothing is fetched.
#[napi(ts_return_type = "Promise<TaskSynced>")]
pub fn task_sync(options: TaskSyncOptions, cancel: &Cancel) -> AsyncTask<Job<TaskSynced>> {
    let TaskSyncOptions { project_root, task } = options;
    let options = sync::Options { project_root: project_root.map(Into::into), task };
    start(cancel, move |context| Ok(sync::run(context, &options)?.into()))
}

impl From<sync::Outcome> for TaskSynced {
    fn from(done: sync::Outcome) -> Self {
        let sync::Outcome { task, branch, how, base, base_commit, before, commit, landed, proof, reason } = done;
        let (how, proof) = (word(how), proof.map(word));
        Self { task, branch, how, base, base_commit, before, commit, landed, proof, reason }
    }
}
