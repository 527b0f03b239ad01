//! What is recorded when a task is closed: where its stages landed, before anything goes; that it is closed, at the end.

use serde_json::{Map, Value};

use super::Decided;
use crate::context::Context;
use crate::ops::Error;
use crate::ops::lifecycle::{self, layout_of};
use crate::ops::reconcile;
use crate::ops::stages::integrate::record as integration;
use crate::ops::task::Task;
use crate::store::{Manifest, timeline};

/// Records where stages landed, so that their records hold without their commits; and keeps the anchor, where the base has
/// left it behind.
pub(super) fn landings(context: &Context, task: &Task, decided: &Decided) -> Result<(), Error> {
    for base in &decided.released.on {
        let options = reconcile::Options {
            project_root: Some(task.root.clone()),
            task: Some(task.key.task.to_string()),
            into: Some(base.clone()),
            apply: true,
            ..reconcile::Options::default()
        };
        reconcile::run(context, &options)?;
    }
    if let Some(anchor) = decided.lone_anchor {
        integration::pin(context, task, anchor)?;
        integration::note(context, task, (anchor, &[]))?;
    }
    if let Some(tip) = decided.tip_left_behind {
        integration::note_tip(context, task, tip)?;
    }
    Ok(())
}

/// Writes down that the task is closed, or what of it went.
pub(super) fn close(context: &Context, task: &Task, decided: &Decided) -> Result<(), Error> {
    let (plan, layout) = (&decided.plan, layout_of(task)?);
    let path = layout.timeline(&task.key.task);
    let manifest = layout.manifest(&task.key.task);
    let is_closed = match Manifest::read(&manifest)? {
        Some(known) => known.lifecycle(&manifest)?.closed_at.is_some(),
        None => false,
    };
    let name = if plan.closed { "closed" } else { "cleaned" };
    let is_news = !plan.removed.is_empty() || !plan.released.is_empty();
    // Where it was killed before the mark below, the line is there.
    let is_told = || {
        let lines = timeline::read(&path, context)?;
        Ok::<_, Error>(lines.last().is_some_and(|line| line.get("event").is_some_and(|event| event == name)))
    };
    if is_news || (plan.closed && !is_closed && !is_told()?) {
        timeline::append(&path, context, name, &event(plan))?;
    }
    if plan.closed {
        lifecycle::close(context, task)?;
    }
    Ok(())
}

fn event(plan: &super::Plan) -> Map<String, Value> {
    let branches = |branches: Vec<Option<String>>| Value::from(branches.into_iter().flatten().collect::<Vec<_>>());
    let mut event = Map::new();
    event.insert("removed".to_owned(), branches(plan.removed.iter().map(|gone| gone.branch.clone()).collect()));
    event.insert("kept".to_owned(), branches(plan.kept.iter().map(|kept| kept.branch.clone()).collect()));
    event
}
