//! Whether a recorded commit still holds: the classification, asked for one fact after another.

use super::document::{Classification, Item, Kind};
use crate::domain::equivalence::{ContentMerged, Effect, Proof, Verdict};
use crate::domain::ids::CommitId;

/// What a recorded id turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// The commit is there.
    Exists(CommitId),
    /// It is not, or is none; the clause says why.
    Gone(String),
}

/// What is known of a done stage without a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageFacts {
    /// The stage.
    pub stage: u32,
    /// Its recorded commit, as it stands in the latest row.
    pub recorded: String,
    /// What that is.
    pub found: Recorded,
    /// Of the stage branch, the task branch, the base ref and the ref named in the row the first that reaches it.
    pub reachable_from: Option<String>,
    /// The stage branch, in full.
    pub branch: String,
    /// Where it stands; `None` when it is gone.
    pub branch_tip: Option<CommitId>,
    /// Where the branch stood when a person named the recorded commit; `None` when the latest row is not a person's.
    pub tip_then: Option<Option<String>>,
}

/// How to look for where a stage landed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SearchFor {
    /// From its witness, in the stage branch.
    InBranch,
    /// From its witness, in the stage branch or, where that is gone, in the task branch and the base ref.
    Lost,
}

/// What comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// It is decided.
    Decided(Item),
    /// It has to be searched for.
    Search(SearchFor),
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landing {
    /// The ref that was searched, in full.
    pub on: String,
    /// The answer.
    pub answer: ContentMerged,
    /// How many commits are on top of where it landed; `None` when that is not known.
    pub on_top: Option<usize>,
}

impl Landing {
    /// Whether okstra may record where it landed.
    pub fn is_proved(&self) -> bool {
        let there = matches!(self.answer.effect, Effect::Present | Effect::Evolved);
        self.answer.verdict == Verdict::Contained && there && self.answer.matched_commit.is_some()
    }
}

/// The anchor of a task: `recorded` is what stands in the registry, `gone` why that is no commit.
pub fn anchor(recorded: &str, gone: Option<&str>) -> Item {
    let (classification, reason) = match gone {
        None => (Classification::Ok, "the commit exists".to_owned()),
        Some(why) => (Classification::Confirm, format!("anchor SHA unresolvable: {why}")),
    };
    Item { recorded: Some(recorded.to_owned()), ..Item::new(Kind::Anchor, None, classification, reason) }
}

/// What is decided of a stage without a search, or which search it needs.
pub fn next(facts: &StageFacts) -> Next {
    let Recorded::Exists(_) = facts.found else { return Next::Search(SearchFor::Lost) };
    if let Some(from) = &facts.reachable_from {
        return Next::Decided(ok(facts, format!("reachable from {from}")));
    }
    let Some(tip) = facts.branch_tip else {
        return Next::Decided(ok(facts, format!("{} is gone, and the commit exists", facts.branch)));
    };
    if facts.tip_then.as_ref().is_some_and(|then| then.as_deref() == Some(tip.to_string().as_str())) {
        let reason = format!("a person named it, and {} stands where it stood then", facts.branch);
        return Next::Decided(ok(facts, reason));
    }
    Next::Search(SearchFor::InBranch)
}

/// Decides on a stage that was searched for. `landings` has the answer for each ref that was searched, in order.
pub fn decide(facts: &StageFacts, landings: &[Landing]) -> Item {
    match landings.iter().find(|landing| landing.is_proved()) {
        Some(landing) => repairable(facts, landing),
        None => undecided(facts, landings.first()),
    }
}

fn repairable(facts: &StageFacts, landing: &Landing) -> Item {
    let answer = &landing.answer;
    let mut reason = answer.reason.clone();
    match landing.on_top {
        None | Some(0) => {}
        Some(1) => reason.push_str("; one commit on top of it is not taken in"),
        Some(more) => reason.push_str(&format!("; {more} commits on top of it are not taken in")),
    }
    if let Some(gone) = gone(facts) {
        reason = format!("{gone}; {reason}");
    }
    Item { suggested_commit: answer.matched_commit, ..searched(facts, Classification::Auto, reason, Some(answer)) }
}

fn undecided(facts: &StageFacts, landing: Option<&Landing>) -> Item {
    let answer = landing.map(|landing| &landing.answer);
    let found = answer.map(|answer| answer.reason.as_str());
    let reason = match (gone(facts), found) {
        (Some(gone), Some(found)) => format!("{gone}; {found}"),
        (Some(gone), None) => gone,
        (None, Some(found)) => found.to_owned(),
        (None, None) => format!("{} has left it behind, and there is nothing to prove it from", facts.branch),
    };
    searched(facts, Classification::Confirm, reason, answer)
}

fn gone(facts: &StageFacts) -> Option<String> {
    match &facts.found {
        Recorded::Exists(_) => None,
        Recorded::Gone(why) => Some(format!("recorded SHA unresolvable: {why}")),
    }
}

fn ok(facts: &StageFacts, reason: String) -> Item {
    searched(facts, Classification::Ok, reason, None)
}

fn searched(facts: &StageFacts, class: Classification, reason: String, answer: Option<&ContentMerged>) -> Item {
    Item {
        recorded: Some(facts.recorded.clone()),
        proof: answer.and_then(|answer| answer.proof),
        effect: answer.map(|answer| answer.effect),
        matched_commit: answer.and_then(|answer| answer.matched_commit),
        ..Item::new(Kind::Done, Some(facts.stage), class, reason)
    }
}

impl Item {
    /// Whether the landing was proved from recorded digests alone.
    pub fn is_by_fingerprint(&self) -> bool {
        self.proof == Some(Proof::Fingerprint)
    }
}

#[cfg(test)]
mod tests;
