//! `init`, `abandon`, `finish`: a repository becomes a project, and runs come to their end.

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use okstra::ops::{abandon, finish, init};

use crate::content_merged::word;
use crate::job::{Cancel, Job, start};
use crate::status::NextStep;

/// What the project shall be.
#[napi(object)]
pub struct InitOptions {
    /// The root of the repository; by default the main worktree of the one that holds the current folder.
    pub project_root: Option<String>,
    /// The project id.
    pub project_id: Option<String>,
    /// Take the name of the folder as the id where none is given.
    pub yes: Option<bool>,
}

/// What was done.
#[napi(object)]
pub struct Init {
    /// The project root.
    pub project_root: String,
    /// The project id.
    pub project_id: String,
    /// Whether it was made a project now.
    pub created: bool,
}

/// Makes the repository an okstra project. Doing it again changes nothing.
#[napi(ts_return_type = "Promise<Init>")]
pub fn init(options: InitOptions, cancel: &Cancel) -> AsyncTask<Job<Init>> {
    let InitOptions { project_root, project_id, yes } = options;
    let options = init::Options { project_root: project_root.map(Into::into), project_id, yes: yes.unwrap_or(false) };
    start(cancel, move |context| Ok(init::run(context, &options)?.into()))
}

impl From<init::Init> for Init {
    fn from(done: init::Init) -> Self {
        let init::Init { project_root, project_id, created } = done;
        Self { project_root: project_root.to_string_lossy().into_owned(), project_id, created }
    }
}

/// Which run, and why.
#[napi(object)]
pub struct AbandonOptions {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<String>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in.
    pub task: Option<String>,
    /// The run, as in `implementation-001`.
    pub run: String,
    /// Why, for people.
    pub reason: String,
    /// A person agreed; without it the promise is rejected with `confirmation-needed`.
    pub yes: Option<bool>,
}

/// What was done.
#[napi(object)]
pub struct Abandoned {
    /// The task, `GROUP/ID`.
    pub task: String,
    /// The run.
    pub run: String,
    /// Why, as it is recorded.
    pub reason: String,
    /// Whether it had been abandoned before.
    pub already: bool,
    /// The stages that others may take now.
    pub released: Vec<u32>,
    /// The worktrees that stay.
    pub worktrees: Vec<AbandonedWorktree>,
    /// The folders of workers that only looked; they are gone.
    pub removed: Vec<String>,
}

/// A worktree that stays.
#[napi(object)]
pub struct AbandonedWorktree {
    /// The stage.
    pub stage: u32,
    /// Its branch.
    pub branch: String,
    /// The folder.
    pub worktree: String,
}

/// Gives a run up: its reservations are released, its worktrees stay. This is final.
#[napi(ts_return_type = "Promise<Abandoned>")]
pub fn abandon(options: AbandonOptions, cancel: &Cancel) -> AsyncTask<Job<Abandoned>> {
    let AbandonOptions { project_root, task, run, reason, yes } = options;
    let project_root = project_root.map(Into::into);
    let options = abandon::Options { project_root, task, run, reason, yes: yes.unwrap_or(false) };
    start(cancel, move |context| Ok(abandon::run(context, &options)?.into()))
}

impl From<abandon::Abandoned> for Abandoned {
    fn from(done: abandon::Abandoned) -> Self {
        let abandon::Abandoned { task, run, reason, already, released, worktrees, removed } = done;
        let worktrees = worktrees.into_iter().map(|kept| {
            let abandon::Kept { stage, branch, worktree } = kept;
            AbandonedWorktree { stage, branch, worktree }
        });
        Self { task, run, reason, already, released, worktrees: worktrees.collect(), removed }
    }
}

/// Which run, and how.
#[napi(object)]
pub struct FinishOptions {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<String>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in.
    pub task: Option<String>,
    /// The run, as in `implementation-001`; by default the only one that is open.
    pub run: Option<String>,
    /// The route that requirements-discovery chose.
    #[napi(ts_type = "'full' | 'lite-implementation-planning' | 'direct-implementation-planning'")]
    pub route: Option<String>,
    /// Why it is finished although something is missing.
    pub force: Option<String>,
    /// A person agreed to `force`; without it the promise is rejected with `confirmation-needed`.
    pub yes: Option<bool>,
}

/// What was done.
#[napi(object, use_nullable = true)]
pub struct Finished {
    /// The task, `GROUP/ID`.
    pub task: String,
    /// The run.
    pub run: String,
    /// Whether it had been finished before.
    pub already: bool,
    /// What was missing, where it was finished by force.
    pub missing: Vec<String>,
    /// Why it was finished all the same.
    pub forced: Option<String>,
    /// The route of the task.
    #[napi(ts_type = "'full' | 'lite-implementation-planning' | 'direct-implementation-planning' | null")]
    pub route: Option<String>,
    /// The stages that were released.
    pub released: Vec<u32>,
    /// The snapshot worktrees that were removed.
    pub removed: Vec<String>,
    /// What comes next.
    pub next: NextStep,
}

/// Brings a run to its end, once it has left what it must leave. This is final.
#[napi(ts_return_type = "Promise<Finished>")]
pub fn finish(options: FinishOptions, cancel: &Cancel) -> AsyncTask<Job<Finished>> {
    let FinishOptions { project_root, task, run, route, force, yes } = options;
    let project_root = project_root.map(Into::into);
    let options = finish::Options { project_root, task, run, route, force, yes: yes.unwrap_or(false) };
    start(cancel, move |context| Ok(finish::run(context, &options)?.into()))
}

impl From<finish::Finished> for Finished {
    fn from(done: finish::Finished) -> Self {
        let finish::Finished { task, run, already, missing, forced, route, released, removed, next } = done;
        let (route, next) = (route.map(word), next.into());
        Self { task, run, already, missing, forced, route, released, removed, next }
    }
}
