//! `project.json`: which project it is, and how it wants to be worked on.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Error;
use super::json::{Document, SchemaVersion, wrong_field};
use super::lines;
use crate::context::Context;
use crate::domain::names::Name;
use crate::domain::run::WantedConvergence;
use crate::fs::LockGuard;

/// The newest schema that is understood. 1.0: `projectId`, `config`.
const SCHEMA: SchemaVersion = SchemaVersion { major: 1, minor: 0 };
const ID: &str = "projectId";
const CONFIG: &str = "config";

/// What a project sets for all its runs; what is typed wins over it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunSettings {
    /// `workers`: who works, where it says so.
    pub workers: Option<Vec<String>>,
    /// `models`, by worker.
    pub models: Vec<(String, String)>,
    /// `convergence`: `maxRounds`, `adversarial`, `verificationMode`.
    pub convergence: WantedConvergence,
}

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
        Document::read(path, SCHEMA)?.map(|document| Self::of(document, path)).transpose()
    }

    /// The same for a file that is `text`; `path` is named in errors only.
    ///
    /// # Errors
    /// As [`Project::read`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, Error> {
        Self::of(Document::parse(path, text, SCHEMA)?, path)
    }

    fn of(document: Document, path: &Path) -> Result<Self, Error> {
        let id = document.text(ID, path)?.ok_or_else(|| wrong_field(path, ID, "a text"))?;
        let id = Name::parse(id, "a project id").map_err(|source| Error::BadName { path: path.to_owned(), source })?;
        if !matches!(document.get(CONFIG), None | Some(Value::Null | Value::Object(_))) {
            return Err(wrong_field(path, CONFIG, "an object"));
        }
        Ok(Self { id, document })
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

    /// What the project sets for all its runs. `path` is its file.
    ///
    /// # Errors
    /// [`Error::WrongShape`] with the setting that is not what it has to be.
    pub fn run_settings(&self, path: &Path) -> Result<RunSettings, Error> {
        let workers = self.texts("workers", path)?;
        let models = self.object("models", path)?.into_iter().flatten().map(|(worker, model)| {
            let wrong = || wrong_field(path, &format!("{CONFIG}.models.{worker}"), "a text");
            Ok((worker.clone(), model.as_str().ok_or_else(wrong)?.to_owned()))
        });
        Ok(RunSettings {
            workers: Some(workers).filter(|workers| !workers.is_empty()),
            models: models.collect::<Result<_, Error>>()?,
            convergence: self.convergence(path)?,
        })
    }

    fn convergence(&self, path: &Path) -> Result<WantedConvergence, Error> {
        let Some(settings) = self.object("convergence", path)? else { return Ok(WantedConvergence::default()) };
        let wrong = |name: &str, what: &str| wrong_field(path, &format!("{CONFIG}.convergence.{name}"), what);
        let given = |name: &str| settings.get(name).filter(|value| !value.is_null());
        let rounds = |value: &Value| value.as_u64().and_then(|number| u32::try_from(number).ok());
        let mode = |value: &Value| value.as_str().and_then(|text| text.parse().ok());
        Ok(WantedConvergence {
            max_rounds: given("maxRounds")
                .map(|value| rounds(value).ok_or_else(|| wrong("maxRounds", "a whole number from 0")))
                .transpose()?,
            adversarial: given("adversarial")
                .map(|value| value.as_bool().ok_or_else(|| wrong("adversarial", "true or false")))
                .transpose()?,
            verification_mode: given("verificationMode")
                .map(|value| {
                    mode(value).ok_or_else(|| wrong("verificationMode", "\"lightweight\" or \"full-reanalysis\""))
                })
                .transpose()?,
        })
    }

    fn object(&self, name: &str, path: &Path) -> Result<Option<&serde_json::Map<String, Value>>, Error> {
        match self.setting(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(fields)) => Ok(Some(fields)),
            Some(_) => Err(wrong_field(path, &format!("{CONFIG}.{name}"), "an object")),
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
    fn a_project_may_set_how_its_runs_work() {
        let path = Path::new("project.json");
        let settings = |config: &str| {
            let text = format!(r#"{{"projectId":"shop","config":{config}}}"#);
            let document = Document::parse(path, &text, SCHEMA).unwrap();
            Project { id: Name::parse("shop", "a project id").unwrap(), document }.run_settings(path)
        };
        assert_eq!(settings("{}").unwrap(), RunSettings::default());
        assert_eq!(
            settings(r#"{"workers":null,"models":null,"convergence":{"maxRounds":null}}"#).unwrap(),
            RunSettings::default()
        );
        let all = r#"{"workers":["codex"],"models":{"codex":"m"},
            "convergence":{"maxRounds":3,"adversarial":false,"verificationMode":"full-reanalysis"}}"#;
        let convergence = WantedConvergence {
            max_rounds: Some(3),
            adversarial: Some(false),
            verification_mode: Some(crate::domain::run::VerificationMode::FullReanalysis),
        };
        let models = vec![("codex".to_owned(), "m".to_owned())];
        let expected = RunSettings { workers: Some(vec!["codex".to_owned()]), models, convergence };
        assert_eq!(settings(all).unwrap(), expected);
        for (wrong, field) in [
            (r#"{"workers":"claude"}"#, "config.workers"),
            (r#"{"models":["m"]}"#, "config.models"),
            (r#"{"models":{"codex":1}}"#, "config.models.codex"),
            (r#"{"convergence":2}"#, "config.convergence"),
            (r#"{"convergence":{"maxRounds":-1}}"#, "config.convergence.maxRounds"),
            (r#"{"convergence":{"maxRounds":1.5}}"#, "config.convergence.maxRounds"),
            (r#"{"convergence":{"adversarial":"yes"}}"#, "config.convergence.adversarial"),
            (r#"{"convergence":{"verificationMode":"full"}}"#, "config.convergence.verificationMode"),
        ] {
            let error = settings(wrong).unwrap_err().to_string();
            assert!(error.contains(&format!("`{field}`")) && error.contains("project.json"), "{wrong}: {error}");
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
