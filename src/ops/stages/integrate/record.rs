//! What is recorded of an integration: a keep ref first, so that the record never names what git may collect.

use std::path::Path;

use serde_json::{Map, Value};

use super::merge;
use crate::context::Context;
use crate::domain::ids::CommitId;
use crate::domain::plan::Plan;
use crate::domain::registry::{Integration, TaskEntry};
use crate::git::{History, Limits, keep};
use crate::ops::Error;
use crate::ops::task::Task;
use crate::store::{plans, timeline};

/// What the timeline calls it.
const EVENT: &str = "integrated";

/// Pins the commit at which an integration ends.
pub(in crate::ops) fn pin(context: &Context, task: &Task, commit: CommitId) -> Result<(), Error> {
    let pin = (keep::integration_ref_name(&task.key.task, commit), commit);
    Ok(task.repository.keep_commits(context, &[pin])?)
}

/// Notes in the registry that the task branch had this commit, which holds these stages.
pub(in crate::ops) fn note(context: &Context, task: &Task, (commit, stages): (CommitId, &[u32])) -> Result<(), Error> {
    let at = Some(context.clock().moment().to_string());
    let made = Integration { commit: commit.to_string(), stages: stages.to_vec(), at };
    task.registry().lock(context)?.add_integration(&task.key, &made)?;
    Ok(())
}

/// Notes the tip that the task branch is about to leave, with the stages that no integration holds before it: what landed
/// together with it is found by it. Doing it again changes nothing.
pub(in crate::ops) fn note_tip(context: &Context, task: &Task, tip: CommitId) -> Result<(), Error> {
    let entry = task.registry().read(&task.key)?.unwrap_or_default();
    if entry.integrations.iter().any(|made| made.commit == tip.to_string()) {
        return Ok(());
    }
    let stages = match plans::current(&task.plans(), &task.key)? {
        Some(plan) => news_at(context, task, &plan, (tip, &entry))?,
        None => Vec::new(),
    };
    note(context, task, (tip, &stages))
}

/// Records an integration that the task branch has. The registry comes last: an integration that it has needs nothing more.
pub(super) fn write(context: &Context, task: &Task, (commit, stages): (CommitId, &[u32])) -> Result<(), Error> {
    if let Some(layout) = &task.layout {
        tell(context, &layout.timeline(&task.key.task), (commit, stages))?;
    }
    note(context, task, (commit, stages))
}

/// Adds the integration to the timeline, unless it is there.
fn tell(context: &Context, timeline: &Path, (commit, stages): (CommitId, &[u32])) -> Result<(), Error> {
    let commit = commit.to_string();
    let is_told = |event: &Map<String, Value>| {
        event.get("event").and_then(Value::as_str) == Some(EVENT)
            && event.get("commit").and_then(Value::as_str) == Some(&commit)
    };
    if timeline::read(timeline, context)?.iter().any(is_told) {
        return Ok(());
    }
    let fields = [("stages", stages.to_vec().into()), ("commit", commit.into())];
    let fields = fields.into_iter().map(|(name, value): (&str, Value)| (name.to_owned(), value)).collect();
    Ok(timeline::append(timeline, context, EVENT, &fields)?)
}

/// Records an integration that was pinned and merged, and of which the record is missing: okstra was killed in between.
pub(in crate::ops) fn complete(context: &Context, task: &Task, plan: &Plan, trunk: CommitId) -> Result<(), Error> {
    let entry = task.registry().read(&task.key)?.unwrap_or_default();
    let prefix = keep::integration_ref_name(&task.key.task, trunk).replace(&trunk.to_string(), "");
    let is_recorded = |commit: &CommitId| entry.integrations.iter().any(|made| made.commit == commit.to_string());
    let pinned = task.repository.kept(context, &task.key.task)?;
    let pinned = pinned.into_iter().filter(|(name, commit)| name.starts_with(&prefix) && !is_recorded(commit));
    let mut history = History::new(&task.repository);
    for (_, commit) in pinned {
        if history.reaches(context, trunk, commit, Limits::default())? != Some(true) {
            continue;
        }
        let stages = news_at(context, task, plan, (commit, &entry))?;
        write(context, task, (commit, &stages))?;
    }
    Ok(())
}

/// The stages that `commit` holds, and no integration that is recorded.
fn news_at(
    context: &Context,
    task: &Task,
    plan: &Plan,
    (commit, entry): (CommitId, &TaskEntry),
) -> Result<Vec<u32>, Error> {
    let mut stages = merge::find(context, task, plan, commit)?.contained;
    for made in &entry.integrations {
        if let Ok(made) = task.repository.commit_by_id(&made.commit)? {
            let earlier = merge::find(context, task, plan, made)?.contained;
            stages.retain(|stage| !earlier.contains(stage));
        }
    }
    Ok(stages)
}
