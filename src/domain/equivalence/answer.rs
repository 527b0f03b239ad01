//! The answer to “is this commit's content in that ref?”, as every door shows it.

use serde::Serialize;

use crate::domain::ids::CommitId;

/// The answer, with the proof behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContentMerged {
    /// What was found.
    pub status: Status,
    /// Where the content landed: the commit itself when it is reachable, else the commit that brought its content
    /// (for `same-end` the candidate's own commit); null when nothing was proved.
    pub matched_commit: Option<CommitId>,
    /// What okstra may do.
    pub verdict: Verdict,
    /// What proves it; null when nothing does.
    pub proof: Option<Proof>,
    /// What became of the content in the candidate.
    pub effect: Effect,
    /// One sentence for people: what was found, what was missing, and the nearest candidate.
    pub reason: String,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The commit is reachable from the candidate.
    Ancestor,
    /// Its content is, by one of the other proofs.
    PatchEquivalent,
    /// Not proved.
    NotMerged,
    /// Commit, base or candidate names no commit, or several.
    Unresolvable,
}

/// What okstra may do with the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Reachable, or proved and still there.
    Contained,
    /// Surely not there.
    Absent,
    /// A person looks.
    Ask,
}

/// What proves that the content landed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// The commit is reachable.
    Ancestry,
    /// One commit makes every change of the stage, object for object.
    SameChange,
    /// Replaying the stage on a commit's parent gives that commit, object for object.
    Replay,
    /// Every commit of the stage landed so, each on its own.
    PerCommit,
    /// The base is contained and every path of the stage ends as it ended in the stage.
    SameEnd,
    /// A recorded integration that holds the commit landed.
    Carrier,
    /// The recorded digests of the change match a commit's.
    Fingerprint,
}

/// What became of the content in the candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Merging the stage in changes nothing.
    Present,
    /// Taking the stage out changes nothing.
    Absent,
    /// Merging it in only conflicts: its lines were worked on since.
    Evolved,
    /// Anything else.
    Partial,
    /// Could not be told.
    Unknown,
}
