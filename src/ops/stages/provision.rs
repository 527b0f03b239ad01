//! Branches and worktrees of the stages of a run.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::place::Place;
use super::undo::Undo;
use super::{Reserved, StageBase, StageError, include, lock_worktrees, text};
use crate::context::Context;
use crate::domain::ids::CommitId;
use crate::domain::plan::Plan;
use crate::domain::registry::StageEntry;
use crate::domain::run::RunStage;
use crate::domain::stages::Placement;
use crate::git::{History, Limits};
use crate::ops::Error;
use crate::ops::task::Task;

/// Stages with branch and worktree; when this is dropped before it was kept, everything that was made is taken back.
pub struct Provisioned<'t> {
    stages: Vec<RunStage>,
    undo: Undo<'t>,
}

impl Provisioned<'_> {
    /// The stages, as the run manifest has them.
    pub fn stages(&self) -> &[RunStage] {
        &self.stages
    }

    /// The run exists: all stays.
    pub fn keep(self) -> Vec<RunStage> {
        self.undo.keep();
        self.stages
    }
}

/// Makes branch and worktree of each reserved stage at its base, or uses its own again; all of them or none.
///
/// # Errors
/// [`StageError::Place`] when something else is in the way, and when git cannot make them. What was made is then taken
/// back, the reservations with it.
pub fn provision<'t>(
    context: &Context,
    task: &'t Task,
    plan: &Plan,
    reserved: Reserved<'t>,
    bases: &BTreeMap<u32, StageBase>,
) -> Result<Provisioned<'t>, Error> {
    let Reserved { stages, before, mut undo, .. } = reserved;
    // Declared after `undo`, so that it is let go of before anything is taken back.
    let _alone = lock_worktrees(context, task)?;
    let mut made = Vec::new();
    for stage in stages {
        context.cancel().check()?;
        let before = before.get(&stage).and_then(Option::as_ref);
        let missing = || StageError::NoBase { stage, why: "none was resolved".to_owned(), hint: String::new() };
        let base = bases.get(&stage).ok_or_else(missing)?;
        made.push(one(context, task, (plan, stage), (before, base), &mut undo)?);
    }
    Ok(Provisioned { stages: made, undo })
}

fn one(
    context: &Context,
    task: &Task,
    (plan, stage): (&Plan, u32),
    (before, base): (Option<&StageEntry>, &StageBase),
    undo: &mut Undo<'_>,
) -> Result<RunStage, Error> {
    let entry = task.registry().read(&task.key)?.unwrap_or_default();
    let registered = entry.stages.get(&stage).cloned().unwrap_or_default();
    let branch = entry.stage_branch(stage).unwrap_or_default();
    let path = registered.worktree_path.map_or_else(|| task.home.worktree(&task.key, Some(stage)), PathBuf::from);
    // A base is written down only when the place was free, or its own.
    let is_own = before.is_some_and(|before| before.base_ref.is_some());
    let place =
        Place { of: format!("stage {stage}"), branch: &branch, path: &path, is_own, must_hold: &base.must_hold };
    let placement = place.decide(context, task)?;
    let start = match place.tip(context, task)? {
        Some(tip) => kept_base(context, task, (tip, base), before)?,
        None => base.commit,
    };
    task.registry().lock(context)?.set_stage_base(&task.key, stage, &start.to_string())?;
    place.make(context, task, (&placement, start), undo)?;
    if placement != Placement::Reuse {
        include::copy(context, task, &path)?;
    }
    let planned = plan.stage(stage).cloned().unwrap_or_default();
    let (worktree, base) = (text(&path)?, start.to_string());
    Ok(RunStage { stage, title: planned.title, hash: planned.hash, branch, worktree, base })
}

/// The base of a branch that is there: as it is registered, where the branch still has it and it lacks nothing; else the
/// one that was asked for, where the branch has that; else the registered one.
fn kept_base(
    context: &Context,
    task: &Task,
    (tip, base): (CommitId, &StageBase),
    before: Option<&StageEntry>,
) -> Result<CommitId, Error> {
    let mut history = History::new(&task.repository);
    let mut has = |tip, commit| Ok::<_, Error>(history.reaches(context, tip, commit, Limits::default())? == Some(true));
    let registered = before.and_then(|before| before.base_ref.as_deref());
    let registered = registered.map(|text| task.repository.commit_by_id(text)).transpose()?.and_then(Result::ok);
    if let Some(old) = registered
        && has(tip, old)?
        && base.must_hold.iter().try_fold(true, |all, needed| Ok::<_, Error>(all && has(old, *needed)?))?
    {
        return Ok(old);
    }
    Ok(if has(tip, base.commit)? { base.commit } else { registered.unwrap_or(base.commit) })
}
