//! Reads history and content into facts. The only home of gix and of the git command.

mod ancestry;
mod beyond;
mod changes;
mod command;
mod error;
mod graph;
mod hunks;
mod integrate;
pub mod keep;
mod lost;
mod merger;
mod mirror;
mod objects;
mod operation;
mod pack;
mod paths;
mod probe;
mod recorded;
mod refs;
mod remote;
mod renames;
mod replay;
mod repository;
mod resolve;
mod scan;
mod search;
mod shape;
mod snapshot;
mod transaction;
mod upstream;
mod worktree_edits;
mod worktrees;

pub use ancestry::{History, MergeBases};
pub use command::Git;
pub use error::Error;
pub use integrate::{MergeCommit, fast_forward, moved_from, start_again};
pub use mirror::{NewSnapshot, Snapshot};
pub use operation::{Operation, OperationKind};
pub use recorded::Recorded;
pub use remote::Push;
pub use repository::Repository;
pub use resolve::{Resolved, Unresolvable};
pub use search::{Deadline, Limits, MAX_SPANS, Search, Span};
pub use snapshot::SnapshotFile;
pub use worktree_edits::{Difference, differences, differences_with_ignored, ignored, untracked_matching};
pub use worktrees::{Head, Worktree};

/// How often a symbolic ref may point to a symbolic ref; git stops at five.
const MAX_SYMREF_DEPTH: usize = 5;
