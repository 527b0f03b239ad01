//! Every decision of okstra, on values alone: no files, no processes, no clock.

pub mod equivalence;
pub mod hint;
pub mod ids;
pub mod revision;
