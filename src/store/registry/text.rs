//! The text of the registry, and where in it each task's entry stands.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::SCHEMA;
use super::edit::Edited;
use crate::domain::names::{Name, TaskKey};
use crate::domain::records::Text;
use crate::domain::registry::{Claim, TaskEntry};
use crate::fs;
use crate::store::Error;
use crate::store::json::{check_version, without_mark};

/// What the registry is while there is no file.
const EMPTY: &str = "{\n  \"schemaVersion\": \"1.0\",\n  \"tasks\": {}\n}\n";
/// Where the tasks are.
const TASKS: &str = "tasks";

/// The registry's text in its parts: the entries are looked into only where that is needed.
#[derive(Debug)]
pub(super) struct RegistryText<'a> {
    path: &'a Path,
    text: &'a str,
    tasks: Vec<(Text<'a>, &'a RawValue)>,
}

/// What stands at the top of the file.
#[derive(Default)]
struct Top<'a> {
    version: Option<Value>,
    tasks: Vec<(Text<'a>, &'a RawValue)>,
}

/// Reads the file `path`; an empty registry where there is none.
pub(super) fn read(path: &Path) -> Result<String, Error> {
    match fs::read_text(path) {
        Err(error) if error.is_missing() => Ok(EMPTY.to_owned()),
        Ok(text) if text.starts_with('\u{feff}') => Ok(without_mark(&text).to_owned()),
        text => Ok(text?),
    }
}

impl<'a> RegistryText<'a> {
    /// Finds the entries in `text`, all that the file `path` holds.
    pub(super) fn parse(path: &'a Path, text: &'a str) -> Result<Self, Error> {
        let mut reader = serde_json::Deserializer::from_str(text);
        let top = reader.deserialize_map(TopVisitor).and_then(|top| reader.end().map(|()| top));
        let Top { version, tasks } = top.map_err(|error| Error::in_json(path, &error))?;
        check_version(path, version.as_ref(), SCHEMA)?;
        Ok(Self { path, text, tasks })
    }

    /// The entry of the task `key`.
    pub(super) fn entry(&self, key: &str) -> Result<Option<TaskEntry>, Error> {
        self.raw(key)?.map(|raw| self.entry_in(key, raw)).transpose()
    }

    /// All entries.
    pub(super) fn entries(&self) -> Result<BTreeMap<String, TaskEntry>, Error> {
        let entry = |(key, raw): &(Text<'a>, &'a RawValue)| Ok((key.to_string(), self.entry_in(key, raw)?));
        self.tasks.iter().map(entry).collect()
    }

    /// The entry of the task `key`, to be changed.
    pub(super) fn edit(&self, key: &str) -> Result<Option<Edited>, Error> {
        let Some(raw) = self.raw(key)? else { return Ok(None) };
        match serde_json::from_str(raw.get()).map_err(|error| self.wrong(key, &error))? {
            Value::Object(fields) => Ok(Some(Edited::of(key, self.path, fields))),
            _ => Err(self.wrong(key, &"an object is expected")),
        }
    }

    /// The entries that may hold something of what is claimed.
    ///
    /// Most entries cannot: their text neither has one of the branches or paths as okstra writes them, nor any of the
    /// escapes with which another program could have written them otherwise.
    pub(super) fn entries_with(&self, wanted: &[Claim<'_>]) -> Result<Vec<(String, TaskEntry)>, Error> {
        let things = wanted.iter().flat_map(|claim| [claim.worktree_path, claim.branch]).flatten();
        let mut marks: Vec<_> = things.map(|thing| Value::from(thing).to_string()).collect();
        marks.extend(["\\u", "\\/"].map(str::to_owned));
        let mut found = Vec::new();
        let places = marks.iter().flat_map(|mark| self.text.match_indices(mark.as_str())).map(|(at, _)| at);
        found.extend(places.filter_map(|at| self.task_at(at)));
        found.extend(wanted.iter().filter_map(|claim| self.tasks.iter().position(|(key, _)| **key == *claim.key)));
        found.sort_unstable();
        found.dedup();
        let entry = |place: usize| {
            let (key, raw) = &self.tasks[place];
            Ok((key.to_string(), self.entry_in(key, raw)?))
        };
        found.into_iter().map(entry).collect()
    }

    /// Refuses a key of which a part differs only in case from that of a key that is there, and that is not there itself.
    pub(super) fn check_case(&self, key: &TaskKey) -> Result<(), Error> {
        let parts = [&key.project, &key.task.group, &key.task.id];
        let mut collision = None;
        for (existing, _) in &self.tasks {
            match compare(&parts, existing) {
                Likeness::Same => return Ok(()),
                Likeness::OnlyInCase if collision.is_none() => collision = Some(existing),
                _ => {}
            }
        }
        let Some(existing) = collision else { return Ok(()) };
        let (given, existing) = (key.to_string(), existing.to_string());
        Err(Error::CaseCollision { given, existing, path: self.path.to_owned() })
    }

    /// The whole text with `edited` in it; `None` where it stands there so already.
    pub(super) fn with(&self, edited: &Edited) -> Result<Option<String>, Error> {
        let key = edited.key();
        if let Some(raw) = self.raw(key)? {
            let start = self.offset(raw);
            let rest = &self.text[start + raw.get().len()..];
            return Ok(edited.is_changed().then(|| [&self.text[..start], &edited.to_text(), rest].concat()));
        }
        let member = format!("{}: {}", Value::from(key), edited.to_text());
        let Some((_, last)) = self.tasks.last() else { return self.with_first(edited).map(Some) };
        let end = self.offset(last) + last.get().len();
        Ok(Some([&self.text[..end], ",\n    ", &member, &self.text[end..]].concat()))
    }

    /// The text with its first task. It is short, so it is written anew.
    fn with_first(&self, edited: &Edited) -> Result<String, Error> {
        let mut document: Value = serde_json::from_str(self.text).map_err(|error| Error::in_json(self.path, &error))?;
        let mut edited = edited.clone();
        let entry = Value::Object(std::mem::take(edited.fields()));
        document[TASKS] = Value::Object([(edited.key().to_owned(), entry)].into_iter().collect());
        Ok(format!("{document:#}\n"))
    }

    /// The text of the entry of the task `key`, of which there is at most one.
    fn raw(&self, key: &str) -> Result<Option<&'a RawValue>, Error> {
        let mut found = self.tasks.iter().filter(|(name, _)| **name == *key);
        let raw = found.next().map(|(_, raw)| *raw);
        if found.next().is_some() { Err(self.wrong(key, &"it is there twice")) } else { Ok(raw) }
    }

    fn entry_in(&self, key: &str, raw: &RawValue) -> Result<TaskEntry, Error> {
        serde_json::from_str(raw.get()).map_err(|error| self.wrong(key, &error))
    }

    fn wrong(&self, key: &str, what: &dyn fmt::Display) -> Error {
        Error::WrongShape { path: self.path.to_owned(), expected: format!("the entry of `{key}`: {what}") }
    }

    /// Where an entry stands in the text: it is a part of it.
    fn offset(&self, raw: &RawValue) -> usize {
        raw.get().as_ptr().addr() - self.text.as_ptr().addr()
    }

    /// The task in whose entry the byte `at` is, by its place.
    fn task_at(&self, at: usize) -> Option<usize> {
        let after = self.tasks.partition_point(|(_, raw)| self.offset(raw) <= at);
        let place = after.checked_sub(1)?;
        let raw = self.tasks[place].1;
        (at < self.offset(raw) + raw.get().len()).then_some(place)
    }
}

/// How a key is like another.
enum Likeness {
    Same,
    OnlyInCase,
    Other,
}

fn compare(parts: &[&Name; 3], existing: &str) -> Likeness {
    let mut others = existing.split('/');
    for part in parts {
        match others.next() {
            Some(other) if part.collides_with(other) => return Likeness::OnlyInCase,
            Some(other) if part.as_str() == other => {}
            _ => return Likeness::Other,
        }
    }
    Likeness::Same
}

struct TopVisitor;

impl<'de> Visitor<'de> for TopVisitor {
    type Value = Top<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Top<'de>, A::Error> {
        let mut top = Top::default();
        while let Some(field) = fields.next_key::<Cow<'de, str>>()? {
            match field.as_ref() {
                "schemaVersion" => top.version = Some(fields.next_value()?),
                TASKS => top.tasks = fields.next_value::<Tasks<'de>>()?.0,
                _ => drop(fields.next_value::<IgnoredAny>()?),
            }
        }
        Ok(top)
    }
}

/// The tasks in their order.
struct Tasks<'a>(Vec<(Text<'a>, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for Tasks<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TasksVisitor)
    }
}

struct TasksVisitor;

impl<'de> Visitor<'de> for TasksVisitor {
    type Value = Tasks<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`tasks`, an object")
    }

    fn visit_unit<E>(self) -> Result<Tasks<'de>, E> {
        Ok(Tasks(Vec::new()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Tasks<'de>, A::Error> {
        let mut tasks = Vec::new();
        while let Some(member) = members.next_entry()? {
            tasks.push(member);
        }
        Ok(Tasks(tasks))
    }
}
