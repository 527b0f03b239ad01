//! The checks: what is found on the machine and in the project, and what the domain makes of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::restore::told;
use super::{Options, agents, machine, root, setup};
use crate::context::Context;
use crate::domain::doctor::{Check, Fact, Fault, Root, Status};
use crate::domain::hint::Hint;
use crate::domain::mirror::{Place, place};
use crate::domain::names::{Name, TaskKey, TaskName};
use crate::domain::registry::TaskEntry;
use crate::git::{self, Repository};
use crate::ops::mirror::{self, Mirror};
use crate::ops::{Error, task};
use crate::store::consumers::DoneStage;
use crate::store::registry::Registry;
use crate::store::{Home, Layout};

/// What was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Every check, in the order in which they were made.
    pub checks: Vec<Check>,
}

impl Report {
    /// The worst that was found.
    pub fn worst(&self) -> Status {
        self.checks.iter().map(|check| check.status).max().unwrap_or(Status::Ok)
    }
}

/// A project under examination.
pub(super) struct Examined<'a> {
    pub(super) context: &'a Context,
    pub(super) repository: &'a Repository,
    pub(super) layout: Layout,
    pub(super) home: Option<&'a Home>,
    /// The project id, where there is a `project.json` that can be read.
    pub(super) project: Option<Name>,
    /// The tasks on disk.
    pub(super) tasks: BTreeMap<TaskName, OnDisk>,
    /// The mirrors with their files, or why they cannot be read.
    pub(super) mirrors: BTreeMap<TaskName, (Mirror, Result<Files, String>)>,
    /// The registry's entries; `None` when they cannot be read.
    pub(super) registry: Option<BTreeMap<String, TaskEntry>>,
    pub(super) facts: Vec<Fact>,
}

/// Files by their paths from `.okstra/`.
pub(super) type Files = BTreeMap<Vec<u8>, Vec<u8>>;

/// A task on disk, as far as it could be read.
#[derive(Default)]
pub(super) struct OnDisk {
    /// The commit of every done row, by stage; `None` when the log cannot be read.
    pub(super) heads: Option<Vec<(u32, String)>>,
    pub(super) done: BTreeMap<u32, DoneStage>,
    /// Whether anything is recorded that should be mirrored.
    pub(super) has_records: bool,
}

/// Looks at everything.
pub(super) fn run(context: &Context, options: &Options) -> Result<Report, Error> {
    let home = Home::find(context);
    let mut facts = machine::facts(context, &home)?;
    let home = home.ok();
    facts.extend(setup::facts(context, home.as_ref())?);
    facts.extend(home.as_ref().map(|home| agents::facts(context, home)).transpose()?.unwrap_or_default());
    facts.push(setup::tmux(context));
    let registry = home.as_ref().and_then(|home| read_registry(home, &mut facts));
    let named = options.project_root.as_deref();
    let mut place = Root::default();
    match find(context, named)? {
        Ok((folder, repository)) => {
            place = Root { path: folder.to_string_lossy().into_owned(), is_named: named.is_some() };
            let mut examined = Examined {
                context,
                repository: &repository,
                layout: Layout::new(folder),
                home: home.as_ref(),
                project: None,
                tasks: BTreeMap::new(),
                mirrors: BTreeMap::new(),
                registry,
                facts: Vec::new(),
            };
            examined.examine()?;
            facts.append(&mut examined.facts);
        }
        Err(fact) => facts.push(*fact),
    }
    Ok(Report { checks: facts.iter().map(|fact| fact.judge(&place)).collect() })
}

/// The project's root and repository; where there is none, and none was named, that is a fact.
fn find(context: &Context, named: Option<&Path>) -> Result<Result<(PathBuf, Repository), Box<Fact>>, Error> {
    let outside = |error: &Error| Ok(Err(Box::new(Fact::Outside(error.to_string()))));
    match root(context, named) {
        Ok(found) => Ok(Ok(found)),
        Err(error) if named.is_some() => Err(error),
        Err(Error::Cancelled(cancelled)) => Err(cancelled.into()),
        Err(
            error @ (Error::NoCurrentFolder | Error::NotARoot { .. } | Error::Git(git::Error::NoRepository { .. })),
        ) => outside(&error),
        Err(error) => {
            Ok(Err(Box::new(Fact::Repository(Fault { error: told(&error), hint: error.hint(), mirrored: None }))))
        }
    }
}

fn read_registry(home: &Home, facts: &mut Vec<Fact>) -> Option<BTreeMap<String, TaskEntry>> {
    match Registry::new(home.registry()).read_all() {
        Ok(entries) => Some(entries),
        Err(error) => {
            facts.push(Fact::BadRegistry(machine::fault(&error)));
            None
        }
    }
}

impl Examined<'_> {
    fn examine(&mut self) -> Result<(), Error> {
        self.read_mirrors()?;
        self.read_files()?;
        if self.project.is_none() && self.tasks.is_empty() && self.mirrors.is_empty() && self.facts.is_empty() {
            let root = self.layout.root().display();
            self.facts.push(Fact::Outside(format!("`{root}` is no okstra project: it has no .okstra/project.json")));
            return Ok(());
        }
        self.check_commits()?;
        self.check_moved();
        self.check_worktrees()?;
        self.check_mirrors()
    }

    fn read_mirrors(&mut self) -> Result<(), Error> {
        for mirror in mirror::all(self.context, self.repository)? {
            self.context.cancel().check()?;
            let files = match self.repository.read_snapshot_at(mirror.commit) {
                Ok(files) => Ok(files.into_iter().map(|file| (file.path.as_bytes().to_vec(), file.content)).collect()),
                Err(git::Error::Cancelled(cancelled)) => return Err(cancelled.into()),
                Err(error) => Err(told(&error)),
            };
            self.mirrors.insert(mirror.task.clone(), (mirror, files));
        }
        Ok(())
    }

    /// The files of the mirror of a task.
    pub(super) fn mirrored(&self, task: &TaskName) -> Option<&Files> {
        self.mirrors.get(task)?.1.as_ref().ok()
    }

    /// Whether the mirror of `task` holds files of the task itself.
    pub(super) fn is_mirrored(&self, task: &TaskName) -> bool {
        self.mirrored(task).is_some_and(|files| files.keys().any(|path| place(task, path) == Place::Own))
    }

    /// The key of a task of this project.
    pub(super) fn key(&self, task: &TaskName) -> Option<TaskKey> {
        self.project.clone().map(|project| TaskKey { project, task: task.clone() })
    }

    /// The registry's entry of a task of this project, where this clone holds it.
    pub(super) fn entry(&self, task: &TaskName) -> Option<&TaskEntry> {
        let key = self.key(task)?.to_string();
        self.registry.as_ref()?.get(&key).filter(|entry| self.is_ours(entry))
    }

    /// Whether this clone holds what the entry is of.
    pub(super) fn is_ours(&self, entry: &TaskEntry) -> bool {
        let ours = self.repository.common_dir();
        entry.git_common_dir.as_ref().is_none_or(|clone| task::is_same_folder(Path::new(clone), ours))
    }
}
