//! The log of who consumed which stage (`consumers.jsonl`): its rows, which of them counts, and what may be appended.

mod append;
mod latest;
mod record;
mod row;

pub use append::{Append, Reappend, Refusal, decide_append};
pub use latest::{Places, latest_done_by_stage, started_stages};
pub use record::{Reason, Record, Status};
pub use row::{Row, Text};
