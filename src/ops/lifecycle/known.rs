//! Everything that is recorded of a task's life, read once.

use std::collections::{BTreeMap, BTreeSet};

use crate::context::Context;
use crate::domain::digest::sha256;
use crate::domain::ids::CommitId;
use crate::domain::lifecycle::{Facts, Lifecycle, OpenRun, PlanFacts, Progress, TaskType};
use crate::domain::moment::Moment;
use crate::domain::plan::{self, Plan};
use crate::domain::registry::TaskEntry;
use crate::domain::run::RunStatus;
use crate::fs;
use crate::git::{History, Limits};
use crate::ops::Error;
use crate::ops::stages::landings::{Landings, Where};
use crate::ops::task::Task;
use crate::store::consumers::{self, DoneStage};
use crate::store::runs::{self, Run};
use crate::store::{Layout, Manifest, plans};

/// A task with its runs, its plan and its stages.
pub(in crate::ops) struct Known {
    pub(in crate::ops) manifest: Manifest,
    pub(in crate::ops) lifecycle: Lifecycle,
    pub(in crate::ops) runs: Vec<Run>,
    pub(in crate::ops) plan: Option<Plan>,
    pub(in crate::ops) done: BTreeMap<u32, DoneStage>,
    /// Those of the done stages that are in the task branch.
    pub(in crate::ops) integrated: BTreeSet<u32>,
    /// The done stages whose record no longer holds, and why; see [`Known::examine`].
    pub(in crate::ops) stale: BTreeMap<u32, String>,
    /// Why a person has to decide on a record; see [`Known::examine`].
    undecided: Option<String>,
    pub(in crate::ops) entry: Option<TaskEntry>,
    plans: Vec<Plan>,
}

impl Known {
    /// Reads it; nothing is written.
    ///
    /// # Errors
    /// When a file cannot be read as what it should be.
    pub(in crate::ops) fn read(context: &Context, task: &Task, layout: &Layout) -> Result<Self, Error> {
        let path = layout.manifest(&task.key.task);
        let missing = || Error::UnknownTask { task: task.key.task.clone(), folder: layout.tasks() };
        let manifest = Manifest::read(&path)?.ok_or_else(missing)?;
        let lifecycle = manifest.lifecycle(&path)?;
        let runs = runs::read_all(layout, &task.key)?;
        let plans = plans::read_plans(&task.plans(), &task.key)?;
        let plan = plan::current(plans.iter().cloned());
        let done = consumers::read_done(&task.log(), context, &task.key, plan.as_ref())?;
        let entry = task.registry().read(&task.key)?;
        let integrated = integrated(context, task, entry.as_ref(), &done)?;
        let (stale, undecided) = (BTreeMap::new(), None);
        Ok(Self { manifest, lifecycle, runs, plan, done, integrated, stale, undecided, entry, plans })
    }

    /// Looks through the history, which [`Known::read`] does not: which records still hold, and whose content is in the task
    /// branch as it is now. Where that cannot be found out, `context` is warned, and what is recorded stands.
    ///
    /// # Errors
    /// Only when the work was cancelled.
    pub(in crate::ops) fn examine(&mut self, context: &Context, task: &Task) -> Result<(), Error> {
        if self.done.is_empty() || self.is_closed() {
            return Ok(());
        }
        let entry = self.entry.clone().unwrap_or_default();
        match Landings::find(context, task, &entry, Where::Task) {
            Ok(found) => {
                if let Some(there) = found.in_task() {
                    self.integrated = there;
                }
                (self.stale, self.undecided) = (found.stale, found.undecided);
                Ok(())
            }
            Err(error @ Error::Cancelled(_)) => Err(error),
            Err(error) => {
                context.warn(format!("whether the recorded commits still hold is not known: {error}"));
                Ok(())
            }
        }
    }

    /// How far these stages are.
    pub(in crate::ops) fn progress(&self, stages: impl IntoIterator<Item = u32>) -> Progress {
        let mut progress = Progress::default();
        for stage in stages {
            progress.total += 1;
            progress.done += u32::from(self.done.contains_key(&stage));
            progress.integrated += u32::from(self.integrated.contains(&stage));
        }
        progress
    }

    /// How far the stages of the plan are.
    pub(in crate::ops) fn plan_progress(&self) -> Option<Progress> {
        self.plan.as_ref().map(|plan| self.progress(plan.stages.iter().map(|stage| stage.stage)))
    }

    /// What the domain decides from.
    ///
    /// # Errors
    /// When a report cannot be read.
    pub(in crate::ops) fn facts(&self, layout: &Layout) -> Result<Facts, Error> {
        let mut finished = BTreeMap::<TaskType, Moment>::new();
        for run in self.runs.iter().filter(|run| run.state.status == RunStatus::Finished) {
            let last = finished.entry(run.name.task_type).or_insert_with(|| ended(run));
            *last = ended(run).max(*last);
        }
        let open = self.runs.iter().filter(|run| !run.state.status.is_final());
        let open = open.map(|run| OpenRun {
            run: run.name,
            batch: self.progress(run.manifest.stages.iter().map(|stage| stage.stage)),
            has_report: layout.report(&self.manifest.key.task, run.name, "md").is_file(),
        });
        Ok(Facts {
            route: self.lifecycle.route,
            finished,
            open: open.collect(),
            plan: self.plan_progress().map(|stages| PlanFacts { stages }),
            unapproved: self.unapproved(layout)?.map(|run| run.name),
            undecided: self.undecided.clone(),
            is_closed: self.is_closed(),
            has_worktrees: self.entry.as_ref().is_some_and(has_worktrees),
        })
    }

    /// Whether the task was closed, and no plan approved since.
    pub(in crate::ops) fn is_closed(&self) -> bool {
        let Some(closed) = self.lifecycle.closed_at.as_ref().and_then(|at| at.parse::<Moment>().ok()) else {
            return false;
        };
        !self.plans.iter().any(|plan| plan.approved_at.parse::<Moment>().is_ok_and(|at| at > closed))
    }

    /// The last finished planning run, when it left a report that no plan was approved from, nor any plan since.
    fn unapproved(&self, layout: &Layout) -> Result<Option<&Run>, Error> {
        let is_planning = |run: &&Run| {
            run.name.task_type == TaskType::ImplementationPlanning && run.state.status == RunStatus::Finished
        };
        let Some(last) = self.runs.iter().rfind(is_planning) else { return Ok(None) };
        let report = match fs::read(&layout.report(&self.manifest.key.task, last.name, "md")) {
            Err(error) if error.is_missing() => return Ok(None),
            report => report?,
        };
        let sha256 = sha256(&report);
        let since = |plan: &Plan| plan.approved_at.parse::<Moment>().is_ok_and(|at| at >= ended(last));
        let approved = self.plans.iter().any(|plan| plan.sha256 == sha256 || since(plan));
        Ok((!approved).then_some(last))
    }
}

/// When a run ended; where that is not known, when it was prepared.
fn ended(run: &Run) -> Moment {
    let ended = run.state.ended_at.as_ref().unwrap_or(&run.manifest.created_at);
    ended.parse().unwrap_or_else(|_| Moment::from_seconds(0))
}

fn has_worktrees(entry: &TaskEntry) -> bool {
    entry.worktree_path.is_some() || entry.stages.values().any(|stage| stage.worktree_path.is_some())
}

/// The done stages that are in the task branch: an integration since holds them, or the branch reaches their commits.
fn integrated(
    context: &Context,
    task: &Task,
    entry: Option<&TaskEntry>,
    done: &BTreeMap<u32, DoneStage>,
) -> Result<BTreeSet<u32>, Error> {
    let Some(entry) = entry else { return Ok(BTreeSet::new()) };
    let mut integrated: BTreeSet<u32> =
        done.iter().filter(|(number, stage)| is_recorded(entry, **number, stage)).map(|(number, _)| *number).collect();
    let tip = entry.branch.as_ref().map(|branch| format!("refs/heads/{branch}"));
    let tip = tip.map(|name| task.repository.ref_commit(context, &name)).transpose()?.flatten();
    let (Some(tip), mut history) = (tip, History::new(&task.repository)) else { return Ok(integrated) };
    for (number, stage) in done {
        if !integrated.contains(number) && reaches(context, task, &mut history, (tip, stage))? {
            integrated.insert(*number);
        }
    }
    Ok(integrated)
}

fn reaches(
    context: &Context,
    task: &Task,
    history: &mut History<'_>,
    (tip, stage): (CommitId, &DoneStage),
) -> Result<bool, Error> {
    let Ok(commit) = task.repository.commit_by_id(&stage.latest.head_commit)? else { return Ok(false) };
    Ok(history.reaches(context, tip, commit, Limits::default())? == Some(true))
}

/// Whether an integration that was made since the stage was done holds it.
fn is_recorded(entry: &TaskEntry, number: u32, stage: &DoneStage) -> bool {
    let witness = stage.witness.as_ref().unwrap_or(&stage.latest);
    let time = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<Moment>().ok());
    let done = time(&witness.completed_at);
    let holds = entry.integrations.iter().filter(|made| made.stages.contains(&number));
    holds.into_iter().any(|made| match (time(&made.at), done) {
        (Some(at), Some(done)) => at >= done,
        _ => false,
    })
}
