//! A task and its base: how the task branch follows it, and what may go once it has landed there.

mod closing;
mod follow;

pub use closing::{PlaceFacts, Stay, TipFacts, may_close};
pub use follow::{Ahead, Follow, Next, decide, in_order, next, was_taken_out};
