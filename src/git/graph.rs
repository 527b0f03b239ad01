//! The part of history in question, walked once for all stages of a candidate.
//!
//! Every tip (the candidate, the bases and heads of the stages) paints what it reaches; the walk goes on, newest
//! commit first, until everything that is left to visit is reached by all tips. What lies above is then known exactly:
//! who reaches whom, and which commits the candidate has that a base lacks. Clocks that go backwards are allowed for:
//! the walk does not stop while a commit that it could still meet may be younger than one that is not settled, and
//! paint that arrives late is passed on.
//!
//! Parents are those of the commit objects themselves. The shallow file, grafts and replace refs are not asked: where a
//! parent is missing the history is incomplete, and where it is there it is the truth.

use std::collections::BinaryHeap;

use gix::hashtable::HashMap;

use super::Error;
use super::objects::{CommitFacts, Objects, Readers};
use super::search::Limits;
use crate::context::{Cancelled, Context, Event};

/// How many tips one walk can paint.
pub(super) const MAX_TIPS: usize = 64;
/// Commits that the walk still visits after it could have stopped, in case a clock went backwards below as well.
const SLACK: usize = 8;
/// How many commits are visited between two looks at the cancel flag and the watch.
const BEAT: usize = 256;

/// A place in [`Graph::nodes`].
pub(super) type NodeIndex = u32;

/// A commit of the walked part.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) id: gix::ObjectId,
    pub(super) tree: gix::ObjectId,
    /// Its parents, once it was visited.
    pub(super) parents: Vec<NodeIndex>,
    /// Its parents until then.
    unread: Vec<gix::ObjectId>,
    /// One bit for each tip that reaches it.
    pub(super) paint: u64,
    /// When it was visited; `u32::MAX` where the walk saw it only as a parent.
    pub(super) visited: u32,
    pub(super) missing: bool,
}

/// When to stop early, and whom to tell.
pub(super) struct Watch<'a> {
    limits: Limits,
    context: &'a Context,
}

impl<'a> Watch<'a> {
    pub(super) fn new(context: &'a Context, limits: Limits) -> Self {
        Self { limits, context }
    }

    /// Why the walk has to stop after so many commits, if it has to.
    fn stop(&self, commits: usize) -> Result<Option<String>, Cancelled> {
        if let Some(max) = self.limits.max_commits.filter(|max| commits as u64 >= *max) {
            return Ok(Some(format!("the search stopped after {max} commits")));
        }
        if commits.is_multiple_of(BEAT) {
            self.context.cancel().check()?;
            self.context.events().send(Event::Searched { commits });
            return Ok(self.limits.deadline.and_then(|deadline| deadline.passed()));
        }
        Ok(None)
    }
}

/// Where commits come from: memory, the commit-graph where there is a sound one, else the objects.
pub(super) struct CommitSource {
    pub(super) objects: Objects,
    graph: Option<gix::commitgraph::Graph>,
    /// What was read so far, while another walk over the same history is to come.
    memory: Option<HashMap<gix::ObjectId, Option<CommitFacts>>>,
}

impl CommitSource {
    pub(super) fn new(readers: &Readers<'_>) -> Self {
        let objects = readers.objects().without_pack_cache();
        Self { objects, graph: readers.repository.commit_graph(), memory: None }
    }

    /// From now on remembers every commit.
    pub(super) fn remember(&mut self) {
        self.memory.get_or_insert_default();
    }

    /// The commit, or `None` when it is missing.
    pub(super) fn read(&mut self, id: &gix::oid) -> Result<Option<CommitFacts>, Error> {
        if let Some(known) = self.memory.as_ref().and_then(|memory| memory.get(id)) {
            return Ok(known.clone());
        }
        let facts = match self.graph.as_ref().and_then(|graph| from_graph(graph, id)) {
            Some(facts) => Some(facts),
            None => self.objects.commit(id)?,
        };
        if let Some(memory) = &mut self.memory {
            memory.insert(id.to_owned(), facts.clone());
        }
        Ok(facts)
    }
}

fn from_graph(graph: &gix::commitgraph::Graph, id: &gix::oid) -> Option<CommitFacts> {
    let commit = graph.commit_by_id(id)?;
    let mut parents = Vec::new();
    for parent in commit.iter_parents() {
        parents.push(graph.id_at(parent.ok()?).to_owned());
    }
    let time = i64::try_from(commit.committer_timestamp()).unwrap_or(i64::MAX);
    Some(CommitFacts { tree: commit.root_tree_id().to_owned(), parents, time })
}

/// The walked part of history.
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    index: HashMap<gix::ObjectId, NodeIndex>,
    /// The nodes in the order of the walk.
    pub(super) order: Vec<NodeIndex>,
    /// Why not all of it was walked.
    pub(super) stopped: Option<String>,
}

/// A commit just visited, with its first parent, for whoever looks at trees meanwhile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit {
    pub(super) node: NodeIndex,
    pub(super) tree: gix::ObjectId,
    /// `None` for a root.
    pub(super) parent_tree: Option<gix::ObjectId>,
    pub(super) paint: u64,
}

struct Walk<'a, 'b> {
    graph: Graph,
    source: &'a mut CommitSource,
    queue: BinaryHeap<(i64, std::cmp::Reverse<NodeIndex>)>,
    full: u64,
    /// How many nodes in the queue lack some paint.
    unsettled: usize,
    /// The time of the oldest visited node that lacks some paint.
    oldest: i64,
    visit: &'b mut dyn FnMut(Visit),
}

impl Graph {
    /// Walks the history of `tips`, at most [`MAX_TIPS`], painting with bit `i` what tip `i` reaches; `visit` is told
    /// of every commit whose first parent is known.
    pub(super) fn walk(
        source: &mut CommitSource,
        tips: &[gix::ObjectId],
        watch: &Watch<'_>,
        visit: &mut dyn FnMut(Visit),
    ) -> Result<Self, Error> {
        let graph = Self { nodes: Vec::new(), index: HashMap::default(), order: Vec::new(), stopped: None };
        // One tip alone is walked to its roots: there is nothing that all share.
        let full = if tips.len() >= MAX_TIPS || tips.len() < 2 { u64::MAX } else { (1 << tips.len()) - 1 };
        let queue = BinaryHeap::new();
        let mut walk = Walk { graph, source, queue, full, unsettled: 0, oldest: i64::MAX, visit };
        for (bit, tip) in tips.iter().enumerate().take(MAX_TIPS) {
            walk.reach(tip, 1 << bit)?;
        }
        walk.run(watch)?;
        Ok(walk.graph)
    }

    /// Every commit that was visited and whose first parent is known, as it is painted now.
    pub(super) fn visits(&self) -> impl Iterator<Item = Visit> {
        self.order.iter().filter_map(|&node| self.visit(node))
    }

    fn visit(&self, index: NodeIndex) -> Option<Visit> {
        let node = self.node(index);
        let parent = node.parents.first().map(|&parent| self.node(parent));
        if parent.is_some_and(|parent| parent.missing) {
            return None;
        }
        Some(Visit { node: index, tree: node.tree, parent_tree: parent.map(|parent| parent.tree), paint: node.paint })
    }

    /// Where a commit stands, if the walk met it.
    pub(super) fn find(&self, id: &gix::oid) -> Option<NodeIndex> {
        self.index.get(id).copied()
    }

    pub(super) fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index as usize]
    }

    /// Which nodes are in the history of `tips`, the tips included.
    pub(super) fn history(&self, tips: &[NodeIndex]) -> Vec<bool> {
        let mut seen = vec![false; self.nodes.len()];
        let mut stack = tips.to_vec();
        while let Some(index) = stack.pop() {
            if !std::mem::replace(&mut seen[index as usize], true) {
                stack.extend(&self.node(index).parents);
            }
        }
        seen
    }

    /// The pairs (a, b) among these places of `nodes` in which b is in the history of a.
    pub(super) fn order_of(&self, nodes: &[NodeIndex], places: &[usize]) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        for &from in places {
            let history = self.history(&[nodes[from]]);
            pairs.extend(places.iter().filter(|&&to| history[nodes[to] as usize]).map(|&to| (from, to)));
        }
        pairs
    }

    /// Which nodes have `base` in their history, itself included.
    pub(super) fn descendants(&self, base: NodeIndex) -> Vec<bool> {
        let mut children = vec![Vec::new(); self.nodes.len()];
        for (child, node) in self.nodes.iter().enumerate() {
            node.parents.iter().for_each(|&parent| children[parent as usize].push(child));
        }
        let mut seen = vec![false; self.nodes.len()];
        let mut stack = vec![base as usize];
        while let Some(index) = stack.pop() {
            if !std::mem::replace(&mut seen[index], true) {
                stack.extend(&children[index]);
            }
        }
        seen
    }

    /// The commits in both histories that no other such commit reaches. It may name one too many where the walk did
    /// not go on below what all tips share; it never leaves one out.
    pub(super) fn merge_bases(&self, a: NodeIndex, b: NodeIndex) -> Vec<NodeIndex> {
        let (of_a, of_b) = (self.history(&[a]), self.history(&[b]));
        let common: Vec<bool> = of_a.iter().zip(&of_b).map(|(a, b)| *a && *b).collect();
        let mut below = vec![false; self.nodes.len()];
        for (node, _) in self.nodes.iter().zip(&common).filter(|(_, common)| **common) {
            node.parents.iter().for_each(|&parent| below[parent as usize] = true);
        }
        (0..)
            .zip(common.iter().zip(&below))
            .filter(|(_, (common, below))| **common && !**below)
            .map(|(i, _)| i)
            .collect()
    }
}

impl Walk<'_, '_> {
    fn run(&mut self, watch: &Watch<'_>) -> Result<(), Error> {
        let mut slack = SLACK;
        while let Some(&(time, _)) = self.queue.peek() {
            if self.unsettled == 0 && time < self.oldest {
                if slack == 0 {
                    break;
                }
                slack -= 1;
            } else {
                slack = SLACK;
            }
            if let Some(why) = watch.stop(self.graph.order.len())? {
                self.graph.stopped = Some(why);
                break;
            }
            self.step()?;
        }
        Ok(())
    }

    /// Visits the youngest commit of the queue.
    fn step(&mut self) -> Result<(), Error> {
        let Some((time, std::cmp::Reverse(index))) = self.queue.pop() else { return Ok(()) };
        let number = u32::try_from(self.graph.order.len()).unwrap_or(u32::MAX - 1);
        self.graph.order.push(index);
        let node = &mut self.graph.nodes[index as usize];
        node.visited = number;
        let (paint, unread) = (node.paint, std::mem::take(&mut node.unread));
        if paint != self.full {
            self.unsettled -= 1;
            self.oldest = self.oldest.min(time);
        }
        let mut parents = Vec::with_capacity(unread.len());
        for parent in &unread {
            parents.push(self.reach(parent, paint)?);
        }
        self.graph.nodes[index as usize].parents = parents;
        if let Some(visit) = self.graph.visit(index) {
            (self.visit)(visit);
        }
        Ok(())
    }

    /// Paints a commit, and what was already visited below it.
    fn reach(&mut self, id: &gix::oid, paint: u64) -> Result<NodeIndex, Error> {
        let Some(index) = self.graph.find(id) else { return self.meet(id, paint) };
        let mut stack = vec![(index, paint)];
        while let Some((index, paint)) = stack.pop() {
            let node = &mut self.graph.nodes[index as usize];
            if node.paint | paint == node.paint {
                continue;
            }
            node.paint |= paint;
            if node.missing {
                continue;
            }
            if node.visited == u32::MAX {
                self.unsettled -= usize::from(node.paint == self.full);
            } else {
                stack.extend(node.parents.iter().map(|&parent| (parent, paint)));
            }
        }
        Ok(index)
    }

    fn meet(&mut self, id: &gix::oid, paint: u64) -> Result<NodeIndex, Error> {
        let index = NodeIndex::try_from(self.graph.nodes.len()).unwrap_or(NodeIndex::MAX);
        let facts = self.source.read(id)?;
        let missing = facts.is_none();
        let nothing = || CommitFacts { tree: gix::ObjectId::null(id.kind()), parents: Vec::new(), time: 0 };
        let CommitFacts { tree, parents: unread, time } = facts.unwrap_or_else(nothing);
        let (id, parents) = (id.to_owned(), Vec::new());
        self.graph.nodes.push(Node { id, tree, parents, unread, paint, visited: u32::MAX, missing });
        self.graph.index.insert(id, index);
        if !missing {
            self.queue.push((time, std::cmp::Reverse(index)));
            self.unsettled += usize::from(paint != self.full);
        }
        Ok(index)
    }
}
