//! One run: what was prepared (its manifest, never changed after), and what has become of it (the team state).

mod manifest;
mod request;
mod team;

pub use manifest::{
    Brief, ConvergenceSettings, Instruction, Lead, Override, PlanOfRun, RunManifest, RunStage, RunWorker, Vendor,
    VerificationMode, VerificationModeError, WorkerRole,
};
pub use request::{MisplacedOption, RunOption, WantedConvergence};
pub use team::{RunStatus, TeamState, TeamWorker};
