//! `--into`: is every done stage in this ref?

use std::collections::BTreeMap;

use super::content::Base;
use super::findings::Findings;
use super::scene::Scene;
use crate::domain::equivalence::{Candidate, ContentMerged, Effect, Verdict};
use crate::domain::reconcile::Into;
use crate::git::{Limits, Span};
use crate::ops::{Error, equivalence};

/// The answer for one stage.
pub(super) struct InRef {
    pub(super) document: Into,
    /// Whether the landing is to be recorded: it is proved and still there, and the recorded commit is not in the ref.
    pub(super) is_news: bool,
}

impl Scene<'_> {
    /// The answers for all done stages.
    pub(super) fn all_in(&mut self, candidate: &Candidate, findings: &Findings) -> Result<Vec<InRef>, Error> {
        let mut known = self.in_one_walk(candidate)?;
        let mut answers = Vec::new();
        for &stage in findings.done.keys() {
            let answer = match known.remove(&stage) {
                Some(answer) if answer.verdict == Verdict::Contained => answer,
                // What is left to try: carriers, fingerprints, a base that nobody wrote down.
                _ => self.content_in(stage, candidate)?,
            };
            let recorded = self.done[&stage].latest.head_commit.clone();
            let is_there = match self.commit(&recorded)? {
                Some(commit) => self.reaches(candidate.commit, commit)?,
                None => false,
            };
            let is_proved = answer.verdict == Verdict::Contained
                && matches!(answer.effect, Effect::Present | Effect::Evolved)
                && answer.matched_commit.is_some();
            answers.push(InRef { document: document(stage, candidate, answer), is_news: is_proved && !is_there });
        }
        Ok(answers)
    }

    /// The answers that need nothing but the commits of the witnesses, from one walk for all of them.
    fn in_one_walk(&mut self, candidate: &Candidate) -> Result<BTreeMap<u32, ContentMerged>, Error> {
        let (mut stages, mut spans) = (Vec::new(), Vec::new());
        for (&stage, done) in &self.done {
            let Some(witness) = &done.witness else { continue };
            if let (Some(head), Base::Known(base)) = (self.commit(&witness.head_commit)?, self.base(witness)?) {
                stages.push(stage);
                spans.push(Span { base, head });
            }
        }
        let limits = Limits::default();
        let answers = equivalence::ask_all(self.context, &mut self.history, candidate, &spans, limits)?;
        Ok(stages.into_iter().zip(answers).collect())
    }
}

fn document(stage: u32, candidate: &Candidate, answer: ContentMerged) -> Into {
    Into {
        stage,
        reference: candidate.name.clone(),
        matched_commit: answer.matched_commit,
        proof: answer.proof,
        effect: answer.effect,
        verdict: answer.verdict,
    }
}
