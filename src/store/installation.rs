//! `install.json`: what okstra has written on this machine, so that it can be brought up to date and taken out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Error;
use super::json::{Document, SchemaVersion, to_line};
use super::lines;
use crate::context::Context;
use crate::domain::install::settings::{self, Made, Own};
use crate::domain::install::{Journal, Recorded, Target};
use crate::fs::{self, LockGuard};

/// The newest schema that is understood. 1.0: `version`, `targets`, `files`, `folders`, `settings`.
const SCHEMA: SchemaVersion = SchemaVersion { major: 1, minor: 0 };

/// What is installed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Installation {
    /// The version of okstra that was installed last.
    pub version: String,
    /// The agents that it is installed for.
    pub targets: Vec<Target>,
    /// The files that okstra wrote, by their absolute paths.
    pub files: BTreeMap<String, Recorded>,
    /// The folders that okstra made.
    pub folders: BTreeSet<String>,
    /// The settings files of projects that okstra added to, by their absolute paths.
    pub settings: BTreeMap<String, settings::Recorded>,
    /// The file as it was read, with what another okstra has put into it.
    read: Option<Document>,
}

/// The file as it is written.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    #[serde(default)]
    version: String,
    #[serde(default)]
    targets: Vec<String>,
    #[serde(default)]
    files: Vec<FileRow>,
    #[serde(default)]
    folders: BTreeSet<String>,
    #[serde(default)]
    settings: Vec<SettingsRow>,
}

/// One file. `pending` and `before` are there while an installation is under way.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileRow {
    path: String,
    sha256: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pending: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<String>,
}

/// One settings file. `previous` is there while an installation is under way.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SettingsRow {
    path: String,
    #[serde(flatten)]
    own: OwnRow,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous: Option<OwnRow>,
}

/// What okstra has put into it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OwnRow {
    entries: Vec<String>,
    inserted: String,
    #[serde(with = "MadeRow")]
    made: Made,
}

/// What was made to hold it.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Made", rename_all = "kebab-case")]
enum MadeRow {
    Nothing,
    Allow,
    Permissions,
    File,
}

impl Installation {
    /// Reads the file `path`; `None` where there is none.
    ///
    /// # Errors
    /// As [`Document::read`], and [`Error::WrongShape`] for what it should not hold.
    pub fn read(path: &Path) -> Result<Option<Self>, Error> {
        let Some(document) = Document::read(path, SCHEMA)? else { return Ok(None) };
        let written: Written = document.to(path)?;
        let target = |text: &String| {
            text.parse().map_err(|error| Error::WrongShape { path: path.to_owned(), expected: format!("{error}") })
        };
        Ok(Some(Self {
            targets: written.targets.iter().map(target).collect::<Result<_, _>>()?,
            version: written.version,
            files: written.files.into_iter().map(FileRow::read).collect(),
            folders: written.folders,
            settings: written.settings.into_iter().map(SettingsRow::read).collect(),
            read: Some(document),
        }))
    }

    /// The file as it is written to `path`.
    ///
    /// # Errors
    /// None that can happen; [`Error::WrongShape`] says which.
    pub fn to_text(&self, path: &Path) -> Result<String, Error> {
        let written = Written {
            version: self.version.clone(),
            targets: self.targets.iter().map(ToString::to_string).collect(),
            files: self.files.iter().map(FileRow::of).collect(),
            folders: self.folders.clone(),
            settings: self.settings.iter().map(SettingsRow::of).collect(),
        };
        let line = to_line(&written, path)?;
        let fields = Document::parse(path, &line, SCHEMA)?;
        let mut document = self.read.clone().unwrap_or_else(|| Document::new(SCHEMA));
        for name in ["version", "targets", "files", "folders", "settings"] {
            document.set(name, fields.get(name).cloned().unwrap_or_default());
        }
        Ok(document.to_text())
    }
}

impl FileRow {
    fn of((path, recorded): (&String, &Recorded)) -> Self {
        let (path, sha256) = (path.clone(), recorded.sha256.clone());
        let before = recorded.journal.as_ref().and_then(|journal| journal.before.clone());
        Self { path, sha256, pending: recorded.journal.is_some(), before }
    }

    fn read(self) -> (String, Recorded) {
        let journal = self.pending.then_some(Journal { before: self.before });
        (self.path, Recorded { sha256: self.sha256, journal })
    }
}

impl SettingsRow {
    fn of((path, recorded): (&String, &settings::Recorded)) -> Self {
        let previous = recorded.previous.as_ref().map(OwnRow::of);
        Self { path: path.clone(), own: OwnRow::of(&recorded.own), previous }
    }

    fn read(self) -> (String, settings::Recorded) {
        let previous = self.previous.map(OwnRow::read);
        (self.path, settings::Recorded { own: self.own.read(), previous })
    }
}

impl OwnRow {
    fn of(own: &Own) -> Self {
        Self { entries: own.entries.clone(), inserted: own.inserted.clone(), made: own.made }
    }

    fn read(self) -> Own {
        let Self { entries, inserted, made } = self;
        Own { entries, inserted, made }
    }
}

/// Whoever has one is alone in installing and taking out.
#[derive(Debug)]
pub struct InstallationGuard {
    alone: LockGuard,
}

impl InstallationGuard {
    /// Locks the file `path`, whose folder must exist.
    ///
    /// # Errors
    /// [`Error::Fs`], when another process holds the lock for long too.
    pub fn lock(path: &Path, context: &Context) -> Result<Self, Error> {
        let stop = || context.cancel().is_cancelled();
        Ok(Self { alone: LockGuard::acquire(&Self::file(path), fs::LOCK_WAIT, stop)? })
    }

    /// The lock file of the file `path`.
    pub fn file(path: &Path) -> PathBuf {
        lines::lock_of(path)
    }

    /// Removes the lock file. Who waits for it takes a new one.
    ///
    /// # Errors
    /// [`Error::Fs`].
    pub fn remove_file(self) -> Result<(), Error> {
        Ok(fs::delete_file(self.alone.path())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(entry: &str) -> Own {
        Own { entries: vec![entry.to_owned()], inserted: format!("\"{entry}\",\n"), made: Made::Permissions }
    }

    #[test]
    fn an_installation_is_read_as_it_was_written() {
        let path = Path::new("install.json");
        let recorded = |journal| Recorded { sha256: "ab".to_owned(), journal };
        let installation = Installation {
            version: "1.2.3".to_owned(),
            targets: vec![Target::Claude, Target::Gemini],
            files: [
                ("/a".to_owned(), recorded(None)),
                ("/b c".to_owned(), recorded(Some(Journal { before: None }))),
                ("/d".to_owned(), recorded(Some(Journal { before: Some("cd".to_owned()) }))),
            ]
            .into(),
            folders: ["/f".to_owned()].into(),
            settings: [
                ("/s".to_owned(), settings::Recorded { own: own("x"), previous: None }),
                ("/t".to_owned(), settings::Recorded { own: own("x"), previous: Some(own("y")) }),
            ]
            .into(),
            read: None,
        };
        let text = installation.to_text(path).unwrap();
        assert!(
            text.starts_with("{\n  \"schemaVersion\": \"1.0\",\n  \"version\": \"1.2.3\",\n  \"targets\": [\n"),
            "{text}"
        );
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("install.json");
        assert_eq!(Installation::read(&file).unwrap(), None);
        fs::replace(&file, text.as_bytes()).unwrap();
        let read = Installation::read(&file).unwrap().unwrap();
        assert_eq!(Installation { read: None, ..read }, installation);
        fs::replace(&file, text.replace("\"version\"", "\"x\": 1, \"version\"").as_bytes()).unwrap();
        let again = Installation::read(&file).unwrap().unwrap().to_text(path).unwrap();
        assert_eq!(again, text.replace("\"version\"", "\"x\": 1,\n  \"version\""));
    }

    #[test]
    fn what_is_no_installation_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("install.json");
        for text in [
            "",
            "[]",
            "{\"files\": 1}",
            "{\"targets\": [\"cursor\"]}",
            "{\"schemaVersion\": \"2.0\"}",
            "{\"files\": [{}]}",
        ] {
            fs::replace(&file, text.as_bytes()).unwrap();
            let error = Installation::read(&file).unwrap_err().to_string();
            assert!(error.contains("install.json"), "{text}: {error}");
        }
        fs::replace(&file, b"{}").unwrap();
        assert!(Installation::read(&file).unwrap().unwrap().files.is_empty());
    }
}
