//! What a stage changes: the raw change lists of the whole and of its commits.

use super::Error;
use super::changes::changed_paths;
use super::graph::CommitSource;
use super::objects::{CommitFacts, Objects, gix_id};
use super::paths::{Finder, PathSet};
use super::search::Span;
use crate::domain::equivalence::{PathChange, RepoPath, Stage, Unit};
use crate::domain::ids::CommitId;

/// A stage of more commits than this is looked for as a whole only.
const MAX_COMMITS: usize = 10_000;
/// No file system nests folders so deep; reading on would only overflow the stack.
const MAX_DEPTH: usize = 1_000;

/// A stage, with the trees behind it.
pub(super) struct Shape {
    pub(super) stage: Stage,
    pub(super) trees: Trees,
    /// The trees before and after each of [`Stage::commits`].
    pub(super) commit_trees: Vec<Trees>,
}

/// The trees between which a change lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trees {
    pub(super) old: gix::ObjectId,
    pub(super) new: gix::ObjectId,
}

/// Reads what `span` changes. Where objects are missing the stage is marked as not known.
pub(super) fn read_shape(source: &mut CommitSource, objects: &Objects, span: Span) -> Result<Shape, Error> {
    let nothing = gix::ObjectId::empty_tree(objects.hash);
    let (base, head) = (source.read(&gix_id(span.base.0))?, source.read(&gix_id(span.head.0))?);
    let mut known = base.is_some() && head.is_some();
    let tree = |facts: Option<CommitFacts>| facts.map_or(nothing, |facts| facts.tree);
    let trees = Trees { old: tree(base), new: tree(head) };
    let line = line(source, span)?;
    let commit_trees: Vec<Trees> = line.iter().flatten().map(|(_, trees)| *trees).collect();
    let mut all = Vec::new();
    for pair in commit_trees.iter().chain([&trees]) {
        match changed_paths(objects, Some(&pair.old), &pair.new)? {
            Some(paths) => all.extend(paths),
            None => known = false,
        }
    }
    known &= all.iter().all(|path: &RepoPath| path.as_bytes().iter().filter(|&&byte| byte == b'/').count() < MAX_DEPTH);
    if !known {
        all.clear();
    }
    all.sort_unstable();
    all.dedup();
    let finder = Finder::new(PathSet::new(&all));
    let whole = unit(&finder, objects, span.head, trees, all.len())?;
    let mut commits = line.is_some().then(Vec::new);
    for (commit, pair) in line.into_iter().flatten() {
        let unit = unit(&finder, objects, commit, pair, all.len())?;
        commits.get_or_insert_default().push(unit);
    }
    Ok(Shape { stage: Stage { paths: all, whole, commits, known }, trees, commit_trees })
}

fn unit(finder: &Finder, objects: &Objects, commit: CommitId, trees: Trees, paths: usize) -> Result<Unit, Error> {
    let (old, new) = (finder.state(objects, &trees.old)?, finder.state(objects, &trees.new)?);
    let slots = finder.slots(old, 0..paths).into_iter().zip(finder.slots(new, 0..paths)).enumerate();
    let changes = slots.map(|(path, (old, new))| PathChange { path, old, new });
    let changes = changes.filter(|change| change.old.raw() != change.new.raw() || change.old.is_unknown()).collect();
    Ok(Unit { commit, changes })
}

/// The commits from base to head, oldest first, with the trees around each; `None` where they are no line of single
/// parents.
fn line(source: &mut CommitSource, span: Span) -> Result<Option<Vec<(CommitId, Trees)>>, Error> {
    let (base, mut at) = (gix_id(span.base.0), gix_id(span.head.0));
    let mut commits = Vec::new();
    while at != base {
        let Some(facts) = source.read(&at)? else { return Ok(None) };
        let &[parent] = facts.parents.as_slice() else { return Ok(None) };
        let Some(above) = source.read(&parent)? else { return Ok(None) };
        if commits.len() == MAX_COMMITS {
            return Ok(None);
        }
        commits.push((super::objects::commit_id(&at), Trees { old: above.tree, new: facts.tree }));
        at = parent;
    }
    commits.reverse();
    Ok(Some(commits))
}

/// Every path that one of the stages touches, sorted.
pub(super) fn all_paths<'s>(shapes: impl Iterator<Item = &'s Shape>) -> Vec<RepoPath> {
    let mut all: Vec<RepoPath> = shapes.flat_map(|shape| shape.stage.paths.iter().cloned()).collect();
    all.sort_unstable();
    all.dedup();
    all
}
