//! Following renames on the candidate's side: where a commit takes away a path of the stage and puts it elsewhere, the
//! commits that touch that other place are looked at too.

use std::collections::HashSet;

use super::Error;
use super::graph::{NodeIndex, Visit};
use super::objects::commit_id;
use super::paths::PathSet;
use super::scan::{Slots, scan};
use super::search::Search;
use crate::domain::equivalence::{PathChange, RepoPath, Sighting, Slot};

/// Each rename that is followed takes a look at the whole history again. Beyond so many the search has lost track, and
/// says so.
const MAX_STEPS: usize = 40;

impl Search<'_> {
    /// The commits that touch a path to which one of the stage's paths was renamed, beside those already `found`.
    pub(super) fn follow_renames(
        &mut self,
        run: usize,
        found: &[(NodeIndex, Sighting)],
    ) -> Result<Vec<(NodeIndex, Sighting)>, Error> {
        let watched: HashSet<RepoPath> = self.runs[run].shape.stage.paths.iter().cloned().collect();
        let lost = |sighting: &Sighting, path: usize| {
            sighting.before[path].raw().is_some() && sighting.after[path].raw().is_none()
        };
        // A path that the candidate still has, or has again, was not moved away for good.
        let existed = |change: &PathChange, at: &Slot| change.old.raw().is_some() && at.raw().is_none();
        let at_candidate = self.changes_at_candidate(run)?;
        let existed: Vec<usize> =
            at_candidate.iter().filter(|(change, at)| existed(change, at)).map(|(change, _)| change.path).collect();
        let takers = found.iter().filter(|(_, sighting)| existed.iter().any(|&path| lost(sighting, path)));
        let mut open: Vec<(NodeIndex, HashSet<RepoPath>)> = takers.map(|(node, _)| (*node, watched.clone())).collect();
        let mut seen: HashSet<NodeIndex> = found.iter().map(|(node, _)| *node).collect();
        let (mut followed, mut targets) = (Vec::new(), HashSet::new());
        let mut steps = 0;
        while let Some((node, sources)) = open.pop() {
            steps += 1;
            if steps > MAX_STEPS {
                self.runs[run].is_lost_track = true;
                break;
            }
            let Some(trees) = self.trees_at(node) else { continue };
            let renamed = self.merger.renames(trees.old, trees.new, &sources)?;
            let new: Vec<RepoPath> = renamed.into_iter().filter(|path| targets.insert(path.clone())).collect();
            if new.is_empty() {
                continue;
            }
            let sources: HashSet<RepoPath> = new.iter().cloned().collect();
            for (node, takes_away) in self.touching(run, &new)? {
                if takes_away {
                    open.push((node, sources.clone()));
                }
                if seen.insert(node) {
                    followed.extend(self.sighting(run, node)?.map(|sighting| (node, sighting)));
                }
            }
        }
        self.runs[run].is_renamed = !targets.is_empty();
        Ok(followed)
    }

    /// The commits of the stage's range that touch one of `paths`, and whether they take one away.
    fn touching(&self, run: usize, paths: &[RepoPath]) -> Result<Vec<(NodeIndex, bool)>, Error> {
        let set = PathSet::new(paths);
        let nodes = self.graph.order.iter().copied().filter(|&node| self.in_range(run, node));
        let (scan, ()) = scan(&self.readers, set, self.context.cancel(), |look| {
            for node in nodes {
                if let Some(trees) = self.trees_at(node) {
                    look(Visit { node, tree: trees.new, parent_tree: Some(trees.old), paint: 1 });
                }
            }
            Ok(())
        })?;
        let numbers: Vec<usize> = (0..paths.len()).collect();
        let taken = |(before, after): (Slots, Slots)| {
            before.iter().zip(after.iter()).any(|(before, after)| before.raw().is_some() && after.raw().is_none())
        };
        let slots = scan.slots(&scan.touches, &numbers).into_iter();
        Ok(scan.touches.iter().zip(slots).map(|(touch, slots)| (touch.node, taken(slots))).collect())
    }

    fn sighting(&mut self, run: usize, node: NodeIndex) -> Result<Option<Sighting>, Error> {
        let Some(trees) = self.trees_at(node) else { return Ok(None) };
        let paths = self.runs[run].shape.stage.paths.len();
        let (objects, finder) = (&self.merger.objects, &self.runs[run].finder);
        let (old, new) = (finder.state(objects, &trees.old)?, finder.state(objects, &trees.new)?);
        let (before, after) = (finder.slots(old, 0..paths).into(), finder.slots(new, 0..paths).into());
        Ok(Some(Sighting { commit: commit_id(&self.graph.node(node).id), is_void: false, before, after }))
    }
}
