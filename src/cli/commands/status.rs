//! `okstra status`

mod print;

use std::path::PathBuf;

use crate::cli::args::Text;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::context::Context;
use crate::ops::status::{self, Options};

/// Where a task stands, and what comes next
///
/// Shows the phases of the task, what the route leaves out and why, the runs that are open, the stages of the approved
/// plan, and what comes next as a command. Nothing is changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra status
  okstra status --task auth/fix-login")]
pub(in crate::cli) struct Args {
    /// The task [default: the one of the worktree you stand in]
    #[arg(long, value_name = "GROUP/ID", value_parser = Text)]
    task: Option<String>,
    /// The project [default: the main worktree of the repository here]
    #[arg(long, value_name = "DIR")]
    project_root: Option<PathBuf>,
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let Args { task, project_root } = args;
    let options = Options { project_root, task };
    let status = status::run(context, &options)?;
    output.show(&status, |output| print::print(&status, options.project_root.as_deref(), output));
    Ok(Exit::Done)
}
