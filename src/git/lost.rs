//! A path that a side has lost: deleted, or renamed?
//!
//! Only a merge with rename detection can merge a renamed path, and that compares every deleted file with every added
//! one. Mostly nothing that was added resembles the lost file at all, which is cheap to see: then it was deleted.

use std::collections::{HashMap, HashSet};

use gix::bstr::ByteSlice;
use gix::diff::tree::recorder::Change;
use gix::objs::FindHeader as _;

use super::Error;
use super::changes::{blob, raw_changes};
use super::merger::{Merger, PathMerge};
use super::objects::{Objects, domain_id, gix_id};
use crate::domain::equivalence::{Entry, Mode, Slot};
use crate::domain::ids::ObjectId;

/// The trees of a three-way merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MergeTrees {
    pub(super) base: gix::ObjectId,
    pub(super) ours: gix::ObjectId,
    pub(super) theirs: gix::ObjectId,
}

/// What was added between pairs of trees, and how much text a lost file has; remembered.
#[derive(Default)]
pub(super) struct Additions {
    between: HashMap<(gix::ObjectId, gix::ObjectId), Option<Vec<Entry>>>,
    answers: HashMap<(gix::ObjectId, gix::ObjectId, Entry), Option<bool>>,
}

impl Merger {
    /// Merges a path of which [`Merger::path`] said that only a merge with renames can tell, when it can be told
    /// without after all: when no side renamed it.
    pub(super) fn lost(&mut self, trees: MergeTrees, [base, ours, theirs]: [Slot; 3]) -> Result<PathMerge, Error> {
        let Some(entry) = base.raw() else { return Ok(PathMerge::Renamed) };
        for (side, slot) in [(trees.ours, ours), (trees.theirs, theirs)] {
            if slot.raw().is_some() {
                continue;
            }
            match self.may_be_renamed(trees.base, side, entry)? {
                Some(true) => return Ok(PathMerge::Renamed),
                Some(false) => {}
                None => return Ok(PathMerge::Unknown),
            }
        }
        Ok(match (ours.raw(), theirs.raw()) {
            (None, None) => PathMerge::Clean(ours),
            _ => PathMerge::Conflict(ours),
        })
    }

    /// Whether a commit that lost a file may have moved it, and changed it on the way. `None` when something is missing.
    pub(super) fn may_be_moved_with_changes(
        &mut self,
        before: gix::ObjectId,
        after: gix::ObjectId,
        lost: Entry,
    ) -> Result<Option<bool>, Error> {
        let answer = self.may_be_renamed(before, after, lost)?;
        let added = self.additions.between.get(&(before, after)).and_then(Option::as_ref);
        Ok(if added.is_some_and(|added| added.contains(&lost)) { Some(false) } else { answer })
    }

    /// Whether rename detection could find `lost`, a file of `base`, under another name in `side`. `None` when
    /// something is missing.
    pub(super) fn may_be_renamed(
        &mut self,
        base: gix::ObjectId,
        side: gix::ObjectId,
        lost: Entry,
    ) -> Result<Option<bool>, Error> {
        let key = (base, side, lost);
        if let Some(&known) = self.additions.answers.get(&key) {
            return Ok(known);
        }
        let pair = (base, side);
        if !self.additions.between.contains_key(&pair) {
            let added = additions(&self.objects, &base, &side)?;
            self.additions.between.insert(pair, added);
        }
        let answer = match self.additions.between.get(&pair) {
            Some(Some(added)) if added.iter().any(|entry| entry.id == lost.id) => Some(true),
            Some(Some(added)) if lost.mode.is_file() => resembles_any(&self.objects, lost.id, added)?,
            Some(Some(_)) => Some(false),
            _ => None,
        };
        self.additions.answers.insert(key, answer);
        Ok(answer)
    }
}

/// What `new` has where `old` has nothing.
fn additions(objects: &Objects, old: &gix::oid, new: &gix::oid) -> Result<Option<Vec<Entry>>, Error> {
    Ok(raw_changes(objects, Some(old), new)?.map(|changes| {
        let added = changes.iter().filter_map(|change| match change {
            Change::Addition { entry_mode, oid, .. } if !entry_mode.is_tree() => {
                Some(Entry { mode: Mode(entry_mode.value()), id: domain_id(oid) })
            }
            _ => None,
        });
        added.collect()
    }))
}

/// How many pairs of lost and added files there are between two trees that are not simply identical; `None` when
/// something is missing.
pub(super) fn rename_pairs(objects: &Objects, old: &gix::oid, new: &gix::oid) -> Result<Option<usize>, Error> {
    let Some(changes) = raw_changes(objects, Some(old), new)? else { return Ok(None) };
    let (mut lost, mut added) = (Vec::new(), Vec::new());
    for change in &changes {
        match change {
            Change::Deletion { entry_mode, oid, .. } if entry_mode.is_blob() => lost.push(oid),
            Change::Addition { entry_mode, oid, .. } if entry_mode.is_blob() => added.push(oid),
            _ => {}
        }
    }
    let (lost_ids, added_ids): (HashSet<_>, HashSet<_>) = (lost.iter().collect(), added.iter().collect());
    let lost = lost.iter().filter(|id| !added_ids.contains(id)).count();
    let added = added.iter().filter(|id| !lost_ids.contains(id)).count();
    Ok(Some(lost.saturating_mul(added)))
}

/// Whether one of the added files shares at least half of its text with `lost`: the measure of rename detection counts
/// the bytes of the lines that stayed, in order, so that the lines in common, in any order, bound it from above.
fn resembles_any(objects: &Objects, lost: ObjectId, added: &[Entry]) -> Result<Option<bool>, Error> {
    let Some(text) = blob(objects, lost)? else { return Ok(None) };
    let mut lines: HashMap<&[u8], usize> = HashMap::new();
    text.lines_with_terminator().for_each(|line| *lines.entry(line).or_default() += 1);
    for entry in added.iter().filter(|entry| entry.mode.is_file()) {
        if !is_of_similar_size(objects, entry.id, text.len()) {
            continue;
        }
        let Some(other) = blob(objects, entry.id)? else { return Ok(None) };
        let mut used: HashMap<&[u8], usize> = HashMap::new();
        let mut common = 0;
        for line in other.lines_with_terminator() {
            let Some(&count) = lines.get(line) else { continue };
            let used = used.entry(line).or_default();
            if *used < count {
                *used += 1;
                common += line.len();
            }
        }
        if common * 2 >= text.len().max(other.len()) {
            return Ok(Some(true));
        }
    }
    Ok(Some(false))
}

/// Whether two files could share half of their text, by their sizes; yes where the size cannot be read.
fn is_of_similar_size(objects: &Objects, id: ObjectId, len: usize) -> bool {
    let Ok(Some(header)) = objects.store.try_header(&gix_id(id)) else { return true };
    let size = usize::try_from(header.size).unwrap_or(usize::MAX);
    size.min(len).saturating_mul(2) >= size.max(len)
}
