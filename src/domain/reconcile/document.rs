//! What git-reconcile prints, through every door: snake_case documents.

use crate::domain::ids::short;
use serde::Serialize;

use crate::domain::equivalence::{Effect, Proof, Verdict};
use crate::domain::ids::CommitId;
use crate::domain::records::Reason;

/// What an item is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The anchor of the task.
    Anchor,
    /// The recorded commit of a done stage.
    Done,
    /// A dependency of a stage to come.
    Gate,
}

/// What is to be done about an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Classification {
    /// Nothing.
    Ok,
    /// okstra repairs it from proof.
    Auto,
    /// A person decides.
    Confirm,
    /// It comes by itself as the work goes on.
    Waiting,
}

/// Why a dependency holds a stage up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// It is not done yet.
    NotDone,
    /// It is done, and not merged into the task worktree yet.
    NotIntegrated,
    /// Its content is in the base, and not in the task worktree.
    LandedElsewhere,
    /// Its recorded commit is stale.
    Stale,
    /// It could not be told whether the task worktree holds it.
    Undecided,
}

/// One thing that was looked at. Every field is there; what does not apply is null, and `predecessor` and `cause` stand
/// in gate items only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// What it is about.
    pub kind: Kind,
    /// The stage; null for the anchor.
    pub stage: Option<u32>,
    /// Gates: the stage that it depends on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predecessor: Option<u32>,
    /// Gates: what holds it up; null when nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Option<Cause>>,
    /// The commit as it is recorded.
    pub recorded: Option<String>,
    /// What is to be done.
    pub classification: Classification,
    /// Why, a sentence for people.
    pub reason: String,
    /// The commit that okstra would record instead.
    pub suggested_commit: Option<CommitId>,
    /// What proves where it landed.
    pub proof: Option<Proof>,
    /// What became of its content there; null when that was not asked.
    pub effect: Option<Effect>,
    /// Where it landed.
    pub matched_commit: Option<CommitId>,
}

impl Item {
    /// An item with nothing but its class and the reason.
    pub fn new(kind: Kind, stage: Option<u32>, classification: Classification, reason: String) -> Self {
        Self {
            kind,
            stage,
            predecessor: None,
            cause: None,
            recorded: None,
            classification,
            reason,
            suggested_commit: None,
            proof: None,
            effect: None,
            matched_commit: None,
        }
    }

    /// Whether a person has to decide.
    pub fn is_confirm(&self) -> bool {
        self.classification == Classification::Confirm
    }
}

/// Where a done stage is in the ref of `--into`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Into {
    /// The stage.
    pub stage: u32,
    /// The ref, in full.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Where it landed there.
    pub matched_commit: Option<CommitId>,
    /// What proves it.
    pub proof: Option<Proof>,
    /// What became of it there.
    pub effect: Effect,
    /// Whether it is contained, absent, or to be asked about.
    pub verdict: Verdict,
}

/// What an inspection found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Inspection {
    /// What is not `ok`, or everything where that was asked for: anchor, done stages, gates.
    pub items: Vec<Item>,
    /// With `--into`: every done stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub into: Option<Vec<Into>>,
}

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Repair {
    /// The anchor was moved.
    Anchor {
        /// To this commit.
        anchor: CommitId,
    },
    /// A repair row was appended.
    Stage {
        /// The stage.
        stage: u32,
        /// The commit recorded now.
        new_commit: String,
        /// The one recorded before, as it stood there.
        replaced: String,
        /// By what right.
        reason: Reason,
    },
}

/// What `--apply` did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AppliedDocument {
    /// What was changed; what was so already is not in it.
    pub applied: Vec<Repair>,
    /// What a person still has to decide.
    pub remaining_confirm: Vec<Item>,
    /// With `--into`: every done stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub into: Option<Vec<Into>>,
}

impl Repair {
    /// What is said of an automatic repair when it was made; `None` for what a person asked for.
    pub fn notice(&self) -> Option<String> {
        let Self::Stage { stage, new_commit, replaced, reason } = self else { return None };
        if *reason == Reason::UserRef {
            return None;
        }
        let (old, new) = (short(replaced), short(new_commit));
        Some(format!("git-reconcile: stage {stage} done commit {old} -> {new} (patch-equivalent)"))
    }
}

impl Item {
    /// What to warn of where a stage is reachable but its content is not there any more.
    pub fn gone_again(&self) -> Option<String> {
        let what = format!("stage {}", self.predecessor.or(self.stage)?);
        let is_ok = self.classification == Classification::Ok;
        self.effect.filter(|_| is_ok).and_then(|effect| gone_again(&what, "the task worktree", effect))
    }
}

impl Into {
    /// What to warn of where the stage is reachable but its content is not there any more.
    pub fn gone_again(&self) -> Option<String> {
        let is_contained = self.verdict == Verdict::Contained;
        let what = format!("stage {}", self.stage);
        is_contained.then(|| gone_again(&what, &self.reference, self.effect)).flatten()
    }
}

fn gone_again(what: &str, place: &str, effect: Effect) -> Option<String> {
    match effect {
        Effect::Absent => {
            Some(format!("{what} is in {place}, but its changes are not there: they were taken out again"))
        }
        Effect::Partial => Some(format!("{what} is in {place}, but not all of its changes are there as it made them")),
        _ => None,
    }
}

impl Inspection {
    /// Whether a person has to decide on something.
    pub fn needs_a_person(&self) -> bool {
        self.items.iter().any(Item::is_confirm) || is_somewhere_not_contained(self.into.as_deref())
    }
}

impl AppliedDocument {
    /// Whether a person has to decide on something.
    pub fn needs_a_person(&self) -> bool {
        !self.remaining_confirm.is_empty() || is_somewhere_not_contained(self.into.as_deref())
    }
}

fn is_somewhere_not_contained(into: Option<&[Into]>) -> bool {
    into.unwrap_or_default().iter().any(|into| into.verdict != Verdict::Contained)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_have_exactly_these_fields() {
        let anchor = Item::new(Kind::Anchor, None, Classification::Confirm, "x".to_owned());
        let gate = Item { predecessor: Some(1), cause: Some(Some(Cause::NotDone)), ..anchor.clone() };
        let open = Item { predecessor: Some(1), cause: Some(None), ..anchor.clone() };
        let text = |item: &Item| serde_json::to_string(item).unwrap();
        assert_eq!(
            text(&anchor),
            concat!(
                r#"{"kind":"anchor","stage":null,"recorded":null,"classification":"confirm","reason":"x","#,
                r#""suggested_commit":null,"proof":null,"effect":null,"matched_commit":null}"#
            )
        );
        assert!(text(&gate).contains(r#""predecessor":1,"cause":"not-done","#), "{}", text(&gate));
        assert!(text(&open).contains(r#""predecessor":1,"cause":null,"#), "{}", text(&open));
        let repair = Repair::Stage {
            stage: 1,
            new_commit: "b".to_owned(),
            replaced: "a".to_owned(),
            reason: Reason::AutoFingerprint,
        };
        let applied = AppliedDocument { applied: vec![repair], remaining_confirm: vec![], into: None };
        let expected = concat!(
            r#"{"applied":[{"stage":1,"new_commit":"b","replaced":"a","reason":"auto-fingerprint"}],"#,
            r#""remaining_confirm":[]}"#
        );
        assert_eq!(serde_json::to_string(&applied).unwrap(), expected);
    }

    #[test]
    fn only_what_a_person_decides_counts() {
        let item = |class| Item::new(Kind::Done, Some(1), class, String::new());
        let into = |verdict| Into {
            stage: 1,
            reference: "refs/heads/main".to_owned(),
            matched_commit: None,
            proof: None,
            effect: Effect::Unknown,
            verdict,
        };
        use Classification::{Auto, Confirm, Ok, Waiting};
        let cases = [
            (vec![], None, false),
            (vec![item(Ok), item(Auto), item(Waiting)], None, false),
            (vec![item(Auto), item(Confirm)], None, true),
            (vec![], Some(vec![into(Verdict::Contained)]), false),
            (vec![], Some(vec![into(Verdict::Contained), into(Verdict::Absent)]), true),
            (vec![], Some(vec![into(Verdict::Ask)]), true),
        ];
        for (items, into, expected) in cases {
            let remaining: Vec<_> = items.iter().filter(|item| item.is_confirm()).cloned().collect();
            let inspected = Inspection { items, into: into.clone() };
            let applied = AppliedDocument { applied: vec![], remaining_confirm: remaining, into };
            assert_eq!((inspected.needs_a_person(), applied.needs_a_person()), (expected, expected), "{inspected:?}");
        }
    }
}
