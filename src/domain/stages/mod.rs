//! The stages of a task: where each may be built, what it may touch, what it hands on, how it stands.

mod placement;
mod reservation;

pub use placement::{BranchFact, FolderFact, Obstacle, PlaceFacts, Placement, place};
pub use reservation::{RunFact, is_held};
