//! Whole JSON documents, with their schema versions.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::Error;
use crate::fs;

/// The field that every document carries.
const SCHEMA_VERSION: &str = "schemaVersion";

/// The version of a document's schema. A newer minor one is read and kept, a newer major one refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SchemaVersion {
    /// Raised when older programs can no longer read the document.
    pub major: u32,
    /// Raised when something was added.
    pub minor: u32,
}

impl SchemaVersion {
    /// The schema of a document without a version.
    pub const OLDEST: Self = Self { major: 1, minor: 0 };
}

impl fmt::Display for SchemaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for SchemaVersion {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (major, minor) = text.split_once('.').ok_or(())?;
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| digits).ok_or(())
        };
        Ok(Self { major: number(major)?, minor: number(minor)? })
    }
}

/// A JSON object with everything that stands in it, in its order.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    fields: Map<String, Value>,
}

impl Document {
    /// An empty document of the schema `version`.
    pub fn new(version: SchemaVersion) -> Self {
        let fields = [(SCHEMA_VERSION.to_owned(), Value::String(version.to_string()))];
        Self { fields: fields.into_iter().collect() }
    }

    /// Reads the document `path`; `None` where there is no such file. `known` is the newest schema that the caller
    /// understands.
    ///
    /// # Errors
    /// [`Error::Fs`], [`Error::NotJson`], [`Error::WrongShape`] for anything but an object, and [`Error::NewerSchema`].
    pub fn read(path: &Path, known: SchemaVersion) -> Result<Option<Self>, Error> {
        match fs::read_text(path) {
            Err(error) if error.is_missing() => Ok(None),
            text => Self::parse(path, &text?, known).map(Some),
        }
    }

    /// Reads `text` as the document `path`, which is named in errors only.
    ///
    /// # Errors
    /// As [`Document::read`].
    pub fn parse(path: &Path, text: &str, known: SchemaVersion) -> Result<Self, Error> {
        match serde_json::from_str(without_mark(text)).map_err(|error| Error::in_json(path, &error))? {
            Value::Object(fields) => {
                check_version(path, fields.get(SCHEMA_VERSION), known)?;
                Ok(Self { fields })
            }
            _ => Err(Error::WrongShape { path: path.to_owned(), expected: "an object is expected".to_owned() }),
        }
    }

    /// Writes the document over the file `path`, whose folder must exist.
    ///
    /// # Errors
    /// [`Error::Fs`]; the old file is then still there.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        Ok(fs::replace(path, self.to_text().as_bytes())?)
    }

    /// The document as it is written: indented, with a line break at its end.
    pub fn to_text(&self) -> String {
        format!("{:#}\n", Value::Object(self.fields.clone()))
    }

    /// All fields, in their order.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// The value of a field.
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.fields.get(field)
    }

    /// Sets a field, at its place where it is there already.
    pub fn set(&mut self, field: &str, value: impl Into<Value>) {
        self.fields.insert(field.to_owned(), value.into());
    }

    /// The text in a field; `None` where it is missing or null.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for anything but a text; `path` is the document's.
    pub fn text(&self, field: &str, path: &Path) -> Result<Option<&str>, Error> {
        match self.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(wrong_field(path, field, "a text")),
        }
    }

    /// The document as a value of a type that knows its fields.
    ///
    /// # Errors
    /// [`Error::WrongShape`] when a field is missing or of another type; `path` is the document's.
    pub fn to<T: DeserializeOwned>(&self, path: &Path) -> Result<T, Error> {
        serde_json::from_value(Value::Object(self.fields.clone()))
            .map_err(|error| Error::WrongShape { path: path.to_owned(), expected: error.to_string() })
    }
}

/// The error for a `field` of the document `path` that is not `what`.
pub(super) fn wrong_field(path: &Path, field: &str, what: &str) -> Error {
    Error::WrongShape { path: path.to_owned(), expected: format!("`{field}` must be {what}") }
}

/// Whether a document with the field `version` may be read by one who knows `known`.
pub(super) fn check_version(path: &Path, version: Option<&Value>, known: SchemaVersion) -> Result<(), Error> {
    let Some(version) = version else { return Ok(()) };
    let found = version.as_str().and_then(|text| text.parse::<SchemaVersion>().ok());
    let found = found.ok_or_else(|| wrong_field(path, SCHEMA_VERSION, "a text like \"1.0\""))?;
    if found.major > known.major {
        return Err(Error::NewerSchema { path: path.to_owned(), found, known });
    }
    Ok(())
}

/// `text` without the byte order mark that some editors put before it.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// `value` as JSON on one line.
///
/// # Errors
/// [`Error::WrongShape`] with `path` when it cannot be written so, which no type of okstra's is the case for.
pub(super) fn to_line(value: &impl Serialize, path: &Path) -> Result<String, Error> {
    serde_json::to_string(value)
        .map_err(|error| Error::WrongShape { path: path.to_owned(), expected: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: SchemaVersion = SchemaVersion { major: 1, minor: 2 };

    fn parse(text: &str) -> Result<Document, Error> {
        Document::parse(Path::new("p.json"), text, KNOWN)
    }

    #[test]
    fn versions_are_two_numbers() {
        for (text, version) in [("1.0", Some((1, 0))), ("12.34", Some((12, 34)))] {
            assert_eq!(text.parse().ok().map(|v: SchemaVersion| (v.major, v.minor)), version);
        }
        for text in ["", "1", "1.", ".1", "1.0.0", "+1.0", "1.-0", "a.b", "1 .0", "99999999999.0"] {
            assert!(text.parse::<SchemaVersion>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_newer_major_version_is_refused_and_all_else_read() {
        for text in ["{}", r#"{"schemaVersion":"1.0"}"#, r#"{"schemaVersion":"1.9"}"#, r#"{"schemaVersion":"0.1"}"#] {
            parse(text).unwrap();
        }
        let error = parse(r#"{"schemaVersion":"2.0"}"#).unwrap_err();
        assert!(matches!(error, Error::NewerSchema { .. }));
        assert_eq!(error.to_string(), "`p.json` has schema version 2.0, and this okstra knows 1.2");
        for version in ["1", "null", "\"1\"", "\"x\"", "[]"] {
            let error = parse(&format!("{{\"schemaVersion\":{version}}}")).unwrap_err();
            assert!(matches!(error, Error::WrongShape { .. }), "{version}: {error}");
        }
    }

    #[test]
    fn what_is_no_object_of_json_is_named_with_its_place() {
        let error = parse("{\n  \"a\": trx\n}").unwrap_err();
        let Error::NotJson { line, column, source, .. } = &error else { panic!("{error}") };
        assert_eq!((*line, *column, source.to_string().as_str()), (2, 10, "expected ident"));
        assert_eq!(error.to_string(), "`p.json:2:10` is not JSON");
        for text in ["", "{", "{}x", "\u{feff}", "nul"] {
            assert!(matches!(parse(text), Err(Error::NotJson { .. })), "{text}");
        }
        for text in ["[]", "1", "null", "\"{}\""] {
            assert!(matches!(parse(text), Err(Error::WrongShape { .. })), "{text}");
        }
        assert!(matches!(parse(&"[".repeat(100_000)), Err(Error::NotJson { .. })));
    }

    #[test]
    fn unknown_fields_and_their_order_survive() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.json");
        let mut document =
            parse("\u{feff}{\"z\": 1,\r\n\"a\": {\"y\": [1.5, 2], \"b\": null}, \"title\": \"x\", \"k\": \"é\"}")
                .unwrap();
        document.set("title", "new");
        document.set("added", true);
        document.write(&path).unwrap();
        let text = fs::read_text(&path).unwrap();
        assert_eq!(
            text,
            "{\n  \"z\": 1,\n  \"a\": {\n    \"y\": [\n      1.5,\n      2\n    ],\n    \"b\": null\n  },\n  \
             \"title\": \"new\",\n  \"k\": \"é\",\n  \"added\": true\n}\n"
        );
        assert_eq!(Document::read(&path, KNOWN).unwrap().unwrap(), document);
        assert_eq!(Document::read(&folder.path().join("none"), KNOWN).unwrap(), None);
    }
}
