//! `okstra resume`

use std::path::PathBuf;

use crate::cli;
use crate::cli::args::Text;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::context::Context;
use crate::ops::lead::{self, Options};

/// Start the lead again on a run that is open
///
/// It goes on with its own session where claude has kept that, else it begins a new one with the same bundle. Either way
/// it gets a page on what is there already, so that nothing is done twice.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  okstra resume implementation-001 --task auth/login")]
pub(in crate::cli) struct Args {
    /// The run [default: the one that is open]
    #[arg(value_parser = Text)]
    run: Option<String>,
    /// The task [default: the one of the worktree you stand in]
    #[arg(long, value_name = "GROUP/ID", value_parser = Text)]
    task: Option<String>,
    /// The project [default: the main worktree of the repository here]
    #[arg(long, value_name = "DIR")]
    project_root: Option<PathBuf>,
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let Args { run, task, project_root } = args;
    let ended = lead::resume(context, &Options { project_root: project_root.clone(), task, run })?;
    Ok(cli::lead::ended(&ended, project_root, context, output))
}
