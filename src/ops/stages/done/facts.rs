//! What is known of a stage that shall be done: its commits, its run, what it touched.

use std::path::PathBuf;

use super::super::hints::use_ref;
use super::super::{branch_and_worktree, runs};
use super::StageError;
use crate::context::Context;
use crate::domain::batch::BatchError;
use crate::domain::equivalence::fingerprint::path_text;
use crate::domain::equivalence::{Candidate, RepoPath};
use crate::domain::ids::CommitId;
use crate::domain::plan::{Plan, PlanStage};
use crate::domain::revision::Purpose;
use crate::domain::stages::{AllowedPath, Claims, outside};
use crate::git::{History, Limits, Span};
use crate::ops::Error;
use crate::ops::task::Task;
use crate::store::consumers::DoneStage;
use crate::store::runs::Run;
use crate::store::{consumers, plans};

/// What was asked for.
pub(in crate::ops::stages) struct Asked {
    pub(in crate::ops::stages) stage: u32,
    /// The ref of its commit, where it is not that of its branch.
    pub(in crate::ops::stages) head: Option<String>,
    pub(in crate::ops::stages) claims: Claims,
    /// Paths outside of its files that are allowed, and why.
    pub(in crate::ops::stages) allowed: Vec<String>,
    pub(in crate::ops::stages) reason: Option<String>,
    /// The run that did it, where that is known from its carry; else the open run that reserved it.
    pub(in crate::ops::stages) run: Option<String>,
}

/// What is known of the stage.
pub(in crate::ops::stages) struct Facts {
    pub(super) plan: String,
    pub(super) planned: PlanStage,
    pub(super) run: String,
    pub(super) waiver: Option<String>,
    pub(super) base: CommitId,
    pub(super) head: Candidate,
    /// Whether the commit is that of the stage's branch.
    pub(super) is_tip: bool,
    /// Its worktree, where it has one.
    pub(super) worktree: Option<PathBuf>,
    /// The paths that it touched, and the tree that it ends at.
    pub(super) paths: Vec<RepoPath>,
    pub(super) tree: String,
}

/// The stage as the plan has it that its run was prepared with, and that plan: a plan that was approved since is for the
/// runs to come. Where no run has the stage, the current plan.
pub(super) fn planned(task: &Task, asked: &Asked) -> Result<(Plan, PlanStage), Error> {
    let stage = asked.stage;
    let missing = || StageError::NoPlan { task: task.key.task.clone() };
    let frozen = run_of(task, asked)?.and_then(|run| run.manifest.plan);
    let plan = match frozen {
        Some(frozen) => plans::read_plans(&task.plans(), &task.key)?.into_iter().find(|plan| plan.id == frozen.id),
        None => plans::current(&task.plans(), &task.key)?,
    };
    let plan = plan.ok_or_else(missing)?;
    // Its commands are about to be run, and decide.
    plans::approved_text(&task.plans(), &plan)?;
    let known = || plan.stages.iter().map(|stage| stage.stage).collect();
    let unknown =
        || StageError::Batch { task: task.key.task.clone(), error: BatchError::Unknown { stage, known: known() } };
    let planned = plan.stage(stage).cloned().ok_or_else(unknown)?;
    Ok((plan, planned))
}

/// Warns where a stage is done by the plan of its run, and a plan that was approved since has opened it again.
pub(super) fn tell_if_reopened(
    context: &Context,
    task: &Task,
    (plan, planned): &(Plan, PlanStage),
) -> Result<(), Error> {
    let current = plans::current(&task.plans(), &task.key)?.filter(|current| current.id != plan.id);
    if let Some(current) = current
        && current.stage(planned.stage).is_none_or(|stage| stage.hash != planned.hash)
    {
        let (stage, name) = (planned.stage, &task.key.task);
        context.warn(format!(
            "stage {stage} is done by plan {}; plan {}, approved since, opened it again, and the next run builds it: okstra run \
             --task {name} --type implementation",
            plan.id, current.id
        ));
    }
    Ok(())
}

/// What the log says of the stage of this plan.
pub(super) fn recorded(context: &Context, task: &Task, plan: &Plan, stage: u32) -> Result<Option<DoneStage>, Error> {
    Ok(consumers::read_done(&task.log(), context, &task.key, Some(plan))?.remove(&stage))
}

/// The commit that shall be the stage's: of the ref that was named, else the tip of its branch.
pub(super) fn head(context: &Context, task: &Task, asked: &Asked) -> Result<Candidate, Error> {
    if let Some(text) = &asked.head {
        let resolved = task.repository.commit_by_ref(context, text, Purpose::Commit)?;
        let resolved = resolved.map_err(|source| Error::UnresolvableRef { text: text.clone(), source })?;
        return Ok(Candidate { name: resolved.name, commit: resolved.commit });
    }
    let (branch, _) = branch_and_worktree(task, asked.stage)?;
    let name = format!("refs/heads/{branch}");
    let tip = task.repository.ref_commit(context, &name)?;
    let commit = tip.ok_or_else(|| StageError::NoBranch { stage: asked.stage, branch })?;
    Ok(Candidate { name, commit })
}

impl Facts {
    pub(super) fn read(
        context: &Context,
        task: &Task,
        asked: &Asked,
        ((plan, planned), run, head): ((Plan, PlanStage), Run, Candidate),
    ) -> Result<Self, Error> {
        let (run, waiver) = (run.manifest.run, run.manifest.qa_waiver);
        let (branch, worktree) = branch_and_worktree(task, asked.stage)?;
        let base = base(context, task, (asked.stage, head.commit))?;
        if base == head.commit {
            return Err(StageError::NothingDone { stage: asked.stage, at: head.commit.short(), branch }.into());
        }
        let shape = History::new(&task.repository).stage(Span { base, head: head.commit })?;
        let missing = || StageError::Incomplete { stage: asked.stage, root: task.root.to_string_lossy().into_owned() };
        let (stage, _, tree) = shape.ok_or_else(missing)?;
        let paths = stage.touched().cloned().collect();
        let is_tip = head.name == format!("refs/heads/{branch}");
        let tree = tree.to_string();
        Ok(Self { plan: plan.id, planned, run, waiver, base, head, is_tip, worktree, paths, tree })
    }

    /// The paths outside of the stage's files, which must all be allowed.
    pub(super) fn check_scope(&self, asked: &Asked) -> Result<Vec<AllowedPath>, Error> {
        let reason = asked.reason.clone().unwrap_or_default();
        let found = outside(&self.planned.files, &self.paths).iter().map(path_text).collect::<Vec<_>>();
        let (allowed, refused): (Vec<_>, Vec<_>) = found.into_iter().partition(|path| asked.allowed.contains(path));
        match refused.is_empty() {
            true => Ok(allowed.into_iter().map(|path| AllowedPath { path, reason: reason.clone() }).collect()),
            false => Err(StageError::Outside { stage: asked.stage, paths: refused }.into()),
        }
    }
}

/// The name of the run that did it, or has reserved it.
fn run_name(task: &Task, asked: &Asked) -> Result<Option<String>, Error> {
    let entry = task.registry().read(&task.key)?.unwrap_or_default();
    let holder = entry.stages.get(&asked.stage).and_then(|stage| stage.reserved_by.clone());
    Ok(asked.run.clone().or_else(|| holder.map(|holder| holder.run)))
}

/// The run that did it, or has reserved it and is open.
fn run_of(task: &Task, asked: &Asked) -> Result<Option<Run>, Error> {
    let run = run_name(task, asked)?.map(|name| runs::read(task, &name)).transpose()?.flatten();
    Ok(run.filter(|run| run.is_open() || asked.run.is_some()))
}

/// As [`run_of`], which there must be.
pub(super) fn must_run(task: &Task, asked: &Asked) -> Result<Run, Error> {
    let name = run_name(task, asked)?;
    let none = || StageError::NotReserved { stage: asked.stage, task: task.key.task.clone(), run: name };
    Ok(run_of(task, asked)?.ok_or_else(none)?)
}

/// Where the stage started: as it is registered, where that is in the history of `head`; else the merge base with the task
/// branch.
fn base(context: &Context, task: &Task, (stage, head): (u32, CommitId)) -> Result<CommitId, Error> {
    let entry = task.registry().read(&task.key)?.unwrap_or_default();
    let mut history = History::new(&task.repository);
    let registered = entry.stages.get(&stage).and_then(|stage| stage.base_ref.clone());
    let registered = registered.map(|text| task.repository.commit_by_id(&text)).transpose()?.and_then(Result::ok);
    if let Some(base) = registered
        && history.reaches(context, head, base, Limits::default())? == Some(true)
    {
        return Ok(base);
    }
    let branch = entry.branch.unwrap_or_else(|| format!("{}-{}", task.category, task.key.task.id));
    let missing = |why: String| StageError::NoBase { stage, why, hint: use_ref(stage, &task.key.task) };
    let tip = task.repository.ref_commit(context, &format!("refs/heads/{branch}"))?;
    let tip = tip.ok_or_else(|| missing(format!("there is no branch `{branch}`")))?;
    let bases = history.merge_bases(context, head, tip, Limits::default())?;
    match bases.commits.first() {
        Some(base) => Ok(*base),
        None => Err(missing(format!("it shares no history with `{branch}`")).into()),
    }
}
