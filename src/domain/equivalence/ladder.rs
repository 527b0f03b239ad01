//! The ladder of proofs, as an engine that asks for one fact after another.
//!
//! Facts of history are dear, so none is gathered ahead: [`Ladder::next_step`] says what is needed now, whoever drives it
//! reads that and hands it to [`Ladder::tell`], until the answer stands. The order is that of the specification:
//! ancestor, same change, replay, per commit, same end, carrier; then the effect; and where nothing was proved, whether
//! it is surely not there.

use super::answer::{ContentMerged, Effect, Proof, Status, Verdict};
use std::collections::HashSet;

use super::change::{RepoPath, Sighting, Stage};
use super::effect::{effect, within};
use super::merge::may_replay;
use super::question::{Answer, Coverage, Probes, Question, Reach, ReplayBase, Replayed, Scope};
use super::trace::trace_by_ids;
use super::{matching, reason};
use crate::domain::ids::CommitId;

/// Where and how the content landed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landing {
    /// The commit that brought it.
    pub commit: CommitId,
    /// What proves it.
    pub proof: Proof,
    /// Paths outside the stage that the commit changes besides.
    pub others: Vec<RepoPath>,
}

/// What the ladder wants next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// This fact.
    Ask(Question),
    /// Nothing: the answer stands.
    Done(ContentMerged),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Phase {
    Reach,
    Sightings,
    Replay {
        place: usize,
        base: ReplayBase,
    },
    /// Landed with the first of these places, by this proof, if all are beyond the base.
    Beyond {
        places: Vec<usize>,
        proof: Proof,
    },
    PerCommit {
        commit: usize,
        place: usize,
    },
    Order,
    SameEnd,
    Carrier(usize),
    Others(usize),
    Effect,
    /// Which of the places nearer than the landing hold it in their history.
    Since(usize),
    Gone(Vec<usize>),
    Trace {
        place: usize,
        scope: usize,
    },
    Done,
}

/// The engine. See the module's text.
#[derive(Clone, Debug)]
pub struct Ladder {
    pub(super) stage: Stage,
    pub(super) candidate: Candidate,
    carriers: usize,
    phase: Phase,
    pub(super) reach: Reach,
    pub(super) sightings: Vec<Sighting>,
    pub(super) coverage: Coverage,
    /// The commits that change something, by their place in [`Stage::commits`].
    pub(super) solid: Vec<usize>,
    /// For each of these, the places where it landed.
    pub(super) found: Vec<Vec<usize>>,
    pub(super) landing: Option<Landing>,
    /// A landing that is given, not looked for.
    known_landing: Option<CommitId>,
    /// A landing that was taken out again.
    lost_landing: Option<Landing>,
    pub(super) effect: Effect,
    paths_exist: Option<bool>,
    /// A sighting that holds some of the stage, where nothing was proved.
    pub(super) trace: Option<usize>,
    /// Some answer could not be given.
    pub(super) gaps: bool,
}

/// The candidate, as it is named in reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its full name.
    pub name: String,
    /// Its commit.
    pub commit: CommitId,
}

impl Ladder {
    /// A ladder that looks for `stage` in `candidate`; `carriers` are so many recorded integrations that hold its head.
    pub fn new(stage: Stage, candidate: Candidate, carriers: usize) -> Self {
        let solid = stage.solid_commits();
        Self {
            found: vec![Vec::new(); solid.len()],
            solid,
            gaps: !stage.known,
            stage,
            candidate,
            carriers,
            phase: Phase::Reach,
            reach: Reach::default(),
            sightings: Vec::new(),
            coverage: Coverage::Whole,
            landing: None,
            known_landing: None,
            lost_landing: None,
            effect: Effect::Unknown,
            paths_exist: None,
            trace: None,
        }
    }

    /// A ladder that knows where `stage` landed, by recorded fingerprints, and asks only what became of it.
    pub fn landed(stage: Stage, candidate: Candidate, commit: CommitId) -> Self {
        Self { known_landing: Some(commit), phase: Phase::Sightings, ..Self::new(stage, candidate, 0) }
    }

    /// A ladder for a candidate that has the head of `stage` in its history, and asks only what became of it since.
    pub fn merged(stage: Stage, candidate: Candidate) -> Self {
        let last = stage.solid_commits().last().map(|&number| stage.unit(Scope::Commit(number)).commit);
        let landing = last.unwrap_or(stage.whole.commit);
        Self::landed(stage, candidate, landing)
    }

    /// What is needed next, or the answer. Asking twice without telling gives the same question.
    pub fn next_step(&mut self) -> Step {
        loop {
            let question = match self.phase.clone() {
                Phase::Reach => Some(Question::Reach),
                Phase::Sightings => Some(Question::Sightings),
                Phase::Replay { place, base } => self.next_replay(place, base),
                Phase::Beyond { places, .. } => Some(Question::Beyond(places)),
                Phase::PerCommit { commit, place } => self.next_commit(commit, place),
                Phase::Order => self.next_order(),
                Phase::SameEnd => self.next_same_end(),
                Phase::Carrier(number) => self.next_carrier(number),
                Phase::Others(place) => Some(Question::Others(place)),
                Phase::Effect => Some(Question::Effect),
                Phase::Since(landing) => Some(Question::Order((0..=landing).collect())),
                Phase::Gone(places) => Some(Question::Gone(places)),
                Phase::Trace { place, scope } => self.next_trace(place, scope),
                Phase::Done => return Step::Done(self.conclude()),
            };
            if let Some(question) = question {
                return Step::Ask(question);
            }
        }
    }

    /// Takes the answer to the question that [`Ladder::next_step`] asked last; any other answer changes nothing.
    pub fn tell(&mut self, answer: Answer) {
        match (self.phase.clone(), answer) {
            (Phase::Reach, Answer::Reach(reach)) => self.told_reach(reach),
            (Phase::Sightings, Answer::Sightings(sightings, coverage)) => self.told_sightings(sightings, coverage),
            (Phase::Replay { place, base }, Answer::Replay(replayed)) => self.told_replay(place, base, &replayed),
            (Phase::PerCommit { commit, place }, Answer::Replay(replayed)) => {
                self.gaps |= replayed == Replayed::Unknown;
                if replayed == Replayed::Equal {
                    self.found[commit].push(place);
                }
                self.phase = Phase::PerCommit { commit, place: place + 1 };
            }
            (Phase::Beyond { places, proof }, Answer::Beyond(beyond)) => self.told_beyond(&places, proof, &beyond),
            (Phase::Order, Answer::Order(pairs)) => self.told_order(&pairs),
            (Phase::SameEnd, Answer::SameEnd(same)) => {
                self.gaps |= same.is_none();
                if same == Some(true) {
                    self.land(self.candidate.commit, Proof::SameEnd);
                } else {
                    self.phase = Phase::Carrier(0);
                }
            }
            (Phase::Carrier(number), Answer::Carrier(landed)) => match landed {
                Some(commit) => self.land(commit, Proof::Carrier),
                None => self.phase = Phase::Carrier(number + 1),
            },
            (Phase::Others(_), Answer::Others(others)) => {
                if let Some(landing) = &mut self.landing {
                    landing.others = others;
                }
                self.phase = Phase::Effect;
            }
            (Phase::Effect, Answer::Effect(probes)) => self.told_effect(&probes),
            (Phase::Since(landing), Answer::Order(pairs)) => {
                let since = pairs.iter().filter(|(from, to)| *to == landing && *from != landing);
                self.phase = Phase::Gone(since.map(|(from, _)| *from).collect());
            }
            (Phase::Gone(_), Answer::Gone(gone)) => {
                self.told_gone(&gone);
            }
            (Phase::Trace { place, scope }, Answer::Trace(trace)) => self.told_trace(place, scope, trace),
            _ => {}
        }
    }

    fn told_reach(&mut self, reach: Reach) {
        self.reach = reach;
        self.phase = if self.stage.whole.changes.is_empty() || !self.stage.known {
            Phase::Done
        } else if reach.head == Some(true) {
            Phase::Effect
        } else {
            Phase::Sightings
        };
    }

    fn told_sightings(&mut self, sightings: Vec<Sighting>, coverage: Coverage) {
        self.sightings = sightings;
        self.coverage = coverage;
        if let Some(commit) = self.known_landing {
            return self.land(commit, Proof::Fingerprint);
        }
        let lands = |sighting: &Sighting| sighting.makes(&self.stage.whole) && !self.stage.is_amid(sighting);
        self.phase = match self.sightings.iter().position(lands) {
            Some(place) => Phase::Beyond { places: vec![place], proof: Proof::SameChange },
            None => Phase::Replay { place: 0, base: ReplayBase::Recorded },
        };
    }

    fn next_replay(&mut self, place: usize, base: ReplayBase) -> Option<Question> {
        let Some(sighting) = self.sightings.get(place) else {
            self.phase = Phase::PerCommit { commit: 0, place: 0 };
            return None;
        };
        if sighting.is_void || self.stage.is_amid(sighting) {
            self.phase = Phase::Replay { place: place + 1, base: ReplayBase::Recorded };
            return None;
        }
        if base == ReplayBase::Recorded && !may_replay(&self.stage.whole, sighting) {
            self.phase = Phase::Replay { place, base: ReplayBase::Natural };
            return None;
        }
        Some(Question::Replay { place, scope: Scope::Whole, base })
    }

    fn told_replay(&mut self, place: usize, base: ReplayBase, replayed: &Replayed) {
        self.gaps |= *replayed == Replayed::Unknown;
        self.phase = match (replayed, base) {
            (Replayed::Equal, _) => Phase::Beyond { places: vec![place], proof: Proof::Replay },
            (_, ReplayBase::Recorded) => Phase::Replay { place, base: ReplayBase::Natural },
            (_, ReplayBase::Natural) => Phase::Replay { place: place + 1, base: ReplayBase::Recorded },
        };
    }

    /// It landed and was taken out: what is there now came in some other way. That may have been another landing since.
    fn told_gone(&mut self, gone: &[usize]) {
        self.phase = Phase::Done;
        let Some(&last) = gone.iter().min() else { return };
        let found = self.landing.as_ref().map(|landing| landing.proof);
        // Only what was found among the sightings can be found again nearer: each round leaves fewer of them.
        if !matches!(found, Some(Proof::SameChange | Proof::Replay | Proof::PerCommit)) {
            self.effect = Effect::Partial;
            return;
        }
        self.lost_landing = self.landing.take();
        for sighting in self.sightings.iter_mut().skip(last) {
            sighting.is_void = true;
        }
        self.found.iter_mut().for_each(Vec::clear);
        let (sightings, coverage) = (std::mem::take(&mut self.sightings), self.coverage.clone());
        self.told_sightings(sightings, coverage);
    }

    /// What the walk takes for commits beyond the base can be in its history after all, where clocks went backwards.
    /// Such a sighting proves nothing, and the search goes on without it.
    fn told_beyond(&mut self, places: &[usize], proof: Proof, beyond: &[Option<bool>]) {
        let inside = places.iter().zip(beyond).filter(|(_, beyond)| **beyond != Some(true));
        let inside: Vec<usize> = inside.map(|(&place, _)| place).collect();
        self.gaps |= beyond.iter().any(Option::is_none);
        if let (true, Some(&place)) = (inside.is_empty(), places.first()) {
            self.land(self.sightings[place].commit, proof);
            if proof != Proof::PerCommit {
                self.phase = Phase::Others(place);
            }
            return;
        }
        for place in inside {
            self.sightings[place].is_void = true;
        }
        self.found.iter_mut().for_each(Vec::clear);
        let (sightings, coverage) = (std::mem::take(&mut self.sightings), self.coverage.clone());
        self.told_sightings(sightings, coverage);
    }

    /// Looks for each commit that changes something; a stage with only one such commit was looked for as a whole.
    fn next_commit(&mut self, commit: usize, place: usize) -> Option<Question> {
        let solid = &self.solid;
        if solid.len() < 2 || commit >= solid.len() {
            self.phase = Phase::Order;
            return None;
        }
        let Some(sighting) = self.sightings.get(place) else {
            self.phase = Phase::PerCommit { commit: commit + 1, place: 0 };
            return None;
        };
        let scope = Scope::Commit(solid[commit]);
        let unit = self.stage.unit(scope);
        if sighting.touches_besides(unit) {
            // A review that was amended into it: not what the stage did.
        } else if sighting.makes(unit) {
            self.found[commit].push(place);
        } else if may_replay(unit, sighting) {
            return Some(Question::Replay { place, scope, base: ReplayBase::Recorded });
        }
        self.phase = Phase::PerCommit { commit, place: place + 1 };
        None
    }

    fn next_order(&mut self) -> Option<Question> {
        if self.found.len() < 2 || self.found.iter().any(Vec::is_empty) {
            self.phase = Phase::SameEnd;
            return None;
        }
        let mut places: Vec<usize> = self.found.iter().flatten().copied().collect();
        places.sort_unstable();
        places.dedup();
        Some(Question::Order(places))
    }

    fn told_order(&mut self, pairs: &[(usize, usize)]) {
        let pairs: HashSet<&(usize, usize)> = pairs.iter().collect();
        self.phase = match matching::landing(&self.found, |a, b| a == b || pairs.contains(&(a, b))) {
            Some(place) => {
                let mut places = vec![place];
                places.extend(self.found.iter().flatten().filter(|&&other| other != place));
                Phase::Beyond { places, proof: Proof::PerCommit }
            }
            None => Phase::SameEnd,
        };
    }

    fn next_same_end(&mut self) -> Option<Question> {
        if self.reach.base == Some(true) {
            return Some(Question::SameEnd);
        }
        self.phase = Phase::Carrier(0);
        None
    }

    fn next_carrier(&mut self, number: usize) -> Option<Question> {
        if number < self.carriers {
            return Some(Question::Carrier(number));
        }
        self.phase = Phase::Effect;
        None
    }

    /// Proved. What follows is the effect, and for a single commit what else it changes.
    fn land(&mut self, commit: CommitId, proof: Proof) {
        self.landing = Some(Landing { commit, proof, others: Vec::new() });
        self.phase = Phase::Effect;
    }

    fn told_effect(&mut self, probes: &Probes) {
        self.effect = effect(&probes.recorded);
        self.paths_exist = probes.paths_exist;
        if self.landing.is_some() {
            self.effect = probes.inside.iter().map(effect).fold(self.effect, within);
        }
        let unproved = self.landing.is_none() && self.reach.head != Some(true);
        if unproved && self.is_foreign() {
            self.effect = Effect::Absent;
        }
        if let (None, Some(landing)) = (&self.landing, self.lost_landing.take()) {
            self.landing = Some(landing);
            self.effect = Effect::Partial;
            self.phase = Phase::Done;
            return;
        }
        let landed_at = self.landing.as_ref().and_then(|landing| self.place_of(landing.commit));
        // What brought it touches its paths. Where that cannot be looked at, nor can what became of it since.
        if self.landing.is_some() && landed_at.is_none() && self.effect == Effect::Evolved {
            self.effect = Effect::Partial;
        }
        self.phase = match landed_at {
            Some(place) if self.effect == Effect::Evolved && place > 0 => Phase::Since(place),
            None if unproved && self.effect == Effect::Absent && !self.landed_in_part() => {
                Phase::Trace { place: 0, scope: 0 }
            }
            _ => Phase::Done,
        };
    }

    fn place_of(&self, commit: CommitId) -> Option<usize> {
        self.sightings.iter().position(|sighting| sighting.commit == commit)
    }

    /// No common history, and none of its paths exist.
    pub(super) fn is_foreign(&self) -> bool {
        self.reach.common == Some(false) && self.paths_exist == Some(false)
    }

    /// Whether one of the commits landed, though not all.
    pub(super) fn landed_in_part(&self) -> bool {
        self.found.iter().any(|places| !places.is_empty())
    }

    fn next_trace(&mut self, place: usize, scope: usize) -> Option<Question> {
        let Some(sighting) = self.sightings.get(place) else {
            self.phase = Phase::Done;
            return None;
        };
        if self.stage.commits.is_none() {
            // What single commits of it hold cannot be told apart, so that each touch may be a part.
            self.told_trace(place, scope, Some(true));
            return None;
        }
        let Some(&number) = self.solid.get(scope) else {
            self.phase = Phase::Trace { place: place + 1, scope: 0 };
            return None;
        };
        let wanted = Scope::Commit(number);
        match trace_by_ids(self.stage.unit(wanted), sighting) {
            Some(trace) => {
                self.told_trace(place, scope, Some(trace));
                None
            }
            None => Some(Question::Trace { place, scope: wanted }),
        }
    }

    fn told_trace(&mut self, place: usize, scope: usize, trace: Option<bool>) {
        self.gaps |= trace.is_none();
        if trace == Some(true) {
            self.trace = Some(place);
            self.phase = Phase::Done;
        } else {
            self.phase = Phase::Trace { place, scope: scope + 1 };
        }
    }

    fn conclude(&self) -> ContentMerged {
        let (status, matched_commit, proof, verdict) = if self.reach.head == Some(true) {
            (Status::Ancestor, Some(self.stage.whole.commit), Some(Proof::Ancestry), Verdict::Contained)
        } else if let Some(landing) = &self.landing {
            // With a base that the head did not grow from, the change is not what the stage did.
            let based = self.reach.based != Some(false);
            let there = based && matches!(self.effect, Effect::Present | Effect::Evolved);
            let verdict = if there { Verdict::Contained } else { Verdict::Ask };
            (Status::PatchEquivalent, Some(landing.commit), Some(landing.proof), verdict)
        } else {
            (Status::NotMerged, None, None, if self.is_surely_absent() { Verdict::Absent } else { Verdict::Ask })
        };
        let mut answer =
            ContentMerged { status, matched_commit, verdict, proof, effect: self.effect, reason: String::new() };
        answer.reason = reason::sentence(self, &answer);
        answer
    }

    fn is_surely_absent(&self) -> bool {
        self.reach.head == Some(false)
            && self.reach.based == Some(true)
            && self.effect == Effect::Absent
            && self.coverage == Coverage::Whole
            && !self.gaps
            && !self.landed_in_part()
            && self.trace.is_none()
    }
}

#[cfg(test)]
mod tests;
