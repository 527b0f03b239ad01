//! `okstra task`

mod close;
mod fetch;
mod share;
mod sync;

use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::context::Context;

/// Follow the base of a task, clean up once it has landed there; carry a task to another clone, and back
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra task sync
  okstra task close --dry-run
  okstra task close --task auth/fix-login
  okstra task share --task auth/fix-login
  okstra task fetch --task auth/fix-login")]
pub(in crate::cli) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Sync(sync::Args),
    Close(close::Args),
    Share(share::Args),
    Fetch(fetch::Args),
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    match args.what {
        What::Sync(args) => sync::run(args, context, output),
        What::Close(args) => close::run(args, context, output),
        What::Share(args) => share::run(args, context, output),
        What::Fetch(args) => fetch::run(args, context, output),
    }
}
