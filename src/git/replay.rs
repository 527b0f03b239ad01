//! Replaying a stage, or one of its commits, on the parent of a commit of the candidate.

use std::collections::{HashMap, HashSet};

use super::Error;
use super::changes::changed_paths;
use super::graph::NodeIndex;
use super::lost::MergeTrees;
use super::merger::{PathMerge, TreeMerge};
use super::paths::{Finder, PathSet};
use super::search::Search;
use super::shape::Trees;
use crate::domain::equivalence::{PathChange, ReplayBase, Replayed, RepoPath, Scope, Slot, Unit};

/// What replays with the natural merge base need, once.
pub(super) struct Natural {
    /// Some commit of the stage is in the candidate's history, so the natural base may lie inside the stage.
    inside: bool,
    /// Which nodes have the stage's base in their history.
    above_base: Vec<bool>,
    /// The bases found so far, by the parent on which is replayed.
    bases: HashMap<NodeIndex, Vec<NodeIndex>>,
}

/// What a path holds in the trees of a replay.
#[derive(Clone, Copy)]
struct Five {
    base: Slot,
    theirs: Slot,
    before: Slot,
    after: Slot,
}

impl Five {
    fn is_everywhere(&self) -> bool {
        [self.base, self.before, self.theirs].iter().all(|slot| slot.raw().is_some())
    }
}

impl Search<'_> {
    /// Replays a change on the parent of the sighting at `place`, and compares the result with the sighting.
    pub(super) fn replay(
        &mut self,
        run: usize,
        place: usize,
        scope: Scope,
        base: ReplayBase,
    ) -> Result<Replayed, Error> {
        let node = self.runs[run].sighted[place];
        let Some(at) = self.trees_at(node) else { return Ok(Replayed::Unknown) };
        if base == ReplayBase::Natural {
            return self.replay_natural(run, place, at);
        }
        let change = self.scope_trees(run, scope);
        let sighting = &self.runs[run].sightings[place];
        let five = |change: &PathChange| Five {
            base: change.old,
            theirs: change.new,
            before: sighting.before[change.path],
            after: sighting.after[change.path],
        };
        let unit = self.unit(run, scope);
        let paths: Vec<(RepoPath, Five)> = unit
            .changes
            .iter()
            .map(|change| (self.runs[run].shape.stage.paths[change.path].clone(), five(change)))
            .collect();
        self.compare(run, &paths, change, at)
    }

    fn unit(&self, run: usize, scope: Scope) -> &Unit {
        self.runs[run].shape.stage.unit(scope)
    }

    /// `change` replayed on the tree before the commit `at`, path by path; with rename detection where a path is lost.
    fn compare(&mut self, run: usize, paths: &[(RepoPath, Five)], change: Trees, at: Trees) -> Result<Replayed, Error> {
        let trees = MergeTrees { base: change.old, ours: at.old, theirs: change.new };
        let is_renamed = self.runs[run].is_renamed;
        let (mut changes, mut differing, mut lost) = (false, Vec::new(), Vec::new());
        for (path, five) in paths {
            match self.merger.path_to([five.base, five.before, five.theirs], five.after)? {
                Some(PathMerge::Clean(slot)) => {
                    changes |= slot.raw() != five.before.raw();
                    if slot.raw() != five.after.raw() {
                        differing.push((path, five));
                    }
                }
                None => differing.push((path, five)),
                Some(PathMerge::Conflict(_)) => return Ok(Replayed::Conflict),
                Some(PathMerge::Unknown) => return Ok(Replayed::Unknown),
                // Theirs changes what ours has lost, and ours never moved it.
                Some(PathMerge::Renamed) if five.theirs.raw().is_some() && !is_renamed => {
                    return Ok(Replayed::Conflict);
                }
                Some(PathMerge::Renamed) => lost.push((path, five)),
            }
        }
        // Renames elsewhere do not touch a path that all three sides have.
        let certain = differing.iter().any(|(_, five)| five.is_everywhere());
        if lost.is_empty() || certain {
            let differing: Vec<RepoPath> = differing.into_iter().map(|(path, _)| path.clone()).collect();
            return Ok(if changes && differing.is_empty() { Replayed::Equal } else { Replayed::Differs(differing) });
        }
        let mut renamed = false;
        for (path, five) in &lost {
            match self.merger.lost(trees, [five.base, five.before, five.theirs])? {
                PathMerge::Renamed => renamed = true,
                PathMerge::Conflict(_) => return Ok(Replayed::Conflict),
                PathMerge::Unknown => return Ok(Replayed::Unknown),
                PathMerge::Clean(slot) if slot.raw() != five.after.raw() => differing.push((path, five)),
                PathMerge::Clean(_) => {}
            }
        }
        if renamed {
            let touched: HashSet<&RepoPath> = paths.iter().map(|(path, _)| path).collect();
            return self.compare_trees(&touched, trees, at);
        }
        let differing: Vec<RepoPath> = differing.into_iter().map(|(path, _)| path.clone()).collect();
        Ok(if changes && differing.is_empty() { Replayed::Equal } else { Replayed::Differs(differing) })
    }

    fn compare_trees(&mut self, touched: &HashSet<&RepoPath>, trees: MergeTrees, at: Trees) -> Result<Replayed, Error> {
        let merge = self.merger.trees(trees)?;
        let Some(TreeMerge { clean, tree, .. }) = merge else { return Ok(Replayed::Unknown) };
        if !clean {
            return Ok(Replayed::Conflict);
        }
        let objects = &self.merger.objects;
        let (Some(changed), Some(mut differing)) =
            (changed_paths(objects, Some(&at.old), &tree)?, changed_paths(objects, Some(&tree), &at.new)?)
        else {
            return Ok(Replayed::Unknown);
        };
        // Both lists are sorted.
        differing.retain(|path| changed.binary_search(path).is_ok() || touched.contains(path));
        Ok(if !changed.is_empty() && differing.is_empty() { Replayed::Equal } else { Replayed::Differs(differing) })
    }

    /// Whether the sighting could hold the whole stage. A replay from below the base of the stage holds what the stage
    /// added and lacks what it dropped; to see that this cannot be spares looking for the base.
    fn may_hold_all(&mut self, run: usize, place: usize) -> Result<bool, Error> {
        let run = &self.runs[run];
        for change in &run.shape.stage.whole.changes {
            let after = run.sightings[place].after[change.path].raw();
            let fits = match (change.old.raw(), change.new.raw(), after) {
                (_, None, after) => after.is_none(),
                (_, Some(new), Some(after)) if new == after => true,
                (Some(old), Some(new), Some(after)) if [old, new, after].iter().all(|entry| entry.mode.is_file()) => {
                    self.merger.may_result_in(old.id, new.id, after.id)?
                }
                (_, Some(_), after) => after.is_some() || run.is_renamed,
            };
            if !fits {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn replay_natural(&mut self, run: usize, place: usize, at: Trees) -> Result<Replayed, Error> {
        // With a base inside the stage, what came before it may have been reworked.
        if !self.natural(run).inside && !self.may_hold_all(run, place)? {
            return Ok(Replayed::NotApplicable);
        }
        let node = self.runs[run].sighted[place];
        let Some(&parent) = self.graph.node(node).parents.first() else { return Ok(Replayed::NotApplicable) };
        let bases = self.natural_bases(run, parent);
        if bases.is_empty() {
            return Ok(Replayed::NotApplicable);
        }
        // Each of several bases must give the proof.
        for base in bases {
            if self.graph.node(base).missing {
                return Ok(Replayed::Unknown);
            }
            let base = self.graph.node(base).tree;
            let replayed = self.replay_from(run, base, at)?;
            if replayed != Replayed::Equal {
                return Ok(replayed);
            }
        }
        Ok(Replayed::Equal)
    }

    /// The merge bases of `parent` and the head; none where they are just the recorded base.
    fn natural_bases(&mut self, number: usize, parent: NodeIndex) -> Vec<NodeIndex> {
        let natural = self.natural(number);
        if !natural.inside && natural.above_base[parent as usize] {
            return Vec::new();
        }
        if let Some(bases) = natural.bases.get(&parent) {
            return bases.clone();
        }
        let mut bases = self.graph.merge_bases(parent, self.runs[number].head);
        if bases == [self.runs[number].base] {
            bases.clear();
        }
        if let Some(natural) = &mut self.runs[number].natural {
            natural.bases.insert(parent, bases.clone());
        }
        bases
    }

    fn natural(&mut self, number: usize) -> &Natural {
        let natural = match self.runs[number].natural.take() {
            Some(natural) => natural,
            None => {
                let history = self.graph.history(&[self.runs[number].head]);
                let inside = history.iter().zip(0..).any(|(seen, node)| *seen && self.in_range(number, node));
                let above_base = self.graph.descendants(self.runs[number].base);
                Natural { inside, above_base, bases: HashMap::new() }
            }
        };
        self.runs[number].natural.insert(natural)
    }

    /// The head replayed from another base: compared on what lies between them, and on every path of the stage.
    fn replay_from(&mut self, run: usize, base: gix::ObjectId, at: Trees) -> Result<Replayed, Error> {
        let head = self.runs[run].shape.trees.new;
        let objects = &self.merger.objects;
        let Some(mut paths) = changed_paths(objects, Some(&base), &head)? else { return Ok(Replayed::Unknown) };
        paths.extend(self.runs[run].shape.stage.touched().cloned());
        paths.sort_unstable();
        paths.dedup();
        let finder = Finder::new(PathSet::new(&paths));
        let mut states = [0; 4];
        for (state, tree) in states.iter_mut().zip([base, head, at.old, at.new]) {
            *state = finder.state(objects, &tree)?;
        }
        let slot = |tree: usize, path: usize| finder.slot(states[tree], path);
        let five =
            |path| Five { base: slot(0, path), theirs: slot(1, path), before: slot(2, path), after: slot(3, path) };
        let paths: Vec<(RepoPath, Five)> = paths.into_iter().enumerate().map(|(i, path)| (path, five(i))).collect();
        self.compare(run, &paths, Trees { old: base, new: head }, at)
    }

    /// Those of the places at which one of the paths has nothing of the stage: taking it out there changes nothing.
    pub(super) fn gone(&mut self, run: usize, places: &[usize]) -> Result<Vec<usize>, Error> {
        let mut gone = Vec::new();
        for &place in places {
            let (stage, sighting) = (&self.runs[run].shape.stage, &self.runs[run].sightings[place]);
            let touched = stage.whole.changes.iter().filter(|change| sighting.touches(change.path));
            for change in touched {
                let after = sighting.after[change.path];
                let out = match self.merger.path(change.new, after, change.old)? {
                    PathMerge::Clean(slot) => slot.raw() == after.raw(),
                    // A file that the stage added and that is not there is gone; one that it changed was dropped later.
                    PathMerge::Renamed => after.raw().is_none() && change.old.raw().is_none(),
                    PathMerge::Conflict(_) | PathMerge::Unknown => false,
                };
                if out {
                    gone.push(place);
                    break;
                }
            }
        }
        Ok(gone)
    }

    /// Whether the sighting holds some of the change: taking the change out of it alters one of the paths that it
    /// touches, with what contradicts the change left alone. `None` when something is missing.
    pub(super) fn trace(&mut self, run: usize, place: usize, scope: Scope) -> Result<Option<bool>, Error> {
        let sighting = &self.runs[run].sightings[place];
        let changes = self.unit(run, scope).changes.iter().filter(|change| sighting.touches(change.path));
        let slots = |change: &PathChange| (*change, sighting.before[change.path], sighting.after[change.path]);
        let touched: Vec<_> = changes.map(slots).collect();
        let back: HashSet<usize> = self
            .changes_at_candidate(run)?
            .into_iter()
            .filter(|(_, at)| at.raw().is_some())
            .map(|(change, _)| change.path)
            .collect();
        for (change, before, after) in touched {
            let lost = before.raw().filter(|_| after.raw().is_none() && change.new.raw().is_some());
            let trace = match (lost, self.merger.path_without(&change, after)?) {
                // Where it was moved, it may have been changed on the way.
                (Some(lost), _) => match self.trees_at(self.runs[run].sighted[place]) {
                    // Moved away and back again, it was not followed meanwhile.
                    Some(at) if back.contains(&change.path) => self.merger.may_be_renamed(at.old, at.new, lost)?,
                    Some(at) => self.merger.may_be_moved_with_changes(at.old, at.new, lost)?,
                    None => None,
                },
                (None, None) => Some(false),
                (None, Some(PathMerge::Clean(slot))) => Some(slot.raw() != after.raw()),
                // Its lines may be there, with something mixed in.
                (None, Some(PathMerge::Conflict(_))) => self.merger.has_new_lines(&change, after)?,
                (None, Some(PathMerge::Renamed)) => Some(after.raw().is_some()),
                (None, Some(PathMerge::Unknown)) => None,
            };
            if trace != Some(false) {
                return Ok(trace);
            }
        }
        Ok(Some(false))
    }

    /// The paths outside the stage that a sighting changes.
    pub(super) fn others(&mut self, run: usize, place: usize) -> Result<Vec<RepoPath>, Error> {
        let Some(at) = self.trees_at(self.runs[run].sighted[place]) else { return Ok(Vec::new()) };
        let mut paths = changed_paths(&self.merger.objects, Some(&at.old), &at.new)?.unwrap_or_default();
        let touched: HashSet<&RepoPath> = self.runs[run].shape.stage.touched().collect();
        paths.retain(|path| !touched.contains(path));
        Ok(paths)
    }
}
