//! Okstra's own folder goes, with the worktrees in it; unless work would be lost with them.

use std::path::{Path, PathBuf};

use super::Purged;
use crate::context::Context;
use crate::domain::shell;
use crate::domain::stages::{RemovalFacts, Tip, may_go};
use crate::fs::{self, Seen};
use crate::git::{Head, History, Limits, Repository, Worktree};
use crate::ops::Error;
use crate::ops::install::InstallError;
use crate::ops::stages::{dirt_in, ignored_in, lock_worktrees_of};
use crate::ops::task::is_same_folder;
use crate::store::Home;
use crate::store::installation::InstallationGuard;

/// What goes.
#[derive(Debug)]
pub(super) struct Purge {
    entries: Vec<String>,
    worktrees: Vec<PathBuf>,
    ignored: Vec<PathBuf>,
}

impl Purge {
    /// What would go; `None` where there is no such folder.
    pub(super) fn plan(context: &Context, home: &Home) -> Result<Option<Self>, Error> {
        let folder = home.folder();
        match fs::look(folder) {
            Ok(Seen::Missing) => return Ok(None),
            Err(fs::Error::IsAFolder { .. }) => {}
            Ok(_) => return Err(not_own(folder, "it is a link, or no folder")),
            Err(error) => return Err(error.into()),
        }
        check_own(context, folder)?;
        let mut found = InWorktrees::default();
        found.walk(&home.worktrees(), home)?;
        let mut reasons: Vec<String> =
            found.strays.iter().map(|path| format!("`{}` is in no worktree", path.display())).collect();
        for worktree in &found.worktrees {
            if let Some(why) = would_lose(context, worktree)? {
                reasons.push(format!("`{}`: {why}", worktree.display()));
            }
        }
        if !reasons.is_empty() {
            return Err(InstallError::WouldLose { path: folder.to_owned(), reasons }.into());
        }
        let lock = InstallationGuard::file(&home.installation());
        let entries = fs::names_in(folder)?
            .into_iter()
            .filter(|name| *name != lock.file_name().unwrap_or_default().to_string_lossy());
        let ignored = ignored(context, &found.worktrees)?;
        Ok(Some(Self { entries: entries.collect(), worktrees: found.worktrees, ignored }))
    }

    pub(super) fn outcome(&self) -> Purged {
        Purged { entries: self.entries.clone(), worktrees: self.worktrees.clone(), ignored: self.ignored.clone() }
    }

    /// Removes the worktrees through git, so that their repositories know, and then the rest.
    pub(super) fn apply(&self, context: &Context, home: &Home) -> Result<(), Error> {
        if home.worktrees().is_dir() {
            let _alone = lock_worktrees_of(context, home)?;
            for worktree in &self.worktrees {
                // It may have been worked in meanwhile.
                if let Some(why) = would_lose(context, worktree)? {
                    let reasons = vec![format!("`{}`: {why}", worktree.display())];
                    return Err(InstallError::WouldLose { path: home.folder().to_owned(), reasons }.into());
                }
                Repository::discover(worktree)?.remove_worktree(context, &worktree.to_string_lossy())?;
            }
        }
        for name in &self.entries {
            let path = home.folder().join(name);
            match fs::look(&path) {
                Err(fs::Error::IsAFolder { .. }) => fs::delete_folder(&path)?,
                Err(error) => return Err(error.into()),
                Ok(_) => fs::delete_file(&path)?,
            }
        }
        Ok(())
    }
}

/// Refuses a folder that holds more than what is okstra's: `OKSTRA_HOME` may name any.
fn check_own(context: &Context, folder: &Path) -> Result<(), Error> {
    let is_above = |path: &Path| path.ancestors().any(|above| is_same_folder(above, folder));
    if context.environment().home().is_some_and(|home| is_above(&context.absolute(&home))) || folder.parent().is_none()
    {
        return Err(not_own(folder, "your home folder is in it"));
    }
    if context.cwd().is_some_and(is_above) {
        return Err(InstallError::StandsIn { path: folder.to_owned() }.into());
    }
    if folder.join(".git").exists() {
        return Err(not_own(folder, "it is a repository"));
    }
    let is_okstras = ["install.json", "worktrees", "runtime", "cache", "config.toml"];
    let names = fs::names_in(folder)?;
    if !names.is_empty() && !names.iter().any(|name| is_okstras.contains(&name.as_str())) {
        return Err(not_own(folder, "nothing in it is okstra's"));
    }
    Ok(())
}

fn not_own(folder: &Path, why: &'static str) -> Error {
    InstallError::NotOwnFolder { path: folder.to_owned(), why }.into()
}

/// The ignored files in the worktrees.
fn ignored(context: &Context, worktrees: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut all = Vec::new();
    for worktree in worktrees {
        let root = Repository::discover(worktree)?.main_worktree()?.unwrap_or_else(|| worktree.clone());
        all.extend(ignored_in(context, &root, Some(worktree))?.iter().map(|path| worktree.join(path)));
    }
    Ok(all)
}

/// What is where worktrees are.
#[derive(Default)]
struct InWorktrees {
    worktrees: Vec<PathBuf>,
    strays: Vec<PathBuf>,
}

impl InWorktrees {
    fn walk(&mut self, folder: &Path, home: &Home) -> Result<(), Error> {
        for name in fs::names_in(folder)? {
            let path = folder.join(&name);
            let is_okstras = path == home.registry() || name.ends_with(".lock") || name.starts_with(".okstra-");
            match fs::look(&path) {
                Err(fs::Error::IsAFolder { .. }) if path.join(".git").symlink_metadata().is_ok() => {
                    self.worktrees.push(path);
                }
                Err(fs::Error::IsAFolder { .. }) => self.walk(&path, home)?,
                Err(error) => return Err(error.into()),
                Ok(_) if is_okstras => {}
                Ok(_) => self.strays.push(path),
            }
        }
        Ok(())
    }
}

/// What would be lost with the worktree `folder`, a clause. A branch that is checked out there stays.
fn would_lose(context: &Context, folder: &Path) -> Result<Option<String>, Error> {
    let unknown = || Ok(Some("its repository cannot be read, so nobody knows what it holds".to_owned()));
    let Ok(repository) = Repository::discover(folder) else { return unknown() };
    let worktrees = repository.worktrees(context)?;
    let (own, others): (Vec<_>, Vec<_>) =
        worktrees.into_iter().partition(|worktree| is_same_folder(&worktree.path, folder));
    let Some(own) = own.into_iter().next().filter(|own| own.name.is_some()) else {
        return Ok(Some("it is no worktree of another repository".to_owned()));
    };
    if own.git_dir.join("locked").exists() {
        let unlock = shell::command(["git", "worktree", "unlock", &folder.to_string_lossy()]);
        return Ok(Some(format!("it is locked; to let go of it: {unlock}")));
    }
    let root = repository.main_worktree()?.unwrap_or_else(|| folder.to_owned());
    let operation = repository.operation_in_progress(context, &own.head_name)?;
    let facts = RemovalFacts {
        under_way: operation.map(|operation| operation.kind.to_string()),
        has_submodules: own.git_dir.join("modules").exists(),
        dirt: dirt_in(context, &root, folder)?.iter().map(ToString::to_string).collect(),
        tips: detached(context, &repository, &own, &others)?,
        ..RemovalFacts::default()
    };
    Ok(may_go(&facts).err().map(|why| why.to_string()))
}

/// The commit that the worktree stands on where that is no branch's, and what else reaches it.
fn detached(
    context: &Context,
    repository: &Repository,
    own: &Worktree,
    others: &[Worktree],
) -> Result<Vec<Tip>, Error> {
    let commit = match own.head {
        Some(Head::Detached(commit)) => commit,
        Some(Head::Branch(_)) => return Ok(Vec::new()),
        None => return Ok(vec![Tip { commit: "that cannot be read".to_owned(), safe: None }]),
    };
    let mut names = repository.refs_below(context, "refs/")?;
    let heads = others.iter().filter_map(|other| match other.head {
        Some(Head::Detached(commit)) => Some((other.head_name.clone(), commit)),
        _ => None,
    });
    names.extend(heads);
    let mut history = History::new(repository);
    for (name, tip) in names {
        // A tag may name a tag, a tree or a blob.
        let Ok(Ok(tip)) = repository.commit_by_id(&tip.to_string()) else { continue };
        if history.reaches(context, tip, commit, Limits::default())? == Some(true) {
            return Ok(vec![Tip { commit: commit.short(), safe: Some(format!("{name} reaches it")) }]);
        }
    }
    Ok(vec![Tip { commit: commit.short(), safe: None }])
}
