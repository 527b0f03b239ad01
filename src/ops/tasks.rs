//! All tasks of a project.

use std::path::PathBuf;

use serde::Serialize;

use super::Error;
use super::task::open;
use crate::context::Context;
use crate::domain::hint::Hint;
pub use crate::store::CatalogEntry;
use crate::store::{self, Layout, Project};

/// Which project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<PathBuf>,
}

/// The tasks of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tasks {
    /// The project id.
    pub project_id: String,
    /// The tasks, the one that changed last first.
    pub tasks: Vec<CatalogEntry>,
    /// Those whose manifest cannot be read.
    pub unreadable: Vec<Unreadable>,
}

/// A task whose manifest cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Unreadable {
    /// The task, `GROUP/ID`.
    pub task: String,
    /// Why.
    pub error: String,
    /// What to do.
    pub hint: Option<String>,
}

/// Lists the tasks. Nothing is written.
///
/// # Errors
/// Without a project, and when its folders cannot be listed.
pub fn run(context: &Context, options: &Options) -> Result<Tasks, Error> {
    let (root, _) = open(context, options.project_root.as_deref())?;
    let layout = Layout::new(&root);
    let Some(project) = Project::read(&layout.project())? else { return Err(Error::NoProject { root }) };
    let store::Catalog { mut tasks, unreadable } = store::read_tasks(&layout)?;
    tasks.sort_by(|a, b| (&b.updated_at, &a.task_key).cmp(&(&a.updated_at, &b.task_key)));
    let unreadable = unreadable.into_iter().map(|(task, error)| Unreadable {
        task: task.to_string(),
        error: error.to_string(),
        hint: error.hint(),
    });
    Ok(Tasks { project_id: project.id().to_string(), tasks, unreadable: unreadable.collect() })
}
