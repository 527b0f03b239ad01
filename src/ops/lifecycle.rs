//! Tasks and runs come into being, and what is known of them follows: the manifest of the task, its index, its timeline,
//! the catalog, the mirror.
//!
//! The run manifest makes a run exist, and the team state alone says what became of it. All else is made from these two
//! by one function, which may be called at any time and does only what is missing: after a crash the next command that
//! changes state completes it.

pub(super) mod choose;
mod index;
pub(super) mod known;
pub(super) mod settle;
mod started;

use std::path::Path;

use self::settle::Event;
use super::Error;
use super::task::{Selector, Task};
use crate::context::Context;
use crate::domain::lifecycle::{Lifecycle, TaskBrief, parse_category};
use crate::domain::names::{Name, TaskKey, TaskName};
use crate::domain::run::RunManifest;
use crate::store::{Home, LatestTask, Layout, Manifest, ManifestGuard, Project, rebuild_catalog, runs};

/// What a new task is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTask {
    /// Its key.
    pub key: TaskKey,
    /// What people call it.
    pub title: Option<String>,
    /// The kind of work.
    pub category: Name,
    /// What is asked for.
    pub brief: Option<TaskBrief>,
}

/// Reads `text` as a work category of the project whose files are in `layout`.
///
/// # Errors
/// [`Error::Category`], and when `project.json` cannot be read.
pub fn category(layout: &Layout, text: &str) -> Result<Name, Error> {
    let project = Project::read(&layout.project())?;
    let added = project.as_ref().map(|project| project.texts("workCategories", &layout.project())).transpose()?;
    Ok(parse_category(text, &added.unwrap_or_default())?)
}

/// Makes the task `new` in the project; one that is there is given what it lacks. Answers whether it was made.
///
/// # Errors
/// [`crate::store::Error::CaseCollision`] when its name differs only in case from another, [`Error::OtherCategory`] when
/// the task is there with another category, and when anything cannot be read or written.
pub fn create_task(context: &Context, layout: &Layout, new: &NewTask) -> Result<bool, Error> {
    let task = &new.key.task;
    layout.check_case(task)?;
    Home::find(context)?.check_case(&new.key)?;
    layout.ensure_ignored()?;
    let path = layout.manifest(task);
    let guard = ManifestGuard::lock(&path, context)?;
    let old = guard.read()?;
    let is_new = old.is_none();
    let mut manifest = old.unwrap_or_else(|| Manifest::new(new.key.clone(), None, None));
    if let Some(recorded) = manifest.category.as_ref().filter(|recorded| **recorded != new.category) {
        let (recorded, given) = (recorded.to_string(), new.category.to_string());
        return Err(Error::OtherCategory { task: task.clone(), recorded, given });
    }
    let lifecycle = manifest.lifecycle(&path)?;
    let now = context.clock().moment().to_string();
    let completed = Lifecycle {
        brief: lifecycle.brief.clone().or_else(|| new.brief.clone()),
        created_at: lifecycle.created_at.clone().or(Some(now)),
        ..lifecycle
    };
    let named = manifest.title.is_some() && manifest.category.is_some();
    manifest.title = manifest.title.or_else(|| new.title.clone());
    manifest.category = Some(new.category.clone());
    if manifest.set_lifecycle(&completed) || is_new || !named {
        index::write(layout, &manifest, &completed)?;
        settle::event_once(context, layout, task, &Event::new("created"))?;
        guard.write(&manifest)?;
    }
    drop(guard);
    rebuild_catalog(context, layout)?;
    Ok(is_new)
}

/// Completes what belongs to a run that was just made to exist by `manifest`: started rows, the task's manifest, index
/// and timeline, the catalog, the latest task, the mirror. Doing it again changes nothing.
///
/// # Errors
/// When anything cannot be read or written; what is missing is then completed by the next command that changes state.
pub fn register_run(context: &Context, task: &Task, manifest: &RunManifest) -> Result<(), Error> {
    let layout = layout_of(task)?;
    let (known, name) = (runs::names(layout, &task.key)?, manifest.run.parse()?);
    if !known.contains(&name) {
        return Err(Error::UnknownRun { task: task.key.task.clone(), run: name, known });
    }
    settle::settle(context, task, layout)?;
    super::mirror::write_or_warn(context, task)
}

/// Says in the manifest of the task that it is closed. Doing it again changes nothing.
///
/// # Errors
/// When anything cannot be read or written.
pub(super) fn close(context: &Context, task: &Task) -> Result<(), Error> {
    let layout = layout_of(task)?;
    let path = layout.manifest(&task.key.task);
    let guard = ManifestGuard::lock(&path, context)?;
    let missing = || Error::UnknownTask { task: task.key.task.clone(), folder: layout.tasks() };
    let mut manifest = guard.read()?.ok_or_else(missing)?;
    let known = manifest.lifecycle(&path)?;
    if known.closed_at.is_none() {
        let closed = Lifecycle { closed_at: Some(context.clock().moment().to_string()), ..known };
        manifest.set_lifecycle(&closed);
        index::write(layout, &manifest, &closed)?;
        guard.write(&manifest)?;
    }
    drop(guard);
    Ok(rebuild_catalog(context, layout)?)
}

/// Brings all that follows from the records of a task up to what they say now: they were taken over from elsewhere.
///
/// # Errors
/// When anything cannot be read or written; the next command that changes state then completes it.
pub(super) fn refresh(context: &Context, task: &Task) -> Result<(), Error> {
    let layout = layout_of(task)?;
    settle::settle(context, task, layout)?;
    let path = layout.manifest(&task.key.task);
    let Some(manifest) = Manifest::read(&path)? else { return Ok(()) };
    index::write(layout, &manifest, &manifest.lifecycle(&path)?)
}

/// Completes what a crash left undone of the runs of every task of the project. Commands that change state call it
/// first. Answers how many tasks it completed. A task whose files cannot be read is warned of: its own commands say more.
///
/// # Errors
/// When the tasks cannot be listed, or the work was cancelled.
pub fn complete_registrations(context: &Context, project_root: &Path) -> Result<usize, Error> {
    let layout = Layout::new(project_root);
    let (mut completed, names) = (0, crate::store::task_names(&layout)?);
    for name in &names {
        context.cancel().check()?;
        match complete(context, project_root, &layout, name) {
            Ok(true) => completed += 1,
            Ok(false) => {}
            Err(error @ Error::Cancelled(_)) => return Err(error),
            Err(error) => context.warn(format!("the runs of {name} cannot be completed: {error}")),
        }
    }
    // Catalog and mirror are written after the manifests, so a crash may have left them as they were before.
    if !names.is_empty() {
        rebuild_catalog(context, &layout)?;
        mirror_latest(context, project_root, &layout)?;
    }
    Ok(completed)
}

/// Mirrors the task that was worked on last, if its mirror has not come so far.
fn mirror_latest(context: &Context, root: &Path, layout: &Layout) -> Result<(), Error> {
    // The file is a convenience, and so is what follows from it.
    let Ok(Some(latest)) = LatestTask::read(&layout.latest_task()) else { return Ok(()) };
    let Some((_, name)) = latest.task_key.split_once('/') else { return Ok(()) };
    let Ok(task) = Task::find(context, Some(root), &Selector::Project(Some(name.to_owned()))) else { return Ok(()) };
    match super::mirror::has_manifest(context, &task, layout) {
        true => Ok(()),
        false => super::mirror::write_or_warn(context, &task),
    }
}

fn complete(context: &Context, root: &Path, layout: &Layout, name: &TaskName) -> Result<bool, Error> {
    if !settle::is_unsettled(layout, name)? {
        return Ok(false);
    }
    let task = Task::find(context, Some(root), &Selector::Project(Some(name.to_string())))?;
    settle::settle(context, &task, layout)?;
    super::mirror::write_or_warn(context, &task)?;
    Ok(true)
}

/// The `.okstra/` of a task that must lie in one.
pub(super) fn layout_of(task: &Task) -> Result<&Layout, Error> {
    task.layout.as_ref().ok_or_else(|| Error::NoProject { root: task.root.clone() })
}
