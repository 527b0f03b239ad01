//! Child processes, the terminal they share with us, and signals. The only home of `std::process`.
//!
//! A program is started from a [`Command`] and a [`Context`](crate::context::Context): its environment and its current
//! folder are the context's, not the process's. [`Command::run`] captures what it says and ends it, with everything
//! it started, when the context is cancelled; [`Command::run_on_terminal`] hands our terminal over to it.

mod capture;
mod child;
mod command;
mod error;
mod find;
mod holder;
mod interactive;
mod session;
mod signals;
mod stdio;

pub use command::{Command, Ending, Output};
pub use error::Error;
pub use find::{find_program, find_program_in};
pub use holder::Identity;
pub use session::Session;
