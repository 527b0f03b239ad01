//! One run: what was prepared (its manifest, never changed after), and what has become of it (the team state).

mod manifest;
mod team;

pub use manifest::{
    Brief, ConvergenceSettings, Instruction, Lead, Override, PlanOfRun, RunManifest, RunStage, RunWorker, Vendor,
    VerificationMode, WorkerRole,
};
pub use team::{RunStatus, TeamState, TeamWorker};
