//! The truth about a question, from the model alone: no merge, no commit of git, only what each edit became.

use super::compare::edits_between;
use super::edit::{Edit, Status};
use super::model::Tree;
use super::world::World;

/// One question about a history.
#[derive(Clone, Debug)]
pub(super) struct Query {
    /// Where the work starts; none leaves it to okstra.
    pub(super) base: Option<usize>,
    pub(super) head: usize,
    /// The integration that may have landed instead: from the fork to this.
    pub(super) carrier: Option<usize>,
    /// The stage's commits that are meant, by place.
    pub(super) commits: std::ops::Range<usize>,
}

/// What may be said of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Truth {
    /// All of it is in the candidate, or was and was only worked on since.
    pub(super) may_be_contained: bool,
    /// All of it was there once, but some was taken out again, whether or not the place was worked on later.
    pub(super) is_gone: bool,
    /// Nothing of it ever was in the candidate.
    pub(super) may_be_absent: bool,
}

impl World {
    /// The questions worth asking.
    pub(super) fn queries(&self) -> Vec<Query> {
        let Some((head, _)) = self.stage.last() else { return Vec::new() };
        let (head, count) = (*head, self.stage.len());
        let whole = Query { base: Some(self.fork), head, carrier: None, commits: 0..count };
        let mut queries = vec![whole.clone(), Query { base: None, ..whole.clone() }];
        if count > 1 {
            let middle = count / 2;
            let cut = self.stage[middle - 1].0;
            queries.push(Query { base: Some(cut), commits: middle..count, ..whole.clone() });
            queries.push(Query { head: cut, commits: 0..middle, ..whole.clone() });
        }
        if self.integration.is_some() {
            queries.push(Query { carrier: self.integration, ..whole });
        }
        queries
    }

    /// The bases that a question means: the given one, or every merge base.
    pub(super) fn bases(&self, query: &Query) -> Vec<usize> {
        query.base.map_or_else(|| self.merge_bases(query.head, self.main), |base| vec![base])
    }

    pub(super) fn truth(&self, query: &Query) -> Truth {
        let bases = self.bases(query);
        let truths: Vec<Truth> = bases.iter().map(|&base| self.truth_from(query, base)).collect();
        Truth {
            may_be_contained: truths.iter().any(|truth| truth.may_be_contained),
            is_gone: truths.iter().any(|truth| truth.is_gone),
            may_be_absent: truths.iter().all(|truth| truth.may_be_absent),
        }
    }

    fn truth_from(&self, query: &Query, base: usize) -> Truth {
        if self.reaches(self.main, query.head) {
            return Truth { may_be_contained: true, is_gone: false, may_be_absent: false };
        }
        let range = self.history(self.main) & !self.history(base);
        let net = self.own_edits(base, query.head);
        let was_in_any =
            |set: u128, edit: &Edit| self.members(set).any(|commit| is_there(edit.status(&self.commits[commit].tree)));
        let was_in = |edit: &Edit| was_in_any(range, edit);
        let integrated = query.carrier.is_some_and(|carrier| {
            let edits = edits_between(&self.commits[self.fork].tree, &self.commits[carrier].tree);
            edits.iter().all(was_in)
        });
        // What main had before the stage started counts too, as does what landed commit by commit.
        let all = self.history(self.main);
        let mut commits = self.stage[query.commits.clone()].iter().flat_map(|(_, edits)| edits);
        let landed = integrated || commits.all(|edit| was_in_any(all, edit));
        let tip = &self.commits[self.main].tree;
        let was_all_there = net.iter().all(|edit| landed || was_in_any(all, edit));
        let is_gone = |edit: &Edit| match edit.status(tip) {
            Status::Out => !is_part_of_hunk(edit, &net, &self.commits[query.head].tree),
            Status::Other => self.was_taken_out(edit, range),
            _ => false,
        };
        let gone = net.iter().any(is_gone) && !self.is_all_there();
        let fork = &self.commits[self.fork].tree;
        let based = self.history(base);
        let commits = self.stage[query.commits.clone()].iter().filter(|(commit, _)| based >> commit & 1 == 0);
        let commits = commits.flat_map(|(_, edits)| edits);
        let traced = commits.chain(&net).filter(|edit| !is_there(edit.status(fork))).any(was_in);
        Truth {
            may_be_contained: was_all_there && !gone,
            is_gone: was_all_there && gone,
            may_be_absent: !traced && !self.is_altered,
        }
    }

    /// Whether main did without the edit after all places where it was.
    fn was_taken_out(&self, edit: &Edit, range: u128) -> bool {
        let status = |commit: usize| edit.status(&self.commits[commit].tree);
        let line = self.first_parents(self.main).into_iter().filter(|&commit| range >> commit & 1 == 1);
        let Some(without) = line.rev().find(|&commit| status(commit) == Status::Out) else { return false };
        let before = self.history(without);
        let mut places = self.members(range).filter(|&commit| is_there(status(commit))).peekable();
        places.peek().is_some() && places.all(|commit| before >> commit & 1 == 1)
    }

    /// Whether the whole stage is in effect, so that what its later commits made of earlier ones is no loss.
    fn is_all_there(&self) -> bool {
        let tip = &self.commits[self.main].tree;
        let edits = self.stage.last().map(|(head, _)| self.own_edits(self.fork, *head));
        edits.into_iter().flatten().all(|edit| is_there(edit.status(tip)))
    }

    /// What lies between two commits of the stage, without what came from main by merging it.
    fn own_edits(&self, base: usize, head: usize) -> Vec<Edit> {
        let start = &self.commits[base].tree;
        let mut edits = edits_between(start, &self.commits[head].tree);
        let merges = self.stage.iter().map(|(commit, _)| &self.commits[*commit]);
        let range = self.history(head) & !self.history(base);
        for merge in merges.filter(|commit| commit.parents.len() > 1 && range >> commit.parents[1] & 1 == 1) {
            let theirs = edits_between(start, &self.commits[merge.parents[1]].tree);
            edits.retain(|edit| !theirs.iter().any(|other| other.is_like(edit)));
        }
        if edits.is_empty() {
            return edits_between(start, &self.commits[head].tree);
        }
        edits
    }
}

/// Whether a newline at the end goes with lines that were changed there: to git both are one hunk.
fn is_part_of_hunk(edit: &Edit, others: &[Edit], head: &Tree) -> bool {
    let Edit::Newline { who, .. } = edit else { return false };
    let last = head.values().find(|file| file.who == *who).and_then(|file| file.body.lines().last().copied());
    others.iter().any(|other| match other {
        Edit::Lines { who: same, after, .. } => same == who && (after.is_none() || *after == last),
        _ => false,
    })
}

fn is_there(status: Status) -> bool {
    matches!(status, Status::In | Status::Unsure)
}
