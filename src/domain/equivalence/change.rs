//! What git stores at a path, and how it changed: object for object, without a look at any content.

use std::fmt;
use std::sync::Arc;

use super::question::Scope;
use crate::domain::ids::{CommitId, ObjectId};

/// A path inside a repository: bytes with `/` between folders, as git stores them.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepoPath(Box<[u8]>);

impl RepoPath {
    /// The bytes as git stores them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<&[u8]> for RepoPath {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }
}

impl fmt::Display for RepoPath {
    /// For people: control characters escaped, bytes that are no UTF-8 replaced.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in String::from_utf8_lossy(&self.0).chars() {
            if character.is_control() {
                write!(f, "{}", character.escape_default())?
            } else {
                write!(f, "{character}")?
            }
        }
        Ok(())
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The mode of a tree entry, as git writes it in octal: `100644`, `100755`, `120000`, `160000`, `40000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mode(pub u16);

impl Mode {
    /// A folder.
    pub const TREE: Self = Self(0o40000);

    /// Whether it is a regular file, executable or not: the only kind whose content can be merged.
    pub fn is_file(self) -> bool {
        self.0 & 0o170_000 == 0o100_000
    }
}

/// What a tree holds at a path: mode and id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entry {
    /// File, executable, link, submodule or folder.
    pub mode: Mode,
    /// The object; of a submodule the commit.
    pub id: ObjectId,
}

/// What is to be found at a path of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Slot {
    /// Nothing.
    #[default]
    Absent,
    /// This entry; a folder too.
    Entry(Entry),
    /// Nothing, since this entry stands where a folder of the path would have to be.
    Blocked(Entry),
    /// Cannot be told: the tree with this id is missing.
    Unknown(ObjectId),
}

impl Slot {
    /// The file, link or submodule here, as a raw change list shows it; folders are none.
    pub fn raw(self) -> Option<Entry> {
        match self {
            Self::Entry(entry) if entry.mode != Mode::TREE => Some(entry),
            _ => None,
        }
    }

    /// Whether it could not be told.
    pub fn is_unknown(self) -> bool {
        matches!(self, Self::Unknown(_))
    }
}

/// How one path changed from one tree to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathChange {
    /// Which path: an index into [`Stage::paths`].
    pub path: usize,
    /// What was there before.
    pub old: Slot,
    /// What is there after.
    pub new: Slot,
}

/// A change to look for: that of the whole stage, or of one of its commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The commit at its end.
    pub commit: CommitId,
    /// What it changes, sorted by path; empty when it changes nothing.
    pub changes: Vec<PathChange>,
}

/// Work to look for: what lies between a base and a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Every path that the whole or one of the commits touches, sorted.
    pub paths: Vec<RepoPath>,
    /// From base to head.
    pub whole: Unit,
    /// The commits one by one, oldest first; `None` when base and head are not joined by a line of single parents.
    pub commits: Option<Vec<Unit>>,
    /// Whether all of it could be read; where not, nothing is known of it.
    pub known: bool,
}

impl Stage {
    /// The change that is meant.
    pub fn unit(&self, scope: Scope) -> &Unit {
        match (scope, &self.commits) {
            (Scope::Commit(number), Some(commits)) => &commits[number],
            _ => &self.whole,
        }
    }

    /// Whether `sighting` still has what the stage itself had put at a path and taken back later on: it may make the whole
    /// change, but it is a place in the middle of the work and not its end.
    pub fn is_amid(&self, sighting: &Sighting) -> bool {
        let taken_back = |change: &&PathChange| !self.whole.changes.iter().any(|whole| whole.path == change.path);
        let changes = self.commits.iter().flatten().flat_map(|commit| &commit.changes).filter(taken_back);
        let first = |path: usize| {
            let commits = self.commits.iter().flatten().flat_map(|commit| &commit.changes);
            commits.into_iter().find(|change| change.path == path).map(|change| change.old.raw())
        };
        changes.into_iter().any(|change| {
            let (there, put) = (sighting.after[change.path].raw(), change.new.raw());
            there == put && first(change.path) != Some(put)
        })
    }

    /// The names of the paths that the whole touches.
    pub fn touched(&self) -> impl Iterator<Item = &RepoPath> {
        self.whole.changes.iter().map(|change| &self.paths[change.path])
    }

    /// The commits that change something, by their place in [`Stage::commits`].
    pub fn solid_commits(&self) -> Vec<usize> {
        self.commits.iter().flatten().enumerate().filter(|(_, unit)| !unit.changes.is_empty()).map(|(i, _)| i).collect()
    }
}

/// A commit of the candidate's history that touches one of a stage's paths, compared with its first parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The commit.
    pub commit: CommitId,
    /// It proves nothing, since it has no parent that would show how it came to be, or is in the base's history. What it
    /// holds can still be a trace.
    pub is_void: bool,
    /// What its first parent has at each of [`Stage::paths`].
    pub before: Arc<[Slot]>,
    /// What it has itself.
    pub after: Arc<[Slot]>,
}

impl Sighting {
    /// Whether it makes every change of `unit`, object for object (proof 2a of the specification).
    pub fn makes(&self, unit: &Unit) -> bool {
        !self.is_void
            && !unit.changes.is_empty()
            && unit.changes.iter().all(|change| {
                let (before, after) = (self.before[change.path], self.after[change.path]);
                !before.is_unknown()
                    && !after.is_unknown()
                    && before.raw() == change.old.raw()
                    && after.raw() == change.new.raw()
            })
    }

    /// Whether it changes more of the stage's paths than `unit` does.
    pub fn touches_besides(&self, unit: &Unit) -> bool {
        (0..self.before.len()).any(|path| self.touches(path) && !unit.changes.iter().any(|change| change.path == path))
    }

    /// Whether it touches the path.
    pub fn touches(&self, path: usize) -> bool {
        self.before[path] != self.after[path]
    }
}
