//! The agent CLIs: how each is called. One file for each of them.

pub mod claude;
