//! Which task a command is about, and where its records are.

use std::path::{Path, PathBuf};

use super::Error;
use crate::context::Context;
use crate::domain::lifecycle;
use crate::domain::names::{Name, TaskKey, TaskName};
use crate::fs;
use crate::git::Repository;
use crate::store::registry::Registry;
use crate::store::{Home, Layout, Manifest, Project, task_names};

/// How a command names its task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// By `GROUP/ID`, the rest being in `.okstra/`; without it the task of the worktree that one stands in.
    Project(Option<String>),
    /// By everything that is needed, without `.okstra/`.
    Full(Box<FullSelector>),
}

/// A task without `.okstra/`: a log, a registry and a repository are enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FullSelector {
    /// The folder of its `consumers.jsonl`.
    pub plan_run_root: PathBuf,
    /// The project id.
    pub project_id: String,
    /// The task group.
    pub task_group: String,
    /// The task id.
    pub task_id: String,
    /// The work category, which its branches are named after where the registry does not name them.
    pub work_category: String,
}

/// A task, found.
pub struct Task {
    /// The project root.
    pub root: PathBuf,
    /// Its repository.
    pub repository: Repository,
    /// The task.
    pub key: TaskKey,
    /// Its work category.
    pub category: Name,
    /// The folder of its `consumers.jsonl` and its plans.
    pub plan_run_root: PathBuf,
    /// Where the machine's records are.
    pub home: Home,
    /// The project's `.okstra/`, where the task lies in it.
    pub layout: Option<Layout>,
}

impl Task {
    /// Finds the task that `selector` names, in the project of `project_root`, by default of the current folder.
    ///
    /// # Errors
    /// When a name is none, a folder is not there, or no task is named.
    pub fn find(context: &Context, project_root: Option<&Path>, selector: &Selector) -> Result<Self, Error> {
        match selector {
            Selector::Full(full) => Self::find_full(context, project_root, full),
            Selector::Project(named) => Self::find_in_project(context, project_root, named.as_deref()),
        }
    }

    fn find_full(context: &Context, project_root: Option<&Path>, full: &FullSelector) -> Result<Self, Error> {
        let project = Name::parse(&full.project_id, "a project id")?;
        let group = Name::parse(&full.task_group, "a task group")?;
        let id = Name::parse(&full.task_id, "a task id")?;
        let category = Name::parse(&full.work_category, "a work category")?;
        let (root, repository) = open(context, project_root)?;
        let plan_run_root = context.absolute(&full.plan_run_root);
        if !plan_run_root.is_dir() {
            return Err(Error::NoPlanRunRoot { path: plan_run_root });
        }
        let key = TaskKey { project, task: TaskName { group, id } };
        let layout = Layout::new(&root);
        let own = is_same_folder(&plan_run_root_of(&layout, &key.task), &plan_run_root);
        let home = Home::find(context)?;
        Ok(Self { root, repository, key, category, plan_run_root, home, layout: own.then_some(layout) })
    }

    fn find_in_project(context: &Context, project_root: Option<&Path>, named: Option<&str>) -> Result<Self, Error> {
        let place = Place::find(context, project_root, named)?;
        let name = place.key.task.clone();
        let Some(manifest) = Manifest::read(&place.layout.manifest(&name))? else {
            return Err(Error::UnknownTask { task: name, folder: place.layout.tasks() });
        };
        let category = manifest.category.ok_or(Error::NoCategory { task: name })?;
        Ok(place.into_task(category))
    }

    /// Finds the task `named` like [`Task::find`], or plans one: a task without a manifest, or whose manifest names no
    /// work category, is of the category given. Writes nothing; [`NewTask`] says what is to be written.
    ///
    /// # Errors
    /// As [`Task::find`], [`Error::CategoryNeeded`] and [`Error::Category`] for a task that would be made, and
    /// [`Error::Request`] when the task is of another category.
    pub fn find_or_plan(
        context: &Context,
        project_root: Option<&Path>,
        named: Option<&str>,
        category: Option<&str>,
    ) -> Result<(Self, Option<NewTask>), Error> {
        let place = Place::find(context, project_root, named)?;
        let path = place.layout.project();
        let own = Project::read(&path)?
            .map(|project| project.texts("workCategories", &path))
            .transpose()?
            .unwrap_or_default();
        let given = category.map(|text| lifecycle::parse_category(text, &own)).transpose()?;
        let name = place.key.task.clone();
        let manifest = Manifest::read(&place.layout.manifest(&name))?;
        let known = manifest.as_ref().and_then(|manifest| manifest.category.clone());
        match (known, given) {
            (Some(known), Some(given)) if known != given => Err(Error::Request {
                message: format!("task {name} is of the category {known}, and not of {given}"),
                hint: "leave --category out: it is for tasks that have none yet".to_owned(),
            }),
            (Some(known), _) => Ok((place.into_task(known), None)),
            (None, Some(given)) => {
                place.home.check_case(&place.key)?;
                let new = NewTask { is_all_new: manifest.is_none() };
                Ok((place.into_task(given), Some(new)))
            }
            (None, None) if manifest.is_some() => Err(Error::NoCategory { task: name }),
            (None, None) => Err(Error::CategoryNeeded { task: name }),
        }
    }

    /// The same task as the main worktree has it, for what removes worktrees: the one that it was found from may go.
    ///
    /// # Errors
    /// As [`Task::find`].
    pub(super) fn of_main_worktree(&self, context: &Context) -> Result<Self, Error> {
        Self::find(context, Some(&self.root), &Selector::Project(Some(self.key.task.to_string())))
    }

    /// The registry of worktrees.
    pub fn registry(&self) -> Registry {
        Registry::new(self.home.registry())
    }

    /// Its log.
    pub fn log(&self) -> PathBuf {
        self.plan_run_root.join("consumers.jsonl")
    }

    /// Whether `folder`, which a record names, is one of this clone's: the project root, or below okstra's own folder. Records
    /// that were fetched name folders of the clone that they came from.
    pub fn is_folder_here(&self, folder: &Path) -> bool {
        let worktrees = self.home.worktrees();
        let is_there = |ancestor: &&Path| ancestor.exists();
        let known = folder.ancestors().find(is_there).and_then(|ancestor| ancestor.canonicalize().ok());
        let is_below =
            worktrees.canonicalize().ok().zip(known).is_some_and(|(worktrees, known)| known.starts_with(worktrees));
        is_below || folder.starts_with(&worktrees) || is_same_folder(folder, &self.root)
    }

    /// The folder of its frozen plans.
    pub fn plans(&self) -> PathBuf {
        self.plan_run_root.join("plans")
    }
}

/// A task whose manifest is still to be written, or lacks its category.
pub struct NewTask {
    is_all_new: bool,
}

impl NewTask {
    /// Whether there is nothing of the task yet.
    pub fn is_all_new(&self) -> bool {
        self.is_all_new
    }

    /// Writes the manifest of `task`; a new one gets the title. What another process wrote meanwhile stays.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn write(&self, task: &Task, title: Option<&str>) -> Result<(), Error> {
        let Some(layout) = &task.layout else { return Ok(()) };
        let (name, path) = (&task.key.task, layout.manifest(&task.key.task));
        let title = title.map_or_else(|| name.id.to_string(), str::to_owned);
        let there = Manifest::read(&path)?;
        let mut manifest = there.unwrap_or_else(|| Manifest::new(task.key.clone(), Some(title), None));
        if manifest.category.is_none() {
            manifest.category = Some(task.category.clone());
            layout.ensure_ignored()?;
            fs::create_folder(&layout.task(name))?;
            manifest.write(&path)?;
        }
        Ok(())
    }
}

/// A task in `.okstra/`, as far as its name says.
struct Place {
    root: PathBuf,
    repository: Repository,
    key: TaskKey,
    home: Home,
    layout: Layout,
}

impl Place {
    /// The place of the task `named`, by default that of the worktree that one stands in.
    fn find(context: &Context, project_root: Option<&Path>, named: Option<&str>) -> Result<Self, Error> {
        let (root, repository) = open(context, project_root)?;
        let layout = Layout::new(&root);
        let home = Home::find(context)?;
        let Some(project) = Project::read(&layout.project())? else { return Err(Error::NoProject { root }) };
        let project = project.id().clone();
        let task = match named {
            Some(text) => task_named(text, &project)?,
            None => match standing_in(context, &repository, &home, &project)? {
                Some(task) => task,
                None => return Err(Error::NoTask { known: task_names(&layout)? }),
            },
        };
        layout.check_case(&task)?;
        Ok(Self { root, repository, key: TaskKey { project, task }, home, layout })
    }

    fn into_task(self, category: Name) -> Task {
        let Self { root, repository, key, home, layout } = self;
        let plan_run_root = plan_run_root_of(&layout, &key.task);
        Task { root, repository, key, category, plan_run_root, home, layout: Some(layout) }
    }
}

/// The project root and its repository: the main worktree of the repository that holds the current folder, unless it is
/// given; where a linked worktree is, its main one.
pub(super) fn open(context: &Context, project_root: Option<&Path>) -> Result<(PathBuf, Repository), Error> {
    if let Some(root) = project_root {
        let root = context.absolute(root);
        let repository = Repository::discover(&root)?;
        // Records lie in the main worktree, and a linked one may have parts of `.okstra/` checked out.
        let own = repository.worktree_root(&root)?;
        let main = repository.main_worktree()?;
        let is_linked = own.is_some() && own != main && own.as_deref().is_some_and(|own| is_same_folder(own, &root));
        let root = main.filter(|_| is_linked).unwrap_or(root);
        return Ok((root, repository));
    }
    let folder = context.cwd().ok_or(Error::NoCurrentFolder)?;
    let repository = Repository::discover(folder)?;
    Ok((repository.main_worktree()?.unwrap_or_else(|| folder.to_owned()), repository))
}

/// The task `GROUP/ID`; documents name it with its project before that, and so may whoever copies it from there.
fn task_named(text: &str, project: &Name) -> Result<TaskName, Error> {
    match text.parse::<TaskKey>() {
        Ok(key) if key.project == *project => Ok(key.task),
        _ => Ok(text.parse::<TaskName>()?),
    }
}

/// The task of the worktree that one stands in, by the registry.
fn standing_in(
    context: &Context,
    repository: &Repository,
    home: &Home,
    project: &Name,
) -> Result<Option<TaskName>, Error> {
    let folder = context.cwd().ok_or(Error::NoCurrentFolder)?;
    let worktree = repository.worktree_root(folder)?;
    let stands = |path: Option<&String>| match (path, &worktree) {
        (Some(path), Some(worktree)) => is_same_folder(Path::new(path), worktree),
        _ => false,
    };
    for (key, entry) in Registry::new(home.registry()).read_all()? {
        let Ok(key) = key.parse::<TaskKey>() else { continue };
        let stages = entry.stages.values().map(|stage| stage.worktree_path.as_ref());
        let here = std::iter::once(entry.worktree_path.as_ref()).chain(stages).any(stands);
        if here && key.project == *project {
            return Ok(Some(key.task));
        }
    }
    Ok(None)
}

/// The folder of a task's log and plans.
fn plan_run_root_of(layout: &Layout, task: &TaskName) -> PathBuf {
    layout.run_root(task, "implementation-planning")
}

/// Whether `folder` is `above`, or lies in it, wherever the two paths lead.
pub(super) fn is_inside(folder: &Path, above: &Path) -> bool {
    folder.canonicalize().is_ok_and(|folder| above.canonicalize().is_ok_and(|above| folder.starts_with(above)))
}

/// Whether two paths lead to one folder.
pub(super) fn is_same_folder(a: &Path, b: &Path) -> bool {
    a == b || a.canonicalize().ok().is_some_and(|a| b.canonicalize().ok() == Some(a))
}
