//! The stages of a task: where each may be built, what it may touch, what it hands on, how it stands.

mod carry;
mod placement;
mod removal;
mod reservation;
mod scope;
mod start;
mod state;

pub use carry::{AllowedPath, Carry, Check, Claims, ContractClaim};
pub use placement::{BranchFact, FolderFact, Obstacle, PlaceFacts, Placement, place};
pub use removal::{Kept, RemovalFacts, Tip, may_go};
pub use reservation::{RunFact, is_held};
pub use scope::outside;
pub use start::{RecordedCommit, StartFacts, TaskStart, task_start};
pub use state::{StageState, StateFacts};
