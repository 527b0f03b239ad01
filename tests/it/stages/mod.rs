//! The stages of a task on real repositories: reserved, provisioned, done, integrated, listed, removed.

mod carry;
mod done;
mod integrate;
#[cfg(unix)]
mod killed;
mod list;
mod project;
mod provision;
mod remove;
