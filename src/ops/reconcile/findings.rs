//! Drives the classification: reads what it asks for, and hands it the answers.

use std::collections::BTreeMap;

use super::scene::Scene;
use crate::domain::equivalence::Candidate;
use crate::domain::ids::CommitId;
use crate::domain::reconcile::{self, Classification, Item, Landing, Next, Recorded, SearchFor, StageFacts};
use crate::git::Limits;
use crate::ops::Error;

/// Everything that was found.
pub(super) struct Findings {
    pub(super) anchor: Option<Item>,
    pub(super) done: BTreeMap<u32, Finding>,
    pub(super) gates: Vec<Item>,
}

/// What was found of a done stage.
pub(super) struct Finding {
    pub(super) item: Item,
    /// The recorded commit, or the one that would be recorded in its place.
    pub(super) effective: Option<CommitId>,
    /// The ref on which it landed, where it is to be repaired.
    pub(super) on: Option<String>,
    /// Where the stage branch stands.
    pub(super) branch_tip: Option<CommitId>,
}

impl Finding {
    /// Whether it is to be repaired from proof.
    pub(super) fn is_auto(&self) -> bool {
        self.item.classification == Classification::Auto
    }
}

impl Findings {
    /// The anchor, the done stages and the gates, in this order.
    pub(super) fn into_items(self) -> Vec<Item> {
        let done = self.done.into_values().map(|finding| finding.item);
        self.anchor.into_iter().chain(done).chain(self.gates).collect()
    }
}

impl Scene<'_> {
    /// Looks at anchor, done stages and gates.
    pub(super) fn findings(&mut self) -> Result<Findings, Error> {
        let anchor = self.check_anchor()?;
        let mut done = BTreeMap::new();
        for stage in self.done.keys().copied().collect::<Vec<_>>() {
            done.insert(stage, self.finding(stage)?);
        }
        let gates = self.gates(&done)?;
        Ok(Findings { anchor, done, gates })
    }

    fn check_anchor(&self) -> Result<Option<Item>, Error> {
        let recorded = self.entry.as_ref().and_then(|entry| entry.implementation_base_commit.clone());
        match recorded {
            Some(recorded) => Ok(Some(match self.recorded(&recorded)? {
                Recorded::Exists(_) => reconcile::anchor(&recorded, None),
                Recorded::Gone(why) => reconcile::anchor(&recorded, Some(&why)),
            })),
            None if self.done.is_empty() => Ok(None),
            None => Err(Error::NoAnchor {
                key: self.task.key.clone(),
                registry: self.task.home.registry(),
                is_registered: self.entry.is_some(),
            }),
        }
    }

    /// Classifies one done stage.
    pub(super) fn finding(&mut self, stage: u32) -> Result<Finding, Error> {
        let facts = self.facts(stage)?;
        let landings = match reconcile::next(&facts) {
            Next::Decided(item) => return Ok(finding(item, &facts, None)),
            Next::Search(search) => self.search(stage, search, &facts)?,
        };
        let item = reconcile::decide(&facts, &landings);
        let on = landings.into_iter().find(Landing::is_proved).map(|landing| landing.on);
        Ok(finding(item, &facts, on))
    }

    fn facts(&mut self, stage: u32) -> Result<StageFacts, Error> {
        let latest = self.done[&stage].latest.clone();
        let (branch, task, base) = (self.stage_branch(stage), self.task_branch(), self.base_ref()?);
        let found = self.recorded(&latest.head_commit)?;
        let branch_tip = self.tip(&branch)?;
        let mut reachable_from = None;
        if let Recorded::Exists(commit) = found {
            let names = [Some(branch.clone()), Some(task), base.map(|base| base.name), latest.reference.clone()];
            for name in names.into_iter().flatten() {
                let tip = self.tip(&name)?;
                if tip.is_some_and(|tip| tip == commit) || self.reaches_any(tip, commit)? {
                    reachable_from = Some(name);
                    break;
                }
            }
        }
        Ok(StageFacts {
            stage,
            recorded: latest.head_commit.clone(),
            found,
            reachable_from,
            branch,
            branch_tip,
            tip_then: latest.is_users().then(|| latest.branch_tip.clone().flatten()),
        })
    }

    fn reaches_any(&mut self, tip: Option<CommitId>, commit: CommitId) -> Result<bool, Error> {
        tip.map_or(Ok(false), |tip| self.reaches(tip, commit))
    }

    /// Looks for where a stage landed, in one ref after another, until it is proved.
    fn search(&mut self, stage: u32, search: SearchFor, facts: &StageFacts) -> Result<Vec<Landing>, Error> {
        let mut candidates: Vec<Candidate> = self.candidate(facts.branch.clone())?.into_iter().collect();
        if search == SearchFor::Lost && candidates.is_empty() {
            candidates.extend(self.candidate(self.task_branch())?);
            candidates.extend(self.base_ref()?);
        }
        let mut landings = Vec::new();
        for candidate in candidates {
            let answer = self.content_in(stage, &candidate)?;
            let on_top = match answer.matched_commit {
                Some(landed) => self.history.ahead(self.context, candidate.commit, landed, Limits::default())?,
                None => None,
            };
            landings.push(Landing { on: candidate.name, answer, on_top });
            if landings.last().is_some_and(Landing::is_proved) {
                break;
            }
        }
        Ok(landings)
    }
}

fn finding(item: Item, facts: &StageFacts, on: Option<String>) -> Finding {
    let own = match facts.found {
        Recorded::Exists(commit) => Some(commit),
        Recorded::Gone(_) => None,
    };
    Finding { effective: item.suggested_commit.or(own), on, branch_tip: facts.branch_tip, item }
}
