//! State on disk: the layout of `.okstra/` and of `$OKSTRA_HOME`, and each file in them. The only home of disk formats.
//!
//! What a reader may rely on: readers take no lock and write nothing; a file that is not what it should be is an error
//! that names it, and is left as it is; what a newer or another program wrote besides is kept when a file is rewritten.

pub mod carry;
mod catalog;
pub mod claim;
mod config;
pub mod consumers;
mod error;
pub mod installation;
pub mod json;
mod layout;
mod lines;
mod manifest;
pub mod plans;
mod project;
pub mod registry;
mod run_files;
pub mod runs;
pub mod timeline;

pub use catalog::{Catalog, CatalogEntry, LatestTask, read_tasks, rebuild_catalog, task_names};
pub use config::{AgentSettings, Config, UnknownKey};
pub use error::{Error, JsonFault};
pub use layout::{Home, Layout, SNAPSHOTS};
pub use lines::SEAL;
pub use manifest::{Manifest, ManifestGuard};
pub use project::{Project, ProjectGuard, RunSettings};
pub use run_files::WorkerFile;
