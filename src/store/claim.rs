//! The claim of a run's number: `instruction-set/<seq>/`, with a lock that is held while the run is prepared, and a log of
//! what was made for it, by which a later prepare clears up when that one was killed.
//!
//! The log, `prepare.log`, has one JSON object a line, written before the thing is made. It goes once the run exists.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Error, json, lines};
use crate::context::Context;
use crate::domain::registry::StageEntry;
use crate::fs::{self, LockGuard};

/// The lock.
const LOCK: &str = "prepare.lock";
/// The log.
const LOG: &str = "prepare.log";

/// Something that is made for a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "made", rename_all = "kebab-case")]
pub enum Made {
    /// A worktree, at a commit.
    Worktree {
        /// Where.
        path: String,
        /// The branch that is checked out, a short name; `None` where none is.
        branch: Option<String>,
        /// The commit.
        commit: String,
    },
    /// A branch, and where.
    Branch {
        /// Its short name.
        name: String,
        /// The commit.
        commit: String,
    },
    /// The task's place in the registry, with the anchor that is set there, where there was none.
    Task {
        /// The anchor.
        anchor: Option<String>,
    },
    /// The reservation of a stage, and how the stage was before.
    Stage {
        /// The stage.
        stage: u32,
        /// The run.
        run: String,
        /// As it was.
        before: Option<StageEntry>,
    },
}

/// A claim that this process holds. Clones hold the same; it is let go with the last.
#[derive(Clone, Debug)]
pub struct Claim {
    folder: PathBuf,
    alone: Arc<LockGuard>,
}

impl Claim {
    /// Claims the number that has `folder`, which is created if it is not there; `None` where another process holds it.
    ///
    /// # Errors
    /// [`Error::Fs`].
    pub fn take(context: &Context, folder: &Path) -> Result<Option<Self>, Error> {
        fs::create_folder(folder)?;
        let stop = || context.cancel().is_cancelled();
        match LockGuard::acquire(&folder.join(LOCK), Duration::ZERO, stop) {
            Ok(guard) => Ok(Some(Self { folder: folder.to_owned(), alone: Arc::new(guard) })),
            Err(fs::Error::Locked { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes down what is about to be made.
    ///
    /// # Errors
    /// [`Error::Fs`]; it must not be made then.
    pub fn write_down(&self, made: &Made) -> Result<(), Error> {
        let path = self.log();
        lines::append(&self.alone, &path, &json::to_line(made, &path)?).map(drop)
    }

    /// What was written down, oldest first. A line that a crash tore is left out: nothing was made by it.
    ///
    /// # Errors
    /// [`Error::Fs`], and [`Error::BadLine`] for a line that says nothing that is known.
    pub fn read(&self) -> Result<Vec<Made>, Error> {
        let path = self.log();
        let text = lines::read(&path)?;
        let made = |line: lines::Line<'_>| {
            serde_json::from_str(line.text).map_err(|error| Error::BadLine {
                path: path.clone(),
                line: line.number,
                expected: "what a prepare has made",
                source: Some((&error).into()),
            })
        };
        lines::each(&text, |_| ()).map(made).collect()
    }

    /// Everything that was written down was cleared up.
    ///
    /// # Errors
    /// [`Error::Fs`].
    pub fn forget(&self) -> Result<(), Error> {
        forget(&self.folder)
    }

    /// The files of the claim, but for those that are its own.
    ///
    /// # Errors
    /// [`Error::Fs`].
    pub fn files(&self) -> Result<Vec<PathBuf>, Error> {
        let names = fs::names_in(&self.folder)?.into_iter().filter(|name| name != LOCK && name != LOG);
        Ok(names.map(|name| self.folder.join(name)).collect())
    }

    fn log(&self) -> PathBuf {
        self.folder.join(LOG)
    }
}

/// The run exists whose claim is the folder `folder`: nothing that was made for it is to be cleared up.
///
/// # Errors
/// [`Error::Fs`].
pub fn forget(folder: &Path) -> Result<(), Error> {
    Ok(fs::remove(&folder.join(LOG))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Environment;

    #[test]
    fn a_claim_is_one_processs_and_knows_what_was_made_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let (path, context) = (folder.path().join("instruction-set/001"), Context::new("/", Environment::default()));
        let claim = Claim::take(&context, &path).unwrap().unwrap();
        assert!(Claim::take(&context, &path).unwrap().is_none());
        let text = |text: &str| text.to_owned();
        let made = [
            Made::Task { anchor: Some(text("ab")) },
            Made::Branch { name: text("fix-é"), commit: text("ab") },
            Made::Worktree { path: text("/w \"1\""), branch: None, commit: text("ab") },
            Made::Stage { stage: 1, run: text("implementation-001"), before: Some(StageEntry::default()) },
        ];
        for made in &made {
            claim.write_down(made).unwrap();
        }
        fs::replace(&path.join("directive.md"), b"x").unwrap();
        assert_eq!(claim.files().unwrap(), [path.join("directive.md")]);
        drop(claim.clone());
        assert!(Claim::take(&context, &path).unwrap().is_none());
        drop(claim);
        // The next one finds it, but for what a crash tore.
        let log = fs::read_text(&path.join("prepare.log")).unwrap();
        fs::replace(&path.join("prepare.log"), format!("{log}{{\"made\":\"bra").as_bytes()).unwrap();
        let claim = Claim::take(&context, &path).unwrap().unwrap();
        assert_eq!(claim.read().unwrap(), made);
        claim.write_down(&made[0]).unwrap();
        assert_eq!(claim.read().unwrap().len(), 5);
        fs::replace(&path.join("prepare.log"), b"{\"made\":\"else\"}\n").unwrap();
        assert!(matches!(claim.read(), Err(Error::BadLine { line: 1, .. })));
        claim.forget().unwrap();
        claim.forget().unwrap();
        assert!(claim.read().unwrap().is_empty());
    }
}
