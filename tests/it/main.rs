//! Integration tests: one binary, one module for each concern.

#![expect(clippy::disallowed_methods, reason = "a test looks at the machine from outside")]
#![expect(clippy::unwrap_used, reason = "a test that panics fails")]

mod cli;
mod common;
mod content_merged;
mod damage;
mod demo;
mod doctor;
mod fixture_cases;
mod fs;
mod git_room;
mod histories;
#[cfg(unix)]
mod install;
#[cfg(unix)]
mod life;
mod plan;
mod prepare;
mod process;
mod reconcile;
mod render;
#[cfg(unix)]
mod sharing;
mod stages;
mod store;
mod task;
mod tidy;
mod workflow;
