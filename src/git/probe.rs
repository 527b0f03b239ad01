//! What is at the candidate's tip: what putting a stage in and taking it out would do there.

use super::Error;
use super::changes::changed_paths;
use super::lost::MergeTrees;
use super::merger::{Merger, PathMerge, TreeMerge};
use super::paths::{Finder, PathSet};
use super::search::Search;
use super::shape::Trees;
use crate::domain::equivalence::{Outcome, PathChange, Probe, Slot};

impl Search<'_> {
    /// The probe of a stage, and whether any of its paths exists in the candidate.
    pub(super) fn effect(&mut self, run: usize) -> Result<(Probe, Option<bool>), Error> {
        let changes = self.changes_at_candidate(run)?;
        let exists = |slot: &Slot| slot.raw().is_some();
        let paths_exist = match changes.iter().map(|(_, at)| at) {
            slots if slots.clone().any(exists) => Some(true),
            slots if slots.clone().any(|slot| slot.is_unknown()) => None,
            _ => Some(false),
        };
        let candidate = self.graph.node(self.candidate).tree;
        let Trees { old, new } = self.runs[run].shape.trees;
        let put_in = changes.iter().map(|(change, at)| [change.old, *at, change.new]).collect();
        let take_out = changes.iter().map(|(change, at)| [change.new, *at, change.old]).collect();
        let put_in = outcomes(&mut self.merger, put_in, MergeTrees { base: old, ours: candidate, theirs: new })?;
        let take_out = outcomes(&mut self.merger, take_out, MergeTrees { base: new, ours: candidate, theirs: old })?;
        Ok((Probe { put_in, take_out }, paths_exist))
    }

    /// The probes with the merge bases of candidate and head that lie inside the stage.
    pub(super) fn effects_inside(&mut self, run: usize) -> Result<Vec<Probe>, Error> {
        let (base, head) = (self.runs[run].base, self.runs[run].head);
        if self.graph.node(base).paint & 1 == 0 {
            return Ok(Vec::new());
        }
        let mut bases = self.graph.merge_bases(self.candidate, head);
        bases.retain(|&base| base != head && self.in_range(run, base));
        bases.into_iter().map(|base| self.effect_from(run, self.graph.node(base).tree)).collect()
    }

    fn effect_from(&mut self, run: usize, base: gix::ObjectId) -> Result<Probe, Error> {
        let (candidate, head) = (self.graph.node(self.candidate).tree, self.runs[run].shape.trees.new);
        let unknown = Probe { put_in: vec![Outcome::Unknown], take_out: vec![Outcome::Unknown] };
        let Some(paths) = changed_paths(&self.merger.objects, Some(&base), &head)? else { return Ok(unknown) };
        if paths.is_empty() {
            return Ok(Probe { put_in: vec![Outcome::Same], take_out: vec![Outcome::Same] });
        }
        let finder = Finder::new(PathSet::new(&paths));
        let mut states = [0; 3];
        for (state, tree) in states.iter_mut().zip([base, candidate, head]) {
            *state = finder.state(&self.merger.objects, &tree)?;
        }
        let slots = |order: [usize; 3]| {
            (0..paths.len()).map(|path| order.map(|tree| finder.slot(states[tree], path))).collect()
        };
        let put_in = outcomes(&mut self.merger, slots([0, 1, 2]), MergeTrees { base, ours: candidate, theirs: head })?;
        let take_out =
            outcomes(&mut self.merger, slots([2, 1, 0]), MergeTrees { base: head, ours: candidate, theirs: base })?;
        Ok(Probe { put_in, take_out })
    }

    /// Whether every path that the stage touched is in the candidate as in the head, and putting it in changes nothing.
    pub(super) fn same_end(&mut self, run: usize) -> Result<Option<bool>, Error> {
        let changes = self.changes_at_candidate(run)?;
        if changes.iter().any(|(change, at)| at.is_unknown() || change.new.is_unknown()) {
            return Ok(None);
        }
        if changes.is_empty() || changes.iter().any(|(change, at)| change.new.raw() != at.raw()) {
            return Ok(Some(false));
        }
        if let Some(answer) = self.differs_where_taken_back(run)? {
            return Ok(answer);
        }
        let (probe, _) = self.effect(run)?;
        Ok(if probe.put_in.contains(&Outcome::Unknown) {
            None
        } else {
            Some(probe.put_in.iter().all(|outcome| *outcome == Outcome::Same))
        })
    }

    /// Whether the candidate has something else than the head at a path that the stage touched and took back itself; `None`
    /// when it has the same at each of them.
    fn differs_where_taken_back(&mut self, run: usize) -> Result<Option<Option<bool>>, Error> {
        let tree = self.graph.node(self.candidate).tree;
        let run = &mut self.runs[run];
        let there = run.finder.state(&self.merger.objects, &tree)?;
        let head = run.finder.state(&self.merger.objects, &run.shape.trees.new)?;
        for path in 0..run.shape.stage.paths.len() {
            let (there, head) = (run.finder.slot(there, path), run.finder.slot(head, path));
            if there.is_unknown() || head.is_unknown() {
                return Ok(Some(None));
            }
            if there.raw() != head.raw() {
                return Ok(Some(Some(false)));
            }
        }
        Ok(None)
    }

    /// The stage's changes, each with what the candidate has there.
    pub(super) fn changes_at_candidate(&mut self, run: usize) -> Result<Vec<(PathChange, Slot)>, Error> {
        let tree = self.graph.node(self.candidate).tree;
        let run = &mut self.runs[run];
        let state = run.finder.state(&self.merger.objects, &tree)?;
        Ok(run.shape.stage.whole.changes.iter().map(|change| (*change, run.finder.slot(state, change.path))).collect())
    }
}

/// What merging did to our side, for each path of (base, ours, theirs); for the whole trees where a path is renamed.
fn outcomes(merger: &mut Merger, paths: Vec<[Slot; 3]>, trees: MergeTrees) -> Result<Vec<Outcome>, Error> {
    let mut outcomes = Vec::with_capacity(paths.len());
    for slots in paths {
        let [base, ours, theirs] = slots;
        let merged = match merger.path(base, ours, theirs)? {
            PathMerge::Renamed => merger.lost(trees, slots)?,
            merged => merged,
        };
        outcomes.push(match merged {
            PathMerge::Clean(slot) if slot.raw() == ours.raw() => Outcome::Same,
            PathMerge::Clean(_) => Outcome::Changes,
            // To keep what they dropped is not to have worked on their lines: their deletion is not there.
            PathMerge::Conflict(_) if theirs.raw().is_none() && base.raw().is_some() => Outcome::ConflictChanges,
            // Where lines are as they were before, they were not worked on: they were taken back.
            PathMerge::Conflict(slot) if slot.raw() == ours.raw() => match merger.took_back(base, theirs, ours)? {
                Some(false) => Outcome::ConflictKeepsOurs,
                Some(true) => Outcome::ConflictChanges,
                None => Outcome::Unknown,
            },
            PathMerge::Conflict(_) => Outcome::ConflictChanges,
            PathMerge::Unknown => Outcome::Unknown,
            PathMerge::Renamed => return Ok(vec![outcome(merger.trees(trees)?, trees.ours)]),
        });
    }
    Ok(outcomes)
}

/// What a merge of whole trees did to our tree.
fn outcome(merge: Option<TreeMerge>, ours: gix::ObjectId) -> Outcome {
    let Some(merge) = merge else { return Outcome::Unknown };
    match (merge.clean, merge.tree == ours) {
        (true, true) => Outcome::Same,
        (true, false) => Outcome::Changes,
        (false, true) if !merge.keeps_dropped => Outcome::ConflictKeepsOurs,
        (false, _) => Outcome::ConflictChanges,
    }
}
