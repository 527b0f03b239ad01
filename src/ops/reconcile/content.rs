//! Whether the content of a done stage is somewhere, starting from its witness.

use std::collections::BTreeMap;

use super::scene::Scene;
use crate::domain::equivalence::fingerprint::Content;
use crate::domain::equivalence::{Candidate, ContentMerged, nothing_to_prove};
use crate::domain::ids::CommitId;
use crate::domain::reconcile::{Recorded, chains};
use crate::domain::records::Record;
use crate::git::{Limits, Span};
use crate::ops::{Error, equivalence};

/// Where the work of a stage began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// At this commit.
    Known(CommitId),
    /// Nobody wrote it down.
    Unrecorded,
    /// What was written down is no commit; the clause says why.
    Gone(String),
}

impl Scene<'_> {
    /// Whether the content of `stage` is in `candidate`: from its witness, or from the recorded fingerprints where that
    /// is gone.
    pub(super) fn content_in(&mut self, stage: u32, candidate: &Candidate) -> Result<ContentMerged, Error> {
        let Some(witness) = self.done.get(&stage).and_then(|done| done.witness.clone()) else {
            let why = format!("nothing but automatic rows is left of stage {stage}, and they prove nothing");
            return Ok(nothing_to_prove(why));
        };
        let head = match self.recorded(&witness.head_commit)? {
            Recorded::Exists(head) => head,
            Recorded::Gone(why) => return self.fingerprints_in(&witness, candidate, &why),
        };
        let carriers = self.carriers(stage, head)?;
        match self.base(&witness)? {
            Base::Known(base) => {
                let span = Span { base, head };
                let question = equivalence::Question { candidate: candidate.clone(), span, carriers };
                equivalence::ask(self.context, &mut self.history, &question, Limits::default())
            }
            Base::Unrecorded => {
                let asked = (head, candidate);
                let limits = Limits::default();
                equivalence::ask_from_merge_base(self.context, &mut self.history, asked, &carriers, limits)
            }
            Base::Gone(why) => self.fingerprints_in(&witness, candidate, &why),
        }
    }

    fn fingerprints_in(&mut self, witness: &Record, candidate: &Candidate, why: &str) -> Result<ContentMerged, Error> {
        let Some(content) = witness.fingerprints() else {
            let why = format!("{why}, and stage {} has no recorded fingerprints to look for", witness.stage);
            return Ok(nothing_to_prove(why));
        };
        let base = match self.base(witness)? {
            Base::Known(base) => Some(base),
            _ => None,
        };
        let recorded = (&content, base);
        equivalence::ask_recorded(self.context, &mut self.history, candidate, recorded, Limits::default())
    }

    /// Where the work that `witness` recorded began: as it says, else as the registry does.
    pub(super) fn base(&self, witness: &Record) -> Result<Base, Error> {
        let registered = || {
            let stage = self.entry.as_ref()?.stages.get(&witness.stage)?;
            stage.base_ref.clone()
        };
        let Some(text) = witness.base_commit.clone().or_else(registered) else { return Ok(Base::Unrecorded) };
        Ok(match self.recorded(&text)? {
            Recorded::Exists(base) => Base::Known(base),
            Recorded::Gone(why) => Base::Gone(why),
        })
    }

    /// What holds `head` and may have landed as a whole: recorded integrations, the task branch and its upstream, all of
    /// them from the anchor; and stages that were recorded one on the other.
    fn carriers(&mut self, stage: u32, head: CommitId) -> Result<Vec<Span>, Error> {
        let mut spans: Vec<Span> = self.chained(stage)?;
        spans.extend(self.carriers_of(head)?);
        let mut unique = Vec::new();
        for span in spans {
            if !unique.contains(&span) {
                unique.push(span);
            }
        }
        Ok(unique)
    }

    /// What holds `head`, from the anchor.
    pub(super) fn carriers_of(&mut self, head: CommitId) -> Result<Vec<Span>, Error> {
        let mut spans = Vec::new();
        if let Some(anchor) = self.anchor()? {
            for integration in self.integrations()? {
                if integration != anchor && self.reaches(integration, head)? {
                    spans.push(Span { base: anchor, head: integration });
                }
            }
        }
        spans.dedup();
        Ok(spans)
    }

    fn integrations(&mut self) -> Result<Vec<CommitId>, Error> {
        let recorded = self.entry.iter().flat_map(|entry| &entry.integrations).map(|made| made.commit.clone());
        let recorded: Vec<String> = recorded.collect();
        let branch = self.task_branch();
        let upstream = self.task.repository.upstream(&branch);
        let mut commits = Vec::new();
        for text in recorded.iter().rev() {
            commits.extend(self.commit(text)?);
        }
        for name in std::iter::once(branch).chain(upstream) {
            commits.extend(self.tip(&name)?);
        }
        Ok(commits)
    }

    fn chained(&self, stage: u32) -> Result<Vec<Span>, Error> {
        let mut ends = BTreeMap::new();
        for (&number, done) in &self.done {
            let Some(witness) = &done.witness else { continue };
            if let (Some(head), Base::Known(base)) = (self.commit(&witness.head_commit)?, self.base(witness)?) {
                ends.insert(number, (base, head));
            }
        }
        let runs = chains(stage, &ends).into_iter();
        Ok(runs.filter_map(|run| Some(Span { base: ends.get(&run.first)?.0, head: ends.get(&run.last)?.1 })).collect())
    }

    /// The fingerprints of what lies between `base` and `head`.
    pub(super) fn fingerprints(&mut self, base: CommitId, head: CommitId) -> Result<Option<Content>, Error> {
        equivalence::fingerprints(&mut self.history, Span { base, head })
    }
}
