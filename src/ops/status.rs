//! Where a task stands, and what comes next.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::lifecycle::known::Known;
use super::lifecycle::layout_of;
use super::task::{Selector, Task};
use super::{Error, lead};
use crate::context::Context;
use crate::domain::lifecycle::{self, Facts, Next, Progress, Route, Step, TaskType};
use crate::domain::moment::Moment;
use crate::domain::run::{RunStatus, Vendor};
use crate::domain::shell;
use crate::store::runs::Run;

/// Which task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<PathBuf>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in.
    pub task: Option<String>,
}

/// Where a task stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
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
    pub route: Option<Route>,
    /// The six phases, in order.
    pub phases: Vec<PhaseStatus>,
    /// The runs that are open, in order.
    pub open: Vec<OpenRun>,
    /// The approved plan.
    pub plan: Option<PlanStatus>,
    /// Worktrees of runs that were abandoned.
    pub kept: Vec<KeptWorktree>,
    /// When the task was closed; null while it is not.
    pub closed_at: Option<String>,
    /// What comes next.
    pub next: NextStep,
}

/// Where a phase stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PhaseStatus {
    /// The phase.
    pub task_type: TaskType,
    /// Where it stands.
    pub state: PhaseState,
    /// Why it is left out.
    pub reason: Option<String>,
    /// Its runs, in order.
    pub runs: Vec<RunSummary>,
}

/// Where a phase stands, one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseState {
    /// It has done its part.
    Done,
    /// A run of it is open.
    Open,
    /// It is what comes next.
    Next,
    /// It is left out.
    LeftOut,
    /// Its turn comes later.
    ToCome,
}

/// A run, in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunSummary {
    /// Its name.
    pub run: String,
    /// Where it stands.
    pub status: RunStatus,
}

/// A run that is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenRun {
    /// Its name.
    pub run: String,
    /// Prepared, or running.
    pub status: RunStatus,
    /// When it was prepared.
    pub prepared_at: String,
    /// How long ago that was, in seconds.
    pub age_seconds: u64,
    /// Whose CLI leads it.
    pub lead: Vendor,
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanStatus {
    /// Its id.
    pub id: String,
    /// Who approved it.
    pub approved_by: String,
    /// How far its stages are.
    #[serde(flatten)]
    pub progress: Progress,
    /// Its stages, in order.
    pub stages: Vec<StageStatus>,
}

/// A stage of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StageStatus {
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptWorktree {
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NextStep {
    /// One word for programs.
    pub step: &'static str,
    /// The type of the run to start.
    pub task_type: Option<TaskType>,
    /// The run that it is about.
    pub run: Option<String>,
    /// Why.
    pub reason: String,
    /// The command, ready to be pasted; what only the user knows is in it in capitals: `--brief FILE`, `--route ROUTE`.
    pub command: Option<String>,
}

/// Reads where the task stands. Nothing is written.
///
/// # Errors
/// When no task is named, or its files cannot be read.
pub fn run(context: &Context, options: &Options) -> Result<Status, Error> {
    let task = Task::find(context, options.project_root.as_deref(), &Selector::Project(options.task.clone()))?;
    let layout = layout_of(&task)?;
    let mut known = Known::read(context, &task, layout)?;
    known.examine(context, &task)?;
    let facts = known.facts(layout)?;
    let next = lifecycle::next(&facts);
    let now = context.clock().moment();
    let has_report = |run: &Run| facts.open.iter().any(|open| open.run == run.name && open.has_report);
    let open = known.runs.iter().filter(|run| !run.state.status.is_final());
    Ok(Status {
        task: task.key.task.to_string(),
        task_key: task.key.to_string(),
        title: known.manifest.title.clone(),
        category: task.category.to_string(),
        route: known.lifecycle.route,
        phases: TaskType::ALL.map(|phase| phase_status(&known, &facts, &next, phase)).to_vec(),
        open: open.map(|run| open_run(&task, run, has_report(run), now)).collect(),
        plan: plan_status(&known),
        kept: kept(&known),
        closed_at: known.lifecycle.closed_at.clone().filter(|_| facts.is_closed),
        next: next_step(&task, &known, options.project_root.as_deref(), next),
    })
}

/// What comes next by what is recorded, for the run that is about to be prepared: that looks through the history itself.
///
/// # Errors
/// As [`run`].
pub(super) fn next_run(task: &Task, known: &Known, project_root: Option<&Path>) -> Result<NextStep, Error> {
    Ok(next_step(task, known, project_root, lifecycle::next(&known.facts(layout_of(task)?)?)))
}

fn phase_status(known: &Known, facts: &Facts, next: &Next, phase: TaskType) -> PhaseStatus {
    let runs = known.runs.iter().filter(|run| run.name.task_type == phase);
    let runs = runs.map(|run| RunSummary { run: run.name.to_string(), status: run.state.status }).collect();
    let is_next = match next.step {
        Step::Run(task_type) => task_type == phase,
        Step::ApprovePlan(run) => run.task_type == phase,
        Step::IntegrateStages => phase == TaskType::Implementation,
        _ => false,
    };
    let reason = lifecycle::left_out(facts, phase);
    let state = if facts.open.iter().any(|open| open.run.task_type == phase) {
        PhaseState::Open
    } else if reason.is_some() {
        PhaseState::LeftOut
    } else if is_next {
        PhaseState::Next
    } else if lifecycle::is_done(facts, phase) {
        PhaseState::Done
    } else {
        PhaseState::ToCome
    };
    PhaseStatus { task_type: phase, state, reason, runs }
}

fn open_run(task: &Task, run: &Run, has_report: bool, now: Moment) -> OpenRun {
    let manifest = &run.manifest;
    let prepared: Option<Moment> = manifest.created_at.parse().ok();
    OpenRun {
        run: run.name.to_string(),
        status: run.state.status,
        prepared_at: manifest.created_at.clone(),
        age_seconds: prepared.map_or(0, |prepared| prepared.seconds_until(now)),
        lead: manifest.lead.vendor,
        session_id: manifest.lead.session_id.clone(),
        is_led: task.layout.as_ref().and_then(|layout| lead::is_at_work(layout, &task.key.task, run.name)),
        stages: manifest.stages.iter().map(|stage| stage.stage).collect(),
        has_report,
        launch_prompt: task.root.join(&manifest.lead.prompt_path).to_string_lossy().into_owned(),
        folder: manifest.lead.folder.clone(),
    }
}

fn plan_status(known: &Known) -> Option<PlanStatus> {
    let plan = known.plan.as_ref()?;
    let reserved = |stage| {
        let entry = known.entry.as_ref()?.stages.get(&stage)?;
        Some(entry.reserved_by.as_ref()?.run.clone())
    };
    let stages = plan.stages.iter().map(|stage| StageStatus {
        stage: stage.stage,
        title: stage.title.clone(),
        done: known.done.contains_key(&stage.stage),
        integrated: known.integrated.contains(&stage.stage),
        stale: known.stale.get(&stage.stage).cloned(),
        reserved_by: reserved(stage.stage),
    });
    Some(PlanStatus {
        id: plan.id.clone(),
        approved_by: plan.approved_by.clone(),
        progress: known.plan_progress().unwrap_or_default(),
        stages: stages.collect(),
    })
}

/// The worktrees of abandoned runs that are still there, and that no open run works in.
fn kept(known: &Known) -> Vec<KeptWorktree> {
    let in_use = |stage: u32| {
        let open = known.runs.iter().filter(|run| !run.state.status.is_final());
        known.done.contains_key(&stage)
            || open.into_iter().any(|run| run.manifest.stages.iter().any(|owned| owned.stage == stage))
    };
    let mut kept: Vec<KeptWorktree> = Vec::new();
    for run in known.runs.iter().rev().filter(|run| run.state.status == RunStatus::Abandoned) {
        for stage in run.manifest.stages.iter().filter(|stage| !in_use(stage.stage)) {
            if Path::new(&stage.worktree).is_dir() && !kept.iter().any(|other| other.worktree == stage.worktree) {
                kept.push(KeptWorktree {
                    run: run.name.to_string(),
                    stage: stage.stage,
                    branch: stage.branch.clone(),
                    worktree: stage.worktree.clone(),
                });
            }
        }
    }
    kept.sort_by_key(|kept| kept.stage);
    kept
}

/// The step as a command for the task.
pub(super) fn next_step(task: &Task, known: &Known, project_root: Option<&Path>, next: Next) -> NextStep {
    let Next { step, reason } = next;
    let (run, task_type) = match step {
        Step::Run(task_type) => (None, Some(task_type)),
        Step::ApprovePlan(run) | Step::Resume(run) | Step::Finish(run) => (Some(run.to_string()), None),
        Step::IntegrateStages | Step::Reconcile | Step::CloseTask | Step::Nothing => (None, None),
    };
    let name = task.key.task.to_string();
    let (word, mut words): (_, Vec<&str>) = match step {
        Step::Run(task_type) => ("run", vec!["run", "--task", &name, "--type", task_type.as_str()]),
        Step::ApprovePlan(_) => ("plan-approve", vec!["plan", "approve", "--task", &name]),
        Step::IntegrateStages => ("stage-integrate", vec!["stage", "integrate", "--task", &name]),
        Step::Reconcile => ("git-reconcile", vec!["git-reconcile", "--task", &name]),
        Step::Resume(_) => ("resume", vec!["resume", run.as_deref().unwrap_or_default(), "--task", &name]),
        Step::Finish(_) => ("finish", vec!["finish", run.as_deref().unwrap_or_default(), "--task", &name]),
        Step::CloseTask => ("task-close", vec!["task", "close", "--task", &name]),
        Step::Nothing => ("nothing", Vec::new()),
    };
    words.extend(asked_for(step, known));
    let root = project_root.map(|root| root.to_string_lossy().into_owned());
    if let Some(root) = root.as_deref().filter(|_| !words.is_empty()) {
        words.extend(["--project-root", root]);
    }
    let command = (!words.is_empty()).then(|| format!("okstra {}", shell::command(&words)));
    NextStep { step: word, task_type, run, reason, command }
}

/// What the command cannot do without and only the user knows.
fn asked_for(step: Step, known: &Known) -> &'static [&'static str] {
    match step {
        // A plan may be approved by hand, so any type may be the first that needs the brief.
        Step::Run(_) if known.runs.is_empty() => &["--brief", "FILE"],
        Step::Finish(run) if lifecycle::needs_route(run.task_type, known.lifecycle.route) => &["--route", "ROUTE"],
        _ => &[],
    }
}
