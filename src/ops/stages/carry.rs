//! Carry files: completing what a crash left without its done row, and handing them to the stages that build on them.

use std::path::PathBuf;

use super::{StageError, done, layout, to_recorded};
use crate::context::Context;
use crate::domain::stages::{Carry, Claims};
use crate::ops::Error;
use crate::ops::task::Task;
use crate::store::{carry, consumers, plans};

/// Completes every stage that has a carry file and no done row, with every check of `stage done`, commands included.
/// Gives the stages. A stage that another run is building anew is left to that.
///
/// # Errors
/// [`StageError::BackFill`] with the file, which is kept, and what is wrong.
pub fn complete_from_carry(context: &Context, task: &Task) -> Result<Vec<u32>, Error> {
    let Some(plan) = plans::current(&task.plans(), &task.key)? else { return Ok(Vec::new()) };
    let folder = layout(task)?.carry(&task.key.task);
    let done_rows = consumers::read_done(&task.log(), context, &task.key, Some(&plan))?;
    let entry = task.registry().read(&task.key)?.unwrap_or_default();
    let mut completed = Vec::new();
    for planned in plan.stages.iter().filter(|planned| !done_rows.contains_key(&planned.stage)) {
        let Some((path, carry)) = carry::read_of(&folder, planned.stage, &planned.hash)?.pop() else { continue };
        let holder = entry.stages.get(&planned.stage).and_then(|stage| stage.reserved_by.as_ref());
        if holder.is_some_and(|holder| holder.run != carry.run) {
            continue;
        }
        complete_one(context, task, &carry).map_err(|source| back_fill(planned.stage, path, source))?;
        completed.push(planned.stage);
    }
    Ok(completed)
}

fn complete_one(context: &Context, task: &Task, carry: &Carry) -> Result<(), Error> {
    let _alone = done::lock(context, task, carry.stage)?;
    let asked = done::Asked {
        stage: carry.stage,
        head: Some(carry.head_commit.clone()),
        claims: Claims::of(carry),
        allowed: carry.outside.iter().map(|path| path.path.clone()).collect(),
        reason: carry.outside.first().map(|path| path.reason.clone()),
        run: Some(carry.run.clone()),
    };
    done::complete(context, task, &asked).map(drop)
}

fn back_fill(stage: u32, path: PathBuf, source: Error) -> Error {
    match source {
        Error::Cancelled(cancelled) => Error::Cancelled(cancelled),
        source => StageError::BackFill { stage, path, source: Box::new(source) }.into(),
    }
}

/// What the stages that `stages` depend on, directly or through others, hand on, as Markdown; empty where they depend on
/// none.
///
/// # Errors
/// [`StageError::NoCarry`] for a stage without it.
pub fn carry_in(context: &Context, task: &Task, stages: &[u32]) -> Result<String, Error> {
    let Some(plan) = plans::current(&task.plans(), &task.key)? else { return Ok(String::new()) };
    let done_rows = consumers::read_done(&task.log(), context, &task.key, Some(&plan))?;
    let mut needed: Vec<(u32, u32)> =
        stages.iter().flat_map(|&stage| plan.all_dependencies(stage).into_iter().map(move |on| (on, stage))).collect();
    needed.sort_unstable();
    needed.dedup_by_key(|(on, _)| *on);
    let mut parts = Vec::new();
    for (on, stage) in needed.into_iter().filter(|(on, _)| !stages.contains(on)) {
        let recorded = done_rows.get(&on).and_then(|done| done.latest.carry_path.clone());
        let path = recorded.map(|recorded| to_recorded(task, &recorded));
        let carry = path.as_deref().map(carry::read).transpose()?.flatten();
        let missing = || StageError::NoCarry { stage, on, path: path.clone() };
        parts.push(carry.ok_or_else(missing)?.to_markdown());
    }
    Ok(parts.join("\n"))
}
