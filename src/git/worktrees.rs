//! The worktrees of a repository: where they are, and what each has checked out.

use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice;

use super::objects::commit_id;
use super::repository::canonical;
use super::resolve::Resolved;
use super::{Error, Git, Repository};
use crate::context::Context;
use crate::domain::ids::{CommitId, ObjectId};

/// A worktree, as the repository has it registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worktree {
    /// The name it has inside the repository; `None` for the main one.
    pub name: Option<String>,
    /// Its folder, which may be gone.
    pub path: PathBuf,
    /// Its own git folder.
    pub git_dir: PathBuf,
    /// The full name of its `HEAD`, which names it from any worktree: `worktrees/<name>/HEAD`; for the main one `HEAD`,
    /// or `main-worktree/HEAD` where the repository was opened from a linked one.
    pub head_name: String,
    /// What it has checked out; `None` when that cannot be read.
    pub head: Option<Head>,
}

/// What a worktree has checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// The branch with this full name, which may have no commit yet.
    Branch(String),
    /// This commit, and no branch.
    Detached(CommitId),
}

impl Repository {
    /// The folder of the main worktree; `None` for a bare repository.
    ///
    /// # Errors
    /// When the repository cannot be read.
    pub fn main_worktree(&self) -> Result<Option<PathBuf>, Error> {
        let main = self.main()?;
        let inferred = self.discovered_worktree.as_deref().filter(|_| !self.is_linked() && !main.is_bare());
        Ok(main.workdir().or(inferred).map(|path| canonical(path).unwrap_or_else(|_| path.to_owned())))
    }

    /// The root of this repository's worktree that `folder` is in; `None` when it is in none: elsewhere, in another
    /// repository, in a git folder.
    ///
    /// # Errors
    /// When a repository holds the folder that cannot be opened.
    pub fn worktree_root(&self, folder: &Path) -> Result<Option<PathBuf>, Error> {
        let there = match Self::discover(folder) {
            Ok(there) => there,
            Err(Error::NoFolder { .. } | Error::NoRepository { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let local = there.local();
        let root = if there.is_linked() { local.workdir().map(Path::to_owned) } else { there.main_worktree()? };
        let paths = (canonical(folder), canonical(local.git_dir()), root.map(|root| canonical(&root)));
        let (Ok(folder), Ok(git_dir), Some(Ok(root))) = paths else { return Ok(None) };
        let is_in = folder.starts_with(&root) && !folder.starts_with(git_dir);
        Ok((is_in && there.common_dir() == self.common_dir()).then_some(root))
    }

    /// All worktrees, the main one first, then the linked ones by name; also those whose folder is gone.
    ///
    /// # Errors
    /// When they cannot be listed. That one of them cannot be read is no error.
    pub fn worktrees(&self, context: &Context) -> Result<Vec<Worktree>, Error> {
        let mut worktrees = Vec::new();
        if let Some(path) = self.main_worktree()? {
            let head_name = self.main_head_name().to_owned();
            let head = self.head(context, &head_name);
            worktrees.push(Worktree { name: None, path, git_dir: self.common_dir().to_owned(), head_name, head });
        }
        let local = self.local();
        let linked = local.worktrees().map_err(|error| Error::open(self.common_dir(), error))?;
        for proxy in linked {
            let (Ok(name), Ok(path)) = (proxy.id(), proxy.base()) else { continue };
            let (name, path) = (name.to_string(), canonical(&path).unwrap_or(path));
            let git_dir = canonical(proxy.git_dir()).unwrap_or_else(|_| proxy.git_dir().to_owned());
            let head_name = format!("worktrees/{name}/HEAD");
            let head = self.head(context, &head_name);
            worktrees.push(Worktree { name: Some(name), path, git_dir, head_name, head });
        }
        Ok(worktrees)
    }

    /// The `HEAD` of the worktree whose root is `folder`: its full name, as in [`Worktree::head_name`], and its commit.
    /// `None` when the folder is not the root of a worktree of this repository, or that has no commit yet.
    ///
    /// # Errors
    /// When its `HEAD` is broken.
    pub fn head_of(&self, context: &Context, folder: &Path) -> Result<Option<Resolved>, Error> {
        let Some(name) = self.head_name_of(folder)? else { return Ok(None) };
        let commit = self.ref_commit(context, &name)?;
        Ok(commit.map(|commit| Resolved { name, commit }))
    }

    /// Removes the linked worktree `folder`, which must be clean: git refuses one with changes or untracked files.
    ///
    /// # Errors
    /// [`Error::GitCommand`] with what git says; the worktree is then still there.
    pub fn remove_clean_worktree(&self, context: &Context, folder: &Path) -> Result<(), Error> {
        let folder = folder.to_string_lossy();
        Git::at(self.common_dir()).run(context, &["worktree", "remove", "--", &folder]).map(drop)
    }

    fn head_name_of(&self, folder: &Path) -> Result<Option<String>, Error> {
        let Ok(root) = canonical(folder) else { return Ok(None) };
        let main = || self.main_head_name().to_owned();
        let Some(git_dir) = git_dir_in(&root) else {
            // Configuration can put the main worktree where no `.git` is.
            return Ok((self.main_worktree()?.as_deref() == Some(&root)).then(main));
        };
        if git_dir == self.common_dir() {
            return Ok((!self.main()?.is_bare()).then(main));
        }
        let is_linked = git_dir.parent() == Some(&self.common_dir().join("worktrees"));
        let name = git_dir.file_name().filter(|_| is_linked).and_then(|name| name.to_str());
        Ok(name.map(|name| format!("worktrees/{name}/HEAD")))
    }

    fn main_head_name(&self) -> &'static str {
        if self.is_linked() { "main-worktree/HEAD" } else { "HEAD" }
    }

    /// What the `HEAD` with this full name is; `None` when it cannot be read.
    pub fn head(&self, context: &Context, name: &str) -> Option<Head> {
        if self.has_reftable() {
            return self.ask_git_head(context, name);
        }
        let full_name = gix::refs::FullName::try_from(name).ok()?;
        match self.local().refs.try_find(full_name.as_ref()).ok()??.target {
            gix::refs::Target::Symbolic(branch) => Some(Head::Branch(branch.as_bstr().to_str_lossy().into_owned())),
            gix::refs::Target::Object(id) => Some(Head::Detached(commit_id(&id))),
        }
    }

    fn ask_git_head(&self, context: &Context, name: &str) -> Option<Head> {
        let git = Git::at(&self.path);
        let text = |output: Vec<u8>| String::from_utf8_lossy(output.trim_ascii()).into_owned();
        if let Some(branch) = git.ask(context, &["symbolic-ref", "--quiet", name]).ok()? {
            return Some(Head::Branch(text(branch)));
        }
        let id = git.ask(context, &["rev-parse", "--verify", "--quiet", "--end-of-options", name]).ok()??;
        Some(Head::Detached(CommitId(text(id).parse::<ObjectId>().ok()?)))
    }
}

/// The git folder that `.git` in `root` is, or names; `None` when there is none.
fn git_dir_in(root: &Path) -> Option<PathBuf> {
    let dot_git = root.join(".git");
    let git_dir = if dot_git.is_file() { gix::discover::path::from_gitdir_file(&dot_git).ok()? } else { dot_git };
    canonical(&git_dir).ok()
}
