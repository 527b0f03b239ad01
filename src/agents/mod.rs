//! The agent CLIs: how each is called, and where its skills live. One file for each of them, and one for what they share.

pub mod claude;
pub mod home;
mod program;
pub mod shipped;

pub use program::{Program, install};
