//! doctor: look at the machine and the project, and bring back what was lost and is mirrored.

mod agents;
mod check;
mod commits;
mod files;
mod machine;
mod mirrors;
mod moved;
mod registry_rows;
mod restore;
mod setup;
mod worktrees;

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Error, task};
use crate::context::Context;
pub use crate::domain::doctor::{Advice, Check, Status};
use crate::git::Repository;
pub use check::Report;
pub(super) use registry_rows::of_this_machine;
pub(super) use restore::local;
pub use restore::{Refused, Restored};

/// What to do.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<PathBuf>,
    /// Bring back what is missing and mirrored.
    pub restore: bool,
    /// Of this task only, `GROUP/ID`; with `restore`.
    pub task: Option<String>,
}

/// What was found, or done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Outcome {
    /// Without `restore`.
    Checked(Report),
    /// With `restore`.
    Restored(Restored),
}

impl Outcome {
    /// Whether a person has to look at something.
    pub fn needs_a_person(&self) -> bool {
        match self {
            Self::Checked(report) => report.worst() == Status::Problem,
            Self::Restored(restored) => !restored.refused.is_empty(),
        }
    }
}

/// Looks at everything that can be wrong, or brings back what is missing.
///
/// # Errors
/// When the request contradicts itself, nothing is mirrored of the task, or something cannot be read or written. What was
/// brought back by then stays; doing it again brings back the rest.
pub fn run(context: &Context, options: &Options) -> Result<Outcome, Error> {
    if !options.restore && options.task.is_some() {
        return Err(Error::Request {
            message: "--task requires --restore".to_owned(),
            hint: "doctor looks at all tasks; to bring back the records of one: --restore --task GROUP/ID".to_owned(),
        });
    }
    if !options.restore {
        return check::run(context, options).map(Outcome::Checked);
    }
    let (root, repository) = root(context, options.project_root.as_deref())?;
    restore::run(context, (root, &repository), options.task.as_deref()).map(Outcome::Restored)
}

/// Where the project's `.okstra/` belongs, and the repository.
pub(super) fn root(context: &Context, project_root: Option<&Path>) -> Result<(PathBuf, Repository), Error> {
    let (root, repository) = task::open(context, project_root)?;
    let is_root = |folder: &Path| task::is_same_folder(folder, &root);
    match repository.worktree_root(&root)? {
        Some(worktree) if is_root(&worktree) => Ok((root, repository)),
        inside => Err(Error::NotARoot { path: root, root: inside }),
    }
}
