//! Carrying a task from one clone to another: what is added here of what came from there, and what only a person can
//! decide. Nothing is ever taken away on either side.

mod entry;
mod files;
mod lines;
mod log;
mod manifest;
mod push;

pub use entry::{EntryChanges, fold_entry};
pub use files::{Choice, Kind, choose, kind, later_state, run_of};
pub use lines::missing;
pub use log::{LogLine, Split, fold_log};
pub use manifest::fold_manifest;
pub use push::{PushedRef, ShareFacts, SharePlan, plan_share};

/// Two that say something else of the same thing, neither of which is known to be the later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What they say it of.
    pub of: String,
    /// What is said here.
    pub ours: String,
    /// What is said there.
    pub theirs: String,
}
