//! The agent CLIs: how each is called. One file for each of them.

pub mod claude;
mod program;

pub use program::{Program, install};
