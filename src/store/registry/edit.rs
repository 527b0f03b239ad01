//! One task's entry while it is changed: everything that stands in it, whoever wrote it.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::registry::TaskEntry;
use crate::store::Error;
use crate::store::json::wrong_field;

/// An entry with all its fields, and the task that it is of.
#[derive(Clone, Debug)]
pub(super) struct Edited {
    key: String,
    path: PathBuf,
    fields: Map<String, Value>,
    original: Map<String, Value>,
}

impl Edited {
    /// An empty entry for the task `key`; `path` is the registry's.
    pub(super) fn new(key: &str, path: &Path) -> Self {
        Self { key: key.to_owned(), path: path.to_owned(), fields: Map::new(), original: Map::new() }
    }

    /// The entry of the task `key` that has `fields`.
    pub(super) fn of(key: &str, path: &Path, fields: Map<String, Value>) -> Self {
        Self { key: key.to_owned(), path: path.to_owned(), original: fields.clone(), fields }
    }

    /// The task key.
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// Whether anything was changed.
    pub(super) fn is_changed(&self) -> bool {
        self.fields != self.original
    }

    /// All fields.
    pub(super) fn fields(&mut self) -> &mut Map<String, Value> {
        &mut self.fields
    }

    /// The fields of a stage, made if they are not there.
    pub(super) fn stage(&mut self, stage: u32) -> Result<&mut Map<String, Value>, Error> {
        let (path, name) = (&self.path, format!("stages.{stage}"));
        let stages = object(self.fields.entry("stages").or_insert_with(empty));
        let stages = stages.ok_or_else(|| wrong_field(path, "stages", "an object"))?;
        object(stages.entry(stage.to_string()).or_insert_with(empty))
            .ok_or_else(|| wrong_field(path, &name, "an object"))
    }

    /// Takes a stage out, whatever stands in it.
    pub(super) fn remove_stage(&mut self, stage: u32) {
        if let Some(stages) = self.fields.get_mut("stages").and_then(Value::as_object_mut) {
            stages.shift_remove(&stage.to_string());
            if stages.is_empty() {
                self.fields.shift_remove("stages");
            }
        }
    }

    /// The integrations, made if they are not there.
    pub(super) fn integrations(&mut self) -> Result<&mut Vec<Value>, Error> {
        let integrations = self.fields.entry("integrations").or_insert_with(|| Value::Array(Vec::new()));
        integrations.as_array_mut().ok_or_else(|| wrong_field(&self.path, "integrations", "a list"))
    }

    /// The entry as okstra knows it.
    pub(super) fn entry(&self) -> Result<TaskEntry, Error> {
        serde_json::from_value(self.to_value()).map_err(|error| Error::WrongShape {
            path: self.path.clone(),
            expected: format!("the entry of `{}`: {error}", self.key),
        })
    }

    /// The entry as JSON.
    pub(super) fn to_value(&self) -> Value {
        Value::Object(self.fields.clone())
    }

    /// The entry as it is written, its lines after the first indented to where it stands in the file.
    pub(super) fn to_text(&self) -> String {
        // A line break in a text is written as an escape, so these are all between values.
        format!("{:#}", self.to_value()).replace('\n', "\n    ")
    }
}

/// Adds to `fields` those of `fresh` that they lack, or have as null.
pub(super) fn merge_missing(fields: &mut Map<String, Value>, fresh: &Map<String, Value>) {
    for (name, value) in fresh {
        let field = fields.entry(name.clone()).or_insert(Value::Null);
        if field.is_null() {
            *field = value.clone();
        }
    }
}

/// `value`, which is a struct, as fields.
pub(super) fn fields_of(value: &impl Serialize, path: &Path) -> Result<Map<String, Value>, Error> {
    match value_of(value, path)? {
        Value::Object(fields) => Ok(fields),
        _ => Ok(Map::new()),
    }
}

/// `value` as JSON; it always can be, and `path` names the registry if it ever could not.
pub(super) fn value_of(value: &impl Serialize, path: &Path) -> Result<Value, Error> {
    serde_json::to_value(value)
        .map_err(|error| Error::WrongShape { path: path.to_owned(), expected: error.to_string() })
}

fn empty() -> Value {
    Value::Object(Map::new())
}

/// The object in `value`; an empty one where it is null.
fn object(value: &mut Value) -> Option<&mut Map<String, Value>> {
    if value.is_null() {
        *value = empty();
    }
    value.as_object_mut()
}
