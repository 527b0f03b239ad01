//! Raw change lists between trees: paths, modes and ids, without a look at contents.

use gix::bstr::ByteSlice;
use gix::diff::tree::recorder::Change;
use gix::objs::{Kind, TreeRefIter};

use super::Error;
use super::objects::{Objects, gix_id};
use crate::domain::equivalence::RepoPath;

/// The paths of the files, links and submodules that differ between two trees, sorted; `None` when a tree is missing.
///
/// `old` is `None` for the empty tree, before the first commit.
pub(super) fn changed_paths(
    objects: &Objects,
    old: Option<&gix::oid>,
    new: &gix::oid,
) -> Result<Option<Vec<RepoPath>>, Error> {
    if old == Some(new) {
        return Ok(Some(Vec::new()));
    }
    let Some(changes) = raw_changes(objects, old, new)? else { return Ok(None) };
    let mut paths: Vec<RepoPath> = changes.iter().filter_map(leaf).collect();
    paths.sort_unstable();
    paths.dedup();
    Ok(Some(paths))
}

/// Every change between two trees, of folders too; `None` when a tree is missing.
pub(super) fn raw_changes(
    objects: &Objects,
    old: Option<&gix::oid>,
    new: &gix::oid,
) -> Result<Option<Vec<Change>>, Error> {
    let (mut old_buffer, mut new_buffer) = (Vec::new(), Vec::new());
    let old_data = match old {
        Some(old) => match objects.find_kind(old, Kind::Tree, &mut old_buffer)? {
            Some(data) => data,
            None => return Ok(None),
        },
        None => &[],
    };
    let Some(new_data) = objects.find_kind(new, Kind::Tree, &mut new_buffer)? else { return Ok(None) };
    let mut recorder = gix::diff::tree::Recorder::default();
    let (old_tree, new_tree) =
        (TreeRefIter::from_bytes(old_data, objects.hash), TreeRefIter::from_bytes(new_data, objects.hash));
    let state = gix::diff::tree::State::default();
    match gix::diff::tree(old_tree, new_tree, state, &objects.store, &mut recorder) {
        Ok(()) => Ok(Some(recorder.records)),
        Err(gix::diff::tree::Error::Failure(error)) if !error.is_not_found() => objects.damaged(new, error),
        Err(_) => Ok(None),
    }
}

/// The path of a change, unless it is of folders alone.
fn leaf(change: &Change) -> Option<RepoPath> {
    let (path, is_leaf) = match change {
        Change::Addition { entry_mode, path, .. } | Change::Deletion { entry_mode, path, .. } => {
            (path, !entry_mode.is_tree())
        }
        Change::Modification { previous_entry_mode, entry_mode, path, .. } => {
            (path, !(previous_entry_mode.is_tree() && entry_mode.is_tree()))
        }
    };
    is_leaf.then(|| RepoPath::from(path.as_bytes()))
}

/// The content of a file; `None` when it is missing.
pub(super) fn blob(objects: &Objects, id: crate::domain::ids::ObjectId) -> Result<Option<Vec<u8>>, Error> {
    let mut buffer = Vec::new();
    let found = objects.find_kind(&gix_id(id), Kind::Blob, &mut buffer)?.is_some();
    Ok(found.then_some(buffer))
}
