//! The commits that stages start from.

use std::collections::BTreeMap;

use super::StageError;
use crate::context::Context;
use crate::domain::ids::CommitId;
use crate::domain::plan::Plan;
use crate::ops::Error;
use crate::ops::reconcile::{check_gate, guidance};
use crate::ops::task::Task;
use crate::store::consumers;

/// Where a stage starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageBase {
    /// The commit.
    pub commit: CommitId,
    /// What a branch that is there already must have in its history: the commit itself; where several stages lead to it,
    /// their commits.
    pub must_hold: Vec<CommitId>,
}

/// Where each of `stages` starts: at the anchor, at the done commit of the one stage that it depends on, or at the `HEAD`
/// of the task worktree, which must hold all that it depends on.
///
/// # Errors
/// [`Error::Gate`] with what holds a stage up and what helps; [`StageError::NoBase`].
pub fn bases(context: &Context, task: &Task, plan: &Plan, stages: &[u32]) -> Result<BTreeMap<u32, StageBase>, Error> {
    stages.iter().map(|&stage| Ok((stage, base(context, task, plan, stage)?))).collect()
}

fn base(context: &Context, task: &Task, plan: &Plan, stage: u32) -> Result<StageBase, Error> {
    let mut needed = plan.stage(stage).map(|stage| stage.depends_on.clone()).unwrap_or_default();
    needed.sort_unstable();
    needed.dedup();
    if needed.is_empty() {
        let commit = anchor(task, stage)?;
        return Ok(StageBase { commit, must_hold: vec![commit] });
    }
    check_gate(context, task, stage)?;
    // The gate may have recorded where a stage landed.
    let done = consumers::read_done(&task.log(), context, &task.key, Some(plan))?;
    let mut commits = Vec::new();
    for other in &needed {
        let recorded = done.get(other).map(|done| done.latest.head_commit.clone());
        let missing = || no_base(task, stage, format!("stage {other}, which it depends on, is not done"));
        commits.push(commit(task, stage, &recorded.ok_or_else(missing)?)?);
    }
    match commits.as_slice() {
        [one] => Ok(StageBase { commit: *one, must_hold: vec![*one] }),
        _ => Ok(StageBase { commit: task_head(context, task, stage)?, must_hold: commits }),
    }
}

fn anchor(task: &Task, stage: u32) -> Result<CommitId, Error> {
    let entry = task.registry().read(&task.key)?;
    let recorded = entry.and_then(|entry| entry.implementation_base_commit);
    let missing = || no_base(task, stage, "the task has no anchor yet".to_owned());
    commit(task, stage, &recorded.ok_or_else(missing)?)
}

fn task_head(context: &Context, task: &Task, stage: u32) -> Result<CommitId, Error> {
    let entry = task.registry().read(&task.key)?.unwrap_or_default();
    if let Some(path) = &entry.worktree_path
        && let Some(head) = task.repository.head_of(context, path.as_ref())?
    {
        return Ok(head.commit);
    }
    let branch = entry.branch.map(|branch| format!("refs/heads/{branch}"));
    let tip = branch.map(|branch| task.repository.ref_commit(context, &branch)).transpose()?.flatten();
    tip.ok_or_else(|| no_base(task, stage, "the task has neither a worktree nor a branch".to_owned()))
}

fn commit(task: &Task, stage: u32, recorded: &str) -> Result<CommitId, Error> {
    let found = task.repository.commit_by_id(recorded)?;
    found.map_err(|why| no_base(task, stage, why.to_string()))
}

fn no_base(task: &Task, stage: u32, why: String) -> Error {
    StageError::NoBase { stage, why, hint: guidance(task).text(&[]) }.into()
}
