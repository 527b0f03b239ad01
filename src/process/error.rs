//! What can go wrong with a child process.

use std::io;
use std::path::PathBuf;

use super::Ending;
use crate::context::Cancelled;
use crate::domain::hint::Hint;

/// Why a command gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such program.
    #[error("`{program}` is not installed: it is not on PATH")]
    NotFound {
        /// The program as it was given.
        program: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The folder in which it should run is not there.
    #[error("cannot run `{command}` in `{}`: there is no such folder", path.display())]
    NoFolder {
        /// The command.
        command: String,
        /// The folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// It is there, but cannot be started.
    #[error("cannot start `{command}`")]
    Start {
        /// The command.
        command: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Its output could not be read, or its end not be waited for.
    #[error("lost touch with `{command}`")]
    Lost {
        /// The command.
        command: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// It ended with another exit code than 0.
    #[error("`{command}` ended with {ending}{}", said(stderr))]
    Failed {
        /// The command.
        command: String,
        /// How it ended.
        ending: Ending,
        /// What it wrote to standard error, trimmed.
        stderr: String,
    },
    /// The context was cancelled; the command and everything it started have ended.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl Error {
    /// The exit code with which a shell would report it: 127 where there is no such program, 126 where it cannot be
    /// started; `None` for what is no matter of starting.
    pub fn exit_code(&self) -> Option<i32> {
        match self {
            Self::NotFound { .. } => Some(127),
            Self::NoFolder { .. } | Self::Start { .. } => Some(126),
            Self::Lost { .. } | Self::Failed { .. } | Self::Cancelled(_) => None,
        }
    }
}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        match self {
            Self::NotFound { program, .. } => Some(format!("install `{program}`, or put its folder on PATH")),
            _ => None,
        }
    }
}

fn said(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!(": {stderr}") }
}
