//! The registry rows that a restore brings back. What is true of one clone only, paths and reservations, is not in a
//! mirror: paths are those of this machine.

use super::restore::{Restoring, told};
use crate::domain::names::{TaskKey, TaskName};
use crate::domain::registry::{StageEntry, TaskEntry};
use crate::git::Repository;
use crate::ops::Error;
use crate::ops::mirror;
use crate::store::registry::Registry;
use crate::store::{self, Home, Project};

/// Brings back the row of `task` unless the registry has one. What stands against it is told and stops nothing.
pub(super) fn restore(restoring: &mut Restoring<'_>, task: &TaskName, mirrored: &[u8]) -> Result<(), Error> {
    let restored = read(restoring, task, mirrored).and_then(|(key, entry)| insert(restoring, &key, &entry));
    match restored {
        Ok(Some(key)) => restoring.outcome.registry.push(key),
        Ok(None) => {}
        Err(Stop::Conflict(reason)) => restoring.refuse(task, None, format!("its registry row: {reason}")),
        Err(Stop::Failed(error)) => return Err(*error),
    }
    Ok(())
}

/// Why a row is not brought back.
enum Stop {
    /// Something stands against it.
    Conflict(String),
    /// The registry could not be read or written at all.
    Failed(Box<Error>),
}

impl From<store::Error> for Stop {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::Fs(_) => Self::Failed(Box::new(error.into())),
            error => Self::Conflict(told(&error)),
        }
    }
}

/// The row as it would stand in this machine's registry.
fn read(restoring: &Restoring<'_>, task: &TaskName, mirrored: &[u8]) -> Result<(TaskKey, TaskEntry), Stop> {
    let row = mirror::parse_row(mirrored)?;
    let key: TaskKey = row.key.parse().map_err(|error| Stop::Conflict(told(&error)))?;
    if key.task != *task {
        return Err(Stop::Conflict(format!("it is of another task, `{key}`")));
    }
    let project = Project::read(&restoring.layout.project())?;
    if let Some(project) = project.filter(|project| *project.id() != key.project) {
        return Err(Stop::Conflict(format!("it is of the project `{}`, and this is `{}`", key.project, project.id())));
    }
    let entry = of_this_machine(&restoring.home, restoring.repository, &key, row.entry);
    Ok((key, entry))
}

/// A mirrored entry with this machine's paths, and without reservations.
pub(in crate::ops) fn of_this_machine(
    home: &Home,
    repository: &Repository,
    key: &TaskKey,
    mirrored: TaskEntry,
) -> TaskEntry {
    let path = |stage| Some(home.worktree(key, stage).to_string_lossy().into_owned());
    let stage = |(number, entry): (u32, StageEntry)| {
        // Without a branch it was removed, or the task closed.
        let worktree_path = path(Some(number)).filter(|_| entry.branch.is_some());
        let entry = StageEntry { worktree_path, reserved_by: None, reserved_at: None, ..entry };
        (number, entry)
    };
    TaskEntry {
        worktree_path: path(None).filter(|_| mirrored.branch.is_some()),
        git_common_dir: Some(repository.common_dir().to_string_lossy().into_owned()),
        stages: mirrored.stages.into_iter().map(stage).collect(),
        ..mirrored
    }
}

/// Puts the row into the registry; gives its key when it was not there.
fn insert(restoring: &Restoring<'_>, key: &TaskKey, entry: &TaskEntry) -> Result<Option<String>, Stop> {
    let registry = Registry::new(restoring.home.registry());
    if let Some(present) = registry.read(key)? {
        let clone = present.git_common_dir.filter(|clone| Some(clone) != entry.git_common_dir.as_ref());
        return match clone {
            Some(clone) => Err(Stop::Conflict(format!("another clone holds the task on this machine: `{clone}`"))),
            None => Ok(None),
        };
    }
    restoring.home.check_case(key)?;
    let is_new = registry.lock(restoring.context)?.insert_restored(key, entry)?;
    Ok(is_new.then(|| key.to_string()))
}
