//! git-reconcile: which recorded commits still hold, which can be repaired from proof, and which a person must decide.

mod carriers;
mod classify;
mod document;
mod gate;
mod guidance;
mod repair;

pub use carriers::{Chain, chains};
pub use classify::{Landing, Next, Recorded, SearchFor, StageFacts, anchor, decide, next};
pub use document::{AppliedDocument, Cause, Classification, Inspection, Into, Item, Kind, Repair};
pub use gate::{Dependency, HeldBy, State, gate, needs_head};
pub use guidance::{Guidance, RefusedDependency, WayOut};
pub use repair::{automatic, by_person, with_content};
