//! The mirror: files that okstra keeps outside of git's sight, written as commits to refs of its own.
//!
//! The objects are made in memory and handed to git as one pack, and the ref is moved by compare-and-swap. So nothing
//! of the user's has a part in it: no index, no worktree, no filter, hook, signature or setting.

use std::collections::HashSet;
use std::thread;
use std::time::Duration;

use gix::bstr::{BStr, ByteSlice};
use gix::objs::tree::{Editor, EntryKind};
use gix::objs::{Kind, Tree, WriteTo};

use super::objects::{commit_id, gix_id};
use super::pack::Pack;
use super::search::Limits;
use super::snapshot::{Named, SnapshotFile};
use super::transaction::RefEdit;
use super::{Error, Git, History, Repository};
use crate::context::Context;
use crate::domain::ids::CommitId;
use crate::domain::moment::Moment;

/// Who commits.
const NAME: &str = "okstra";
const MAIL: &str = "okstra@localhost";
/// How often a snapshot is made anew because another process was faster.
const TRIES: u32 = 50;
/// The pause before the second time.
const PAUSE: Duration = Duration::from_millis(10);

/// A snapshot to write.
#[derive(Clone, Copy, Debug)]
pub struct NewSnapshot<'a> {
    /// All of its files.
    pub files: &'a [SnapshotFile],
    /// What the commit says.
    pub message: &'a str,
    /// When it is made.
    pub at: Moment,
    /// Commits that become parents too, where the ref does not reach them already.
    pub more_parents: &'a [CommitId],
}

/// Where a ref of the mirror is after it was written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The commit that holds the files.
    pub commit: CommitId,
    /// Whether it is a new one.
    pub changed: bool,
}

/// Where the ref is before.
struct Present {
    id: gix::ObjectId,
    tree: gix::ObjectId,
}

impl Repository {
    /// Commits exactly these files on top of what the ref with this full name is at, and moves the ref there. When it
    /// holds them already, and reaches the other parents, nothing is written. Another process that writes to the same
    /// ref is not overwritten: its commit becomes the parent.
    ///
    /// # Errors
    /// [`Error::SnapshotPath`] for paths that cannot be, [`Error::RefLocked`], [`Error::RefChanged`] when others were
    /// faster time and again, [`Error::BrokenRef`] when the ref is not at a commit, [`Error::GitCommand`].
    pub fn write_snapshot(&self, context: &Context, name: &str, snapshot: &NewSnapshot<'_>) -> Result<Snapshot, Error> {
        Named { repository: self, name }.check(snapshot.files.iter().map(|file| &file.path))?;
        let mut pause = PAUSE;
        let mut before = None;
        for _ in 0..TRIES {
            before = self.present(context, name)?;
            if let Some(written) = self.try_write(context, name, snapshot, before.as_ref())? {
                return Ok(written);
            }
            context.cancel().check()?;
            thread::sleep(pause);
            pause = (pause * 2).min(PAUSE * 10);
        }
        let id = |place: Option<gix::ObjectId>| place.map_or_else(|| "nothing".to_owned(), |id| id.to_string());
        let found = id(self.place_of(context, name)?);
        let expected = id(before.map(|present| present.id));
        Err(Error::RefChanged { name: name.to_owned(), path: self.path.clone(), expected, found })
    }

    /// Moves the ref with this full name on to `commit`, the snapshot of another clone, where that is ahead of it, or where
    /// there is none yet. Answers whether the ref is there then; where both went on it stays.
    ///
    /// # Errors
    /// [`Error::BrokenRef`], [`Error::RefLocked`], [`Error::GitCommand`].
    pub fn advance_snapshot(&self, context: &Context, name: &str, commit: CommitId) -> Result<bool, Error> {
        for _ in 0..TRIES {
            let before = self.place_of(context, name)?;
            let is_ahead = match before {
                None => true,
                Some(before) => {
                    let mut history = History::new(self);
                    history.reaches(context, commit, commit_id(&before), Limits::default())? == Some(true)
                }
            };
            if !is_ahead {
                return Ok(false);
            }
            let edit = RefEdit { name: name.to_owned(), old: before, new: Some(gix_id(commit.0)) };
            if before == Some(gix_id(commit.0)) || self.move_refs(context, &[edit])? {
                return Ok(true);
            }
            context.cancel().check()?;
            thread::sleep(PAUSE);
        }
        Ok(false)
    }

    fn present(&self, context: &Context, name: &str) -> Result<Option<Present>, Error> {
        let Some(id) = self.place_of(context, name)? else { return Ok(None) };
        let broken = || gix::Error::from_error(std::io::Error::other(format!("the commit {id} is missing")));
        let facts = self.objects().commit(&id)?;
        let facts = facts.ok_or_else(|| Error::reference(name, &self.path, broken()))?;
        Ok(Some(Present { id, tree: facts.tree }))
    }

    /// `None` when another process has moved the ref meanwhile.
    fn try_write(
        &self,
        context: &Context,
        name: &str,
        snapshot: &NewSnapshot<'_>,
        before: Option<&Present>,
    ) -> Result<Option<Snapshot>, Error> {
        let unmade =
            |source| Error::SnapshotObject { name: name.to_owned(), path: self.path.clone(), source: Box::new(source) };
        let mut pack = Pack::new(self.local().object_hash(), self.known(name, before));
        let tree = add_tree(&mut pack, snapshot.files).map_err(unmade)?;
        let parents = self.parents(context, before, snapshot.more_parents)?;
        let held = before.filter(|present| present.tree == tree && parents.as_slice() == [present.id]);
        let commit = match held {
            Some(present) => present.id,
            None => pack.add(Kind::Commit, &commit_text(tree, &parents, snapshot)).map_err(unmade)?,
        };
        // Also where nothing is new: what was lost of it comes back.
        if !pack.is_empty() {
            Git::plumbing(self).write(context, &["unpack-objects", "-q"], pack.finish().map_err(unmade)?)?;
        }
        let edit = RefEdit { name: name.to_owned(), old: before.map(|present| present.id), new: Some(commit) };
        let is_there = held.is_some() || self.move_refs(context, &[edit])?;
        Ok(is_there.then(|| Snapshot { commit: commit_id(&commit), changed: held.is_none() }))
    }

    /// The objects that need not be written, since the ref holds them.
    fn known(&self, name: &str, before: Option<&Present>) -> HashSet<gix::ObjectId> {
        let objects = self.objects();
        // What cannot be listed is written again.
        let listing = before.and_then(|present| Named { repository: self, name }.list(&objects, present.tree).ok());
        listing.unwrap_or_default().present(&objects)
    }

    fn parents(
        &self,
        context: &Context,
        before: Option<&Present>,
        more: &[CommitId],
    ) -> Result<Vec<gix::ObjectId>, Error> {
        let mut parents: Vec<gix::ObjectId> = before.map(|present| present.id).into_iter().collect();
        let mut history = History::new(self);
        for &commit in more {
            let is_reached = match before {
                Some(present) => history.reaches(context, commit_id(&present.id), commit, Limits::default())?,
                None => None,
            };
            let id = gix_id(commit.0);
            if is_reached != Some(true) && !parents.contains(&id) {
                parents.push(id);
            }
        }
        Ok(parents)
    }
}

/// Adds the files and the folders that hold them; the id is that of the whole.
fn add_tree(pack: &mut Pack, files: &[SnapshotFile]) -> Result<gix::ObjectId, gix::Error> {
    let mut editor = Editor::new(Tree::empty(), &gix::objs::find::Never, pack.hash());
    for file in files {
        let blob = pack.add(Kind::Blob, &file.content)?;
        let names = file.path.as_bytes().split(|&byte| byte == b'/').map(|name| -> &BStr { name.as_bstr() });
        editor.upsert(names, EntryKind::Blob, blob)?;
    }
    editor.write(|tree| {
        let mut data = Vec::new();
        tree.write_to(&mut data).map_err(gix::Error::from_error)?;
        pack.add(Kind::Tree, &data)
    })
}

fn commit_text(tree: gix::ObjectId, parents: &[gix::ObjectId], snapshot: &NewSnapshot<'_>) -> Vec<u8> {
    let who = format!("{NAME} <{MAIL}> {} +0000", snapshot.at.seconds().max(0));
    let parents: String = parents.iter().map(|parent| format!("parent {parent}\n")).collect();
    let message = snapshot.message.trim_end();
    format!("tree {tree}\n{parents}author {who}\ncommitter {who}\n\n{message}\n").into_bytes()
}
