//! What can go wrong when a repository is read or written to.

use std::path::{Path, PathBuf};

use crate::context::Cancelled;
use crate::domain::hint::Hint;
use crate::domain::shell;
use crate::process;

/// Why a repository could not be read, or written to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The folder does not exist, or is none.
    #[error("`{}` is no folder", path.display())]
    NoFolder {
        /// The folder that was given.
        path: PathBuf,
    },
    /// No repository holds the folder.
    #[error("`{}` is not in a git repository", path.display())]
    NoRepository {
        /// The folder that was given.
        path: PathBuf,
    },
    /// The system did not let us read it.
    #[error("no permission to read {what} in `{}`", path.display())]
    Permission {
        /// What was to be read.
        what: String,
        /// The repository.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Box<gix::Error>,
    },
    /// There is a repository, and it is broken or of a kind that is not known.
    #[error("cannot open the repository at `{}`", path.display())]
    Open {
        /// The repository.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Box<gix::Error>,
    },
    /// An object is there and cannot be read.
    #[error("object {id} in `{}` is broken", path.display())]
    BrokenObject {
        /// The object.
        id: String,
        /// The repository.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Box<gix::Error>,
    },
    /// A ref is there and cannot be read.
    #[error("ref `{name}` in `{}` is broken", path.display())]
    BrokenRef {
        /// Its full name.
        name: String,
        /// The repository.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Box<gix::Error>,
    },
    /// There is no git command, and it is needed here.
    #[error("git is not installed: there is no `git` on PATH")]
    NoGit {
        /// The cause.
        #[source]
        source: process::Error,
    },
    /// The git command failed.
    #[error("`git {arguments}` failed in `{}`: {message}", path.display())]
    GitCommand {
        /// What it was asked.
        arguments: String,
        /// The repository.
        path: PathBuf,
        /// What it said, or why it could not be started.
        message: String,
    },
    /// A remote could not be read, or written to.
    #[error("cannot {doing} `{remote}`, a remote of `{}`: {message}", path.display())]
    Remote {
        /// Its name.
        remote: String,
        /// What was to be done, with its preposition.
        doing: &'static str,
        /// The repository.
        path: PathBuf,
        /// What git said.
        message: String,
    },
    /// A remote took none of what was pushed.
    #[error("`{remote}`, a remote of `{}`, does not take `{name}`: {reason}", path.display())]
    Refused {
        /// The remote.
        remote: String,
        /// The full name of the ref that it did not take.
        name: String,
        /// The repository.
        path: PathBuf,
        /// What git said.
        reason: String,
    },
    /// A ref is not where it has to be for it to be moved, or kept.
    #[error("ref `{name}` in `{}` is at {found}, not at {expected}", path.display())]
    RefChanged {
        /// Its full name.
        name: String,
        /// The repository.
        path: PathBuf,
        /// Where it should be.
        expected: String,
        /// Where it is; `nothing` when there is none.
        found: String,
    },
    /// Another git process holds the lock of a ref, or left it behind.
    #[error("ref `{name}` in `{}` is locked: {message}", path.display())]
    RefLocked {
        /// Its full name; the first of several.
        name: String,
        /// The repository.
        path: PathBuf,
        /// What git said, with the lock file.
        message: String,
    },
    /// A path that cannot be in a snapshot, or must not be taken from one.
    #[error("`{entry}` in snapshot `{name}` of `{}` is not allowed: {why}", path.display())]
    SnapshotPath {
        /// The ref of the snapshot, or its commit.
        name: String,
        /// The path.
        entry: String,
        /// The repository.
        path: PathBuf,
        /// What is wrong, a clause.
        why: &'static str,
    },
    /// Something of a snapshot is not in the repository.
    #[error("`{entry}` in snapshot `{name}` of `{}` is missing: there is no object {id}", path.display())]
    SnapshotGap {
        /// The ref of the snapshot, or its commit.
        name: String,
        /// The path; empty for the whole.
        entry: String,
        /// The repository.
        path: PathBuf,
        /// The object.
        id: String,
    },
    /// The objects of a snapshot could not be made.
    #[error("cannot make snapshot `{name}` for `{}`", path.display())]
    SnapshotObject {
        /// The ref of the snapshot.
        name: String,
        /// The repository.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Box<gix::Error>,
    },
    /// The work was asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl Error {
    pub(super) fn open(path: &Path, source: gix::Error) -> Self {
        let path = path.to_owned();
        if source.is_permission_denied() {
            Self::Permission { what: "the repository".to_owned(), path, source: Box::new(source) }
        } else {
            Self::Open { path, source: Box::new(source) }
        }
    }

    pub(super) fn object(id: &gix::oid, path: &Path, source: gix::Error) -> Self {
        let (path, id) = (path.to_owned(), id.to_string());
        if source.is_permission_denied() {
            Self::Permission { what: format!("object {id}"), path, source: Box::new(source) }
        } else {
            Self::BrokenObject { id, path, source: Box::new(source) }
        }
    }

    pub(super) fn reference(name: &str, path: &Path, source: gix::Error) -> Self {
        let (path, name) = (path.to_owned(), name.to_owned());
        if source.is_permission_denied() {
            Self::Permission { what: format!("ref `{name}`"), path, source: Box::new(source) }
        } else {
            Self::BrokenRef { name, path, source: Box::new(source) }
        }
    }
}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        match self {
            Self::NoFolder { .. } | Self::NoRepository { .. } => {
                Some("run okstra inside a repository, or name one with --project-root".to_owned())
            }
            Self::Permission { .. } => Some("check who owns the folder and what you may read there".to_owned()),
            Self::BrokenObject { path, .. } => {
                Some(format!("see what else is broken: git -C {} fsck", shell::word(&path.to_string_lossy())))
            }
            Self::BrokenRef { path, .. } => {
                Some(format!("see all refs: git -C {} for-each-ref", shell::word(&path.to_string_lossy())))
            }
            Self::Remote { remote, path, .. } => {
                let words = ["git", "-C", &path.to_string_lossy(), "ls-remote", remote].map(str::to_owned);
                Some(format!(
                    "okstra lets git ask for no password: an agent or a credential helper has to know it; see what git says: {}",
                    shell::command(words)
                ))
            }
            Self::Refused { remote, path, name, .. } => {
                let words = ["git", "-C", &path.to_string_lossy(), "ls-remote", remote, name].map(str::to_owned);
                Some(format!("nothing was changed there; see what it has: {}", shell::command(words)))
            }
            Self::RefChanged { name, path, .. } => {
                let (path, name) = (path.to_string_lossy(), shell::word(name));
                Some(format!("look at it: git -C {} log -1 {name}", shell::word(&path)))
            }
            Self::RefLocked { .. } => {
                Some("try again; if no git process is at work there, remove the lock file that it names".to_owned())
            }
            Self::SnapshotGap { path, .. } => {
                Some(format!("fetch it, or see what is missing: git -C {} fsck", shell::word(&path.to_string_lossy())))
            }
            Self::NoGit { .. } => Some("install git, or put it on PATH, and try again".to_owned()),
            Self::GitCommand { .. }
            | Self::Open { .. }
            | Self::SnapshotPath { .. }
            | Self::SnapshotObject { .. }
            | Self::Cancelled(_) => None,
        }
    }
}
