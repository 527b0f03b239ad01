//! `status`, `tasks`: where a task stands, and all tasks.

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use okstra::ops::{status, tasks};

use crate::content_merged::word;
use crate::job::{Cancel, Job, start};

/// Which task.
#[napi(object)]
pub struct StatusOptions {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<String>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in.
    pub task: Option<String>,
}

/// Where a task stands.
#[napi(object, use_nullable = true)]
pub struct Status {
    /// The task, `GROUP/ID`.
    pub task: String,
    /// The task key.
    pub task_key: String,
    /// What people call it.
    pub title: Option<String>,
    /// The kind of work.
    pub category: String,
    /// The way that requirements-discovery chose.
    #[napi(ts_type = "'full' | 'lite-implementation-planning' | 'direct-implementation-planning' | null")]
    pub route: Option<String>,
    /// The six phases, in order.
    pub phases: Vec<StatusPhase>,
    /// The runs that are open, in order.
    pub open: Vec<StatusOpenRun>,
    /// The approved plan.
    pub plan: Option<StatusPlan>,
    /// Worktrees of runs that were abandoned.
    pub kept: Vec<StatusKept>,
    /// When the task was closed.
    pub closed_at: Option<String>,
    /// What comes next.
    pub next: NextStep,
}

/// Where a phase stands.
#[napi(object, use_nullable = true)]
pub struct StatusPhase {
    /// The phase.
    pub task_type: String,
    /// Where it stands.
    #[napi(ts_type = "'done' | 'open' | 'next' | 'left-out' | 'to-come'")]
    pub state: String,
    /// Why it is left out.
    pub reason: Option<String>,
    /// Its runs, in order.
    pub runs: Vec<StatusRun>,
}

/// A run, in short.
#[napi(object)]
pub struct StatusRun {
    /// Its name.
    pub run: String,
    /// Where it stands.
    #[napi(ts_type = "'prepared' | 'running' | 'finished' | 'abandoned'")]
    pub status: String,
}

/// A run that is open.
#[napi(object, use_nullable = true)]
pub struct StatusOpenRun {
    /// Its name.
    pub run: String,
    /// Where it stands.
    #[napi(ts_type = "'prepared' | 'running'")]
    pub status: String,
    /// When it was prepared.
    pub prepared_at: String,
    /// How long ago that was, in seconds.
    pub age_seconds: f64,
    /// Whose CLI leads it.
    #[napi(ts_type = "'claude' | 'codex' | 'gemini'")]
    pub lead: String,
    /// The session of the lead.
    pub session_id: String,
    /// Whether its lead is at work; null where okstra has not started one on this machine.
    pub is_led: Option<bool>,
    /// The stages that it owns.
    pub stages: Vec<u32>,
    /// Whether its report is there.
    pub has_report: bool,
    /// The launch prompt of its lead, an absolute path.
    pub launch_prompt: String,
    /// The folder that its lead works in.
    pub folder: String,
}

/// The approved plan and its stages.
#[napi(object)]
pub struct StatusPlan {
    /// Its id.
    pub id: String,
    /// Who approved it.
    pub approved_by: String,
    /// How many stages it has.
    pub total: u32,
    /// How many of them are done.
    pub done: u32,
    /// How many of those are in the task branch.
    pub integrated: u32,
    /// Its stages, in order.
    pub stages: Vec<StatusStage>,
}

/// A stage of the plan.
#[napi(object, use_nullable = true)]
pub struct StatusStage {
    /// Its number.
    pub stage: u32,
    /// Its title.
    pub title: String,
    /// Whether it is done.
    pub done: bool,
    /// Whether it is in the task branch.
    pub integrated: bool,
    /// Why its record no longer holds, so that a person has to decide; null where it does.
    pub stale: Option<String>,
    /// The run that has reserved it.
    pub reserved_by: Option<String>,
}

/// A worktree that an abandoned run left.
#[napi(object)]
pub struct StatusKept {
    /// The run.
    pub run: String,
    /// The stage.
    pub stage: u32,
    /// Its branch.
    pub branch: String,
    /// The folder.
    pub worktree: String,
}

/// What comes next.
#[napi(object, use_nullable = true)]
pub struct NextStep {
    /// What to do.
    #[napi(
        ts_type = "'run' | 'plan-approve' | 'stage-integrate' | 'git-reconcile' | 'resume' | 'finish' | 'task-close' | 'nothing'"
    )]
    pub step: String,
    /// The type of the run to start.
    pub task_type: Option<String>,
    /// The run that it is about.
    pub run: Option<String>,
    /// Why.
    pub reason: String,
    /// The command, ready to be pasted.
    pub command: Option<String>,
}

/// Where a task stands, and what comes next. Nothing is changed.
#[napi(ts_return_type = "Promise<Status>")]
pub fn status(options: StatusOptions, cancel: &Cancel) -> AsyncTask<Job<Status>> {
    let options = status::Options { project_root: options.project_root.map(Into::into), task: options.task };
    start(cancel, move |context| Ok(status::run(context, &options)?.into()))
}

impl From<status::Status> for Status {
    fn from(status: status::Status) -> Self {
        Self {
            task: status.task,
            task_key: status.task_key,
            title: status.title,
            category: status.category,
            route: status.route.map(word),
            phases: status.phases.into_iter().map(Into::into).collect(),
            open: status.open.into_iter().map(Into::into).collect(),
            plan: status.plan.map(Into::into),
            kept: status.kept.into_iter().map(Into::into).collect(),
            closed_at: status.closed_at,
            next: status.next.into(),
        }
    }
}

impl From<status::PhaseStatus> for StatusPhase {
    fn from(phase: status::PhaseStatus) -> Self {
        let runs = phase.runs.into_iter().map(|run| StatusRun { run: run.run, status: word(run.status) });
        Self { task_type: word(phase.task_type), state: word(phase.state), reason: phase.reason, runs: runs.collect() }
    }
}

impl From<status::OpenRun> for StatusOpenRun {
    fn from(open: status::OpenRun) -> Self {
        Self {
            // Exact as long as a run is younger than the universe.
            age_seconds: u32::try_from(open.age_seconds).map_or(f64::from(u32::MAX), f64::from),
            status: word(open.status),
            lead: word(open.lead),
            run: open.run,
            prepared_at: open.prepared_at,
            session_id: open.session_id,
            is_led: open.is_led,
            stages: open.stages,
            has_report: open.has_report,
            launch_prompt: open.launch_prompt,
            folder: open.folder,
        }
    }
}

impl From<status::PlanStatus> for StatusPlan {
    fn from(plan: status::PlanStatus) -> Self {
        let status::PlanStatus { id, approved_by, progress, stages } = plan;
        let stages = stages.into_iter().map(|stage| {
            let status::StageStatus { stage, title, done, integrated, stale, reserved_by } = stage;
            StatusStage { stage, title, done, integrated, stale, reserved_by }
        });
        let (total, done, integrated) = (progress.total, progress.done, progress.integrated);
        Self { id, approved_by, total, done, integrated, stages: stages.collect() }
    }
}

impl From<status::KeptWorktree> for StatusKept {
    fn from(kept: status::KeptWorktree) -> Self {
        let status::KeptWorktree { run, stage, branch, worktree } = kept;
        Self { run, stage, branch, worktree }
    }
}

impl From<status::NextStep> for NextStep {
    fn from(next: status::NextStep) -> Self {
        let status::NextStep { step, task_type, run, reason, command } = next;
        Self { step: step.to_owned(), task_type: task_type.map(word), run, reason, command }
    }
}

/// Which project.
#[napi(object)]
pub struct TasksOptions {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<String>,
}

/// The tasks of a project.
#[napi(object)]
pub struct Tasks {
    /// The project id.
    pub project_id: String,
    /// The tasks, the one that changed last first.
    pub tasks: Vec<TasksEntry>,
    /// Those whose manifest cannot be read.
    pub unreadable: Vec<TasksUnreadable>,
}

/// A task.
#[napi(object, use_nullable = true)]
pub struct TasksEntry {
    /// The task key.
    pub task_key: String,
    /// What people call it.
    pub title: Option<String>,
    /// The kind of work.
    pub category: Option<String>,
    /// The phase of the last run.
    pub current_phase: Option<String>,
    /// The last run.
    pub last_run: Option<String>,
    /// When it last changed.
    pub updated_at: Option<String>,
    /// When it was closed.
    pub closed_at: Option<String>,
}

/// A task whose manifest cannot be read.
#[napi(object, use_nullable = true)]
pub struct TasksUnreadable {
    /// The task, `GROUP/ID`.
    pub task: String,
    /// Why.
    pub error: String,
    /// What to do.
    pub hint: Option<String>,
}

/// All tasks of a project. Nothing is changed.
#[napi(ts_return_type = "Promise<Tasks>")]
pub fn tasks(options: TasksOptions, cancel: &Cancel) -> AsyncTask<Job<Tasks>> {
    let options = tasks::Options { project_root: options.project_root.map(Into::into) };
    start(cancel, move |context| Ok(tasks::run(context, &options)?.into()))
}

impl From<tasks::Tasks> for Tasks {
    fn from(found: tasks::Tasks) -> Self {
        let tasks = found.tasks.into_iter().map(|task| {
            let tasks::CatalogEntry { task_key, title, category, current_phase, last_run, updated_at, closed_at } =
                task;
            let current_phase = current_phase.map(word);
            TasksEntry { task_key, title, category, current_phase, last_run, updated_at, closed_at }
        });
        let unreadable = found.unreadable.into_iter().map(|unreadable| {
            let tasks::Unreadable { task, error, hint } = unreadable;
            TasksUnreadable { task, error, hint }
        });
        Self { project_id: found.project_id, tasks: tasks.collect(), unreadable: unreadable.collect() }
    }
}
