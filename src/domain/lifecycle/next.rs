//! What comes next in the life of a task.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Route, RunName, TaskType};
use crate::domain::moment::Moment;

/// The phases that lead to an approved plan.
const BEFORE_PLAN: [TaskType; 3] =
    [TaskType::RequirementsDiscovery, TaskType::ErrorAnalysis, TaskType::ImplementationPlanning];

/// What is known of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The way that requirements-discovery chose.
    pub route: Option<Route>,
    /// The phases of which a run was finished, and when the last of them was.
    pub finished: BTreeMap<TaskType, Moment>,
    /// The runs that are open, in order.
    pub open: Vec<OpenRun>,
    /// The approved plan.
    pub plan: Option<PlanFacts>,
    /// The finished planning run whose report nobody has approved yet, when it is newer than the plan.
    pub unapproved: Option<RunName>,
    /// Why a person has to decide on a recorded commit of a stage before anything can build on it, a clause.
    pub undecided: Option<String>,
    /// Whether the task was closed, and nothing was begun or approved since.
    pub is_closed: bool,
    /// Whether branches or worktrees of the task are still registered.
    pub has_worktrees: bool,
}

/// A run that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenRun {
    /// Its name.
    pub run: RunName,
    /// How far its batch is; all zero outside `implementation`.
    pub batch: Progress,
    /// Whether its report is there.
    pub has_report: bool,
}

/// The approved plan, as far as it matters here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanFacts {
    /// How far its stages are.
    pub stages: Progress,
}

/// How many stages there are, how many of them are done, and how many of those are in the task branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// All of them.
    pub total: u32,
    /// Those that are done.
    pub done: u32,
    /// Those that are done and integrated.
    pub integrated: u32,
}

/// One thing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Start a run of this type.
    Run(TaskType),
    /// Approve the plan that this run wrote.
    ApprovePlan(RunName),
    /// Merge the done stages into the task branch.
    IntegrateStages,
    /// Decide on recorded commits that no longer hold.
    Reconcile,
    /// Go on with this run.
    Resume(RunName),
    /// Finish this run, whose report is there.
    Finish(RunName),
    /// Remove what is left of the task.
    CloseTask,
    /// Nothing: it is done.
    Nothing,
}

/// What comes next, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Next {
    /// What to do.
    pub step: Step,
    /// Why, a clause.
    pub reason: String,
}

impl Progress {
    fn is_built(self) -> bool {
        self.done >= self.total
    }

    fn is_integrated(self) -> bool {
        self.integrated >= self.total
    }
}

/// Why a phase is left out, a clause; `None` where it is not.
pub fn left_out(facts: &Facts, phase: TaskType) -> Option<String> {
    if facts.finished.contains_key(&phase) || facts.open.iter().any(|open| open.run.task_type == phase) {
        return None;
    }
    if !BEFORE_PLAN.contains(&phase) {
        return None;
    }
    if phase == TaskType::ErrorAnalysis && facts.route == Some(Route::DirectImplementationPlanning) {
        return Some("the route goes straight to planning".to_owned());
    }
    if facts.plan.is_some() {
        return Some("a plan is approved without it".to_owned());
    }
    let later = BEFORE_PLAN.into_iter().filter(|later| *later > phase).find(|later| facts.has_begun(*later));
    later.map(|later| format!("{later} began without it"))
}

/// Whether a phase has done its part: its run was finished, and what it was about has not changed since.
pub fn is_done(facts: &Facts, phase: TaskType) -> bool {
    match (phase, facts.plan) {
        (TaskType::ImplementationPlanning, plan) => plan.is_some() && facts.unapproved.is_none(),
        (TaskType::Implementation, Some(plan)) => plan.stages.is_built() && plan.stages.is_integrated(),
        (TaskType::FinalVerification | TaskType::ReleaseHandoff, _) => facts.holds_since_the_last_change(phase),
        _ => facts.finished.contains_key(&phase),
    }
}

/// Whether a run of this type is finished with the route that it chose, and none was chosen before.
pub fn needs_route(task_type: TaskType, route: Option<Route>) -> bool {
    task_type == TaskType::RequirementsDiscovery && route.is_none()
}

/// What comes next.
pub fn next(facts: &Facts) -> Next {
    if let Some(open) = facts.open.iter().find(|open| open.can_go_on()).or(facts.open.first()) {
        return decided_first(facts, next_of_open(open, facts.route));
    }
    if facts.is_closed {
        return because(Step::Nothing, "the task is closed; a new run opens it again".to_owned());
    }
    if let Some(run) = facts.unapproved {
        return because(Step::ApprovePlan(run), format!("{run} wrote a plan that nobody has approved"));
    }
    match facts.plan {
        None => next_before_plan(facts),
        Some(plan) => decided_first(facts, next_by_plan(facts, plan.stages)),
    }
}

/// What builds on the stages waits for a person's decision on them.
fn decided_first(facts: &Facts, next: Next) -> Next {
    match (&facts.undecided, next.step) {
        (Some(why), Step::Run(_) | Step::IntegrateStages) => because(Step::Reconcile, why.clone()),
        _ => next,
    }
}

fn next_of_open(open: &OpenRun, route: Option<Route>) -> Next {
    let OpenRun { run, batch, has_report } = *open;
    if batch.total > 0 && batch.is_built() && !batch.is_integrated() {
        return because(Step::IntegrateStages, format!("the stages of {run} are done and not in the task branch"));
    }
    if has_report && batch.is_built() {
        let reason = format!("{run} is open and its report is there");
        let reason = match needs_route(run.task_type, route) {
            true => format!("{reason}; ROUTE is {}", Route::ALL.map(Route::as_str).join(", or ")),
            false => reason,
        };
        return because(Step::Finish(run), reason);
    }
    because(Step::Resume(run), format!("{run} is open"))
}

fn next_before_plan(facts: &Facts) -> Next {
    let missing = |phase: &TaskType| !facts.finished.contains_key(phase) && left_out(facts, *phase).is_none();
    match BEFORE_PLAN.into_iter().find(missing) {
        Some(TaskType::ImplementationPlanning) => {
            because(Step::Run(TaskType::ImplementationPlanning), "there is no approved plan".to_owned())
        }
        Some(TaskType::ErrorAnalysis) => {
            because(Step::Run(TaskType::ErrorAnalysis), "error-analysis comes before planning".to_owned())
        }
        Some(phase) => because(Step::Run(phase), format!("a task begins with {phase}")),
        None => because(
            Step::Run(TaskType::ImplementationPlanning),
            "planning was finished without a plan to approve".to_owned(),
        ),
    }
}

fn next_by_plan(facts: &Facts, stages: Progress) -> Next {
    let Progress { total, done, .. } = stages;
    if !stages.is_built() {
        return because(Step::Run(TaskType::Implementation), format!("{done} of {total} stages are done"));
    }
    if !stages.is_integrated() {
        return because(Step::IntegrateStages, "all stages are done and not all are in the task branch".to_owned());
    }
    for phase in [TaskType::FinalVerification, TaskType::ReleaseHandoff] {
        if !facts.holds_since_the_last_change(phase) {
            let again = facts.finished.contains_key(&phase);
            let reason = match (phase, again) {
                (TaskType::ReleaseHandoff, true) => facts.since_handoff(),
                (_, true) => "stages were built since it was finished",
                (TaskType::FinalVerification, _) => "all stages are done and in the task branch",
                _ => "the task is verified",
            };
            return because(Step::Run(phase), reason.to_owned());
        }
    }
    if facts.has_worktrees {
        return because(Step::CloseTask, "it is handed off, and branches and worktrees are left".to_owned());
    }
    because(Step::Nothing, "it is handed off".to_owned())
}

fn because(step: Step, reason: String) -> Next {
    Next { step, reason }
}

impl OpenRun {
    /// Whether something is to be done for it that is not resuming it.
    fn can_go_on(&self) -> bool {
        self.batch.is_built() && (self.has_report || (self.batch.total > 0 && !self.batch.is_integrated()))
    }
}

impl Facts {
    fn has_begun(&self, phase: TaskType) -> bool {
        self.finished.contains_key(&phase) || self.open.iter().any(|open| open.run.task_type == phase)
    }

    /// What came after the hand-off of a task that is verified.
    fn since_handoff(&self) -> &'static str {
        let finished = |phase| self.finished.get(&phase);
        if finished(TaskType::Implementation) > finished(TaskType::ReleaseHandoff) {
            return "stages were built and verified since it was finished";
        }
        "the task was verified again since it was finished"
    }

    /// Whether `phase` was finished, and no implementation or verification was after it.
    fn holds_since_the_last_change(&self, phase: TaskType) -> bool {
        let before =
            [TaskType::Implementation, TaskType::FinalVerification].into_iter().filter(|before| *before < phase);
        let last_change = before.filter_map(|before| self.finished.get(&before)).max();
        self.finished.get(&phase).is_some_and(|at| last_change.is_none_or(|change| at >= change))
    }
}

#[cfg(test)]
mod tests;
