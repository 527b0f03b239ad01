//! The stages of a task on real repositories: reserved, provisioned, done, integrated, listed, removed.

mod project;
mod provision;
