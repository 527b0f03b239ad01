//! When content counts as landed, what became of it, and what okstra may therefore do.
//!
//! The [`Ladder`] asks for one fact after another and is told the answers; it never reads anything itself.

mod answer;
mod change;
mod effect;
pub mod fingerprint;
mod ladder;
mod matching;
mod merge;
mod question;
mod reason;
mod shortcut;
mod trace;

pub use answer::{ContentMerged, Effect, Proof, Status, Verdict};
pub use change::{Entry, Mode, PathChange, RepoPath, Sighting, Slot, Stage, Unit};
pub use effect::{Outcome, Probe, effect};
pub use ladder::{Candidate, Ladder, Landing, Step};
pub use merge::{Merged, may_replay, three_way};
pub use question::{Answer, Coverage, Probes, Question, Reach, ReplayBase, Replayed, Scope};
pub use shortcut::{foreign, nothing_to_prove, unresolvable};
