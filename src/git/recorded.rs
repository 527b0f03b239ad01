//! Looking for a stage of which only its fingerprints are left: the commits that touch its paths.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use super::graph::{Graph, NodeIndex, Visit, Watch};
use super::objects::{commit_id, gix_id};
use super::paths::PathSet;
use super::scan::{Touch, scan};
use super::search::{Limits, Span};
use super::{Error, History};
use crate::context::Context;
use crate::domain::equivalence::{Coverage, RepoPath, Sighting};
use crate::domain::ids::CommitId;

/// The commits of a candidate that touch some paths, the nearest first.
pub struct Recorded {
    graph: Graph,
    nodes: Vec<NodeIndex>,
    /// The histories of those that were asked about: there can be very many places, and few of them matter.
    histories: RefCell<HashMap<usize, Vec<bool>>>,
    /// What each of them does to the paths, in the order in which the paths were given.
    pub sightings: Vec<Sighting>,
    /// How much of the history was seen.
    pub coverage: Coverage,
}

impl Recorded {
    /// Walks the candidate's history down to `base`, or to its roots where the base is gone too.
    ///
    /// # Errors
    /// When objects cannot be read, or the work was cancelled.
    pub fn find(
        history: &mut History<'_>,
        context: &Context,
        (candidate, base): (CommitId, Option<CommitId>),
        paths: &[RepoPath],
        limits: Limits,
    ) -> Result<Self, Error> {
        let tips: Vec<_> = [Some(candidate), base].into_iter().flatten().map(|tip| gix_id(tip.0)).collect();
        let (readers, source) = (history.readers.clone(), &mut history.source);
        let of_candidate = |paint: u64| paint & 3 == 1;
        let (scan, graph) = scan(&readers, PathSet::new(paths), context.cancel(), |look| {
            let mut looked = HashSet::new();
            let mut look_once = |seen: Visit| {
                if of_candidate(seen.paint) && looked.insert(seen.node) {
                    look(seen);
                }
            };
            let graph = Graph::walk(source, &tips, &Watch::new(context, limits), &mut look_once)?;
            graph.visits().for_each(look_once);
            Ok(graph)
        })?;
        let numbers: Vec<usize> = (0..paths.len()).collect();
        let touches = scan.touches.iter().filter(|touch| of_candidate(graph.node(touch.node).paint));
        let touches: Vec<Touch> = touches.copied().collect();
        let seen = touches.iter().zip(scan.slots(&touches, &numbers));
        let mut found: Vec<(NodeIndex, Sighting)> = seen
            .map(|(touch, (before, after))| {
                let node = graph.node(touch.node);
                let (commit, is_void) = (commit_id(&node.id), node.parents.is_empty());
                (touch.node, Sighting { commit, is_void, before, after })
            })
            .collect();
        found.sort_by_key(|(node, _)| graph.node(*node).visited);
        let incomplete = graph.nodes.iter().any(|node| node.missing && of_candidate(node.paint));
        let coverage = match (&graph.stopped, readers.damaged.first()) {
            (Some(why), _) => Coverage::Part(why.clone()),
            (None, Some(id)) => Coverage::Part(format!("object {id} is broken")),
            (None, None) if incomplete => Coverage::Part("commits are missing".to_owned()),
            (None, None) => Coverage::Whole,
        };
        let (nodes, sightings) = found.into_iter().unzip();
        Ok(Self { graph, nodes, histories: RefCell::default(), sightings, coverage })
    }

    /// Whether the place `to` of [`Recorded::sightings`] is in the history of the place `from`.
    pub fn reaches(&self, from: usize, to: usize) -> bool {
        let mut histories = self.histories.borrow_mut();
        let history = histories.entry(from).or_insert_with(|| self.graph.history(&[self.nodes[from]]));
        history[self.nodes[to] as usize]
    }

    /// What the sighting at `place` did, as a stage: from its first parent to itself; `None` for a root.
    pub fn span(&self, place: usize) -> Option<Span> {
        let node = self.graph.node(self.nodes[place]);
        let parent = self.graph.node(*node.parents.first()?);
        Some(Span { base: commit_id(&parent.id), head: commit_id(&node.id) })
    }
}
