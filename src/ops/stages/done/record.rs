//! The carry, then the done row.

use super::super::{layout, to_recorded};
use super::held::Held;
use super::{Asked, Facts, Outcome, record_done};
use crate::context::Context;
use crate::domain::equivalence::fingerprint::path_text;
use crate::domain::ids::CommitId;
use crate::domain::stages::{AllowedPath, Carry, Check};
use crate::git::Span;
use crate::ops::Error;
use crate::ops::record_done::Done;
use crate::ops::task::Task;
use crate::store::carry;
use crate::store::consumers::DoneStage;

/// Stores the carry and records the stage.
pub(super) fn write(
    context: &Context,
    task: &Task,
    (facts, asked): (&Facts, &Asked),
    (validation, outside): (Vec<Check>, Vec<AllowedPath>),
) -> Result<Outcome, Error> {
    let (base, head) = (facts.base, facts.head.commit);
    let content = record_done::content(task, Span { base, head })?;
    let failed = validation.iter().any(|check| check.exit_code != 0);
    let qa_waiver = facts.waiver.clone().filter(|_| failed);
    let carry = Carry {
        impl_task_key: task.key.to_string(),
        run: facts.run.clone(),
        plan: facts.plan.clone(),
        stage_hash: facts.planned.hash.clone(),
        stage: asked.stage,
        title: facts.planned.title.clone(),
        completed_at: context.clock().moment().to_string(),
        content: content.clone(),
        base_commit: base.to_string(),
        head_commit: head.to_string(),
        files: facts.paths.iter().map(path_text).collect(),
        validation: asked.claims.pre().chain(validation.iter().cloned()).collect(),
        exit_contract: asked.claims.exit_contract.clone(),
        notes: asked.claims.notes.clone(),
        outside: outside.clone(),
        qa_waiver: qa_waiver.clone(),
    };
    let held = Held::take(context, task, (facts, asked))?;
    let path = carry::store(&layout(task)?.carry(&task.key.task), &carry)?;
    let carry_path = Some(layout(task)?.recorded(&path));
    let done = Done {
        stage: asked.stage,
        head,
        base,
        run: facts.run.clone(),
        plan: Some((facts.plan.clone(), facts.planned.hash.clone())),
        carry_path: carry_path.clone(),
    };
    let is_news = record_done::append(context, task, (&done, content))?;
    drop(held);
    record_done::complete(context, task, &done)?;
    Ok(Outcome {
        task: task.key.to_string(),
        stage: asked.stage,
        run: facts.run.clone(),
        base_commit: base.to_string(),
        head_commit: head.to_string(),
        is_news,
        carry_path,
        validation,
        outside,
        qa_waiver,
    })
}

/// The stage is recorded: as it was asked for nothing changes, but what a crash left undone is completed.
pub(super) fn again(
    context: &Context,
    task: &Task,
    (recorded, head): (&DoneStage, CommitId),
) -> Result<Outcome, Error> {
    let row = &recorded.latest;
    if row.head_commit != head.to_string() {
        return Err(Error::DoneAlready {
            task: task.key.task.clone(),
            stage: row.stage,
            recorded: row.head_commit.clone(),
        });
    }
    // A repair is no second time that it was done.
    if row.reconciled != Some(true) {
        let run = row.run.as_deref().unwrap_or_default();
        crate::ops::record_done::tell(context, task, (row.stage, &row.head_commit, run))?;
    }
    crate::ops::mirror::write_or_warn(context, task)?;
    let stored = row.carry_path.as_deref().map(|path| carry::read(&to_recorded(task, path))).transpose()?.flatten();
    let stored = stored.unwrap_or_default();
    Ok(Outcome {
        task: task.key.to_string(),
        stage: row.stage,
        run: row.run.clone().unwrap_or_default(),
        base_commit: row.base_commit.clone().unwrap_or_default(),
        head_commit: row.head_commit.clone(),
        is_news: false,
        carry_path: row.carry_path.clone(),
        validation: stored.validation.into_iter().filter(|check| check.phase == "post").collect(),
        outside: stored.outside,
        qa_waiver: stored.qa_waiver,
    })
}
