//! Where the base is, and how the task branch stands to it.

use crate::context::Context;
use crate::domain::base::{Follow, Next, decide, next, was_taken_out};
use crate::domain::equivalence::{Candidate, ContentMerged, Proof};
use crate::domain::ids::CommitId;
use crate::ops::Error;
use crate::ops::reconcile::{Work, typed};
use crate::ops::stages::trunk::Trunk;
use crate::ops::task::Task;

/// What is to be done, and why.
pub(super) struct Found {
    pub(super) how: Follow,
    pub(super) base: Candidate,
    /// Where the content of the branch landed, and what proves it.
    pub(super) landed: Option<(CommitId, Proof)>,
    /// One sentence.
    pub(super) reason: String,
}

/// Looks at the base and at its upstream.
pub(super) fn find(context: &Context, task: &Task, trunk: &Trunk) -> Result<Found, Error> {
    let mut work = Work::read(context, task)?;
    let bases = work.bases()?;
    if let [base, upstream] = bases.as_slice() {
        let (base, upstream) = (typed(&base.name), typed(&upstream.name));
        context.warn(format!(
            "`{base}` and its upstream `{upstream}` went different ways; bring them together first if both count"
        ));
    }
    let mut first = None;
    for base in bases {
        let found = in_one(context, &mut work, trunk, base)?;
        if first.is_none() || found.how == Follow::Restart {
            first = Some(found);
        }
        // Only whether the content landed is asked of the other one too.
        if first.as_ref().is_some_and(|found| found.how != Follow::Merge) {
            break;
        }
    }
    let found =
        first.ok_or_else(|| Error::NoBaseRef { task: task.key.task.clone(), base: None, root: task.root.clone() })?;
    Ok(found)
}

fn in_one(context: &Context, work: &mut Work<'_>, trunk: &Trunk, base: Candidate) -> Result<Found, Error> {
    let (branch, name) = (trunk.branch.clone(), typed(&base.name).to_owned());
    let holds_base = work.reaches(trunk.head, base.commit)?;
    let is_in_base = work.reaches(base.commit, trunk.head)?;
    let how = match next(holds_base, is_in_base) {
        Next::Decided(how) => how,
        Next::Search => {
            let answer = work.span_in((None, trunk.head), &base)?;
            return Ok(searched(context, base, answer));
        }
    };
    let reason = match how {
        Follow::Nothing => format!("{branch} holds {name} already"),
        _ => format!("{name} holds all of {branch}"),
    };
    if how == Follow::FastForward
        && let Some(anchor) = work.anchor()?
    {
        let answer = work.span_in((Some(anchor), trunk.head), &base)?;
        if was_taken_out(&answer) {
            context.warn(format!("{}; {branch} moves on to {name} as that is now", answer.reason));
        }
    }
    Ok(Found { how, base, landed: None, reason })
}

fn searched(context: &Context, base: Candidate, answer: ContentMerged) -> Found {
    let how = decide(&answer);
    if how == Follow::Merge && was_taken_out(&answer) {
        context.warn(format!("{}; so the branch does not start again, and keeps its content", answer.reason));
    }
    let landed = answer.matched_commit.zip(answer.proof).filter(|_| how == Follow::Restart);
    Found { how, base, landed, reason: answer.reason }
}
