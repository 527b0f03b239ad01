//! What is known of the runs of a task: their manifests and team states.

use std::path::PathBuf;

use super::layout;
use crate::domain::lifecycle::{RunName, TaskType};
use crate::domain::run::{RunManifest, RunStatus, TeamState};
use crate::fs;
use crate::ops::Error;
use crate::ops::task::Task;
use crate::store::json::{Document, SchemaVersion};

/// The newest schemas that are understood.
const SCHEMA: SchemaVersion = SchemaVersion { major: 1, minor: 0 };

/// A run that exists.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) manifest: RunManifest,
    pub(super) status: RunStatus,
}

impl Run {
    /// Whether it is neither finished nor abandoned.
    pub(super) fn is_open(&self) -> bool {
        !self.status.is_final()
    }
}

/// The run with this name; `None` where it does not exist, or is no run's name.
pub(super) fn read(task: &Task, name: &str) -> Result<Option<Run>, Error> {
    let Ok(name) = name.parse::<RunName>() else { return Ok(None) };
    let path = manifest_path(task, name)?;
    let Some(document) = Document::read(&path, SCHEMA)? else { return Ok(None) };
    let manifest = document.to(&path)?;
    let path = folder(task, name)?.join("state").join(format!("team-state-{}-{}.json", name.task_type, name.seq()));
    let status = match Document::read(&path, SCHEMA)? {
        Some(document) => document.to::<TeamState>(&path)?.status,
        None => RunStatus::Prepared,
    };
    Ok(Some(Run { manifest, status }))
}

/// The open runs that build stages, oldest first.
pub(super) fn open_implementations(task: &Task) -> Result<Vec<Run>, Error> {
    let folder = layout(task)?.run_root(&task.key.task, TaskType::Implementation.as_str()).join("manifests");
    let name = |file: &String| {
        let seq = file.strip_prefix("run-manifest-implementation-")?.strip_suffix(".json")?;
        Some(format!("implementation-{seq}"))
    };
    let mut open = Vec::new();
    for name in fs::names_in(&folder)?.iter().filter_map(name) {
        open.extend(read(task, &name)?.filter(Run::is_open));
    }
    Ok(open)
}

fn folder(task: &Task, name: RunName) -> Result<PathBuf, Error> {
    Ok(layout(task)?.run_root(&task.key.task, name.task_type.as_str()))
}

fn manifest_path(task: &Task, name: RunName) -> Result<PathBuf, Error> {
    let file = format!("run-manifest-{}-{}.json", name.task_type, name.seq());
    Ok(folder(task, name)?.join("manifests").join(file))
}
