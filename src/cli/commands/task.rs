//! `okstra task`

mod close;
mod sync;

use std::path::PathBuf;

use crate::cli::args::Text;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::context::Context;

/// Follow the base of a task, and clean up once it has landed there
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra task sync
  okstra task close --dry-run
  okstra task close --task auth/fix-login")]
pub(in crate::cli) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Sync(sync::Args),
    Close(close::Args),
}

/// Which task.
#[derive(Debug, clap::Args)]
struct OfTask {
    /// The task [default: the one of the worktree you stand in]
    #[arg(long, value_name = "GROUP/ID", value_parser = Text)]
    task: Option<String>,
    /// The project [default: the main worktree of the repository here]
    #[arg(long, value_name = "DIR")]
    project_root: Option<PathBuf>,
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    match args.what {
        What::Sync(args) => sync::run(args, context, output),
        What::Close(args) => close::run(args, context, output),
    }
}
