//! Whether commits are really not in the history of a base.
//!
//! The walk goes newest first and stops where all is common; clocks that went backwards below can hide that the base
//! reaches a commit. Before a commit counts as a landing that is settled: it is, when it descends from the base, and
//! otherwise the base's history is read to its end.

use std::collections::HashSet;

use super::Error;
use super::graph::{Graph, NodeIndex};
use super::objects::Objects;

/// The whole history of a base, once it was needed.
pub(super) struct BaseHistory {
    commits: HashSet<gix::ObjectId>,
    complete: bool,
}

impl BaseHistory {
    fn read(objects: &mut Objects, base: gix::ObjectId) -> Result<Self, Error> {
        let (mut commits, mut complete, mut open) = (HashSet::new(), true, vec![base]);
        while let Some(id) = open.pop() {
            if !commits.insert(id) {
                continue;
            }
            match objects.commit(&id)? {
                Some(facts) => open.extend(facts.parents),
                None => complete = false,
            }
        }
        Ok(Self { commits, complete })
    }
}

/// For each of `nodes` whether `base` does not reach it; `None` where that cannot be told.
pub(super) fn beyond(
    graph: &Graph,
    objects: &mut Objects,
    known: &mut Option<BaseHistory>,
    base: NodeIndex,
    nodes: &[NodeIndex],
) -> Result<Vec<Option<bool>>, Error> {
    let above = graph.descendants(base);
    let mut answers = Vec::with_capacity(nodes.len());
    for &node in nodes {
        if node != base && above[node as usize] {
            answers.push(Some(true));
            continue;
        }
        let history = match known {
            Some(history) => history,
            None => known.insert(BaseHistory::read(objects, graph.node(base).id)?),
        };
        answers.push(match history.commits.contains(&graph.node(node).id) {
            true => Some(false),
            false if history.complete => Some(true),
            false => None,
        });
    }
    Ok(answers)
}
