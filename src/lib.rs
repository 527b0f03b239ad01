//! okstra makes coding agents check one another, and keeps its records true whatever people do to git.
//!
//! The folder tree is the architecture (ARCHITECTURE.md): a room imports only from the floors below its own.

pub mod agents;
pub mod cli;
pub mod context;
pub mod domain;
pub mod fs;
pub mod git;
pub mod ops;
pub mod process;
pub mod render;
pub mod store;
