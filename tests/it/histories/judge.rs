//! What is wrong with an answer, by the truth of the model and by the oracle.

use std::collections::BTreeMap;

use okstra::domain::equivalence::{ContentMerged, Effect, Proof, Status, Verdict};
use okstra::domain::ids::CommitId;

use super::model::{Tree, differing};
use super::oracle::{Certainty, Effects, Findings, Places};
use super::truth::Query;
use super::world::World;

/// What can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    /// Contained, though something of it never was there.
    Dangerous,
    /// Contained, though some of it was taken out after it had landed.
    GoneAgain,
    /// Contained, though no proof of the specification holds there.
    Unproved,
    /// Absent, though it landed, in whole or in part.
    WronglyAbsent,
    /// A status or an effect that is not so.
    WrongFact,
    /// Not contained, though a proof holds.
    MissedProof,
    /// Not absent, though nothing of it ever was there.
    MissedAbsence,
    /// Another commit gives the proof too, and is nearer to the candidate.
    NotNearest,
    /// Asked in another way the answer is another.
    OtherDoor,
    /// The recorded digests say something else.
    Fingerprint,
}

/// What the model knows of a question.
pub(super) struct Known {
    /// For each base that it may mean.
    pub(super) findings: Vec<Findings>,
    pub(super) carrier: Option<Findings>,
}

impl World {
    pub(super) fn known(&self, query: &Query) -> Known {
        let findings = self.bases(query).into_iter().map(|base| self.findings(base, query.head)).collect();
        let carrier = query.carrier.map(|carrier| self.findings(self.fork, carrier));
        Known { findings, carrier }
    }

    /// Everything that is wrong with `answer`; `ids` are those of the commits.
    pub(super) fn judge(
        &self,
        query: &Query,
        answer: &ContentMerged,
        known: &Known,
        ids: &[CommitId],
    ) -> Vec<(Fault, String)> {
        let mut faults = self.judge_by_truth(query, answer);
        if !self.is_common {
            let matched = answer.matched_commit.and_then(|id| ids.iter().position(|other| *other == id));
            faults.extend(self.judge_by_oracle(query, answer, known, matched));
        }
        faults
    }

    fn judge_by_truth(&self, query: &Query, answer: &ContentMerged) -> Vec<(Fault, String)> {
        let truth = self.truth(query);
        let mut faults = Vec::new();
        let mut fault = |fault: Fault| faults.push((fault, format!("{truth:?}")));
        if answer.verdict == Verdict::Contained && !truth.may_be_contained && !self.reads_the_same(query) {
            fault(if truth.is_gone { Fault::GoneAgain } else { Fault::Dangerous });
        }
        if answer.verdict == Verdict::Absent && !truth.may_be_absent {
            fault(Fault::WronglyAbsent);
        }
        if (answer.status == Status::Ancestor) != self.reaches(self.main, query.head) {
            fault(Fault::WrongFact);
        }
        faults
    }

    /// Where lines look alike, another line than the stage's may come to the very same text.
    fn reads_the_same(&self, query: &Query) -> bool {
        let range = |base: usize| self.members(self.history(self.main) & !self.history(base));
        self.is_common
            && self.bases(query).into_iter().any(|base| {
                let wanted = delta(&self.commits[base].tree, &self.commits[query.head].tree);
                let makes = |place: usize| {
                    let parent = self.commits[place].parents.first();
                    parent.is_some_and(|&parent| {
                        let made = delta(&self.commits[parent].tree, &self.commits[place].tree);
                        wanted.iter().all(|(path, lines)| made.get(path) == Some(lines))
                    })
                };
                range(base).any(makes)
            })
    }

    fn judge_by_oracle(
        &self,
        query: &Query,
        answer: &ContentMerged,
        known: &Known,
        matched: Option<usize>,
    ) -> Vec<(Fault, String)> {
        let mut faults = Vec::new();
        if answer.status == Status::Ancestor {
            return faults;
        }
        if answer.status == Status::PatchEquivalent {
            let found = |findings: &Findings| self.proves(answer.proof, findings, known, matched);
            faults.extend(known.findings.iter().map(found).min_by_key(Option::is_some).flatten());
        }
        let carried = known.carrier.as_ref().map_or(Certainty::No, Findings::landed);
        let provable = known.findings.iter().any(|findings| {
            let proof = findings.landed().max(findings.same_end).max(carried);
            // Lines that were taken out and brought back and worked on may well be for a person.
            let effect = if self.is_reverted { findings.effects.present } else { findings.effects.there() };
            proof.min(effect) == Certainty::Yes
        });
        if provable && self.truth(query).may_be_contained && answer.verdict != Verdict::Contained {
            faults.push((Fault::MissedProof, format!("{:?} {:?}", known.findings, known.carrier)));
        }
        if let ([findings], None) = (known.findings.as_slice(), query.carrier) {
            faults.extend(wrong_effect(&findings.effects, answer));
            let never = !self.is_disturbed && findings.effects.absent == Certainty::Yes;
            if never && answer.verdict != Verdict::Absent {
                faults.push((Fault::MissedAbsence, format!("{findings:?}")));
            }
        }
        faults
    }

    /// What is wrong with a proof, if anything is.
    fn proves(
        &self,
        proof: Option<Proof>,
        findings: &Findings,
        known: &Known,
        matched: Option<usize>,
    ) -> Option<(Fault, String)> {
        let carrier = || {
            known.carrier.as_ref().map_or_else(Vec::new, |findings| {
                [&findings.same_change, &findings.replay, &findings.per_commit].into_iter().flatten().copied().collect()
            })
        };
        let places: Places = match proof {
            Some(Proof::SameChange) => findings.same_change.clone(),
            Some(Proof::Replay) => findings.replay.clone(),
            Some(Proof::PerCommit) => findings.per_commit.clone(),
            Some(Proof::SameEnd) => vec![(self.main, findings.same_end)],
            Some(Proof::Carrier) => carrier(),
            _ => Vec::new(),
        };
        let text = format!("{proof:?} at {matched:?} of {findings:?}");
        let found = places.iter().any(|(place, sure)| Some(*place) == matched && *sure != Certainty::No);
        if !found {
            return Some((Fault::Unproved, text));
        }
        let sure = |places: &Places| places.iter().any(|(_, sure)| *sure == Certainty::Yes);
        let earlier: &[&Places] = match proof {
            Some(Proof::SameChange) => &[],
            Some(Proof::Replay) => &[&findings.same_change],
            Some(Proof::PerCommit) => &[&findings.same_change, &findings.replay],
            _ => &[&findings.same_change, &findings.replay, &findings.per_commit],
        };
        let nearer = proof != Some(Proof::Carrier)
            && places.iter().any(|&(place, sure)| {
                sure == Certainty::Yes
                    && Some(place) != matched
                    && matched.is_some_and(|matched| self.reaches(place, matched))
            });
        // Where it was taken back meanwhile, a later landing is the one that counts.
        let is_late = !self.is_reverted && earlier.iter().any(|places| sure(places));
        (nearer || is_late).then_some((Fault::NotNearest, text))
    }
}

/// For each path that differs, how many more of each line there are.
fn delta(old: &Tree, new: &Tree) -> BTreeMap<String, BTreeMap<Vec<u8>, i32>> {
    let count = |path: String| {
        let mut lines: BTreeMap<Vec<u8>, i32> = BTreeMap::new();
        for (tree, sign) in [(old, -1), (new, 1)] {
            let bytes = tree.get(&path).map(|file| file.body.bytes()).unwrap_or_default();
            bytes.split(|&byte| byte == b'\n').for_each(|line| *lines.entry(line.to_vec()).or_default() += sign);
        }
        lines.retain(|_, count| *count != 0);
        (path, lines)
    };
    differing(old, new).into_iter().map(count).collect()
}

fn wrong_effect(effects: &Effects, answer: &ContentMerged) -> Option<(Fault, String)> {
    if answer.verdict != Verdict::Contained {
        return None;
    }
    let sure = match answer.effect {
        Effect::Present => effects.present,
        Effect::Evolved => effects.evolved,
        _ => Certainty::No,
    };
    (sure == Certainty::No).then(|| (Fault::WrongFact, format!("{effects:?}")))
}
