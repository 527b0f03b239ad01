//! The command line: what can be typed, what is printed, and the exit code. The only home of clap, stdout and stderr.
//!
//! Both doors, the executable and `bin/okstra`, call [`main`]; a test that brings its own machine calls [`run`].
//! A new command is one file in `commands/` and one line in its table.

mod args;
mod bug;
mod commands;
mod confirm;
mod diagnostics;
mod exit;
mod failure;
mod folders;
mod graph;
mod lead;
mod output;
mod prepare;
mod progress;
mod run;
mod streams;
mod table;
mod text;
mod usage;
mod words;

pub use args::{command, refusal};
pub use commands::completions::{Completions, completions};
pub use exit::Exit;
pub use failure::Failure;
pub use run::{main, run};
pub use streams::{Keyboard, Stream, Streams};
