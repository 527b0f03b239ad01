//! Drives the ladder of proofs: hands its questions to the history search and the answers back.

use super::Error;
use crate::context::Context;
use crate::domain::equivalence::fingerprint::{self, Content};
use crate::domain::equivalence::{
    Answer, Candidate, ContentMerged, Coverage, Ladder, Proof, Question as Asked, Step, Verdict, foreign,
};
use crate::domain::ids::CommitId;
use crate::git::{History, Limits, Recorded, Search, Span};

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

impl Question {
    /// Whether what lies in `span` is in `candidate`, without carriers.
    pub fn between(span: Span, candidate: Candidate) -> Self {
        Self { candidate, span, carriers: Vec::new() }
    }
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
    let mut search = Search::new(history, context, question.candidate.commit, &[question.span], limits)?;
    let mut ladder = Ladder::new(search.stage(0).clone(), question.candidate.clone(), question.carriers.len());
    loop {
        match ladder.next_step() {
            Step::Done(answer) => return Ok(answer),
            Step::Ask(Asked::Carrier(number)) => {
                let landed = carrier_landing(context, history, question, number, limits)?;
                ladder.tell(Answer::Carrier(landed));
            }
            Step::Ask(asked) => ladder.tell(search.answer(0, &asked)?),
        }
    }
}

/// Answers for a commit whose base is not known: it is the merge base with the candidate. Where there are several, each
/// is the base of what the commit added since, so that any proof counts.
///
/// # Errors
/// When the repository cannot be read.
pub fn ask_from_merge_base<'r>(
    context: &'r Context,
    history: &mut History<'r>,
    (head, candidate): (CommitId, &Candidate),
    carriers: &[Span],
    limits: Limits,
) -> Result<ContentMerged, Error> {
    let bases = history.merge_bases(context, head, candidate.commit, limits)?;
    let mut answer = None;
    for base in bases.commits {
        let span = Span { base, head };
        let question = Question { candidate: candidate.clone(), span, carriers: carriers.to_vec() };
        let next = ask(context, history, &question, limits)?;
        if next.verdict == Verdict::Contained {
            return Ok(next);
        }
        // Of several answers the one that claims least.
        if answer.as_ref().is_none_or(|answer: &ContentMerged| answer.verdict == Verdict::Absent) {
            answer = Some(next);
        }
    }
    match answer {
        Some(answer) => Ok(answer),
        None => {
            let shared = history.share_a_path(head, candidate.commit)?;
            Ok(foreign(head, candidate, bases.complete, bases.complete && shared == Some(false)))
        }
    }
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
        for number in 0..spans.len() {
            answers.push(climb(&mut search, number, candidate)?);
        }
    }
    Ok(answers)
}

/// Answers for a stage whose commits are gone, from its recorded fingerprints. `base` bounds the search where it still
/// exists.
///
/// # Errors
/// When the repository cannot be read.
pub fn ask_recorded<'r>(
    context: &'r Context,
    history: &mut History<'r>,
    candidate: &Candidate,
    (content, base): (&Content, Option<CommitId>),
    limits: Limits,
) -> Result<ContentMerged, Error> {
    let Some(paths) = content.paths.iter().map(|text| fingerprint::path_of(text)).collect::<Option<Vec<_>>>() else {
        return Ok(fingerprint::not_found(candidate, Some("its record names paths that are none")));
    };
    let recorded = Recorded::find(history, context, (candidate.commit, base), &paths, limits)?;
    let landed = fingerprint::landing(content, &recorded.sightings, |a, b| recorded.reaches(a, b));
    let Some(places) = landed else {
        let why = match &recorded.coverage {
            Coverage::Whole => None,
            Coverage::Part(why) => Some(why.as_str()),
        };
        return Ok(fingerprint::not_found(candidate, why));
    };
    // What each of them brought must be there still; the first brought the last of it.
    let mut answer: Option<ContentMerged> = None;
    for span in places.into_iter().filter_map(|place| recorded.span(place)) {
        let mut search = Search::new(history, context, candidate.commit, &[span], limits)?;
        let ladder = Ladder::landed(search.stage(0).clone(), candidate.clone(), span.head);
        let next = finish(&mut search, 0, ladder)?;
        answer = Some(match answer {
            Some(answer) if answer.verdict != Verdict::Contained || next.verdict == Verdict::Contained => answer,
            Some(answer) => ContentMerged { matched_commit: answer.matched_commit, ..next },
            None => next,
        });
    }
    Ok(answer.unwrap_or_else(|| fingerprint::not_found(candidate, None)))
}

/// The fingerprints of what lies in `span`, for the record; `None` when it changes nothing, or is not all there.
///
/// # Errors
/// When the repository cannot be read.
pub fn fingerprints(history: &mut History<'_>, span: Span) -> Result<Option<Content>, Error> {
    Ok(history.stage(span)?.and_then(|(stage, base, head)| fingerprint::content(&stage, base, head)))
}

/// Takes stage `number` up the ladder, without carriers.
fn climb(search: &mut Search<'_>, number: usize, candidate: &Candidate) -> Result<ContentMerged, Error> {
    let ladder = Ladder::new(search.stage(number).clone(), candidate.clone(), 0);
    finish(search, number, ladder)
}

/// Answers whatever the ladder asks about stage `number`.
fn finish(search: &mut Search<'_>, number: usize, mut ladder: Ladder) -> Result<ContentMerged, Error> {
    loop {
        match ladder.next_step() {
            Step::Done(answer) => return Ok(answer),
            Step::Ask(asked) => ladder.tell(search.answer(number, &asked)?),
        }
    }
}

/// Where a carrier landed as one change, when it holds the whole stage: it reaches the head, the base reaches its anchor,
/// and what the stage did is still there. That it is itself reachable, or ends alike, carries nothing.
fn carrier_landing<'r>(
    context: &'r Context,
    history: &mut History<'r>,
    question: &Question,
    number: usize,
    limits: Limits,
) -> Result<Option<CommitId>, Error> {
    let (candidate, spans) = (&question.candidate, [question.carriers[number], question.span]);
    let mut search = Search::new(history, context, candidate.commit, &spans, limits)?;
    if !search.head_reaches(0, question.span.head) || !search.base_reaches(1, question.carriers[number].base) {
        return Ok(None);
    }
    let answer = climb(&mut search, 0, candidate)?;
    let landed = matches!(answer.proof, Some(Proof::SameChange | Proof::Replay | Proof::PerCommit));
    let Some(landed) = answer.matched_commit.filter(|_| landed) else { return Ok(None) };
    let carrier = question.carriers[number].head;
    let holds = carrier == question.span.head || still_holds(context, history, carrier, question.span, limits)?;
    Ok(holds.then_some(landed))
}

/// Whether `commit`, which has the head of `span` in its history, still has what lies in `span`, perhaps worked on: what
/// it lost again, by a revert or a merge that discarded it, did not land with it.
fn still_holds<'r>(
    context: &'r Context,
    history: &mut History<'r>,
    commit: CommitId,
    span: Span,
    limits: Limits,
) -> Result<bool, Error> {
    let mut search = Search::new(history, context, commit, &[span], limits)?;
    let candidate = Candidate { name: commit.to_string(), commit };
    let ladder = Ladder::merged(search.stage(0).clone(), candidate);
    Ok(finish(&mut search, 0, ladder)?.verdict == Verdict::Contained)
}
