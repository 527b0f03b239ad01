//! Answers that need no search: what names no commit, and what shares no history.

use super::answer::{ContentMerged, Effect, Status, Verdict};
use super::ladder::Candidate;
use crate::domain::ids::CommitId;

/// The answer when `what` (`commit`, `base` or `candidate`) names no commit, or several; `why` is a clause.
pub fn unresolvable(what: &str, why: &str) -> ContentMerged {
    ContentMerged {
        status: Status::Unresolvable,
        matched_commit: None,
        verdict: Verdict::Ask,
        proof: None,
        effect: Effect::Unknown,
        reason: format!("the {what} cannot be told: {why}"),
    }
}

/// The answer where there is nothing to start a proof from; `why` is a sentence.
pub fn nothing_to_prove(why: String) -> ContentMerged {
    ContentMerged {
        status: Status::NotMerged,
        matched_commit: None,
        verdict: Verdict::Ask,
        proof: None,
        effect: Effect::Unknown,
        reason: why,
    }
}

/// The answer when no base was given and there is no merge base to take. `complete`: all that matters of the history was
/// seen. `surely_absent`: the whole history was seen,
/// and none of the commit's paths exist in the candidate.
pub fn foreign(head: CommitId, candidate: &Candidate, complete: bool, surely_absent: bool) -> ContentMerged {
    let (head, name) = (head.short(), &candidate.name);
    let (verdict, effect, reason) = if surely_absent {
        let reason = format!("{head} and {name} share no history, and none of its paths exist there");
        (Verdict::Absent, Effect::Absent, reason)
    } else {
        let why =
            if complete { "have no merge base to start from" } else { "have no merge base in what could be seen" };
        let reason = format!("{head} and {name} {why}: give the base of the work");
        (Verdict::Ask, Effect::Unknown, reason)
    };
    ContentMerged { status: Status::NotMerged, matched_commit: None, verdict, proof: None, effect, reason }
}
