//! `okstra demo`

mod print;

use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::context::Context;
use crate::ops::demo::{self, Options};

/// See what okstra does, on a scratch project
///
/// One commit is asked about on three days: nobody has merged it, it is squashed, it is taken back. Then a task with
/// three planned stages meets a squash with all branches deleted, `git gc`, a rebase and an amend: okstra says which
/// records hold, repairs what is proved, asks for the rest, and prepares the run of the next stage. Nothing is made up:
/// everything is done with git and okstra in a temporary folder, offline, and touches nothing else.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  okstra demo --keep

Exit codes: 0 shown, 1 error.")]
pub(in crate::cli) struct Args {
    /// Leave the scratch project to look at
    #[arg(long)]
    keep: bool,
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let demo = demo::run(context, &Options { keep: args.keep })?;
    output.show(&demo, |output| print::print(&demo, output));
    Ok(Exit::Done)
}
