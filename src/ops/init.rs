//! Makes a repository an okstra project.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Error;
use super::task::is_same_folder;
use crate::context::Context;
use crate::domain::names::Name;
use crate::git::Repository;
use crate::store::{Layout, Project, ProjectGuard};

/// What the project shall be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The root of the repository's main worktree, or of a linked one; by default found from the current folder.
    pub project_root: Option<PathBuf>,
    /// The project id.
    pub project_id: Option<String>,
    /// Take the default id where none is given.
    pub yes: bool,
}

/// What is going to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The project root.
    pub root: PathBuf,
    /// The id of the project that is there, or of the one that is asked for.
    pub id: Option<Name>,
    /// The id that is proposed where none is asked for: the name of the folder, made a valid one.
    pub default_id: Name,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Init {
    /// The project root.
    pub project_root: PathBuf,
    /// The project id.
    pub project_id: String,
    /// Whether it was made a project now.
    pub created: bool,
}

/// Looks at the repository; nothing is written.
///
/// # Errors
/// [`Error::Bare`], [`Error::NotARoot`], [`Error::OtherProject`], and when a name is none.
pub fn plan(context: &Context, options: &Options) -> Result<Plan, Error> {
    let given = options.project_root.as_deref().map(|root| context.absolute(root));
    let folder = given.clone().or_else(|| context.cwd().map(Path::to_owned)).ok_or(Error::NoCurrentFolder)?;
    let repository = Repository::discover(&folder)?;
    let Some(root) = repository.main_worktree()? else { return Err(Error::Bare { path: folder }) };
    if let Some(given) = given {
        let of_worktree = repository.worktree_root(&given)?;
        if !of_worktree.as_deref().is_some_and(|of_worktree| is_same_folder(of_worktree, &given)) {
            return Err(Error::NotARoot { path: given, root: of_worktree.or(Some(root)) });
        }
    }
    let asked = options.project_id.as_deref().map(|id| Name::parse(id, "a project id")).transpose()?;
    let recorded = Project::read(&Layout::new(&root).project())?.map(|project| project.id().clone());
    let default_id = default_id(&root);
    let id = agreed(&root, recorded, asked)?;
    Ok(Plan { root, id, default_id })
}

/// Does it; doing it again changes nothing.
///
/// # Errors
/// [`Error::NoProjectId`] where no id is known and none may be chosen, those of [`plan`], and when a file cannot be
/// written.
pub fn run(context: &Context, options: &Options) -> Result<Init, Error> {
    let Plan { root, id, default_id } = plan(context, options)?;
    let chosen = || options.yes.then_some(default_id.clone());
    let id = id.or_else(chosen).ok_or_else(|| Error::NoProjectId { default: default_id.to_string() })?;
    let layout = Layout::new(&root);
    if is_whole(&root) {
        return Ok(Init { project_root: root, project_id: id.to_string(), created: false });
    }
    layout.ensure_ignored()?;
    let guard = ProjectGuard::lock(&layout.project(), context)?;
    let recorded = guard.read()?.map(|project| project.id().clone());
    let created = recorded.is_none();
    let id = agreed(&root, recorded, Some(id.clone()))?.unwrap_or(id);
    if created {
        guard.write(&Project::new(id.clone()))?;
    }
    Ok(Init { project_root: root, project_id: id.to_string(), created })
}

/// Whether the folder `root` is a project with all that belongs to one.
pub(super) fn is_whole(root: &Path) -> bool {
    let layout = Layout::new(root);
    layout.project().is_file() && layout.gitignore().is_file()
}

/// The id that is recorded and asked for, where they agree.
fn agreed(root: &Path, recorded: Option<Name>, asked: Option<Name>) -> Result<Option<Name>, Error> {
    match (recorded, asked) {
        (Some(recorded), Some(asked)) if recorded != asked => {
            let (recorded, given) = (recorded.to_string(), asked.to_string());
            Err(Error::OtherProject { root: root.to_owned(), recorded, given })
        }
        (recorded, asked) => Ok(recorded.or(asked)),
    }
}

/// The name of the folder as a project id.
fn default_id(root: &Path) -> Name {
    Name::near(&root.file_name().unwrap_or_default().to_string_lossy(), "project")
}
