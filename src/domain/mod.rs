//! Every decision of okstra, on values alone: no files, no processes, no clock.

pub mod base;
pub mod batch;
pub mod doctor;
pub mod equivalence;
pub mod glob;
pub mod hint;
pub mod ids;
pub mod install;
pub mod lifecycle;
pub mod mirror;
pub mod moment;
pub mod names;
pub mod plan;
pub mod progress;
pub mod reconcile;
pub mod records;
pub mod registry;
pub mod revision;
pub mod roster;
pub mod run;
pub mod sharing;
pub mod shell;
pub mod stage_graph;
pub mod stage_map;
pub mod stages;
pub mod workflow;
