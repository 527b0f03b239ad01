//! Three-way merges in memory, on contents alone: no merge drivers, no attributes, no configuration, and nothing is
//! written to the repository.

use std::collections::{HashMap, HashSet};

use gix::bstr::ByteSlice;
use gix::diff::blob::Algorithm;
use gix::diff::tree_with_rewrites::{Change, ChangeRef};
use gix::merge::plumbing::blob::builtin_driver::text;
use gix::merge::plumbing::tree::{Conflict, ResolveWith, TreatAsUnresolved};
use gix::objs::{TreeRefIter, Write as _};

use super::Error;
use super::changes::blob;
use super::hunks::Hunks;
use super::lost::{Additions, MergeTrees, rename_pairs};
use super::objects::{Objects, domain_id};
use crate::domain::equivalence::{Entry, Merged, PathChange, RepoPath, Slot, three_way};
use crate::domain::ids::ObjectId;

/// git looks for a NUL in so many bytes to tell that a file is binary, and merges none that is.
const BINARY_PROBE_BYTES: usize = 8000;
/// With more than the square of so many pairs of lost and added files, rename detection would take minutes. gix then
/// looks for identical files only, and what it finds is no longer what git would.
const RENAME_LIMIT: usize = 500;
/// Memory for the files and folders that merges read again and again.
const OBJECT_CACHE_BYTES: usize = 16 * 1024 * 1024;

/// What a merge of one path gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathMerge {
    /// This, without a conflict.
    Clean(Slot),
    /// A conflict; this is there when our side of each conflict is kept.
    Conflict(Slot),
    /// Only a merge that looks for renames can tell.
    Renamed,
    /// Something is missing.
    Unknown,
}

/// What a merge of whole trees gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TreeMerge {
    pub(super) clean: bool,
    /// They dropped something that we still have, changed or under another name.
    pub(super) keeps_dropped: bool,
    /// The result; on conflicts with our side kept.
    pub(super) tree: gix::ObjectId,
}

#[derive(Clone, Copy, Debug)]
enum Blend {
    Clean(ObjectId),
    Conflict(ObjectId),
    Unknown,
}

/// Merges, and remembers what it merged.
pub(super) struct Merger {
    pub(super) objects: Objects,
    pub(super) additions: Additions,
    hunks: Hunks,
    blends: HashMap<[ObjectId; 3], Blend>,
    tree_merges: HashMap<[gix::ObjectId; 3], Option<TreeMerge>>,
}

impl Merger {
    pub(super) fn new(objects: Objects) -> Self {
        let mut objects = objects;
        objects
            .store
            .set_object_cache(|| Box::new(gix::odb::pack::cache::object::MemoryCappedHashmap::new(OBJECT_CACHE_BYTES)));
        Self {
            objects,
            additions: Additions::default(),
            hunks: Hunks::default(),
            blends: HashMap::new(),
            tree_merges: HashMap::new(),
        }
    }

    /// Merges one path.
    pub(super) fn path(&mut self, base: Slot, ours: Slot, theirs: Slot) -> Result<PathMerge, Error> {
        Ok(match three_way(base, ours, theirs) {
            Merged::Take(slot) => PathMerge::Clean(slot),
            Merged::Conflict => PathMerge::Conflict(ours),
            Merged::Renamed => PathMerge::Renamed,
            Merged::Unknown => PathMerge::Unknown,
            Merged::Blend { mode, base, ours, theirs } => match self.blend(base, ours, theirs)? {
                Blend::Clean(id) => PathMerge::Clean(Slot::Entry(Entry { mode, id })),
                Blend::Conflict(id) => PathMerge::Conflict(Slot::Entry(Entry { mode, id })),
                Blend::Unknown => PathMerge::Unknown,
            },
        })
    }

    /// Whether a file that the change `old → new` was merged into can be `goal`, as far as ids and a look for a few
    /// lines can tell.
    pub(super) fn may_result_in(&mut self, old: ObjectId, new: ObjectId, goal: ObjectId) -> Result<bool, Error> {
        Ok(self.hunks.may_result_in(&self.objects, [old, new], goal)? != Some(false))
    }

    /// Merges one path, when the result can be `goal` at all: else `None`.
    pub(super) fn path_to(&mut self, [base, ours, theirs]: [Slot; 3], goal: Slot) -> Result<Option<PathMerge>, Error> {
        if let Merged::Blend { base, theirs, .. } = three_way(base, ours, theirs) {
            let Some(goal) = goal.raw() else { return Ok(None) };
            if !self.may_result_in(base, theirs, goal.id)? {
                return Ok(None);
            }
        }
        self.path(base, ours, theirs).map(Some)
    }

    /// Takes a change out of one path of ours, when that can alter it at all: else `None`.
    pub(super) fn path_without(&mut self, change: &PathChange, ours: Slot) -> Result<Option<PathMerge>, Error> {
        if let Merged::Blend { base, ours, theirs, .. } = three_way(change.new, ours, change.old)
            && self.hunks.may_be_held_by(&self.objects, [theirs, base], ours)? == Some(false)
        {
            return Ok(None);
        }
        self.path(change.new, ours, change.old).map(Some)
    }

    /// Whether ours has lines that a change brings and that were not there before it. `None` when something is missing.
    pub(super) fn has_new_lines(&mut self, change: &PathChange, ours: Slot) -> Result<Option<bool>, Error> {
        match (change.old.raw(), change.new.raw(), ours.raw()) {
            (Some(old), Some(new), Some(ours)) if [old, new, ours].iter().all(|entry| entry.mode.is_file()) => {
                self.hunks.has_new_lines(&self.objects, [old.id, new.id], ours.id)
            }
            _ => Ok(Some(false)),
        }
    }

    /// Whether ours has old lines of a change back, and the new ones not. `None` when something is missing.
    pub(super) fn took_back(&mut self, old: Slot, new: Slot, ours: Slot) -> Result<Option<bool>, Error> {
        match (old.raw(), new.raw(), ours.raw()) {
            (Some(old), Some(new), Some(ours)) if [old, new, ours].iter().all(|entry| entry.mode.is_file()) => {
                self.hunks.took_back(&self.objects, [old.id, new.id], ours.id)
            }
            _ => Ok(Some(false)),
        }
    }

    fn blend(&mut self, base: ObjectId, ours: ObjectId, theirs: ObjectId) -> Result<Blend, Error> {
        let key = [base, ours, theirs];
        if let Some(&known) = self.blends.get(&key) {
            return Ok(known);
        }
        let [Some(base_text), Some(our_text), Some(their_text)] =
            [blob(&self.objects, base)?, blob(&self.objects, ours)?, blob(&self.objects, theirs)?]
        else {
            return Ok(Blend::Unknown);
        };
        let blend = if [&base_text, &our_text, &their_text].iter().any(|text| is_binary(text)) {
            Blend::Conflict(ours)
        } else {
            self.blend_text(&base_text, &our_text, &their_text)?
        };
        self.blends.insert(key, blend);
        Ok(blend)
    }

    fn blend_text(&self, base: &[u8], ours: &[u8], theirs: &[u8]) -> Result<Blend, Error> {
        let mut merged = Vec::new();
        let mut input = gix::diff::blob::InternedInput::default();
        let options = text_options();
        let labels = text::Labels::default();
        let resolution = gix::merge::plumbing::blob::builtin_driver::text(
            &mut merged,
            &mut input,
            labels,
            ours,
            base,
            theirs,
            options,
        );
        let id = gix::objs::compute_hash(self.objects.hash, gix::objs::Kind::Blob, &merged)
            .map_err(|error| self.objects.broken(&gix::ObjectId::null(self.objects.hash), error))?;
        Ok(match resolution {
            gix::merge::plumbing::blob::Resolution::Complete => Blend::Clean(domain_id(&id)),
            _ => Blend::Conflict(domain_id(&id)),
        })
    }

    /// Merges whole trees, looking for renames as git does; `None` when something is missing.
    pub(super) fn trees(&mut self, trees: MergeTrees) -> Result<Option<TreeMerge>, Error> {
        let key = [trees.base, trees.ours, trees.theirs];
        if let Some(&known) = self.tree_merges.get(&key) {
            return Ok(known);
        }
        let merge = match self.is_renamable(&trees)? {
            true => self.merge_trees(key)?,
            false => None,
        };
        self.tree_merges.insert(key, merge);
        Ok(merge)
    }

    /// Whether rename detection can look at all pairs of files, on both sides.
    fn is_renamable(&self, trees: &MergeTrees) -> Result<bool, Error> {
        for side in [&trees.ours, &trees.theirs] {
            let Some(pairs) = rename_pairs(&self.objects, &trees.base, side)? else { return Ok(false) };
            if pairs > RENAME_LIMIT * RENAME_LIMIT {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn merge_trees(&self, [base, ours, theirs]: [gix::ObjectId; 3]) -> Result<Option<TreeMerge>, Error> {
        let missing_or =
            |error: gix::Error| if error.is_not_found() { Ok(None) } else { self.objects.damaged(&ours, error) };
        for id in [&base, &ours, &theirs] {
            if self.objects.find(id, &mut Vec::new())?.is_none() {
                return Ok(None);
            }
        }
        let store = &self.objects.store;
        let outcome = gix::merge::plumbing::tree(
            &base,
            &ours,
            &theirs,
            text::Labels::default(),
            store,
            |bytes| store.write_buf(gix::objs::Kind::Blob, bytes),
            &mut gix::diff::tree::State::default(),
            &mut self.diff_platform(),
            &mut self.merge_platform(),
            tree_options(),
        );
        let mut outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => return missing_or(error),
        };
        let clean = !outcome.has_unresolved_conflicts(TreatAsUnresolved::forced_resolution());
        let dropped = |conflict: &Conflict| {
            conflict.is_unresolved(TreatAsUnresolved::forced_resolution())
                && matches!(conflict.theirs, Change::Deletion { .. })
        };
        let keeps_dropped = outcome.conflicts.iter().any(dropped);
        match outcome.tree.write(|tree| store.write(tree)) {
            Ok(tree) => Ok(Some(TreeMerge { clean, keeps_dropped, tree })),
            Err(error) => missing_or(error),
        }
    }

    /// Where the files of `sources` went from one tree to the other, by git's rules for renames. Nothing where a tree is
    /// missing.
    pub(super) fn renames(
        &mut self,
        old: gix::ObjectId,
        new: gix::ObjectId,
        sources: &HashSet<RepoPath>,
    ) -> Result<Vec<RepoPath>, Error> {
        let (mut old_buffer, mut new_buffer) = (Vec::new(), Vec::new());
        let (Some(old_tree), Some(new_tree)) =
            (self.objects.find(&old, &mut old_buffer)?, self.objects.find(&new, &mut new_buffer)?)
        else {
            return Ok(Vec::new());
        };
        let mut targets = Vec::new();
        let outcome = gix::diff::tree_with_rewrites(
            TreeRefIter::from_bytes(old_tree.data, self.objects.hash),
            TreeRefIter::from_bytes(new_tree.data, self.objects.hash),
            &mut self.diff_platform(),
            &mut gix::diff::tree::State::default(),
            &self.objects.store,
            |change| {
                if let ChangeRef::Rewrite { source_location, location, copy: false, entry_mode, .. } = change
                    && !entry_mode.is_tree()
                    && sources.contains(&RepoPath::from(source_location.as_bytes()))
                {
                    targets.push(RepoPath::from(location.as_bytes()));
                }
                Ok(std::ops::ControlFlow::Continue(()))
            },
            gix::diff::tree_with_rewrites::Options {
                location: Some(gix::diff::tree::recorder::Location::Path),
                rewrites: Some(rewrites()),
            },
        );
        match outcome {
            Ok(_) => Ok(targets),
            Err(gix::diff::tree::Error::Failure(error)) if !error.is_not_found() => {
                Ok(self.objects.damaged(&new, error)?.unwrap_or_default())
            }
            Err(_) => Ok(Vec::new()),
        }
    }

    /// No driver, no attribute, no filter, no limit of size.
    fn merge_platform(&self) -> gix::merge::plumbing::blob::Platform {
        use gix::merge::plumbing::blob::{Pipeline, Platform, pipeline, platform};
        let pipeline = Pipeline::new(pipeline::WorktreeRoots::default(), self.filter(), pipeline::Options::default());
        Platform::new(pipeline, pipeline::Mode::ToGit, no_attributes(), Vec::new(), platform::Options::default())
    }

    fn diff_platform(&self) -> gix::diff::blob::Platform {
        use gix::diff::blob::{Pipeline, Platform, pipeline, platform};
        let roots = pipeline::WorktreeRoots::default();
        let pipeline = Pipeline::new(roots, self.filter(), Vec::new(), pipeline::Options::default());
        Platform::new(platform::Options::default(), pipeline, pipeline::Mode::ToGit, no_attributes())
    }

    fn filter(&self) -> gix::filter::plumbing::Pipeline {
        let options = gix::filter::plumbing::pipeline::Options::default();
        gix::filter::plumbing::Pipeline::new(gix::command::Context::default(), self.objects.hash, options)
    }
}

/// git's rules for renames, without a limit of its own.
fn rewrites() -> gix::diff::Rewrites {
    gix::diff::Rewrites { limit: 0, ..gix::diff::Rewrites::default() }
}

/// Our side is kept on conflicts, and the resolution tells that there were some.
fn text_options() -> text::Options {
    text::Options { diff_algorithm: Algorithm::Histogram, conflict: text::Conflict::ResolveWithOurs }
}

fn tree_options() -> gix::merge::plumbing::tree::Options {
    use gix::merge::plumbing::blob::{builtin_driver::binary, platform::merge};
    gix::merge::plumbing::tree::Options {
        rewrites: Some(rewrites()),
        blob_merge: merge::Options {
            is_virtual_ancestor: false,
            resolve_binary_with: Some(binary::ResolveWith::Ours),
            text: text_options(),
        },
        symlink_conflicts: Some(binary::ResolveWith::Ours),
        tree_conflicts: Some(ResolveWith::Ours),
        ..Default::default()
    }
}

/// A stack of attributes that has none.
fn no_attributes() -> gix::worktree::Stack {
    use gix::worktree::stack::State;
    use gix::worktree::stack::state::{Attributes, attributes::Source};
    let attributes = Attributes::new(Default::default(), None, Source::IdMapping, Default::default());
    let case = gix::glob::pattern::Case::Sensitive;
    gix::worktree::Stack::new("", State::AttributesStack(attributes), case, Vec::new(), Vec::new())
}

fn is_binary(text: &[u8]) -> bool {
    text.iter().take(BINARY_PROBE_BYTES).any(|&byte| byte == 0)
}
