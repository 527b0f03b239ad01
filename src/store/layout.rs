//! Where every file is: in the `.okstra/` of a project, and in okstra's own folder on the machine.

use std::path::{Path, PathBuf};

use super::Error;
use crate::context::Context;
use crate::domain::names::{Name, TaskKey, TaskName};
use crate::fs;

/// What git may see of `.okstra/`: state is local, so that branches never carry copies of it.
const IGNORED: &[u8] = b"# State of okstra is local; only these are shared.\n/*\n!/project.json\n!/prompts/\n";
/// The phase whose runs hold the log and the plans.
const PLANNING: &str = "implementation-planning";
/// The phase whose runs hold the carry files.
const IMPLEMENTATION: &str = "implementation";

/// The folder of the snapshots, beside the worktrees of a task group.
pub const SNAPSHOTS: &str = ".snapshots";

/// The places in a project's `.okstra/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    root: PathBuf,
}

impl Layout {
    /// The layout of the project whose main worktree is the folder `project_root`.
    pub fn new(project_root: impl Into<PathBuf>) -> Self {
        Self { root: project_root.into() }
    }

    /// The project's main worktree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder `.okstra`.
    pub fn folder(&self) -> PathBuf {
        self.root.join(".okstra")
    }

    /// `.gitignore` in it.
    pub fn gitignore(&self) -> PathBuf {
        self.folder().join(".gitignore")
    }

    /// `project.json`: the project id and its configuration.
    pub fn project(&self) -> PathBuf {
        self.folder().join("project.json")
    }

    /// `catalog.json`: a list of all tasks, which can be made anew.
    pub fn catalog(&self) -> PathBuf {
        self.folder().join("catalog.json")
    }

    /// `latest-task.json`: the task that was worked on last.
    pub fn latest_task(&self) -> PathBuf {
        self.folder().join("latest-task.json")
    }

    /// `prompts/`: the project's own templates.
    pub fn prompts(&self) -> PathBuf {
        self.folder().join("prompts")
    }

    /// `tasks/`: a folder for each task group.
    pub fn tasks(&self) -> PathBuf {
        self.folder().join("tasks")
    }

    /// The folder of a task.
    pub fn task(&self, task: &TaskName) -> PathBuf {
        self.tasks().join(task.group.as_str()).join(task.id.as_str())
    }

    /// `task-manifest.json`.
    pub fn manifest(&self, task: &TaskName) -> PathBuf {
        self.task(task).join("task-manifest.json")
    }

    /// `task-index.md`: the manifest for people.
    pub fn task_index(&self, task: &TaskName) -> PathBuf {
        self.task(task).join("task-index.md")
    }

    /// `timeline.jsonl`: what happened to the task.
    pub fn timeline(&self, task: &TaskName) -> PathBuf {
        self.task(task).join("timeline.jsonl")
    }

    /// The run root of a task type: what its runs read and write.
    pub fn run_root(&self, task: &TaskName, task_type: &str) -> PathBuf {
        self.task(task).join("runs").join(task_type)
    }

    /// `consumers.jsonl`: who consumed which stage.
    pub fn consumers(&self, task: &TaskName) -> PathBuf {
        self.run_root(task, PLANNING).join("consumers.jsonl")
    }

    /// `plans/`: the frozen plans.
    pub fn plans(&self, task: &TaskName) -> PathBuf {
        self.run_root(task, PLANNING).join("plans")
    }

    /// `carry/`: the evidence of each finished stage.
    pub fn carry(&self, task: &TaskName) -> PathBuf {
        self.run_root(task, IMPLEMENTATION).join("carry")
    }

    /// The path of a file as state files write it: from the project root with `/` where it lies in the project, absolute
    /// elsewhere.
    pub fn recorded(&self, path: &Path) -> String {
        let Ok(below) = path.strip_prefix(&self.root) else { return path.to_string_lossy().into_owned() };
        let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
        parts.join("/")
    }

    /// Keeps state out of git: creates `.okstra/`, and its `.gitignore` where there is none. Answers whether it wrote
    /// that.
    ///
    /// # Errors
    /// [`Error::Fs`].
    pub fn ensure_ignored(&self) -> Result<bool, Error> {
        fs::create_folder(&self.folder())?;
        let gitignore = self.gitignore();
        Ok(!fs::names_in(&self.folder())?.iter().any(|name| name == ".gitignore")
            && fs::create_new(&gitignore, IGNORED)?)
    }

    /// Refuses a task whose group or id differs only in case from one that has a folder. To be asked before anything is
    /// written for a task.
    ///
    /// # Errors
    /// [`Error::CaseCollision`], and [`Error::Fs`] when a folder cannot be read.
    pub fn check_case(&self, task: &TaskName) -> Result<(), Error> {
        check_names(&self.tasks(), &task.group)?;
        check_names(&self.tasks().join(task.group.as_str()), &task.id)
    }
}

/// The places in okstra's own folder, `$OKSTRA_HOME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    folder: PathBuf,
}

impl Home {
    /// The folder that `OKSTRA_HOME` names, else `.okstra` in the home folder.
    ///
    /// # Errors
    /// [`Error::NoHome`] when there is neither, [`Error::RelativeHome`] when it cannot be made absolute.
    pub fn find(context: &Context) -> Result<Self, Error> {
        let environment = context.environment();
        let named = environment.get("OKSTRA_HOME").map(PathBuf::from);
        let path = named.or_else(|| Some(environment.home()?.join(".okstra"))).ok_or(Error::NoHome)?;
        let folder = context.absolute(&path);
        if folder.is_absolute() { Ok(Self { folder }) } else { Err(Error::RelativeHome { path }) }
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// `worktrees/`: the worktrees of all projects.
    pub fn worktrees(&self) -> PathBuf {
        self.folder.join("worktrees")
    }

    /// `worktrees/registry.json`: which task has which of them.
    pub fn registry(&self) -> PathBuf {
        self.worktrees().join("registry.json")
    }

    /// Where the worktree of a task, or of one of its stages, belongs.
    pub fn worktree(&self, key: &TaskKey, stage: Option<u32>) -> PathBuf {
        let suffix = stage.map_or_else(String::new, |stage| format!("-s{stage}"));
        let folder = self.worktrees().join(key.project.as_str()).join(key.task.group.as_str());
        folder.join(format!("{}{suffix}", key.task.id))
    }

    /// Where a worker of the run `run` looks that does not edit. No task is called so, since its name begins with a dot.
    pub fn snapshot(&self, key: &TaskKey, run: &str, worker: &str) -> PathBuf {
        let folder = self.worktrees().join(key.project.as_str()).join(key.task.group.as_str()).join(SNAPSHOTS);
        folder.join(format!("{}-{run}-{worker}", key.task.id))
    }

    /// `cache/`: may be deleted at any time.
    pub fn cache(&self) -> PathBuf {
        self.folder.join("cache")
    }

    /// `bin/`: the executable `okstra`.
    pub fn bin(&self) -> PathBuf {
        self.folder.join("bin")
    }

    /// The executable itself.
    pub fn executable(&self) -> PathBuf {
        self.bin().join(format!("okstra{}", std::env::consts::EXE_SUFFIX))
    }

    /// `runtime/<version>/`: what that version of okstra ships, to be read.
    pub fn runtime(&self, version: &str) -> PathBuf {
        self.folder.join("runtime").join(version)
    }

    /// `backups/`: settings as they were before okstra added to them.
    pub fn backups(&self) -> PathBuf {
        self.folder.join("backups")
    }

    /// `install.json`: what is installed.
    pub fn installation(&self) -> PathBuf {
        self.folder.join("install.json")
    }

    /// `config.toml`: the machine's own settings.
    pub fn config(&self) -> PathBuf {
        self.folder.join("config.toml")
    }

    /// Refuses a project or a task that differs only in case from one that has worktrees. To be asked before anything
    /// is written for it.
    ///
    /// # Errors
    /// [`Error::CaseCollision`], and [`Error::Fs`] when a folder cannot be read.
    pub fn check_case(&self, key: &TaskKey) -> Result<(), Error> {
        let project = self.worktrees().join(key.project.as_str());
        check_names(&self.worktrees(), &key.project)?;
        check_names(&project, &key.task.group)?;
        check_names(&project.join(key.task.group.as_str()), &key.task.id)
    }
}

/// Refuses `name` when `folder` holds another that differs from it only in case, and not itself.
fn check_names(folder: &Path, name: &Name) -> Result<(), Error> {
    let names = fs::names_in(folder)?;
    if names.iter().any(|existing| existing == name.as_str()) {
        return Ok(());
    }
    match names.into_iter().find(|existing| name.collides_with(existing)) {
        Some(existing) => Err(Error::CaseCollision { given: name.to_string(), path: folder.join(&existing), existing }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Environment;

    fn task() -> TaskName {
        "auth/Login".parse().unwrap()
    }

    #[test]
    fn every_file_has_its_place() {
        let layout = Layout::new("/p");
        let below = |path: PathBuf| layout.recorded(&path);
        let planning = ".okstra/tasks/auth/Login/runs/implementation-planning";
        assert_eq!(below(layout.project()), ".okstra/project.json");
        assert_eq!(below(layout.catalog()), ".okstra/catalog.json");
        assert_eq!(below(layout.latest_task()), ".okstra/latest-task.json");
        assert_eq!(below(layout.prompts()), ".okstra/prompts");
        assert_eq!(below(layout.manifest(&task())), ".okstra/tasks/auth/Login/task-manifest.json");
        assert_eq!(below(layout.task_index(&task())), ".okstra/tasks/auth/Login/task-index.md");
        assert_eq!(below(layout.timeline(&task())), ".okstra/tasks/auth/Login/timeline.jsonl");
        assert_eq!(below(layout.consumers(&task())), format!("{planning}/consumers.jsonl"));
        assert_eq!(below(layout.plans(&task())), format!("{planning}/plans"));
        assert_eq!(below(layout.carry(&task())), ".okstra/tasks/auth/Login/runs/implementation/carry");
        assert_eq!(layout.recorded(Path::new("/elsewhere/x")), "/elsewhere/x");
    }

    #[test]
    fn okstras_own_folder_is_found() {
        let home = |variables: &[(&str, &str)]| {
            let environment: Environment = variables.iter().copied().collect();
            Home::find(&Context::new("/cwd", environment)).map(|home| home.folder().to_owned())
        };
        let user = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        assert_eq!(home(&[(user, "/home/u")]).unwrap(), Path::new("/home/u/.okstra"));
        assert_eq!(home(&[(user, "/home/u"), ("OKSTRA_HOME", "/o")]).unwrap(), Path::new("/o"));
        assert_eq!(home(&[("OKSTRA_HOME", "o")]).unwrap(), Path::new("/cwd/o"));
        assert_eq!(home(&[(user, "/home/u"), ("OKSTRA_HOME", "")]).unwrap(), Path::new("/home/u/.okstra"));
        assert!(matches!(home(&[]), Err(Error::NoHome)));
        let found = Home { folder: "/o".into() };
        let key = "p/g/t".parse().unwrap();
        assert_eq!(found.worktree(&key, None), Path::new("/o/worktrees/p/g/t"));
        assert_eq!(found.worktree(&key, Some(2)), Path::new("/o/worktrees/p/g/t-s2"));
        assert_eq!(found.registry(), Path::new("/o/worktrees/registry.json"));
    }

    #[test]
    fn the_gitignore_is_written_once() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        assert!(layout.ensure_ignored().unwrap() && !layout.ensure_ignored().unwrap());
        assert_eq!(fs::read(&layout.gitignore()).unwrap(), IGNORED);
        fs::replace(&layout.gitignore(), b"mine").unwrap();
        assert!(!layout.ensure_ignored().unwrap());
        assert_eq!(fs::read(&layout.gitignore()).unwrap(), b"mine");
    }

    #[test]
    fn names_that_differ_only_in_case_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        layout.check_case(&task()).unwrap();
        fs::create_folder(&layout.task(&task())).unwrap();
        layout.check_case(&task()).unwrap();
        layout.check_case(&"auth/logins".parse().unwrap()).unwrap();
        for other in ["Auth/Login", "auth/login"] {
            let error = layout.check_case(&other.parse().unwrap()).unwrap_err();
            assert!(matches!(error, Error::CaseCollision { .. }), "{other}");
        }
        let home = Home { folder: folder.path().join("home") };
        let key: TaskKey = "p/g/t".parse().unwrap();
        fs::create_folder(&home.worktree(&key, None)).unwrap();
        home.check_case(&key).unwrap();
        for other in ["P/g/t", "p/G/t", "p/g/T"] {
            let error = home.check_case(&other.parse().unwrap()).unwrap_err();
            assert!(matches!(error, Error::CaseCollision { .. }), "{other}");
        }
    }
}
