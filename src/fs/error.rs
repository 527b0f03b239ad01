//! What can go wrong with a file, always with its path.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::domain::hint::Hint;
use crate::domain::moment::Moment;
use crate::domain::shell;

/// What was being done to a file when it went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Doing {
    /// Reading it.
    Read,
    /// Writing it, as a whole or at its end.
    Write,
    /// Creating it, and the folders above it.
    Create,
    /// Locking it.
    Lock,
    /// Removing it.
    Remove,
}

/// Why a file could not be worked with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It is not there, nor perhaps its folder.
    #[error("cannot {doing} `{}`: it is not there", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: Doing,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The system does not allow it.
    #[error("cannot {doing} `{}`: no permission", path.display())]
    Forbidden {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: Doing,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Something on the way to it is a file.
    #[error("cannot {doing} `{}`: a part of the path is no folder", path.display())]
    NotAFolder {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: Doing,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A folder stands where a file should be.
    #[error("cannot {doing} `{}`: it is a folder", path.display())]
    IsAFolder {
        /// The folder.
        path: PathBuf,
        /// What was being done.
        doing: Doing,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// It is something else than a file: a symbolic link where none may be, a pipe, a device.
    #[error("cannot {doing} `{}`: it is no regular file", path.display())]
    NotAFile {
        /// What it was taken for.
        path: PathBuf,
        /// What was being done.
        doing: Doing,
    },
    /// The file system cannot be written to.
    #[error("cannot {doing} `{}`: the file system is read-only", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: Doing,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Anything else: the disk is full, the file system is broken.
    #[error("cannot {doing} `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: Doing,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// It is not UTF-8.
    #[error("`{}` is not UTF-8: line {line} is not", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The first line that is not, counted from 1.
        line: usize,
    },
    /// A line to append holds a line break itself.
    #[error("cannot append to `{}`: the line holds a line break", path.display())]
    NotALine {
        /// The file.
        path: PathBuf,
    },
    /// Somebody else holds the lock.
    #[error(
        "`{}` is locked by {}{}; waited for {}",
        path.display(), holder_name(*holder), since_when(*since), seconds(*waited)
    )]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// The process that holds it, where that is known.
        holder: Option<u32>,
        /// Since when, where that is known.
        since: Option<Moment>,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The caller stopped waiting for the lock.
    #[error("stopped waiting for the lock `{}`", path.display())]
    Stopped {
        /// The lock file.
        path: PathBuf,
    },
}

impl Error {
    /// The error for what the system said while `doing` something to `path`.
    pub(super) fn new(doing: Doing, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { path, doing, source },
            io::ErrorKind::PermissionDenied => Self::Forbidden { path, doing, source },
            io::ErrorKind::NotADirectory => Self::NotAFolder { path, doing, source },
            io::ErrorKind::IsADirectory => Self::IsAFolder { path, doing, source },
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path, doing, source },
            _ => Self::Io { path, doing, source },
        }
    }

    /// Whether the file is simply not there, which many readers take for “nothing yet”.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing { .. })
    }
}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Locked { holder: Some(holder), .. } => {
                Some(format!("process {holder} is at work on it: wait until it has ended, or end it"))
            }
            Self::IsAFolder { .. } => {
                Some("name a file; where okstra keeps that file itself, move the folder away".to_owned())
            }
            Self::Forbidden { path, .. } => {
                let nearest = nearest(path).to_string_lossy();
                Some(format!("see who may: {}", shell::command(["ls", "-ld", &nearest])))
            }
            Self::NotAFolder { path, .. } => path
                .ancestors()
                .skip(1)
                .find(|above| above.symlink_metadata().is_ok())
                .filter(|above| !above.is_dir())
                .map(|above| format!("`{}` is in the way: no folder, or a link that leads nowhere", above.display())),
            Self::Locked { holder: None, .. } => Some("wait until the other okstra process has ended".to_owned()),
            _ => None,
        }
    }
}

/// The path, or the nearest one above it that is there.
fn nearest(path: &Path) -> &Path {
    path.ancestors().find(|above| above.symlink_metadata().is_ok()).unwrap_or(path)
}

impl fmt::Display for Doing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Create => "create",
            Self::Lock => "lock",
            Self::Remove => "remove",
        })
    }
}

fn holder_name(holder: Option<u32>) -> String {
    holder.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

fn since_when(since: Option<Moment>) -> String {
    since.map_or_else(String::new, |since| format!(" since {since}"))
}

fn seconds(waited: Duration) -> String {
    format!("{:.1} s", waited.as_secs_f64())
}
