//! `--apply`: everything is decided first, outside the locks; then checked under them, and written.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::draft::{Draft, Named};
use super::request::Wanted;
use super::scene::{self, Scene};
use super::{Outcome, Repair, WayOut};
use crate::context::Context;
use crate::domain::reconcile::AppliedDocument;
use crate::domain::records::{Append, Reappend, Record};
use crate::domain::revision::Purpose;
use crate::ops::task::Task;
use crate::ops::{Error, mirror};
use crate::store::consumers::{DoneStage, LogGuard};
use crate::store::{consumers, plans, timeline};

/// What a repair is called in the timeline.
const EVENT: &str = "reconciled";
/// How often it is decided anew when the records or the branches changed meanwhile.
const TRIES: usize = 5;

/// Repairs what is proved and what a person named.
pub(super) fn run(context: &Context, task: &Task, wanted: &Wanted) -> Result<(Outcome, Vec<WayOut>), Error> {
    let (applied, draft) = decide_and_write(context, task, |scene| {
        // Each time anew: a ref that moved meanwhile names another commit now.
        let named = resolve(context, task, wanted)?;
        check(scene, &named)?;
        Draft::of_request(scene, &named)
    })?;
    if draft.is_empty() {
        // What an earlier command could not mirror is made good.
        mirror::write_or_warn(context, task)?;
    }
    let outcome = AppliedDocument { applied, remaining_confirm: draft.remaining, into: draft.into };
    Ok((Outcome::Applied(outcome), draft.ways_out))
}

/// Lets `decide` draft what is to be written, and writes it; where the records or the branches changed meanwhile, it is
/// decided anew.
pub(super) fn decide_and_write<'r>(
    context: &'r Context,
    task: &'r Task,
    decide: impl Fn(&mut Scene<'r>) -> Result<Draft, Error>,
) -> Result<(Vec<Repair>, Draft), Error> {
    for _ in 0..TRIES {
        let draft = decide(&mut Scene::read(context, task)?)?;
        context.cancel().check()?;
        tell_what_was_not(context, task, &draft.read);
        if let Some(applied) = write(context, task, &draft)? {
            if !draft.is_empty() {
                mirror::write_or_warn(context, task)?;
            }
            return Ok((applied, draft));
        }
    }
    Err(Error::ChangedMeanwhile { log: task.log() })
}

fn resolve(context: &Context, task: &Task, wanted: &Wanted) -> Result<Named, Error> {
    let commit = |text: &String| scene::resolve(context, task, text, Purpose::Commit);
    let person = match &wanted.person {
        Some((stage, text)) => Some((*stage, commit(text)?)),
        None => None,
    };
    let anchor = wanted.anchor.as_ref().map(commit).transpose()?;
    let into = wanted.into.as_ref().map(|text| scene::candidate(context, task, text)).transpose()?;
    Ok(Named { person, anchor, into })
}

/// Everything that can be wrong with what a person named, before anything is written.
fn check(scene: &mut Scene<'_>, named: &Named) -> Result<(), Error> {
    if let Some((stage, _)) = &named.person
        && !scene.done.contains_key(stage)
    {
        return Err(Error::NoDoneRow { stage: *stage });
    }
    if named.anchor.is_some() && scene.entry.is_none() {
        return Err(Error::NotRegistered { key: scene.task.key.clone(), registry: scene.task.home.registry() });
    }
    if let Some(into) = &named.into {
        let bases: Vec<String> = scene.bases()?.into_iter().map(|base| base.name).collect();
        if !bases.contains(&into.name) {
            return Err(Error::NotTheBase { reference: into.name.clone(), bases });
        }
    }
    let given = [named.person.as_ref().map(|(_, named)| named), named.anchor.as_ref(), named.into.as_ref()];
    let given: Vec<String> = given.into_iter().flatten().map(|candidate| candidate.name.clone()).collect();
    nothing_under_way(scene, given)
}

/// Refuses to write while somebody is in the middle of something on a stage branch, or on one of `others`.
pub(super) fn nothing_under_way(scene: &Scene<'_>, others: Vec<String>) -> Result<(), Error> {
    let branches = scene.done.keys().map(|stage| scene.stage_branch(*stage));
    for name in branches.chain(others) {
        if let Some(operation) = scene.task.repository.operation_in_progress(scene.context, &name)? {
            return Err(Error::OperationInProgress { reference: name, operation });
        }
    }
    Ok(())
}

/// Writes the draft under the locks; `None` when it was decided on what no longer holds.
fn write(context: &Context, task: &Task, draft: &Draft) -> Result<Option<Vec<Repair>>, Error> {
    if draft.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let registry = match draft.anchor {
        Some(_) => Some(task.registry().lock(context)?),
        None => None,
    };
    let log = match draft.rows.is_empty() {
        true => None,
        false => Some(LogGuard::lock(&task.log(), context)?),
    };
    let anchor_holds = match (&registry, &draft.anchor) {
        (Some(registry), Some((before, _))) => {
            registry.read(&task.key)?.is_some_and(|entry| entry.implementation_base_commit == *before)
        }
        _ => true,
    };
    if !anchor_holds || !still_holds(context, task, draft)? {
        return Ok(None);
    }
    task.repository.keep_commits(context, &draft.keep)?;
    let mut applied = Vec::new();
    if let (Some(mut registry), Some((before, commit))) = (registry, &draft.anchor) {
        let key = &task.key;
        registry.reset_implementation_base(key, before.as_deref(), &commit.to_string())?;
        applied.push(Repair::Anchor { anchor: *commit });
    }
    if let Some(log) = &log {
        let decisions = log.append_all(&draft.rows, Reappend::Repair)?;
        let written = draft.rows.iter().zip(decisions).filter(|(_, decision)| *decision == Append::Write);
        for (row, _) in written {
            applied.push(repair(row));
            tell(context, task, row);
        }
    }
    Ok(Some(applied))
}

/// Whether the rows and the branches are as they were when the draft was made.
fn still_holds(context: &Context, task: &Task, draft: &Draft) -> Result<bool, Error> {
    let plan = plans::current(&task.plans(), &task.key)?;
    let done = consumers::read_done(&task.log(), context, &task.key, plan.as_ref())?;
    if done != draft.read {
        return Ok(false);
    }
    for (name, tip) in &draft.tips {
        if task.repository.ref_commit(context, name)? != *tip {
            return Ok(false);
        }
    }
    Ok(true)
}

fn repair(row: &Record) -> Repair {
    Repair::Stage {
        stage: row.stage,
        new_commit: row.head_commit.clone(),
        replaced: row.replaced_commit.clone().unwrap_or_default(),
        // Every row that repairs has a reason.
        reason: row.reconcile_reason.clone().unwrap_or(super::Reason::AutoPatchId),
    }
}

/// Writes the repair into the task's timeline, where the task has one. The row is what counts: that this failed is told.
fn tell(context: &Context, task: &Task, row: &Record) {
    let Some(layout) = &task.layout else { return };
    if let Err(error) = timeline::append(&layout.timeline(&task.key.task), context, EVENT, &event(row)) {
        warn(context, &error);
    }
}

/// Writes the repairs of which a crash, after the row, kept the timeline from knowing.
fn tell_what_was_not(context: &Context, task: &Task, done: &BTreeMap<u32, DoneStage>) {
    let Some(layout) = &task.layout else { return };
    let is_repair = |row: &&Record| row.reconcile_reason.is_some();
    let mut repairs = done.values().map(|done| &done.latest).filter(is_repair).peekable();
    if repairs.peek().is_none() {
        return;
    }
    let told = match timeline::read(&layout.timeline(&task.key.task), context) {
        Ok(told) => told,
        Err(error) => return warn(context, &error),
    };
    for row in repairs {
        let event = event(row);
        let is_of_stage = |told: &&Map<String, Value>| {
            told.get("event").is_some_and(|name| name == EVENT) && told.get("stage") == event.get("stage")
        };
        let last = told.iter().rfind(is_of_stage);
        if !last.is_some_and(|last| event.iter().all(|(name, value)| last.get(name) == Some(value))) {
            tell(context, task, row);
        }
    }
}

fn event(row: &Record) -> Map<String, Value> {
    let mut event = Map::new();
    event.insert("stage".to_owned(), row.stage.into());
    event.insert("commit".to_owned(), row.head_commit.clone().into());
    event.insert("replaced".to_owned(), row.replaced_commit.clone().into());
    event.insert("reason".to_owned(), serde_json::to_value(&row.reconcile_reason).unwrap_or_default());
    event.insert("ref".to_owned(), row.reference.clone().into());
    event
}

fn warn(context: &Context, error: &crate::store::Error) {
    context.warn(format!("the repair is recorded, but not in the timeline: {error}"));
}
