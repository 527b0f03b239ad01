//! `task-manifest.json`: the task, as far as okstra has to know it.

use std::path::Path;

use super::Error;
use super::json::{Document, SchemaVersion, wrong_field};
use crate::domain::names::{Name, TaskKey, TaskNameError};

/// The newest schema that is understood. 1.0: `taskKey`, `title`, `category`.
const SCHEMA: SchemaVersion = SchemaVersion { major: 1, minor: 0 };
const KEY: &str = "taskKey";
const TITLE: &str = "title";
const CATEGORY: &str = "category";

/// A task, with everything that stands in its manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The task key.
    pub key: TaskKey,
    /// What people call it.
    pub title: Option<String>,
    /// The kind of work, with which its branches begin.
    pub category: Option<Name>,
    document: Document,
}

impl Manifest {
    /// The manifest of a new task.
    pub fn new(key: TaskKey, title: Option<String>, category: Option<Name>) -> Self {
        Self { key, title, category, document: Document::new(SCHEMA) }
    }

    /// Reads `task-manifest.json`; `None` where there is no such file.
    ///
    /// # Errors
    /// As [`Document::read`], and [`Error::WrongShape`] or [`Error::BadName`] without a good `taskKey`, or with a
    /// category that is no name.
    pub fn read(path: &Path) -> Result<Option<Self>, Error> {
        let Some(document) = Document::read(path, SCHEMA)? else { return Ok(None) };
        let key = document.text(KEY, path)?.ok_or_else(|| wrong_field(path, KEY, "a text like \"p/group/id\""))?;
        let key = key.parse().map_err(|error| match error {
            TaskNameError::Part(source) => Error::BadName { path: path.to_owned(), source },
            TaskNameError::Form { .. } => wrong_field(path, KEY, "a text like \"p/group/id\""),
        })?;
        let category = document.text(CATEGORY, path)?.map(|text| Name::parse(text, "a work category")).transpose();
        let category = category.map_err(|source| Error::BadName { path: path.to_owned(), source })?;
        let title = document.text(TITLE, path)?.map(str::to_owned);
        Ok(Some(Self { key, title, category, document }))
    }

    /// Writes `task-manifest.json`, whose folder must exist.
    ///
    /// # Errors
    /// [`Error::Fs`].
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let mut document = self.document.clone();
        document.set(KEY, self.key.to_string());
        let category = self.category.as_ref().map(Name::to_string);
        for (field, value) in [(TITLE, self.title.clone()), (CATEGORY, category)] {
            if value.is_some() || document.get(field).is_some() {
                document.set(field, value);
            }
        }
        document.write(path)
    }

    /// All that stood in the file when it was read.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Sets a field that is none of the above.
    pub fn set(&mut self, field: &str, value: impl Into<serde_json::Value>) {
        self.document.set(field, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs;

    #[test]
    fn a_manifest_survives_with_all_that_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("task-manifest.json");
        assert_eq!(Manifest::read(&path).unwrap(), None);
        fs::replace(&path, br#"{"route":["a"],"taskKey":"p/g/t","category":"fix","x":null}"#).unwrap();
        let mut manifest = Manifest::read(&path).unwrap().unwrap();
        assert_eq!((manifest.key.to_string(), manifest.category.as_ref().unwrap().as_str()), ("p/g/t".into(), "fix"));
        manifest.title = Some("Log in".to_owned());
        manifest.write(&path).unwrap();
        let text = fs::read_text(&path).unwrap();
        let fields: Vec<_> = text.lines().filter(|line| line.starts_with("  \"")).collect();
        let expected = [
            "  \"route\": [",
            "  \"taskKey\": \"p/g/t\",",
            "  \"category\": \"fix\",",
            "  \"x\": null,",
            "  \"title\": \"Log in\"",
        ];
        assert_eq!(fields, expected);
        let new = Manifest::new("p/g/u".parse().unwrap(), None, None);
        new.write(&path).unwrap();
        assert_eq!(Manifest::read(&path).unwrap().unwrap().key, new.key);
    }

    #[test]
    fn a_file_that_is_no_manifest_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("task-manifest.json");
        let with_key = |field: &str| format!(r#"{{"taskKey":"p/g/t",{field}}}"#);
        let texts = [
            "{}".to_owned(),
            r#"{"taskKey":"g/t"}"#.to_owned(),
            r#"{"taskKey":"p/g/.t"}"#.to_owned(),
            with_key(r#""title":1"#),
            with_key(r#""category":"a b""#),
        ];
        for text in texts {
            fs::replace(&path, text.as_bytes()).unwrap();
            let error = Manifest::read(&path).unwrap_err();
            assert!(matches!(error, Error::WrongShape { .. } | Error::BadName { .. }), "{text}: {error}");
        }
    }
}
