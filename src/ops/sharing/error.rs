//! What can go wrong when a task is carried to another clone. `ops::Error` gives each its code.

use std::path::PathBuf;

use crate::domain::hint::Hint;
use crate::domain::names::TaskName;
use crate::domain::shell;
use crate::ops::Error;

/// Why a task could not be shared or fetched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SharingError {
    /// There is no remote, or several of which none is meant.
    #[error("no remote is named, and `{}` has {}", path.display(), counted(known))]
    NoRemote {
        /// The remotes.
        known: Vec<String>,
        /// The repository.
        path: PathBuf,
    },
    /// There is no remote of the name.
    #[error("`{}` has no remote `{name}`", path.display())]
    UnknownRemote {
        /// As it was given.
        name: String,
        /// The remotes.
        known: Vec<String>,
        /// The repository.
        path: PathBuf,
    },
    /// The remote has records that are not here.
    #[error("`{remote}` has records of {task} that are not here")]
    FetchFirst {
        /// The task.
        task: TaskName,
        /// The remote.
        remote: String,
        /// The command that brings them.
        command: String,
    },
    /// The remote has nothing of the task.
    #[error("`{remote}` holds no records of task {task}")]
    NotShared {
        /// The task.
        task: TaskName,
        /// The remote.
        remote: String,
        /// The tasks of which it holds some.
        shared: Vec<TaskName>,
    },
    /// No task is named.
    #[error("no task is named, and the current folder is in no worktree of one")]
    WhichTask {
        /// The remote.
        remote: String,
        /// The tasks that it holds records of.
        shared: Vec<TaskName>,
    },
    /// What was fetched is not what it should be.
    #[error("what `{remote}` holds of {task} cannot be taken over")]
    Unusable {
        /// The remote.
        remote: String,
        /// The task.
        task: TaskName,
        /// The ref with what was fetched.
        reference: String,
        /// What is wrong with it.
        #[source]
        source: Box<Error>,
    },
    /// A file that is of another task or project.
    #[error("`{place}` is of `{found}`, and not of `{expected}`")]
    OtherTask {
        /// Where it stands.
        place: String,
        /// The task or the project that it names.
        found: String,
        /// The one that it should be of.
        expected: String,
    },
    /// A registry row that cannot be used.
    #[error("`{place}` cannot be used: {why}")]
    BadRow {
        /// Where it stands.
        place: String,
        /// What is wrong, a clause.
        why: String,
    },
    /// What was fetched lacks a file.
    #[error("`{reference}` holds no {file}")]
    Lacks {
        /// The ref with what was fetched.
        reference: String,
        /// The file.
        file: String,
    },
    /// Records that are mirrored here are gone from the disk.
    #[error("records of {task} are lost: `{}` is not there, but it is mirrored", path.display())]
    Lost {
        /// The task.
        task: TaskName,
        /// The file.
        path: PathBuf,
    },
}

impl Hint for SharingError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoRemote { known, path } if known.is_empty() => {
                let path = path.to_string_lossy();
                format!("add one: {} URL", shell::command(["git", "-C", &path, "remote", "add", "origin"]))
            }
            Self::NoRemote { known, .. } => format!("name one of them: --remote {}", known.join("|")),
            Self::UnknownRemote { known, .. } if known.is_empty() => "it has no remote at all".to_owned(),
            Self::UnknownRemote { known, .. } => format!("these are there: {}", known.join(", ")),
            Self::FetchFirst { command, .. } => format!("fetch them first, then share again: {command}"),
            Self::NotShared { shared, remote, .. } | Self::WhichTask { shared, remote } => shared_there(remote, shared),
            Self::Unusable { reference, .. } => format!(
                "nothing was written here; whoever shared it has to share it again; look at it: {}",
                shell::command(["git", "ls-tree", "-r", reference])
            ),
            Self::Lost { task, .. } => {
                format!("bring them back first: okstra doctor --restore --task {task}")
            }
            Self::OtherTask { .. } | Self::BadRow { .. } | Self::Lacks { .. } => return None,
        })
    }
}

impl From<SharingError> for Error {
    fn from(error: SharingError) -> Self {
        Self::Sharing(Box::new(error))
    }
}

/// How many remotes there are, a clause.
fn counted(known: &[String]) -> String {
    if known.is_empty() { "none".to_owned() } else { format!("several: {}", known.join(", ")) }
}

/// Which tasks a remote holds.
fn shared_there(remote: &str, shared: &[TaskName]) -> String {
    let names: Vec<_> = shared.iter().map(ToString::to_string).collect();
    match names.as_slice() {
        [] => format!("`{remote}` holds no task; share one where its records are: okstra task share --task GROUP/ID"),
        names => format!("`{remote}` holds {}; name one: --task GROUP/ID", names.join(", ")),
    }
}
