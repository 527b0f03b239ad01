//! The one place where errors get their code.

use crate::context::Cancelled;
use crate::domain::hint::Hint;
use crate::{fs, git, store};

/// Why an operation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The repository could not be read.
    #[error(transparent)]
    Git(git::Error),
    /// A file could not be read or written.
    #[error(transparent)]
    Fs(#[from] fs::Error),
    /// A state file could not be read or written.
    #[error(transparent)]
    Store(store::Error),
    /// The work was asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// Neither was a folder given, nor is there a current one.
    #[error("the current folder no longer exists")]
    NoCurrentFolder,
}

impl Error {
    /// A stable kebab-case word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Git(error) => git_code(error),
            Self::Fs(error) => fs_code(error),
            Self::Store(error) => store_code(error),
            Self::Cancelled(_) => "cancelled",
            Self::NoCurrentFolder => "no-current-folder",
        }
    }
}

fn git_code(error: &git::Error) -> &'static str {
    match error {
        git::Error::NoFolder { .. } => "no-such-folder",
        git::Error::NoRepository { .. } => "not-a-repository",
        git::Error::Permission { .. } => "permission-denied",
        git::Error::Open { .. } => "broken-repository",
        git::Error::BrokenObject { .. } => "broken-object",
        git::Error::BrokenRef { .. } => "broken-ref",
        git::Error::NoGit { .. } => "git-not-installed",
        git::Error::GitCommand { .. } => "git-failed",
        git::Error::RefChanged { .. } => "ref-changed",
        git::Error::RefLocked { .. } => "ref-locked",
        git::Error::SnapshotPath { .. } => "bad-snapshot",
        git::Error::SnapshotGap { .. } => "missing-object",
        git::Error::SnapshotObject { .. } => "git-failed",
        git::Error::Cancelled(_) => "cancelled",
    }
}

fn fs_code(error: &fs::Error) -> &'static str {
    match error {
        fs::Error::Missing { .. } => "file-not-found",
        fs::Error::Forbidden { .. } => "permission-denied",
        fs::Error::NotAFolder { .. } | fs::Error::IsAFolder { .. } | fs::Error::NotAFile { .. } => "wrong-kind-of-file",
        fs::Error::ReadOnly { .. } => "read-only-file-system",
        fs::Error::Io { .. } => "file-io",
        fs::Error::NotUtf8 { .. } => "file-not-utf8",
        fs::Error::NotALine { .. } => "line-break-in-line",
        fs::Error::Locked { .. } => "locked",
        fs::Error::Stopped { .. } => "cancelled",
    }
}

fn store_code(error: &store::Error) -> &'static str {
    match error {
        store::Error::Fs(error) => fs_code(error),
        store::Error::BadLine { .. } => "bad-line",
        store::Error::NotJson { .. } => "not-json",
        store::Error::WrongShape { .. } => "wrong-shape",
        store::Error::NewerSchema { .. } => "newer-schema",
        store::Error::BadName { .. } => "bad-name",
        store::Error::CaseCollision { .. } => "case-collision",
        store::Error::Conflict { .. } => "registry-conflict",
        store::Error::StageReserved { .. } => "stage-reserved",
        store::Error::NoEntry { .. } => "no-registry-entry",
        store::Error::AnchorMoved { .. } => "anchor-moved",
        store::Error::BadPlan { .. } => "bad-plan",
        store::Error::Refused { .. } => "row-refused",
        store::Error::NoHome | store::Error::RelativeHome { .. } => "no-home",
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::Fs(error) => Self::Fs(error),
            error => Self::Store(error),
        }
    }
}

impl From<git::Error> for Error {
    fn from(error: git::Error) -> Self {
        match error {
            git::Error::Cancelled(cancelled) => Self::Cancelled(cancelled),
            error => Self::Git(error),
        }
    }
}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Git(error) => error.hint(),
            Self::Fs(error) => error.hint(),
            Self::Store(error) => error.hint(),
            Self::Cancelled(_) => None,
            Self::NoCurrentFolder => Some("change into a folder that exists, or give --project-root".to_owned()),
        }
    }
}
