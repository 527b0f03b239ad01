//! Drives the ladder of proofs: hands its questions to the history search and the answers back.

use super::Error;
use crate::context::Context;
use crate::domain::equivalence::{Answer, Candidate, ContentMerged, Ladder, Proof, Question as Asked, Step};
use crate::domain::ids::CommitId;
use crate::git::{History, Limits, Search, Span};

/// One question about content: is what lies in `span` in the candidate?
#[derive(Clone, Debug)]
pub struct Question {
    /// Where it should be.
    pub candidate: Candidate,
    /// What should be there.
    pub span: Span,
    /// Integrations that okstra recorded and that hold the head: from anchor to integration.
    pub carriers: Vec<Span>,
}

/// Answers one question.
///
/// # Errors
/// When the repository cannot be read.
pub fn ask<'r>(
    context: &'r Context,
    history: &mut History<'r>,
    question: &Question,
    limits: Limits,
) -> Result<ContentMerged, Error> {
    let spans: Vec<Span> = std::iter::once(question.span).chain(question.carriers.iter().copied()).collect();
    let mut search = Search::new(history, context, question.candidate.commit, &spans, limits)?;
    climb(&mut search, 0, question, 1..spans.len())
}

/// Answers many stages about one candidate, in walks that they share.
///
/// # Errors
/// When the repository cannot be read.
pub fn ask_all<'r>(
    context: &'r Context,
    history: &mut History<'r>,
    candidate: &Candidate,
    spans: &[Span],
    limits: Limits,
) -> Result<Vec<ContentMerged>, Error> {
    let mut answers = Vec::with_capacity(spans.len());
    for spans in spans.chunks(crate::git::MAX_SPANS) {
        let mut search = Search::new(history, context, candidate.commit, spans, limits)?;
        for (number, &span) in spans.iter().enumerate() {
            let question = Question { candidate: candidate.clone(), span, carriers: Vec::new() };
            answers.push(climb(&mut search, number, &question, 0..0)?);
        }
    }
    Ok(answers)
}

/// Takes stage `number` up the ladder; the stages in `carriers` are its carriers.
fn climb(
    search: &mut Search<'_>,
    number: usize,
    question: &Question,
    carriers: std::ops::Range<usize>,
) -> Result<ContentMerged, Error> {
    let mut ladder = Ladder::new(search.stage(number).clone(), question.candidate.clone(), carriers.len());
    loop {
        match ladder.next_step() {
            Step::Done(answer) => return Ok(answer),
            Step::Ask(Asked::Carrier(carrier)) => {
                let landed = carrier_landing(search, carriers.start + carrier, question, carrier)?;
                ladder.tell(Answer::Carrier(landed));
            }
            Step::Ask(asked) => ladder.tell(search.answer(number, &asked)?),
        }
    }
}

/// Where a carrier landed as one change, when it holds the head: that it is reachable, or ends alike, carries nothing.
fn carrier_landing(
    search: &mut Search<'_>,
    number: usize,
    question: &Question,
    carrier: usize,
) -> Result<Option<CommitId>, Error> {
    if !search.holds(number, question.span.head) {
        return Ok(None);
    }
    let span = question.carriers[carrier];
    let alone = Question { candidate: question.candidate.clone(), span, carriers: Vec::new() };
    let answer = climb(search, number, &alone, 0..0)?;
    let landed = matches!(answer.proof, Some(Proof::SameChange | Proof::Replay | Proof::PerCommit));
    Ok(answer.matched_commit.filter(|_| landed))
}
