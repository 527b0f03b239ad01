//! `project.json`: which project it is, and how it wants to be worked on.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Error;
use super::json::{Document, SchemaVersion, wrong_field};
use super::lines;
use crate::context::Context;
use crate::domain::names::Name;
use crate::fs::LockGuard;

/// The newest schema that is understood. 1.0: `projectId`, `config`.
const SCHEMA: SchemaVersion = SchemaVersion { major: 1, minor: 0 };
const ID: &str = "projectId";
const CONFIG: &str = "config";

/// A project, with everything that stands in its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Project {
    id: Name,
    document: Document,
}

impl Project {
    /// A project without configuration.
    pub fn new(id: Name) -> Self {
        let mut document = Document::new(SCHEMA);
        document.set(ID, id.as_str());
        Self { id, document }
    }

    /// Reads `project.json`; `None` where there is no such file.
    ///
    /// # Errors
    /// As [`Document::read`], and [`Error::WrongShape`] or [`Error::BadName`] without a good `projectId`.
    pub fn read(path: &Path) -> Result<Option<Self>, Error> {
        let Some(document) = Document::read(path, SCHEMA)? else { return Ok(None) };
        let id = document.text(ID, path)?.ok_or_else(|| wrong_field(path, ID, "a text"))?;
        let id = Name::parse(id, "a project id").map_err(|source| Error::BadName { path: path.to_owned(), source })?;
        if !matches!(document.get(CONFIG), None | Some(Value::Null | Value::Object(_))) {
            return Err(wrong_field(path, CONFIG, "an object"));
        }
        Ok(Some(Self { id, document }))
    }

    /// Writes `project.json`, whose folder must exist.
    ///
    /// # Errors
    /// [`Error::Fs`].
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        self.document.write(path)
    }

    /// The project id.
    pub fn id(&self) -> &Name {
        &self.id
    }

    /// A setting of the project's configuration.
    pub fn setting(&self, name: &str) -> Option<&Value> {
        self.document.get(CONFIG)?.get(name)
    }

    /// A setting that is a list of texts; empty where it is not set. `path` is the project's file.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for anything but a list of texts.
    pub fn texts(&self, name: &str, path: &Path) -> Result<Vec<String>, Error> {
        let wrong = || wrong_field(path, &format!("{CONFIG}.{name}"), "a list of texts");
        match self.setting(name) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(values)) => {
                values.iter().map(|value| value.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
            }
            Some(_) => Err(wrong()),
        }
    }

    /// All that stands in the file.
    pub fn document(&self) -> &Document {
        &self.document
    }
}

/// The project's file, locked, for whoever makes it.
#[derive(Debug)]
pub struct ProjectGuard {
    path: PathBuf,
    _alone: LockGuard,
}

impl ProjectGuard {
    /// Locks the file `path`; its folder is created if it is not there. What was read before may be out of date.
    ///
    /// # Errors
    /// [`Error::Fs`], when another process holds the lock for long too.
    pub fn lock(path: &Path, context: &Context) -> Result<Self, Error> {
        Ok(Self { path: path.to_owned(), _alone: lines::lock(path, context)? })
    }

    /// The project as it is now.
    ///
    /// # Errors
    /// As [`Project::read`].
    pub fn read(&self) -> Result<Option<Project>, Error> {
        Project::read(&self.path)
    }

    /// Writes the project.
    ///
    /// # Errors
    /// [`Error::Fs`].
    pub fn write(&self, project: &Project) -> Result<(), Error> {
        project.write(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs;

    #[test]
    fn a_project_survives_with_all_that_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("project.json");
        assert_eq!(Project::read(&path).unwrap(), None);
        let project = Project::new(Name::parse("shop", "a project id").unwrap());
        project.write(&path).unwrap();
        assert_eq!(fs::read_text(&path).unwrap(), "{\n  \"schemaVersion\": \"1.0\",\n  \"projectId\": \"shop\"\n}\n");
        assert_eq!(Project::read(&path).unwrap(), Some(project));
        fs::replace(&path, br#"{"x":1,"projectId":"shop","config":{"workers":["claude"]}}"#).unwrap();
        let project = Project::read(&path).unwrap().unwrap();
        assert_eq!(project.setting("workers"), Some(&serde_json::json!(["claude"])));
        assert_eq!((project.id().as_str(), project.setting("none")), ("shop", None));
        assert_eq!(project.texts("workers", &path).unwrap(), ["claude"]);
        assert!(project.texts("none", &path).unwrap().is_empty());
        project.write(&path).unwrap();
        assert!(fs::read_text(&path).unwrap().starts_with("{\n  \"x\": 1,\n  \"projectId\""));
    }

    #[test]
    fn a_project_may_add_work_categories() {
        let path = Path::new("project.json");
        let project = |config: &str| {
            let text = format!(r#"{{"projectId":"shop","config":{config}}}"#);
            let document = Document::parse(path, &text, SCHEMA).unwrap();
            Project { id: Name::parse("shop", "a project id").unwrap(), document }.texts("workCategories", path)
        };
        assert_eq!(project(r#"{"workCategories":["spike"]}"#).unwrap(), ["spike"]);
        assert!(project("{}").unwrap().is_empty() && project(r#"{"workCategories":null}"#).unwrap().is_empty());
        for wrong in [r#"{"workCategories":"spike"}"#, r#"{"workCategories":[1]}"#] {
            assert!(matches!(project(wrong), Err(Error::WrongShape { .. })), "{wrong}");
        }
    }

    #[test]
    fn a_file_that_is_no_project_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("project.json");
        for text in ["{}", r#"{"projectId":1}"#, r#"{"projectId":"a/b"}"#, r#"{"projectId":"a","config":[]}"#] {
            fs::replace(&path, text.as_bytes()).unwrap();
            let error = Project::read(&path).unwrap_err();
            assert!(matches!(error, Error::WrongShape { .. } | Error::BadName { .. }), "{text}: {error}");
            assert!(error.to_string().contains("project.json"), "{error}");
        }
    }
}
