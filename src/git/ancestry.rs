//! Merge bases, and whether two commits have anything in common.

use super::changes::changed_paths;
use super::graph::{CommitSource, Graph, Watch};
use super::objects::{Readers, commit_id, domain_id, gix_id};
use super::paths::{Finder, PathSet};
use super::search::{Limits, Span};
use super::shape::read_shape;
use super::{Error, Repository};
use crate::context::Context;
use crate::domain::equivalence::Stage;
use crate::domain::ids::{CommitId, ObjectId};

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
        self.source.remember();
        let tips = [gix_id(a.0), gix_id(b.0)];
        let graph = Graph::walk(&mut self.source, &tips, &Watch::new(context, limits), &mut |_| {})?;
        let (Some(a), Some(b)) = (graph.find(&tips[0]), graph.find(&tips[1])) else {
            return Ok(MergeBases { commits: Vec::new(), complete: false });
        };
        let mut bases = graph.merge_bases(a, b);
        bases.retain(|&base| !graph.node(base).missing);
        bases.sort_by_key(|&base| graph.node(base).visited);
        let complete = graph.stopped.is_none() && !graph.nodes.iter().any(|node| node.missing);
        Ok(MergeBases { commits: bases.into_iter().map(|base| commit_id(&graph.node(base).id)).collect(), complete })
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
