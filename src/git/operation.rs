//! What git has begun in a worktree and not ended: a rebase, a merge and the like. Read from the files that git itself
//! goes by.

use std::fmt;
use std::path::{Path, PathBuf};

use super::resolve::Target;
use super::worktrees::{Head, Worktree};
use super::{Error, Repository};
use crate::context::Context;

/// Something that git has begun and not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What it is.
    pub kind: OperationKind,
    /// The worktree in which it goes on.
    pub worktree: PathBuf,
}

/// The operations of git that stop for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// `git rebase`.
    Rebase,
    /// `git am`.
    Am,
    /// `git merge`.
    Merge,
    /// `git cherry-pick`.
    CherryPick,
    /// `git revert`.
    Revert,
}

impl fmt::Display for OperationKind {
    /// The word that comes after `git`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rebase => "rebase",
            Self::Am => "am",
            Self::Merge => "merge",
            Self::CherryPick => "cherry-pick",
            Self::Revert => "revert",
        })
    }
}

impl Repository {
    /// What is under way in a worktree that works on the ref with this full name: has it checked out, is rebasing it,
    /// or is the one whose `HEAD` it is. `None` when nothing is. A worktree whose folder is gone does not count, since
    /// nothing can go on there; one that is locked, for a disk that is away, does.
    ///
    /// # Errors
    /// When the worktrees, or the files that tell, cannot be read.
    pub fn operation_in_progress(&self, context: &Context, full_name: &str) -> Result<Option<Operation>, Error> {
        for worktree in self.worktrees(context)? {
            let is_there = worktree.path.exists() || worktree.git_dir.join("locked").exists();
            if is_there
                && self.works_on(&worktree, full_name)?
                && let Some(kind) = self.kind_under_way(context, &worktree)?
            {
                return Ok(Some(Operation { kind, worktree: worktree.path }));
            }
        }
        Ok(None)
    }

    fn works_on(&self, worktree: &Worktree, full_name: &str) -> Result<bool, Error> {
        let is_head = match full_name {
            "HEAD" => super::repository::canonical(self.local().git_dir()).is_ok_and(|own| own == worktree.git_dir),
            "main-worktree/HEAD" => worktree.name.is_none(),
            _ => full_name == worktree.head_name,
        };
        let is_checked_out = matches!(&worktree.head, Some(Head::Branch(branch)) if branch == full_name);
        Ok(is_head || is_checked_out || rebased(&worktree.git_dir)?.iter().any(|name| name == full_name))
    }

    fn kind_under_way(&self, context: &Context, worktree: &Worktree) -> Result<Option<OperationKind>, Error> {
        let git_dir = &worktree.git_dir;
        if git_dir.join("rebase-merge").exists() {
            return Ok(Some(OperationKind::Rebase));
        }
        if git_dir.join("rebase-apply").exists() {
            let is_am = git_dir.join("rebase-apply/applying").exists();
            return Ok(Some(if is_am { OperationKind::Am } else { OperationKind::Rebase }));
        }
        let heads = [
            ("MERGE_HEAD", OperationKind::Merge),
            ("CHERRY_PICK_HEAD", OperationKind::CherryPick),
            ("REVERT_HEAD", OperationKind::Revert),
        ];
        for (name, kind) in heads {
            if self.has_head(context, worktree, name)? {
                return Ok(Some(kind));
            }
        }
        sequence(git_dir)
    }

    /// Whether the worktree has a ref like `MERGE_HEAD`, which a ref store that is no files may keep to itself.
    fn has_head(&self, context: &Context, worktree: &Worktree, name: &str) -> Result<bool, Error> {
        if worktree.git_dir.join(name).exists() {
            return Ok(true);
        }
        if !self.has_reftable() {
            return Ok(false);
        }
        let prefix = worktree.head_name.trim_end_matches("HEAD");
        Ok(matches!(self.target(context, &format!("{prefix}{name}"))?, Some(Target::Object(_))))
    }
}

/// The branches that a rebase in the worktree with this git folder will move.
fn rebased(git_dir: &Path) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for file in ["rebase-merge/head-name", "rebase-apply/head-name"] {
        names.extend(text_of(&git_dir.join(file))?.map(|name| name.trim().to_owned()));
    }
    // Three lines for each ref of `--update-refs`: its name, and two ids.
    let more = text_of(&git_dir.join("rebase-merge/update-refs"))?.unwrap_or_default();
    names.extend(more.lines().step_by(3).map(str::to_owned));
    Ok(names)
}

/// What is left to do of a series of commits, between two of them.
fn sequence(git_dir: &Path) -> Result<Option<OperationKind>, Error> {
    Ok(text_of(&git_dir.join("sequencer/todo"))?.and_then(|todo| first_command(&todo)))
}

fn first_command(todo: &str) -> Option<OperationKind> {
    let line = todo.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))?;
    match line.split_whitespace().next()? {
        "pick" | "p" => Some(OperationKind::CherryPick),
        "revert" => Some(OperationKind::Revert),
        _ => None,
    }
}

/// The text of a file; `None` when it is not there.
fn text_of(path: &Path) -> Result<Option<String>, Error> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) => match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Ok(None),
            _ => Err(Error::open(path, gix::Error::from_error(error))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_command_of_a_series_names_it() {
        let cases = [
            ("pick 1234567 subject\npick 89abcde other\n", Some(OperationKind::CherryPick)),
            ("# a comment\n\n  revert 1234567 subject\n", Some(OperationKind::Revert)),
            ("p 1234567\n", Some(OperationKind::CherryPick)),
            ("exec make\n", None),
            ("", None),
        ];
        for (todo, expected) in cases {
            assert_eq!(first_command(todo), expected, "{todo:?}");
        }
    }
}
