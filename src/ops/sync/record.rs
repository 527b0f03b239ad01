//! What is recorded of a task branch that moves: its old tip stays kept, and known as something that may have landed.

use serde_json::{Map, Value};

use crate::context::Context;
use crate::domain::base::Follow;
use crate::domain::equivalence::Candidate;
use crate::domain::ids::CommitId;
use crate::git::{History, Limits};
use crate::ops::Error;
use crate::ops::lifecycle::layout_of;
use crate::ops::stages::integrate::record as integration;
use crate::ops::task::Task;
use crate::store::{plans, timeline};

/// What following the base is called in the timeline.
const EVENT: &str = "synced";

/// Pins the tip that the branch is about to leave, then notes it beside the integrations: what landed together with it is
/// found by it. Doing it again changes nothing.
pub(super) fn keep_old_tip(context: &Context, task: &Task, tip: CommitId) -> Result<(), Error> {
    integration::pin(context, task, tip)?;
    integration::note_tip(context, task, tip)
}

/// Writes into the timeline that the branch moved.
pub(super) fn tell(
    context: &Context,
    task: &Task,
    (before, commit): (CommitId, CommitId),
    (how, base): (Follow, &str),
) -> Result<(), Error> {
    let mut event = Map::new();
    event.insert("how".to_owned(), serde_json::to_value(how).unwrap_or_default());
    event.insert("base".to_owned(), base.into());
    event.insert("before".to_owned(), before.to_string().into());
    event.insert("commit".to_owned(), commit.to_string().into());
    Ok(timeline::append(&layout_of(task)?.timeline(&task.key.task), context, EVENT, &event)?)
}

/// Records an integration that was merged, and of which okstra was killed before it recorded it.
pub(super) fn complete(context: &Context, task: &Task, head: CommitId) -> Result<(), Error> {
    match plans::current(&task.plans(), &task.key)? {
        Some(plan) => integration::complete(context, task, &plan, head),
        None => Ok(()),
    }
}

/// Writes into the timeline that the branch followed `base`, where okstra was killed before it did: the last tip that is noted
/// lacks the base, the branch has it, and no line says how that came.
pub(super) fn tell_what_was_not(context: &Context, task: &Task, head: CommitId, base: &Candidate) -> Result<(), Error> {
    let entry = task.registry().read(&task.key)?.unwrap_or_default();
    let Some(last) = entry.integrations.last().filter(|last| last.commit != head.to_string()) else { return Ok(()) };
    let Ok(tip) = task.repository.commit_by_id(&last.commit)? else { return Ok(()) };
    let path = layout_of(task)?.timeline(&task.key.task);
    let says = |line: &Map<String, Value>| {
        line.get("event").is_some_and(|name| name == EVENT) && line.get("before").is_some_and(|at| *at == last.commit)
    };
    if timeline::read(&path, context)?.iter().any(says)
        || History::new(&task.repository).reaches(context, tip, base.commit, Limits::default())? != Some(false)
    {
        return Ok(());
    }
    let mut event = Map::new();
    event.insert("base".to_owned(), base.name.clone().into());
    event.insert("before".to_owned(), last.commit.clone().into());
    event.insert("commit".to_owned(), head.to_string().into());
    Ok(timeline::append(&path, context, EVENT, &event)?)
}
