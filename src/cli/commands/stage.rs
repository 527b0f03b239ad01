//! `okstra stage`

mod done;
mod integrate;
mod list;
mod remove;

use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::context::Context;

/// List, record, integrate and remove the stages of a task
///
/// An approved plan is cut into stages. Each is built on a branch and in a worktree of its own, recorded as done once okstra
/// has checked it, and merged into the branch of the task.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra stage list --task auth/fix-login
  okstra stage done --stage 1
  okstra stage integrate")]
pub(in crate::cli) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    List(list::Args),
    Done(done::Args),
    Integrate(integrate::Args),
    Remove(remove::Args),
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    match args.what {
        What::List(args) => list::run(args, context, output),
        What::Done(args) => done::run(args, context, output),
        What::Integrate(args) => integrate::run(args, context, output),
        What::Remove(args) => remove::run(args, context, output),
    }
}
