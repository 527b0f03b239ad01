//! What the words of an answer mean, for people.

use super::output::Tone;
use crate::ops::content_merged::{Effect, Proof, Verdict};
use crate::ops::doctor::Status;
use crate::ops::plan::StageState;
use crate::ops::reconcile::Classification;

/// The word of a verdict, and how it should look.
pub(super) fn verdict(verdict: Verdict) -> (Tone, &'static str) {
    match verdict {
        Verdict::Contained => (Tone::Good, "contained"),
        Verdict::Absent => (Tone::Bad, "absent"),
        Verdict::Ask => (Tone::Doubtful, "ask"),
    }
}

/// The word of a proof, and what it means.
pub(super) fn proof(proof: Option<Proof>) -> (&'static str, &'static str) {
    match proof {
        Some(Proof::Ancestry) => ("ancestry", "the commit itself is part of the history"),
        Some(Proof::SameChange) => ("same-change", "one commit makes exactly these changes"),
        Some(Proof::Replay) => ("replay", "the changes, replayed on that commit's parent, give that commit"),
        Some(Proof::PerCommit) => ("per-commit", "each commit of the work landed on its own"),
        Some(Proof::SameEnd) => ("same-end", "every file of the work ends as the work ended it"),
        Some(Proof::Carrier) => ("carrier", "an integration that holds the commit landed"),
        Some(Proof::Fingerprint) => ("fingerprint", "the recorded digests are those of a commit there"),
        None => ("none", ""),
    }
}

/// The word of an effect, and what it means.
pub(super) fn effect(effect: Effect) -> (&'static str, &'static str) {
    match effect {
        Effect::Present => ("present", "merging it changes nothing"),
        Effect::Absent => ("absent", "its changes are not there"),
        Effect::Evolved => ("evolved", "its lines were worked on since"),
        Effect::Partial => ("partial", "not all of its changes are there as it made them"),
        Effect::Unknown => ("unknown", ""),
    }
}

/// The word of a classification, and how it should look.
pub(super) fn classification(class: Classification) -> (Tone, &'static str) {
    match class {
        Classification::Ok => (Tone::Good, "ok"),
        Classification::Auto => (Tone::Good, "auto"),
        Classification::Confirm => (Tone::Doubtful, "confirm"),
        Classification::Waiting => (Tone::Quiet, "waiting"),
    }
}

/// The word of a check's status, and how it should look.
pub(super) fn status(status: Status) -> (Tone, &'static str) {
    match status {
        Status::Ok => (Tone::Good, "ok"),
        Status::Warning => (Tone::Doubtful, "warning"),
        Status::Problem => (Tone::Bad, "problem"),
    }
}

/// The word of where a stage stands, and how it should look.
pub(super) fn stage_state(state: StageState) -> (Tone, &'static str) {
    match state {
        StageState::Done => (Tone::Good, "done"),
        StageState::Started => (Tone::Doubtful, "started"),
        StageState::Ready => (Tone::Strong, "ready"),
        StageState::Waiting => (Tone::Quiet, "waiting"),
    }
}
