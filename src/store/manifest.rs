//! `task-manifest.json`: the task, as far as okstra has to know it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Error;
use super::json::{Document, SchemaVersion, wrong_field};
use super::lines;
use crate::context::Context;
use crate::domain::lifecycle::Lifecycle;
use crate::domain::names::{Name, TaskKey, TaskNameError};
use crate::fs::{self, LockGuard};

/// The newest schema that is understood. 1.0: `taskKey`, `title`, `category`, and the fields of [`Lifecycle`].
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
        Document::read(path, SCHEMA)?.map(|document| Self::of(document, path)).transpose()
    }

    /// The same for a manifest that is `text`; `path` is named in errors only.
    ///
    /// # Errors
    /// As [`Manifest::read`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, Error> {
        Self::of(Document::parse(path, text, SCHEMA)?, path)
    }

    fn of(document: Document, path: &Path) -> Result<Self, Error> {
        let key = document.text(KEY, path)?.ok_or_else(|| wrong_field(path, KEY, "a text like \"p/group/id\""))?;
        let key = key.parse().map_err(|error| match error {
            TaskNameError::Part(source) => Error::BadName { path: path.to_owned(), source },
            TaskNameError::Form { .. } => wrong_field(path, KEY, "a text like \"p/group/id\""),
        })?;
        let category = document.text(CATEGORY, path)?.map(|text| Name::parse(text, "a work category")).transpose();
        let category = category.map_err(|source| Error::BadName { path: path.to_owned(), source })?;
        let title = document.text(TITLE, path)?.map(str::to_owned);
        Ok(Self { key, title, category, document })
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
    pub fn set(&mut self, field: &str, value: impl Into<Value>) {
        self.document.set(field, value);
    }

    /// What it says of the task's lifecycle; `path` is its own.
    ///
    /// # Errors
    /// [`Error::WrongShape`] when one of these fields is not as it should be.
    pub fn lifecycle(&self, path: &Path) -> Result<Lifecycle, Error> {
        self.document.to(path)
    }

    /// Says this of the task's lifecycle. Answers whether that changes anything.
    pub fn set_lifecycle(&mut self, lifecycle: &Lifecycle) -> bool {
        let before = self.document.clone();
        if let Ok(Value::Object(fields)) = serde_json::to_value(lifecycle) {
            for (field, mut value) in fields {
                if let (Some(Value::Object(old)), Value::Object(new)) = (self.document.get(&field), &mut value) {
                    keep_unknown(&field, old, new);
                }
                self.document.set(&field, value);
            }
        }
        self.document != before
    }
}

/// Keeps in `new`, an object of the field `field`, what others wrote into the `old` one.
fn keep_unknown(field: &str, old: &serde_json::Map<String, Value>, new: &mut serde_json::Map<String, Value>) {
    let own: &[&str] = match field {
        "brief" => &["path", "sha256"],
        "workflow" => &["lastRun", "updatedAt"],
        // A phase without runs is none.
        _ => return,
    };
    let unknown = old.iter().filter(|(name, _)| !own.contains(&name.as_str()));
    new.extend(unknown.map(|(name, value)| (name.clone(), value.clone())));
}

/// A task's manifest, locked: whoever changes what is known of the lifecycle has this.
#[derive(Debug)]
pub struct ManifestGuard {
    path: PathBuf,
    _alone: LockGuard,
}

impl ManifestGuard {
    /// Locks the manifest `path`; its folder is created if it is not there. What was read before may be out of date.
    ///
    /// # Errors
    /// [`Error::Fs`], when another process holds the lock for long too.
    pub fn lock(path: &Path, context: &Context) -> Result<Self, Error> {
        Ok(Self { path: path.to_owned(), _alone: lines::lock(path, context)? })
    }

    /// The manifest as it is now.
    ///
    /// # Errors
    /// As [`Manifest::read`].
    pub fn read(&self) -> Result<Option<Manifest>, Error> {
        Manifest::read(&self.path)
    }

    /// Puts `text`, the manifest as another clone has it, in place of what is there, if that is still `before`; `None` for no
    /// file. Answers whether it was.
    ///
    /// # Errors
    /// As [`Manifest::parse`], and [`Error::Fs`].
    pub fn take_over(&self, before: Option<&[u8]>, text: &str) -> Result<bool, Error> {
        Manifest::parse(&self.path, text)?;
        let Some(before) = before else { return Ok(fs::create_new(&self.path, text.as_bytes())?) };
        let is_as_before = fs::read(&self.path)? == before;
        if is_as_before {
            fs::replace(&self.path, text.as_bytes())?;
        }
        Ok(is_as_before)
    }

    /// Writes the manifest.
    ///
    /// # Errors
    /// [`Error::Fs`].
    pub fn write(&self, manifest: &Manifest) -> Result<(), Error> {
        manifest.write(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_lifecycle_keeps_what_others_wrote() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("task-manifest.json");
        let text = r#"{"taskKey":"p/g/t","brief":{"sha256":"00","mine":1},"workflow":{"x":[]},"route":"full","y":2}"#;
        fs::replace(&path, text.as_bytes()).unwrap();
        let mut manifest = Manifest::read(&path).unwrap().unwrap();
        let mut lifecycle = manifest.lifecycle(&path).unwrap();
        assert!(manifest.set_lifecycle(&lifecycle) && !manifest.set_lifecycle(&lifecycle));
        lifecycle.workflow.last_run = Some("implementation-001".to_owned());
        assert!(manifest.set_lifecycle(&lifecycle));
        manifest.write(&path).unwrap();
        let text = fs::read_text(&path).unwrap();
        for kept in
            ["\"mine\": 1", "\"x\": []", "\"y\": 2", "\"route\": \"full\"", "\"lastRun\": \"implementation-001\""]
        {
            assert!(text.contains(kept), "{kept}: {text}");
        }
        fs::replace(&path, br#"{"taskKey":"p/g/t","route":"sideways"}"#).unwrap();
        let error = Manifest::read(&path).unwrap().unwrap().lifecycle(&path).unwrap_err().to_string();
        assert!(error.contains("task-manifest.json") && error.contains("sideways"), "{error}");
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
