//! The history search: answers what the ladder of proofs asks about one candidate, for any number of stages at once.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::beyond::{BaseHistory, beyond};
use super::graph::{Graph, MAX_TIPS, NodeIndex, Visit, Watch};
use super::merger::Merger;
use super::objects::{Readers, commit_id, gix_id};
use super::paths::{Finder, PathSet};
use super::scan::{Scan, Touch, scan};
use super::shape::{Shape, Trees, all_paths, read_shape};
use super::{Error, History};
use crate::context::{Context, Stopwatch};
use crate::domain::equivalence::{
    Answer, Coverage, Probes, Question, Reach, Replayed, RepoPath, Scope, Sighting, Stage,
};
use crate::domain::ids::CommitId;

/// A stage to look for: what lies between base and head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where it starts.
    pub base: CommitId,
    /// Where it ends.
    pub head: CommitId,
}

/// Where a search stops early.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Walk no more commits than this.
    pub max_commits: Option<u64>,
    /// Search for no longer than this, all walks and merges of one question together.
    pub deadline: Option<Deadline>,
}

/// A time that runs out.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    max: Duration,
    watch: Stopwatch,
}

impl Deadline {
    /// A deadline `max` from now.
    pub fn starting_now(context: &Context, max: Duration) -> Self {
        Self { max, watch: context.clock().start() }
    }

    /// A clause that says so, once the time has run out.
    pub(super) fn passed(&self) -> Option<String> {
        let passed = self.watch.elapsed() >= self.max;
        passed.then(|| format!("the search stopped after {} seconds", self.max.as_secs()))
    }
}

/// Most stages that one search takes: each needs two tips of the walk, beside the candidate's.
pub const MAX_SPANS: usize = (MAX_TIPS - 1) / 2;

/// One candidate, and the stages looked for in it.
pub struct Search<'r> {
    pub(super) readers: Readers<'r>,
    pub(super) context: &'r Context,
    pub(super) graph: Graph,
    pub(super) candidate: NodeIndex,
    pub(super) runs: Vec<Run>,
    pub(super) merger: Merger,
    limits: Limits,
    scan: Scan,
    /// Where each path of the scan stands.
    numbers: HashMap<RepoPath, usize>,
}

/// What a search knows of one stage.
pub(super) struct Run {
    pub(super) shape: Shape,
    /// Finds what any tree has at the stage's paths.
    pub(super) finder: Finder,
    pub(super) base: NodeIndex,
    pub(super) head: NodeIndex,
    /// The bits that base and head paint with.
    base_bit: u64,
    head_bit: u64,
    /// The nodes of the sightings, once they were asked for.
    pub(super) sighted: Vec<NodeIndex>,
    pub(super) sightings: Vec<Sighting>,
    /// Whether the candidate's history was found to rename one of the stage's paths.
    pub(super) is_renamed: bool,
    /// Whether it renamed them too often to follow.
    pub(super) is_lost_track: bool,
    pub(super) natural: Option<super::replay::Natural>,
    base_history: Option<BaseHistory>,
}

impl<'r> Search<'r> {
    /// Walks the candidate's history once for all `spans`, at most [`MAX_SPANS`] of them.
    ///
    /// # Errors
    /// When objects are broken or cannot be read, or the work was cancelled. That objects are missing is no error: the
    /// answers say so.
    pub fn new(
        history: &mut History<'r>,
        context: &'r Context,
        candidate: CommitId,
        spans: &[Span],
        limits: Limits,
    ) -> Result<Self, Error> {
        let spans = &spans[..spans.len().min(MAX_SPANS)];
        let (readers, source) = (history.readers.clone(), &mut history.source);
        let merger = Merger::new(readers.objects());
        let shapes =
            spans.iter().map(|span| read_shape(source, &merger.objects, *span)).collect::<Result<Vec<_>, _>>()?;
        let paths = all_paths(shapes.iter());
        let mut tips = vec![gix_id(candidate.0)];
        tips.extend(spans.iter().flat_map(|span| [gix_id(span.base.0), gix_id(span.head.0)]));
        let watch = Watch::new(context, limits);
        let (scan, graph) = scan(&readers, PathSet::new(&paths), context.cancel(), |look| {
            // Of no interest is what every base reaches: paint that comes later only makes it more.
            let bases = (0..spans.len()).map(base_bit).sum::<u64>();
            let wanted = |paint: u64| paint & 1 == 1 && paint & bases != bases;
            let mut looked = HashSet::new();
            let mut look_once = |seen: Visit| {
                if wanted(seen.paint) && looked.insert(seen.node) {
                    look(seen);
                }
            };
            let graph = Graph::walk(source, &tips, &watch, &mut look_once)?;
            // Where clocks went backwards, or stood still, the candidate's own paint can come late.
            graph.visits().for_each(look_once);
            Ok(graph)
        })?;
        let node = |tip: usize| graph.find(&tips[tip]).unwrap_or_default();
        let runs = shapes.into_iter().enumerate().map(|(i, shape)| Run {
            finder: Finder::new(PathSet::new(&shape.stage.paths)),
            shape,
            base: node(1 + 2 * i),
            head: node(2 + 2 * i),
            base_bit: base_bit(i),
            head_bit: base_bit(i) << 1,
            sighted: Vec::new(),
            sightings: Vec::new(),
            is_renamed: false,
            is_lost_track: false,
            natural: None,
            base_history: None,
        });
        let runs = runs.collect();
        let candidate = node(0);
        let numbers = paths.into_iter().enumerate().map(|(number, path)| (path, number)).collect();
        Ok(Self { readers, context, graph, candidate, runs, merger, limits, scan, numbers })
    }

    /// What the stage with this number changes.
    pub fn stage(&self, run: usize) -> &Stage {
        &self.runs[run].shape.stage
    }

    /// Whether the head of the stage with this number has `commit` in its history; no where that cannot be told.
    pub fn head_reaches(&self, run: usize, commit: CommitId) -> bool {
        self.paints(self.runs[run].head_bit, commit)
    }

    /// Whether its base has; no where that cannot be told.
    pub fn base_reaches(&self, run: usize, commit: CommitId) -> bool {
        self.paints(self.runs[run].base_bit, commit)
    }

    fn paints(&self, bit: u64, commit: CommitId) -> bool {
        let node = self.graph.find(&gix_id(commit.0));
        node.is_some_and(|node| self.graph.node(node).paint & bit != 0)
    }

    /// Answers a question of the ladder about the stage with this number. Carriers are not known here.
    ///
    /// # Errors
    /// When objects are broken or cannot be read.
    pub fn answer(&mut self, run: usize, question: &Question) -> Result<Answer, Error> {
        self.context.cancel().check()?;
        if let Some(why) = self.limits.deadline.and_then(|deadline| deadline.passed())
            && let Some(answer) = unanswered(question)
        {
            self.graph.stopped = Some(why);
            return Ok(answer);
        }
        Ok(match question {
            Question::Reach => Answer::Reach(self.reach(run)),
            Question::Sightings => {
                self.sight(run)?;
                Answer::Sightings(self.runs[run].sightings.clone(), self.coverage(run))
            }
            Question::Replay { place, scope, base } => Answer::Replay(self.replay(run, *place, *scope, *base)?),
            Question::Beyond(places) => Answer::Beyond(self.beyond(run, places)?),
            Question::Order(places) => Answer::Order(self.order(run, places)),
            Question::SameEnd => Answer::SameEnd(self.same_end(run)?),
            Question::Carrier(_) => Answer::Carrier(None),
            Question::Effect => {
                let (recorded, paths_exist) = self.effect(run)?;
                Answer::Effect(Probes { recorded, inside: self.effects_inside(run)?, paths_exist })
            }
            Question::Gone(places) => Answer::Gone(self.gone(run, places)?),
            Question::Trace { place, scope } => Answer::Trace(self.trace(run, *place, *scope)?),
            Question::Others(place) => Answer::Others(self.others(run, *place)?),
        })
    }

    fn reach(&self, number: usize) -> Reach {
        let run = &self.runs[number];
        // What is missing below a commit cannot be that commit, nor reach it.
        let open = |settled: u64| self.is_incomplete(|paint| paint & 1 == 1 && paint & settled == 0);
        let reached = |node: NodeIndex, bit: u64| match self.graph.node(node).paint & 1 {
            1 => Some(true),
            _ if open(bit) => None,
            _ => Some(false),
        };
        let shared = self.graph.nodes.iter().any(|node| node.paint & 1 == 1 && node.paint & run.head_bit != 0);
        let common = match shared {
            true => Some(true),
            false if self.is_incomplete(|paint| paint & (1 | run.head_bit) != 0) => None,
            false => Some(false),
        };
        let based = match self.graph.node(run.base).paint & run.head_bit {
            0 if self.is_incomplete(|paint| paint & run.head_bit != 0 && paint & run.base_bit == 0) => None,
            found => Some(found != 0),
        };
        Reach { head: reached(run.head, run.head_bit), base: reached(run.base, run.base_bit), common, based }
    }

    /// Whether the walk ended early, or a commit with such a paint is missing.
    fn is_incomplete(&self, concerns: impl Fn(u64) -> bool) -> bool {
        self.graph.stopped.is_some() || self.graph.nodes.iter().any(|node| node.missing && concerns(node.paint))
    }

    fn coverage(&self, run: usize) -> Coverage {
        let base_bit = self.runs[run].base_bit;
        if let Some(why) = &self.graph.stopped {
            return Coverage::Part(why.clone());
        }
        if self.runs[run].is_lost_track {
            return Coverage::Part("its paths were renamed too often to follow".to_owned());
        }
        if let Some(id) = self.readers.damaged.first() {
            return Coverage::Part(format!("object {id} is broken"));
        }
        if self.is_incomplete(|paint| paint & 1 == 1 && paint & base_bit == 0) {
            let why = if self.readers.repository.is_shallow() { "the clone is shallow" } else { "commits are missing" };
            return Coverage::Part(why.to_owned());
        }
        Coverage::Whole
    }

    /// Whether a node is in the candidate's history and not in the base's.
    pub(super) fn in_range(&self, run: usize, node: NodeIndex) -> bool {
        let paint = self.graph.node(node).paint;
        paint & 1 == 1 && paint & self.runs[run].base_bit == 0
    }

    /// Finds the sightings of a stage; renamed paths are followed where the stage as a whole was not found without.
    fn sight(&mut self, run: usize) -> Result<(), Error> {
        let stage = &self.runs[run].shape.stage;
        let numbers: Vec<usize> = stage.paths.iter().map(|path| self.numbers[path]).collect();
        let touches = self.scan.touches.iter().filter(|touch| self.in_range(run, touch.node));
        let touches: Vec<Touch> = touches.copied().collect();
        let mut found = Vec::new();
        for (touch, (before, after)) in touches.iter().zip(self.scan.slots(&touches, &numbers)) {
            if before != after {
                let node = self.graph.node(touch.node);
                let (commit, is_void) = (commit_id(&node.id), node.parents.is_empty());
                found.push((touch.node, Sighting { commit, is_void, before, after }));
            }
        }
        let is_found = found.iter().any(|(_, sighting)| sighting.makes(&stage.whole));
        if !is_found {
            let followed = self.follow_renames(run, &found)?;
            found.extend(followed);
        }
        found.sort_by_key(|(node, _)| self.graph.node(*node).visited);
        let run = &mut self.runs[run];
        (run.sighted, run.sightings) = found.into_iter().unzip();
        Ok(())
    }

    /// The trees before and after a commit of the walk; `None` for a root, and when its parent is missing.
    pub(super) fn trees_at(&self, node: NodeIndex) -> Option<Trees> {
        let node = self.graph.node(node);
        let parent = self.graph.node(*node.parents.first()?);
        (!parent.missing).then_some(Trees { old: parent.tree, new: node.tree })
    }

    fn beyond(&mut self, number: usize, places: &[usize]) -> Result<Vec<Option<bool>>, Error> {
        let run = &mut self.runs[number];
        let nodes: Vec<_> = places.iter().map(|&place| run.sighted[place]).collect();
        beyond(&self.graph, &mut self.merger.objects, &mut run.base_history, run.base, &nodes)
    }

    fn order(&self, run: usize, places: &[usize]) -> Vec<(usize, usize)> {
        self.graph.order_of(&self.runs[run].sighted, places)
    }

    /// The trees between which the change lies.
    pub(super) fn scope_trees(&self, run: usize, scope: Scope) -> Trees {
        let shape = &self.runs[run].shape;
        match scope {
            Scope::Whole => shape.trees,
            Scope::Commit(number) => shape.commit_trees[number],
        }
    }
}

/// The answer to a question for which there is no time; `None` where answering takes none.
fn unanswered(question: &Question) -> Option<Answer> {
    Some(match question {
        Question::Replay { .. } => Answer::Replay(Replayed::Unknown),
        Question::Beyond(places) => Answer::Beyond(vec![None; places.len()]),
        Question::SameEnd => Answer::SameEnd(None),
        Question::Effect => Answer::Effect(Probes::default()),
        Question::Trace { .. } => Answer::Trace(None),
        Question::Others(_) => Answer::Others(Vec::new()),
        Question::Gone(places) => Answer::Gone(places.clone()),
        Question::Reach | Question::Sightings | Question::Order(_) | Question::Carrier(_) => return None,
    })
}

/// The bit that the base of a stage paints with; its head has the next one, and the candidate the first.
fn base_bit(run: usize) -> u64 {
    2 << (2 * run)
}
