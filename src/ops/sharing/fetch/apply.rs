//! Writes what was decided, so that it can be done again after a crash: what is there for others to go by comes last.

use std::path::Path;

use super::plan::{EntryPlan, Here, Plan, Write, missing_rows};
use super::theirs::Theirs;
use crate::context::Context;
use crate::domain::mirror::rank;
use crate::domain::sharing::Kind;
use crate::fs;
use crate::ops::Error;
use crate::store::consumers::{LogGuard, LogText};
use crate::store::registry::Registry;
use crate::store::runs::StateGuard;
use crate::store::{ManifestGuard, timeline};

/// Writes `plan`. The answer is whether all was still as it was decided on; where it was not, it is decided anew.
///
/// The registry comes before everything by which the task would be worked on: without it a run would start from nothing.
///
/// # Errors
/// When something cannot be written; what is written by then stays.
pub(super) fn apply(context: &Context, here: &Here<'_>, theirs: &Theirs, plan: &Plan) -> Result<bool, Error> {
    let task = &theirs.key.task;
    fs::create_folders_in(here.layout.root(), Path::new(".okstra"))?;
    here.layout.ensure_ignored()?;
    let below = Path::new("tasks").join(task.group.as_str()).join(task.id.as_str());
    fs::create_folders_in(&here.layout.folder(), &below)?;
    let manifest = ManifestGuard::lock(&here.layout.manifest(task), context)?;
    if !is_as_decided(context, here, theirs, plan)? || !write_entry(context, here, theirs, plan)? {
        return Ok(false);
    }
    let (files, making): (Vec<&Write>, Vec<&Write>) =
        plan.writes.iter().partition(|write| rank(write.shown.as_bytes()) == 0);
    for write in files {
        context.cancel().check()?;
        if !write_file(context, here, theirs, write)? {
            return Ok(false);
        }
    }
    if !write_lines(context, here, theirs, plan)? {
        return Ok(false);
    }
    for write in making {
        let is_written = match write.kind {
            Kind::Manifest => manifest.take_over(write.before.as_deref(), &String::from_utf8_lossy(&write.content))?,
            _ => write_file(context, here, theirs, write)?,
        };
        if !is_written {
            return Ok(false);
        }
    }
    if !plan.fields.is_empty()
        && let Some(mut changed) = manifest.read()?
    {
        for (field, value) in &plan.fields {
            changed.set(field, value.clone());
        }
        manifest.write(&changed)?;
    }
    Ok(true)
}

/// Whether files and log are as they were.
fn is_as_decided(context: &Context, here: &Here<'_>, theirs: &Theirs, plan: &Plan) -> Result<bool, Error> {
    for write in &plan.writes {
        let path = here.layout.folder().join(&write.path);
        let is_same = match &write.before {
            None => path.symlink_metadata().is_err(),
            Some(before) => fs::read(&path).is_ok_and(|bytes| bytes == *before),
        };
        if !is_same {
            return Ok(false);
        }
    }
    let log = LogText::read(&here.layout.consumers(&theirs.key.task))?;
    Ok(missing_rows(context, &log, theirs)?.as_ref() == Ok(&plan.rows))
}

fn write_entry(context: &Context, here: &Here<'_>, theirs: &Theirs, plan: &Plan) -> Result<bool, Error> {
    let key = &theirs.key;
    let registry = Registry::new(here.home.registry());
    match &plan.entry {
        EntryPlan::Nothing => Ok(true),
        EntryPlan::New(entry) => Ok(registry.lock(context)?.insert_restored(key, entry)?),
        EntryPlan::Changes(changes) => {
            let worktree = |stage| here.home.worktree(key, Some(stage)).to_string_lossy().into_owned();
            match registry.lock(context)?.take_over(key, changes, worktree) {
                Ok(()) => Ok(true),
                Err(crate::store::Error::AnchorMoved { .. }) => Ok(false),
                Err(error) => Err(error.into()),
            }
        }
    }
}

fn write_file(context: &Context, here: &Here<'_>, theirs: &Theirs, write: &Write) -> Result<bool, Error> {
    let folder = here.layout.folder();
    fs::create_folders_in(&folder, write.path.parent().unwrap_or(Path::new("")))?;
    let path = folder.join(&write.path);
    let Some(before) = &write.before else { return Ok(fs::create_new(&path, &write.content)?) };
    if let Kind::TeamState(run) = write.kind {
        let state = StateGuard::lock(context, here.layout, &theirs.key, run)?;
        return Ok(state.take_over(before, &String::from_utf8_lossy(&write.content))?);
    }
    let is_as_before = fs::read(&path)? == *before;
    if is_as_before {
        fs::replace(&path, &write.content)?;
    }
    Ok(is_as_before)
}

/// Adds rows and events that are missing.
fn write_lines(context: &Context, here: &Here<'_>, theirs: &Theirs, plan: &Plan) -> Result<bool, Error> {
    let task = &theirs.key.task;
    if !plan.rows.is_empty() {
        let folder = Path::new("tasks").join(task.group.as_str()).join(task.id.as_str());
        fs::create_folders_in(&here.layout.folder(), &folder.join("runs").join("implementation-planning"))?;
        let log = LogGuard::lock(&here.layout.consumers(task), context)?;
        if missing_rows(context, &log.read()?, theirs)?.as_ref() != Ok(&plan.rows) {
            return Ok(false);
        }
        log.take_over(&plan.rows.iter().map(String::as_str).collect::<Vec<_>>())?;
    }
    if !plan.events.is_empty() {
        timeline::take_over(&here.layout.timeline(task), context, &theirs.events)?;
    }
    Ok(true)
}
