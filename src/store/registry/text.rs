//! The text of the registry, and where in it each task's entry stands.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memchr::memmem;
use serde_json::Value;
use serde_json::value::RawValue;

use super::SCHEMA;
use super::edit::Edited;
use super::top::Top;
use crate::domain::names::{Name, TaskKey};
use crate::domain::registry::{Claim, TaskEntry};
use crate::fs;
use crate::store::Error;
use crate::store::json::{check_version, without_mark};

/// What the registry is while there is no file.
const EMPTY: &str = "{\n  \"schemaVersion\": \"1.0\",\n  \"tasks\": {}\n}\n";

/// The registry's text in its parts: the entries are looked into only where that is needed.
#[derive(Debug)]
pub(super) struct RegistryText {
    path: PathBuf,
    text: String,
    tasks: Vec<Task>,
}

/// A task in the text.
#[derive(Debug)]
struct Task {
    key: String,
    /// Where its entry stands.
    place: Range<usize>,
}

impl RegistryText {
    /// Reads the file `path`; an empty registry where there is none.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        match fs::read_text(path) {
            Err(error) if error.is_missing() => Self::parse(path, EMPTY.to_owned()),
            text => Self::parse(path, text?),
        }
    }

    /// Finds the entries in `text`, all that the file `path` holds.
    pub(super) fn parse(path: &Path, mut text: String) -> Result<Self, Error> {
        text.drain(..text.len() - without_mark(&text).len());
        let Top { version, tasks } = serde_json::from_str(&text).map_err(|error| Error::in_json(path, &error))?;
        check_version(path, version.as_ref(), SCHEMA)?;
        let task = |(key, raw): (Cow<'_, str>, &RawValue)| {
            // An entry is a part of the text.
            let start = raw.get().as_ptr().addr() - text.as_ptr().addr();
            Task { key: key.into_owned(), place: start..start + raw.get().len() }
        };
        let tasks = tasks.into_iter().map(task).collect();
        Ok(Self { path: path.to_owned(), tasks, text })
    }

    /// All of the text.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The entry of the task `key`.
    pub(super) fn entry(&self, key: &str) -> Result<Option<TaskEntry>, Error> {
        self.task(key)?.map(|task| self.entry_of(task)).transpose()
    }

    /// All entries.
    pub(super) fn entries(&self) -> Result<BTreeMap<String, TaskEntry>, Error> {
        self.tasks.iter().map(|task| Ok((task.key.clone(), self.entry_of(task)?))).collect()
    }

    /// The entry of the task `key`, to be changed.
    pub(super) fn edit(&self, key: &str) -> Result<Option<Edited>, Error> {
        let Some(task) = self.task(key)? else { return Ok(None) };
        match serde_json::from_str(self.text_of(task)).map_err(|error| self.wrong(key, &error))? {
            Value::Object(fields) => Ok(Some(Edited::of(key, &self.path, fields))),
            _ => Err(self.wrong(key, &"an object is expected")),
        }
    }

    /// The entries that may hold something of what is claimed.
    ///
    /// Most entries cannot: their text neither has one of the branches or paths as okstra writes them, nor any of the
    /// escapes with which another program could have written them otherwise.
    pub(super) fn entries_with(&self, wanted: &[Claim<'_>]) -> Result<BTreeMap<String, TaskEntry>, Error> {
        let things = wanted.iter().flat_map(|claim| [claim.worktree_path, claim.branch]).flatten();
        let mut marks: Vec<_> = things.map(|thing| Value::from(thing).to_string()).collect();
        marks.extend(["\\u", "\\/"].map(str::to_owned));
        let places = marks.iter().flat_map(|mark| memmem::find_iter(self.text.as_bytes(), mark.as_str()));
        let with_marks = places.filter_map(|at| self.task_at(at));
        let own = self.tasks.iter().filter(|task| wanted.iter().any(|claim| claim.key == task.key));
        let mut found = BTreeMap::new();
        for task in with_marks.chain(own) {
            if !found.contains_key(&task.key) {
                found.insert(task.key.clone(), self.entry_of(task)?);
            }
        }
        Ok(found)
    }

    /// Refuses a key of which a part differs only in case from that of a key that is there, unless it is there itself.
    pub(super) fn check_case(&self, key: &TaskKey) -> Result<(), Error> {
        let given = key.to_string();
        if self.task(&given)?.is_some() {
            return Ok(());
        }
        let parts = [&key.project, &key.task.group, &key.task.id];
        match self.tasks.iter().find(|task| differs_only_in_case(&parts, &task.key)) {
            Some(task) => Err(Error::CaseCollision { given, existing: task.key.clone(), path: self.path.clone() }),
            None => Ok(()),
        }
    }

    /// The registry with `edited` in it; `None` where it stands there so already.
    pub(super) fn with(&self, edited: &Edited) -> Result<Option<Self>, Error> {
        let key = edited.key();
        if let Some(task) = self.task(key)? {
            return if edited.is_changed() { self.spliced(task.place.clone(), &edited.to_text()) } else { Ok(None) };
        }
        let member = format!("{}: {}", Value::from(key), edited.to_text());
        match self.tasks.last() {
            Some(Task { place, .. }) => self.spliced(place.end..place.end, &format!(",\n    {member}")),
            None => Self::parse(&self.path, self.with_first(edited)?).map(Some),
        }
    }

    /// The registry with `with` in place of a part of the text. All of it is checked once more before it is written.
    fn spliced(&self, place: Range<usize>, with: &str) -> Result<Option<Self>, Error> {
        let text = [&self.text[..place.start], with, &self.text[place.end..]].concat();
        Self::parse(&self.path, text).map(Some)
    }

    /// The text with its first task. It is short, so it is written anew.
    fn with_first(&self, edited: &Edited) -> Result<String, Error> {
        let mut document: Value =
            serde_json::from_str(&self.text).map_err(|error| Error::in_json(&self.path, &error))?;
        document["tasks"] = Value::Object([(edited.key().to_owned(), edited.to_value())].into_iter().collect());
        Ok(format!("{document:#}\n"))
    }

    /// The task `key`, which is there at most once.
    fn task(&self, key: &str) -> Result<Option<&Task>, Error> {
        let mut found = self.tasks.iter().filter(|task| task.key == key);
        let task = found.next();
        if found.next().is_some() { Err(self.wrong(key, &"it is there twice")) } else { Ok(task) }
    }

    /// The task in whose entry the byte `at` is.
    fn task_at(&self, at: usize) -> Option<&Task> {
        let after = self.tasks.partition_point(|task| task.place.start <= at);
        self.tasks[..after].last().filter(|task| task.place.contains(&at))
    }

    fn text_of(&self, task: &Task) -> &str {
        &self.text[task.place.clone()]
    }

    fn entry_of(&self, task: &Task) -> Result<TaskEntry, Error> {
        serde_json::from_str(self.text_of(task)).map_err(|error| self.wrong(&task.key, &error))
    }

    fn wrong(&self, key: &str, what: &dyn fmt::Display) -> Error {
        Error::WrongShape { path: self.path.clone(), expected: format!("the entry of `{key}`: {what}") }
    }
}

/// Whether the first part of the key `existing` that is another than the given one differs from it only in case.
fn differs_only_in_case(parts: &[&Name; 3], existing: &str) -> bool {
    let mut pairs = parts.iter().zip(existing.split('/'));
    pairs.find(|(part, other)| part.as_str() != *other).is_some_and(|(part, other)| part.collides_with(other))
}
