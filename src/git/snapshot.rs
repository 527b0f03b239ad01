//! Snapshots: commits of plain files beside the user's history. What is in one, and which paths may be.

use std::collections::HashSet;

use gix::bstr::ByteSlice;
use gix::objs::tree::{EntryKind, EntryRef};
use gix::objs::{Kind, TreeRefIter};

use super::objects::{Objects, gix_id};
use super::{Error, Repository};
use crate::context::Context;
use crate::domain::equivalence::RepoPath;
use crate::domain::ids::CommitId;

/// More files than this no snapshot of okstra has: a tree can repeat itself without end.
const MAX_FILES: usize = 100_000;

/// A file of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotFile {
    /// Its path within the snapshot, which is relative and goes down only.
    pub path: RepoPath,
    /// Every byte of it.
    pub content: Vec<u8>,
}

/// What a snapshot's commit holds, by id.
#[derive(Default)]
pub(super) struct Listing {
    files: Vec<(RepoPath, gix::ObjectId)>,
    trees: Vec<gix::ObjectId>,
    /// The folders that are still to be read.
    open: Vec<(Vec<u8>, gix::ObjectId)>,
}

/// What errors say of a snapshot.
pub(super) struct Named<'a> {
    pub(super) repository: &'a Repository,
    pub(super) name: &'a str,
}

impl Repository {
    /// The files of the snapshot that the ref with this full name is at, sorted by path; `None` when there is no such
    /// ref.
    ///
    /// # Errors
    /// As [`Repository::read_snapshot_at`], and [`Error::BrokenRef`].
    pub fn read_snapshot(&self, context: &Context, name: &str) -> Result<Option<Vec<SnapshotFile>>, Error> {
        self.read_of_snapshot(context, name, |_| true)
    }

    /// As [`Repository::read_snapshot`], but only the files whose path is `wanted`; the others are not read.
    ///
    /// # Errors
    /// As [`Repository::read_snapshot`].
    pub fn read_of_snapshot(
        &self,
        context: &Context,
        name: &str,
        wanted: impl Fn(&RepoPath) -> bool,
    ) -> Result<Option<Vec<SnapshotFile>>, Error> {
        let commit = self.ref_commit(context, name)?;
        commit.map(|commit| Named { repository: self, name }.read(commit, wanted)).transpose()
    }

    /// The files of the snapshot that this commit is, sorted by path.
    ///
    /// # Errors
    /// [`Error::SnapshotGap`] when a part is missing, [`Error::SnapshotPath`] when it holds something else than files,
    /// or a path that would lead out of the folder it is written to, [`Error::BrokenObject`].
    pub fn read_snapshot_at(&self, commit: CommitId) -> Result<Vec<SnapshotFile>, Error> {
        Named { repository: self, name: &commit.to_string() }.read(commit, |_| true)
    }

    /// The paths in the snapshot that the ref with this full name is at, sorted; `None` when there is no such ref. No file
    /// is read.
    ///
    /// # Errors
    /// As [`Repository::read_snapshot`].
    pub fn snapshot_paths(&self, context: &Context, name: &str) -> Result<Option<Vec<RepoPath>>, Error> {
        let Some(commit) = self.ref_commit(context, name)? else { return Ok(None) };
        let listing = Named { repository: self, name }.list_commit(&mut self.objects(), commit)?;
        let mut paths: Vec<_> = listing.files.into_iter().map(|(path, _)| path).collect();
        paths.sort_unstable();
        Ok(Some(paths))
    }

    /// When the snapshot that this commit is was written, in seconds since 1970; `None` when that cannot be read.
    pub fn snapshot_time(&self, commit: CommitId) -> Option<i64> {
        self.objects().commit(&gix_id(commit.0)).ok()?.map(|facts| facts.time)
    }
}

impl Named<'_> {
    fn read(&self, commit: CommitId, wanted: impl Fn(&RepoPath) -> bool) -> Result<Vec<SnapshotFile>, Error> {
        let mut objects = self.repository.objects();
        let listing = self.list_commit(&mut objects, commit)?;
        let mut files = Vec::new();
        for (path, id) in listing.files.into_iter().filter(|(path, _)| wanted(path)) {
            let mut content = Vec::new();
            objects.find_kind(&id, Kind::Blob, &mut content)?.ok_or_else(|| self.gap(path.as_bytes(), &id))?;
            files.push(SnapshotFile { path, content });
        }
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    /// What the commit holds, by id.
    fn list_commit(&self, objects: &mut Objects, commit: CommitId) -> Result<Listing, Error> {
        let id = gix_id(commit.0);
        let facts = objects.commit(&id)?.ok_or_else(|| self.gap(b"", &id))?;
        self.list(objects, facts.tree)
    }

    /// What the tree holds, all the way down.
    pub(super) fn list(&self, objects: &Objects, tree: gix::ObjectId) -> Result<Listing, Error> {
        let mut listing = Listing { open: vec![(Vec::new(), tree)], ..Default::default() };
        while let Some((folder, id)) = listing.open.pop() {
            let mut buffer = Vec::new();
            let data = objects.find_kind(&id, Kind::Tree, &mut buffer)?.ok_or_else(|| self.gap(&folder, &id))?;
            listing.trees.push(id);
            for entry in TreeRefIter::from_bytes(data, objects.hash) {
                let entry = entry.map_err(|error| objects.broken(&id, error))?;
                let path = if folder.is_empty() { entry.filename.to_vec() } else { join(&folder, entry.filename) };
                if let Some(why) = listing.fault_of(&entry) {
                    return Err(self.refused(&path, why));
                }
                listing.add(path, &entry);
            }
        }
        Ok(listing)
    }

    /// That files with these paths can lie beside one another.
    pub(super) fn check<'p>(&self, paths: impl Iterator<Item = &'p RepoPath> + Clone) -> Result<(), Error> {
        let mut seen = HashSet::new();
        for path in paths.clone() {
            let bytes = path.as_bytes();
            let fault = bytes.split(|&byte| byte == b'/').find_map(fault_of_name);
            let fault = fault.or_else(|| (!seen.insert(bytes)).then_some("it is given twice"));
            if let Some(why) = fault {
                return Err(self.refused(bytes, why));
            }
        }
        for path in paths {
            let bytes = path.as_bytes();
            let mut folders = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| &bytes[..at]);
            if folders.any(|folder| seen.contains(folder)) {
                return Err(self.refused(bytes, "a part of the path is a file"));
            }
        }
        Ok(())
    }

    fn refused(&self, entry: &[u8], why: &'static str) -> Error {
        let (name, path) = (self.name.to_owned(), self.repository.path.clone());
        Error::SnapshotPath { name, entry: RepoPath::from(entry).to_string(), path, why }
    }

    fn gap(&self, entry: &[u8], id: &gix::oid) -> Error {
        let (name, path) = (self.name.to_owned(), self.repository.path.clone());
        Error::SnapshotGap { name, entry: RepoPath::from(entry).to_string(), path, id: id.to_string() }
    }
}

impl Listing {
    /// Why an entry must not be taken, as a clause.
    fn fault_of(&self, entry: &EntryRef<'_>) -> Option<&'static str> {
        let is_file = matches!(entry.mode.kind(), EntryKind::Tree | EntryKind::Blob | EntryKind::BlobExecutable);
        let is_full = self.files.len() + self.open.len() >= MAX_FILES;
        fault_of_name(entry.filename)
            .or((!is_file).then_some("it is no file"))
            .or(is_full.then_some("there are too many files"))
    }

    fn add(&mut self, path: Vec<u8>, entry: &EntryRef<'_>) {
        match entry.mode.kind() {
            EntryKind::Tree => self.open.push((path, entry.oid.to_owned())),
            _ => self.files.push((RepoPath::from(path.as_slice()), entry.oid.to_owned())),
        }
    }

    /// The objects that are listed and in the repository.
    pub(super) fn present(self, objects: &Objects) -> HashSet<gix::ObjectId> {
        let ids = self.trees.into_iter().chain(self.files.into_iter().map(|(_, id)| id));
        ids.filter(|id| gix::objs::Exists::exists(&objects.store, id)).collect()
    }
}

fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    [folder, b"/", name].concat()
}

/// What is wrong with one name of a path, as a clause: what git refuses, and what would lead elsewhere when the file is
/// written.
fn fault_of_name(name: impl AsRef<[u8]>) -> Option<&'static str> {
    let name = name.as_ref();
    match name {
        b"" => Some("a part of the path is empty"),
        b"." | b".." => Some("it has `.` or `..` in it"),
        _ if name.eq_ignore_ascii_case(b".git") => Some("it leads into a git folder"),
        _ if name.contains(&0) || name.contains(&b'/') => Some("it has a character that no file name has"),
        _ if cfg!(windows) && name.find_byteset(br"\:").is_some() => Some("it has `\\` or `:` in it"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for bad in ["", ".", "..", ".git", ".GIT", "a/b", "a\0b", "../x"] {
            assert!(fault_of_name(bad).is_some(), "{bad:?}");
        }
        for good in ["a", "...", ".gitignore", ".git ", "a \"b\"\n", "é", "git"] {
            assert_eq!(fault_of_name(good), None, "{good:?}");
        }
        assert_eq!(fault_of_name(b"\xff"), None);
    }
}
