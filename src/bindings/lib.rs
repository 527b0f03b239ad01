//! The door for Node: one JavaScript export for each operation of okstra.

pub mod content_merged;
pub mod demo;
pub mod doctor;
pub mod git_reconcile;
pub mod install;
pub mod job;
pub mod life;
pub mod plan;
pub mod render_bundle;
pub mod run;
pub mod sharing;
pub mod stages;
pub mod status;
pub mod task_close;
pub mod task_sync;
pub mod validate_workflow;
