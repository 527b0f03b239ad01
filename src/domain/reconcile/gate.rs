//! The gate: whether a stage to come may start, as far as the stages that it depends on are concerned.

use super::document::{Cause, Classification, Item, Kind};
use crate::domain::equivalence::{ContentMerged, Verdict};
use crate::domain::ids::CommitId;

/// A stage that another one depends on, directly or through others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Its number.
    pub stage: u32,
    /// Whether the stage to come names it itself.
    pub is_direct: bool,
    /// How it stands.
    pub state: State,
}

/// How a dependency stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is not done.
    NotDone,
    /// It is done; its item says whether its record holds.
    Done(Item),
}

/// Whether the task worktree holds a dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeldBy {
    /// The task has neither a worktree nor a branch yet.
    Nobody,
    /// The answer for its HEAD; where that is not `contained`, the answer for the base ref, under its full name.
    Head {
        /// The commit of the HEAD.
        head: CommitId,
        /// The answer there.
        answer: ContentMerged,
        /// The base ref and the answer there, where it was asked.
        base: Option<(String, ContentMerged)>,
    },
}

/// Whether it matters for a dependency what the task worktree holds: a stage of several dependencies starts from there.
pub fn needs_head(dependency: &Dependency, direct: usize) -> bool {
    let holds = matches!(&dependency.state, State::Done(item) if !item.is_confirm());
    direct > 1 && dependency.is_direct && holds
}

/// The item for `dependency` of `stage`; `None` where there is nothing to say: what an indirect dependency waits for is
/// said by the direct ones. `held` is the answer where [`needs_head`] asks for it.
pub fn gate(stage: u32, dependency: &Dependency, held: Option<&HeldBy>) -> Option<Item> {
    let State::Done(done) = &dependency.state else {
        let reason = format!("stage {} is not done yet", dependency.stage);
        let waiting = item(stage, dependency, (Classification::Waiting, Some(Cause::NotDone)), reason);
        return dependency.is_direct.then_some(waiting);
    };
    if done.is_confirm() {
        let reason = format!("the record of stage {} is stale", dependency.stage);
        return Some(item(stage, dependency, (Classification::Confirm, Some(Cause::Stale)), reason));
    }
    let Some(held) = held else {
        return dependency.is_direct.then(|| {
            let reason = format!("stage {} is done, and its record holds", dependency.stage);
            item(stage, dependency, (Classification::Ok, None), reason)
        });
    };
    Some(in_worktree(stage, dependency, held))
}

fn in_worktree(stage: u32, dependency: &Dependency, held: &HeldBy) -> Item {
    let HeldBy::Head { answer, base, .. } = held else {
        let reason = format!("stage {} is done, and the task has no worktree yet that could hold it", dependency.stage);
        return item(stage, dependency, (Classification::Waiting, Some(Cause::NotIntegrated)), reason);
    };
    let elsewhere = base.as_ref().filter(|(_, answer)| answer.verdict == Verdict::Contained);
    let (class, cause, reason, shown) = match (answer.verdict, elsewhere) {
        (Verdict::Contained, _) => (Classification::Ok, None, answer.reason.clone(), answer),
        (_, Some((name, landed))) => {
            let reason = format!("it is in {name} and not in the task worktree: {}", landed.reason);
            (Classification::Confirm, Some(Cause::LandedElsewhere), reason, landed)
        }
        (Verdict::Absent, None) => {
            let reason = format!("stage {} is done, and not in the task worktree yet", dependency.stage);
            (Classification::Waiting, Some(Cause::NotIntegrated), reason, answer)
        }
        (Verdict::Ask, None) => (Classification::Confirm, Some(Cause::Undecided), answer.reason.clone(), answer),
    };
    Item {
        proof: shown.proof,
        effect: Some(shown.effect),
        matched_commit: shown.matched_commit,
        ..item(stage, dependency, (class, cause), reason)
    }
}

fn item(stage: u32, dependency: &Dependency, (class, cause): (Classification, Option<Cause>), reason: String) -> Item {
    let recorded = match &dependency.state {
        State::Done(done) => done.suggested_commit.map(|commit| commit.to_string()).or_else(|| done.recorded.clone()),
        State::NotDone => None,
    };
    Item {
        predecessor: Some(dependency.stage),
        cause: Some(cause),
        recorded,
        ..Item::new(Kind::Gate, Some(stage), class, reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::equivalence::{Effect, Status};

    fn answer(verdict: Verdict) -> ContentMerged {
        let matched_commit = (verdict == Verdict::Contained).then(commit);
        let status = Status::NotMerged;
        ContentMerged { status, matched_commit, verdict, proof: None, effect: Effect::Unknown, reason: String::new() }
    }

    fn commit() -> CommitId {
        CommitId("a".repeat(40).parse().unwrap())
    }

    fn held(head: Verdict, base: Option<Verdict>) -> HeldBy {
        let base = base.map(|verdict| ("refs/heads/main".to_owned(), answer(verdict)));
        HeldBy::Head { head: commit(), answer: answer(head), base }
    }

    #[test]
    fn the_whole_table() {
        use Cause::{LandedElsewhere, NotDone, NotIntegrated, Stale, Undecided};
        use Classification::{Auto, Confirm, Ok, Waiting};
        use Verdict::{Absent, Ask, Contained};
        let done = |class| State::Done(Item::new(Kind::Done, Some(1), class, String::new()));
        let none = None::<(Classification, Option<Cause>)>;
        let some = |class, cause| Some((class, cause));
        // (direct?, how many direct ones, its state, what the worktree holds) -> class and cause
        let cases = [
            (true, 1, State::NotDone, None, some(Waiting, Some(NotDone))),
            (true, 2, State::NotDone, None, some(Waiting, Some(NotDone))),
            (false, 1, State::NotDone, None, none),
            (true, 1, done(Confirm), None, some(Confirm, Some(Stale))),
            (false, 1, done(Confirm), None, some(Confirm, Some(Stale))),
            (true, 2, done(Confirm), None, some(Confirm, Some(Stale))),
            (true, 1, done(Ok), None, some(Ok, None)),
            (true, 1, done(Auto), None, some(Ok, None)),
            (false, 2, done(Ok), None, none),
            (true, 2, done(Ok), Some(HeldBy::Nobody), some(Waiting, Some(NotIntegrated))),
            (true, 2, done(Ok), Some(held(Contained, None)), some(Ok, None)),
            (true, 2, done(Auto), Some(held(Contained, None)), some(Ok, None)),
            (true, 2, done(Ok), Some(held(Absent, None)), some(Waiting, Some(NotIntegrated))),
            (true, 2, done(Ok), Some(held(Absent, Some(Absent))), some(Waiting, Some(NotIntegrated))),
            (true, 2, done(Ok), Some(held(Absent, Some(Ask))), some(Waiting, Some(NotIntegrated))),
            (true, 2, done(Ok), Some(held(Absent, Some(Contained))), some(Confirm, Some(LandedElsewhere))),
            (true, 2, done(Ok), Some(held(Ask, Some(Contained))), some(Confirm, Some(LandedElsewhere))),
            (true, 2, done(Ok), Some(held(Ask, Some(Absent))), some(Confirm, Some(Undecided))),
            (true, 2, done(Ok), Some(held(Ask, None)), some(Confirm, Some(Undecided))),
        ];
        for (is_direct, direct, state, held, expected) in cases {
            let dependency = Dependency { stage: 1, is_direct, state };
            assert_eq!(needs_head(&dependency, direct), held.is_some(), "{dependency:?}");
            let item = gate(3, &dependency, held.as_ref());
            let found = item.map(|item| (item.classification, item.cause.unwrap()));
            assert_eq!(found, expected, "{dependency:?} {held:?}");
        }
    }
}
