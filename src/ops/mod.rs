//! One file for each operation: read facts, let the domain decide, apply, return an outcome.

pub mod abandon;
mod agents;
pub mod close;
pub mod content_merged;
pub mod demo;
pub mod doctor;
pub mod equivalence;
mod error;
pub mod finish;
pub mod init;
pub mod install;
pub mod lead;
pub mod lifecycle;
mod mirror;
pub mod plan;
pub mod prepare;
pub mod reconcile;
pub mod record_done;
pub mod resume_page;
pub mod sharing;
pub mod stages;
pub mod status;
pub mod sync;
pub mod task;
pub mod tasks;
pub mod uninstall;
pub mod validate_workflow;

pub use error::Error;
pub(crate) use error::NOT_INSTALLED;

pub use crate::process::Session;
