//! What can go wrong with state files, always with the path.

use std::path::{Path, PathBuf};

use super::json::SchemaVersion;
use crate::domain::hint::Hint;
use crate::domain::names::NameError;
use crate::domain::records::Refusal;
use crate::domain::registry::{Conflict, Holder};
use crate::domain::shell;
use crate::fs;

/// What is wrong in a JSON text, without its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct JsonFault(String);

/// Why state could not be read or written. What is on disk is then as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file could not be read or written, or somebody else holds its lock.
    #[error(transparent)]
    Fs(#[from] fs::Error),
    /// A line that is not what every line of the file must be.
    #[error("`{}:{line}` is not {expected}", path.display())]
    BadLine {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What it should be, with its article.
        expected: &'static str,
        /// What is wrong with it, where that can be said.
        #[source]
        source: Option<JsonFault>,
    },
    /// A file that should be JSON and is not.
    #[error("`{}:{line}:{column}` is not JSON", path.display())]
    NotJson {
        /// The file.
        path: PathBuf,
        /// The line of the fault, counted from 1.
        line: usize,
        /// Its column, counted from 1.
        column: usize,
        /// What is wrong there.
        #[source]
        source: JsonFault,
    },
    /// A file that should be TOML and is not.
    #[error("`{}:{line}:{column}` is not TOML: {why}", path.display())]
    NotToml {
        /// The file.
        path: PathBuf,
        /// The line of the fault, counted from 1.
        line: usize,
        /// Its column, counted from 1.
        column: usize,
        /// What is wrong there.
        why: String,
    },
    /// A setting that is not what it has to be.
    #[error("`{}:{line}`: `{key}` has to be {expected}", path.display())]
    BadSetting {
        /// The file.
        path: PathBuf,
        /// The line of the setting, counted from 1.
        line: usize,
        /// The setting, in full.
        key: String,
        /// What it has to be, with its article.
        expected: &'static str,
    },
    /// A JSON file that holds something else than it should.
    #[error("`{}` is not as it should be: {expected}", path.display())]
    WrongShape {
        /// The file.
        path: PathBuf,
        /// What was expected and where, a clause.
        expected: String,
    },
    /// A file that a newer okstra wrote.
    #[error("`{}` has schema version {found}, and this okstra knows {known}", path.display())]
    NewerSchema {
        /// The file.
        path: PathBuf,
        /// The version that it has.
        found: SchemaVersion,
        /// The newest version that is known.
        known: SchemaVersion,
    },
    /// A name in a file that is none.
    #[error("`{}` holds a name that is none", path.display())]
    BadName {
        /// The file.
        path: PathBuf,
        /// What is wrong with the name.
        #[source]
        source: NameError,
    },
    /// A name that a file system which ignores case would take for another one that is in use.
    #[error("`{given}` differs only in case from `{existing}`, which is there already: `{}`", path.display())]
    CaseCollision {
        /// The name as given.
        given: String,
        /// The one that is in use.
        existing: String,
        /// Where that is.
        path: PathBuf,
    },
    /// A branch, a worktree or a task that somebody else holds.
    #[error("{conflict} (in `{}`)", path.display())]
    Conflict {
        /// The registry.
        path: PathBuf,
        /// Who holds what, and who wants it.
        conflict: Box<Conflict>,
        /// Whether the clone that holds a task is no longer where it was.
        is_gone: bool,
    },
    /// A stage on which another run is at work.
    #[error("stage {stage} of `{key}` is reserved by {}{}", holder.run, since_when(since.as_deref()))]
    StageReserved {
        /// The registry.
        path: PathBuf,
        /// The task key.
        key: String,
        /// The stage.
        stage: u32,
        /// Who reserved it.
        holder: Box<Holder>,
        /// Since when, as recorded.
        since: Option<String>,
    },
    /// A task that the registry does not know.
    #[error("`{key}` has no entry in the registry `{}`", path.display())]
    NoEntry {
        /// The registry.
        path: PathBuf,
        /// The task key.
        key: String,
    },
    /// The anchor is no longer the one that the decision to move it was made on.
    #[error("the anchor of `{key}` is {}, and no longer {}", commit(found.as_deref()), commit(expected.as_deref()))]
    AnchorMoved {
        /// The registry.
        path: PathBuf,
        /// The task key.
        key: String,
        /// The anchor that was seen before.
        expected: Option<String>,
        /// The anchor that stands.
        found: Option<String>,
    },
    /// A frozen plan that cannot be gone by.
    #[error("`{}` is no plan that can be used: {why}", path.display())]
    BadPlan {
        /// The plan's file.
        path: PathBuf,
        /// What is wrong, a clause.
        why: String,
    },
    /// The file of a run that is of another run, or of none.
    #[error("`{}` cannot be used: {why}", path.display())]
    BadRun {
        /// The file.
        path: PathBuf,
        /// What is wrong, a clause.
        why: String,
    },
    /// A row that may not be in the log.
    #[error("nothing was appended to `{}`", path.display())]
    Refused {
        /// The log.
        path: PathBuf,
        /// What is wrong with the row.
        #[source]
        source: Refusal,
    },
    /// Nothing tells where okstra's own folder is.
    #[error("neither OKSTRA_HOME nor the home folder is known, so there is no place for okstra's own files")]
    NoHome,
    /// `OKSTRA_HOME`, or the home folder, is a relative path, and there is no current folder.
    #[error("okstra's own folder is the relative path `{}`, and the current folder no longer exists", path.display())]
    RelativeHome {
        /// The folder as given.
        path: PathBuf,
    },
}

impl Error {
    /// The error for a file in whose `text` serde found something wrong.
    pub(super) fn in_json(path: &Path, error: &serde_json::Error) -> Self {
        let (path, source) = (path.to_owned(), JsonFault::from(error));
        if error.is_data() {
            return Self::WrongShape { path, expected: format!("{source} at line {}", error.line()) };
        }
        Self::NotJson { path, line: error.line(), column: error.column().max(1), source }
    }
}

impl From<&serde_json::Error> for JsonFault {
    fn from(error: &serde_json::Error) -> Self {
        let text = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        Self(text.strip_suffix(&place).unwrap_or(&text).to_owned())
    }
}

impl Error {
    /// That `conflict` stands against a request, in the registry at `path`.
    pub fn conflict(path: &Path, conflict: Conflict) -> Self {
        let is_gone = conflict.other_clone().is_some_and(|clone| !Path::new(clone).exists());
        Self::Conflict { path: path.to_owned(), conflict: Box::new(conflict), is_gone }
    }
}

impl Error {
    /// What helps where the file can be made anew from what is elsewhere.
    fn made_anew(&self) -> Option<String> {
        let path = match self {
            Self::BadLine { path, .. } | Self::NotJson { path, .. } | Self::WrongShape { path, .. } => path,
            _ => return None,
        };
        let text = path.to_string_lossy();
        let aside = shell::command(["mv", &text, &format!("{text}.damaged")]);
        match path.file_name()?.to_str()? {
            "install.json" => Some(format!("put it aside, and install again: {aside} && npx -y okstra@latest install")),
            "registry.json" => Some(format!(
                "put it aside, and bring it back in each project from what is mirrored: {aside} && okstra doctor --restore"
            )),
            _ => None,
        }
    }
}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Fs(error) => error.hint(),
            Self::BadLine { .. }
            | Self::NotJson { .. }
            | Self::WrongShape { .. }
            | Self::BadName { .. }
            | Self::BadRun { .. } => Some(self.made_anew().unwrap_or_else(|| {
                "it was left as it is: bring back a good copy, or correct that place after keeping one".to_owned()
            })),
            Self::NotToml { path, .. } | Self::BadSetting { path, .. } => {
                Some(format!("correct it in `{}`; nothing was started", path.display()))
            }
            Self::NewerSchema { .. } => Some("upgrade okstra".to_owned()),
            Self::CaseCollision { existing, .. } => {
                Some(format!("write it `{existing}` if that is meant, or choose a name that differs in more than case"))
            }
            Self::Conflict { is_gone: true, .. } => {
                Some("if this repository was moved, say so: okstra doctor --restore".to_owned())
            }
            Self::Conflict { conflict, .. } => conflict.hint(),
            Self::BadPlan { .. } => {
                Some("okstra doctor names the copy that git has: bring that back, or let a plan be approved that lies elsewhere".to_owned())
            }
            Self::NoHome => Some("set HOME, or set OKSTRA_HOME to a folder for okstra's own files".to_owned()),
            Self::RelativeHome { .. } => Some("change into a folder that exists, or set an absolute path".to_owned()),
            Self::AnchorMoved { .. } => Some("look at it anew, and decide again".to_owned()),
            _ => None,
        }
    }
}

fn since_when(since: Option<&str>) -> String {
    since.map_or_else(String::new, |since| format!(" since {since}"))
}

fn commit(id: Option<&str>) -> &str {
    id.unwrap_or("not set")
}
