//! Merge bases, who reaches whom, and whether two commits have anything in common.

use super::changes::changed_paths;
use super::graph::{CommitSource, Graph, Node, NodeIndex, Watch};
use super::objects::{Readers, commit_id, domain_id, gix_id};
use super::paths::{Finder, PathSet};
use super::search::{Limits, Span};
use super::shape::read_shape;
use super::{Error, Repository};
use crate::context::Context;
use crate::domain::equivalence::Stage;
use crate::domain::ids::{CommitId, ObjectId};

/// What the first of two tips paints with, and the second.
const TIP: u64 = 1;
const OTHER: u64 = 2;

/// The merge bases of two commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeBases {
    /// The commits, the youngest first; none where the two share no history, as far as it was seen.
    pub commits: Vec<CommitId>,
    /// Whether all of the history that matters was seen.
    pub complete: bool,
}

/// The history of a repository, as one question after another is put to it: what an earlier one read is remembered, and
/// what is damaged is noted.
pub struct History<'r> {
    pub(super) readers: Readers<'r>,
    pub(super) source: CommitSource,
}

impl<'r> History<'r> {
    /// The history of `repository`, of which nothing is read yet.
    pub fn new(repository: &'r Repository) -> Self {
        let readers = Readers::new(repository);
        let source = CommitSource::new(&readers);
        Self { readers, source }
    }

    /// The merge bases of `a` and `b`.
    ///
    /// # Errors
    /// When objects cannot be read, or the work was cancelled.
    pub fn merge_bases(
        &mut self,
        context: &Context,
        a: CommitId,
        b: CommitId,
        limits: Limits,
    ) -> Result<MergeBases, Error> {
        let graph = self.walk_pair(context, [a, b], limits)?;
        let (Some(a), Some(b)) = (graph.find(&gix_id(a.0)), graph.find(&gix_id(b.0))) else {
            return Ok(MergeBases { commits: Vec::new(), complete: false });
        };
        let mut bases = graph.merge_bases(a, b);
        bases.retain(|&base| !graph.node(base).missing);
        bases.sort_by_key(|&base| graph.node(base).visited);
        let complete = graph.stopped.is_none() && !graph.nodes.iter().any(|node| node.missing);
        Ok(MergeBases { commits: bases.into_iter().map(|base| commit_id(&graph.node(base).id)).collect(), complete })
    }

    /// Whether `commit` is in the history of `tip`, itself included; `None` where that cannot be told: history was cut
    /// off, objects are missing or damaged, the search stopped early.
    ///
    /// # Errors
    /// When objects cannot be read, or the work was cancelled.
    pub fn reaches(
        &mut self,
        context: &Context,
        tip: CommitId,
        commit: CommitId,
        limits: Limits,
    ) -> Result<Option<bool>, Error> {
        if tip == commit {
            return Ok(Some(true));
        }
        let graph = self.walk_pair(context, [tip, commit], limits)?;
        let is_reached = graph.find(&gix_id(commit.0)).is_some_and(|node| graph.node(node).paint & TIP != 0);
        // What is missing below a commit cannot be that commit, nor reach it.
        let is_open = graph.nodes.iter().any(|node| node.missing && node.paint & (TIP | OTHER) == TIP);
        Ok(match is_reached {
            true => Some(true),
            false if is_open || graph.stopped.is_some() => None,
            false => Some(false),
        })
    }

    /// How many commits `tip` has in its history that `of` lacks; `None` where that cannot be told, as in
    /// [`History::reaches`].
    ///
    /// # Errors
    /// When objects cannot be read, or the work was cancelled.
    pub fn ahead(
        &mut self,
        context: &Context,
        tip: CommitId,
        of: CommitId,
        limits: Limits,
    ) -> Result<Option<usize>, Error> {
        let graph = self.walk_pair(context, [tip, of], limits)?;
        let is_ahead = |node: &Node| node.paint & (TIP | OTHER) == TIP;
        // A missing commit that `of` reaches could bring it to one of those counted, unless each of them is above it.
        let could_hide = |missing: NodeIndex| {
            let above = graph.descendants(missing);
            graph.nodes.iter().zip(above).any(|(node, above)| is_ahead(node) && !above)
        };
        let hides = |(index, node): (NodeIndex, &Node)| node.missing && (is_ahead(node) || could_hide(index));
        let is_open = graph.stopped.is_some() || (0..).zip(&graph.nodes).any(hides);
        Ok((!is_open).then(|| graph.nodes.iter().filter(|node| is_ahead(node)).count()))
    }

    fn walk_pair(&mut self, context: &Context, pair: [CommitId; 2], limits: Limits) -> Result<Graph, Error> {
        self.source.remember();
        Graph::walk(&mut self.source, &pair.map(|id| gix_id(id.0)), &Watch::new(context, limits), &mut |_| {})
    }

    /// What lies in `span`, with the trees of base and head; `None` where something is missing.
    ///
    /// # Errors
    /// When objects cannot be read.
    pub fn stage(&mut self, span: Span) -> Result<Option<(Stage, ObjectId, ObjectId)>, Error> {
        let shape = read_shape(&mut self.source, &self.readers.objects(), span)?;
        let (base, head) = (domain_id(&shape.trees.old), domain_id(&shape.trees.new));
        Ok(shape.stage.known.then_some((shape.stage, base, head)))
    }

    /// Whether a file, link or submodule of `a` has its path in `b` too; `None` when something is missing.
    ///
    /// # Errors
    /// When objects are broken or cannot be read.
    pub fn share_a_path(&mut self, a: CommitId, b: CommitId) -> Result<Option<bool>, Error> {
        let source = &mut self.source;
        let (Some(a), Some(b)) = (source.read(&gix_id(a.0))?, source.read(&gix_id(b.0))?) else { return Ok(None) };
        let Some(paths) = changed_paths(&source.objects, None, &a.tree)? else { return Ok(None) };
        let finder = Finder::new(PathSet::new(&paths));
        let state = finder.state(&source.objects, &b.tree)?;
        let slots = finder.slots(state, 0..paths.len());
        Ok(match slots.iter().any(|slot| slot.raw().is_some()) {
            true => Some(true),
            false if slots.iter().any(|slot| slot.is_unknown()) => None,
            false => Some(false),
        })
    }
}
