//! The top of the registry's file: its version, and the text of each task's entry.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// The tasks in their order, each with the text of its entry.
pub(super) type Tasks<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

/// What stands at the top of the file; everything else there is passed over.
#[derive(Default)]
pub(super) struct Top<'a> {
    /// The schema version, as it stands there.
    pub(super) version: Option<Value>,
    /// The tasks; none where the field is missing.
    pub(super) tasks: Tasks<'a>,
}

/// A key, borrowed unless it holds escapes.
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Deserialize<'de> for Top<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(TopVisitor)
    }
}

struct TopVisitor;

impl<'de> Visitor<'de> for TopVisitor {
    type Value = Top<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Top<'de>, A::Error> {
        let (mut version, mut tasks) = (None, None);
        while let Some(Key(field)) = fields.next_key()? {
            match field.as_ref() {
                "schemaVersion" => version = Some(fields.next_value()?),
                // Which of two would be meant is not for us to guess.
                "tasks" if tasks.is_some() => return Err(A::Error::duplicate_field("tasks")),
                "tasks" => tasks = Some(fields.next_value::<Members<'de>>()?.0),
                _ => drop(fields.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Top { version, tasks: tasks.unwrap_or_default() })
    }
}

/// The members of an object, in their order.
struct Members<'a>(Tasks<'a>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`tasks`, an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Members<'de>, A::Error> {
        let mut tasks = Vec::new();
        while let Some((Key(key), entry)) = members.next_entry()? {
            tasks.push((key, entry));
        }
        Ok(Members(tasks))
    }
}
