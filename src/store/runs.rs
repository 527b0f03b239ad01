//! The runs of a task: their manifests, written once, and their team states.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::json::{Document, SchemaVersion};
use super::lines::lock_of;
use super::{Error, Layout};
use crate::context::Context;
use crate::domain::lifecycle::{RunName, TaskType};
use crate::domain::names::TaskKey;
use crate::domain::run::{RunManifest, TeamState};
use crate::fs::{self, LOCK_WAIT, LockGuard};

/// The newest schema of a run manifest that is understood. 1.0: the fields of [`RunManifest`].
const MANIFEST_SCHEMA: SchemaVersion = SchemaVersion { major: 1, minor: 0 };
/// The newest schema of a team state that is understood. 1.0: the fields of [`TeamState`].
const STATE_SCHEMA: SchemaVersion = SchemaVersion { major: 1, minor: 0 };
/// What tells one dispatch of a worker from another.
const DISPATCH: [&str; 3] = ["name", "round", "attempt"];

/// A run, as its files have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its name.
    pub name: RunName,
    /// What was prepared.
    pub manifest: RunManifest,
    /// What has become of it; without a file it is prepared.
    pub state: TeamState,
}

impl Run {
    /// Whether it is neither finished nor abandoned.
    pub fn is_open(&self) -> bool {
        !self.state.status.is_final()
    }
}

/// The names of the runs of `task` that exist, in the order of the lifecycle, then by number.
///
/// # Errors
/// [`Error::Fs`].
pub fn names(layout: &Layout, task: &TaskKey) -> Result<Vec<RunName>, Error> {
    let mut names = Vec::new();
    let begun = fs::names_in(&layout.runs(&task.task))?;
    for task_type in TaskType::ALL.into_iter().filter(|task_type| begun.iter().any(|name| name == task_type.as_str())) {
        for file in fs::names_in(&layout.run_manifests(&task.task, task_type))? {
            let name = file.strip_prefix("run-manifest-").and_then(|rest| rest.strip_suffix(".json"));
            let name = name.and_then(|name| name.parse::<RunName>().ok());
            names.extend(name.filter(|name| name.task_type == task_type));
        }
    }
    names.sort();
    Ok(names)
}

/// Every run of `task`, in the order of [`names`].
///
/// # Errors
/// As [`names`] and [`read`].
pub fn read_all(layout: &Layout, task: &TaskKey) -> Result<Vec<Run>, Error> {
    let mut runs = Vec::new();
    for name in names(layout, task)? {
        runs.extend(read(layout, task, name)?);
    }
    Ok(runs)
}

/// One run of `task`; `None` where it has no manifest.
///
/// # Errors
/// As [`read_manifest`] and [`read_state`].
pub fn read(layout: &Layout, task: &TaskKey, name: RunName) -> Result<Option<Run>, Error> {
    let Some(manifest) = read_manifest(&layout.run_manifest(&task.task, name), task, name)? else { return Ok(None) };
    let state = read_state(&layout.team_state(&task.task, name), name)?;
    Ok(Some(Run { name, manifest, state }))
}

/// The run manifest `path`; `None` where there is no such file.
///
/// # Errors
/// [`Error::BadRun`] for the manifest of another run or task, and the errors of [`Document::read`].
pub fn read_manifest(path: &Path, task: &TaskKey, name: RunName) -> Result<Option<RunManifest>, Error> {
    Document::read(path, MANIFEST_SCHEMA)?.map(|document| manifest_of(&document, path, (task, name))).transpose()
}

/// The same for a manifest that is `text`; `path` is named in errors only.
///
/// # Errors
/// As [`read_manifest`].
pub fn parse_manifest(path: &Path, text: &str, task: &TaskKey, name: RunName) -> Result<RunManifest, Error> {
    manifest_of(&Document::parse(path, text, MANIFEST_SCHEMA)?, path, (task, name))
}

fn manifest_of(document: &Document, path: &Path, (task, name): (&TaskKey, RunName)) -> Result<RunManifest, Error> {
    let manifest: RunManifest = document.to(path)?;
    let own = (task.to_string(), name.to_string(), name.task_type);
    let fault = if manifest.task_key != own.0 {
        Some(format!("it is of the task `{}`, and not of `{}`", manifest.task_key, own.0))
    } else if manifest.run != own.1 || manifest.task_type != own.2 {
        Some(format!("it is of the run `{}` ({}), and not of `{}`", manifest.run, manifest.task_type, own.1))
    } else {
        None
    };
    match fault {
        Some(why) => Err(Error::BadRun { path: path.to_owned(), why }),
        None => Ok(manifest),
    }
}

/// Writes the manifest of a run, which makes the run exist; one that is there is left as it is. Answers whether it was
/// written.
///
/// # Errors
/// [`Error::BadRun`] for a manifest that names no run, and [`Error::Fs`].
pub fn write_manifest(layout: &Layout, task: &TaskKey, manifest: &RunManifest) -> Result<bool, Error> {
    let name: Result<RunName, _> = manifest.run.parse();
    let folder = layout.run_manifests(&task.task, manifest.task_type);
    let name = name.map_err(|error| Error::BadRun { path: folder.clone(), why: error.to_string() })?;
    let path = layout.run_manifest(&task.task, name);
    let mut document = Document::new(MANIFEST_SCHEMA);
    overlay(&mut document, manifest, &path)?;
    fs::create_folder(&folder)?;
    Ok(fs::create_new(&path, document.to_text().as_bytes())?)
}

/// The team state `path` of the run `name`; without a file that of a run that was prepared.
///
/// # Errors
/// [`Error::BadRun`] for the state of another run, and the errors of [`Document::read`].
pub fn read_state(path: &Path, name: RunName) -> Result<TeamState, Error> {
    Ok(read_state_document(path, name)?.1)
}

fn read_state_document(path: &Path, name: RunName) -> Result<(Document, TeamState), Error> {
    let Some(document) = Document::read(path, STATE_SCHEMA)? else {
        return Ok((Document::new(STATE_SCHEMA), TeamState { run: name.to_string(), ..TeamState::default() }));
    };
    let state = state_of(&document, path, name)?;
    Ok((document, state))
}

/// The team state of the run `name` that is `text`; `path` is named in errors only.
///
/// # Errors
/// As [`read_state`].
pub fn parse_state(path: &Path, text: &str, name: RunName) -> Result<TeamState, Error> {
    state_of(&Document::parse(path, text, STATE_SCHEMA)?, path, name)
}

fn state_of(document: &Document, path: &Path, name: RunName) -> Result<TeamState, Error> {
    let state: TeamState = document.to(path)?;
    if state.run != name.to_string() {
        let why = format!("it is of the run `{}`, and not of `{name}`", state.run);
        return Err(Error::BadRun { path: path.to_owned(), why });
    }
    Ok(state)
}

/// The team state of a run, locked: only who has this can write it.
#[derive(Debug)]
pub struct StateGuard {
    path: PathBuf,
    name: RunName,
    _alone: LockGuard,
}

impl StateGuard {
    /// Locks the state of the run `name` of `task`; its folder is created if it is not there. What was read before may
    /// be out of date.
    ///
    /// # Errors
    /// [`Error::Fs`], when another process holds the lock for long too.
    pub fn lock(context: &Context, layout: &Layout, task: &TaskKey, name: RunName) -> Result<Self, Error> {
        let path = layout.team_state(&task.task, name);
        if let Some(folder) = path.parent() {
            fs::create_folder(folder)?;
        }
        let alone = LockGuard::acquire(&lock_of(&path), LOCK_WAIT, || context.cancel().is_cancelled())?;
        Ok(Self { path, name, _alone: alone })
    }

    /// The state as it is now.
    ///
    /// # Errors
    /// As [`read_state`].
    pub fn read(&self) -> Result<TeamState, Error> {
        read_state(&self.path, self.name)
    }

    /// Writes `state` in place of what is there; fields that okstra does not know are kept.
    ///
    /// # Errors
    /// As [`read_state`], and [`Error::Fs`]; the old state is then still there.
    pub fn write(&self, state: &TeamState) -> Result<(), Error> {
        let (mut document, _) = read_state_document(&self.path, self.name)?;
        let old = document.get("workers").cloned();
        overlay(&mut document, state, &self.path)?;
        if let (Some(Value::Array(old)), Some(Value::Array(new))) = (old, document.get("workers").cloned()) {
            document.set("workers", new.into_iter().map(|worker| with_unknown(worker, &old)).collect::<Vec<_>>());
        }
        document.write(&self.path)
    }
}

impl StateGuard {
    /// Puts `text`, the state as another clone has it, in place of what is there, if that is still `before`. Answers
    /// whether it was.
    ///
    /// # Errors
    /// As [`read_state`], of `text` as well, and [`Error::Fs`].
    pub fn take_over(&self, before: &[u8], text: &str) -> Result<bool, Error> {
        parse_state(&self.path, text, self.name)?;
        let is_as_before = fs::read(&self.path)? == before;
        if is_as_before {
            fs::replace(&self.path, text.as_bytes())?;
        }
        Ok(is_as_before)
    }
}

/// Sets every field of `value`; an optional one that it no longer has becomes null.
fn overlay(document: &mut Document, value: &impl serde::Serialize, path: &Path) -> Result<(), Error> {
    let wrong = |expected| Error::WrongShape { path: path.to_owned(), expected };
    let Ok(Value::Object(fields)) = serde_json::to_value(value) else {
        return Err(wrong("it cannot be written as an object".to_owned()));
    };
    for gone in ["endedAt", "reason"].into_iter().filter(|field| !fields.contains_key(*field)) {
        if document.get(gone).is_some() {
            document.set(gone, Value::Null);
        }
    }
    fields.into_iter().for_each(|(field, value)| document.set(&field, value));
    Ok(())
}

/// `worker` with what another program wrote of the same dispatch besides.
fn with_unknown(worker: Value, old: &[Value]) -> Value {
    let same = |other: &&Value| DISPATCH.iter().all(|field| other.get(field) == worker.get(field));
    let (Some(Value::Object(other)), Value::Object(own)) = (old.iter().find(same), &worker) else { return worker };
    let mut fields = own.clone();
    let unknown = other.iter().filter(|(field, _)| !own.contains_key(*field));
    fields.extend(unknown.map(|(field, value)| (field.clone(), value.clone())));
    Value::Object(fields)
}

#[cfg(test)]
mod tests;
