//! `okstra uninstall`

mod print;

use crate::cli::confirm::confirm;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::context::Context;
use crate::ops::uninstall::{self, Options};

/// Take okstra out of the folders of your agents
///
/// Removes what install wrote and you did not change, and okstra's entries from the settings of projects. Your projects'
/// .okstra/ and all worktrees stay. With --purge okstra's own folder goes too, never with a worktree that has changes or
/// commits that nothing else has.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra uninstall --dry-run
  okstra uninstall
  okstra uninstall --purge")]
pub(in crate::cli) struct Args {
    /// Also remove okstra's own folder, with the worktrees and the registry in it
    #[arg(long)]
    purge: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Do it without asking
    #[arg(long)]
    yes: bool,
}

impl From<Args> for Options {
    fn from(args: Args) -> Self {
        let Args { purge, dry_run, yes } = args;
        Self { purge, dry_run, yes }
    }
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let mut options = Options::from(args);
    let proposal = uninstall::propose(context, &options)?;
    if !options.dry_run && !options.yes && proposal.needs_a_person() {
        let question = if options.purge { "Remove all of this?" } else { "Remove this?" };
        confirm(context, output, question, proposal.unconfirmed(), |output| print::plan(proposal.outcome(), output))?;
        options.yes = true;
    }
    let done = uninstall::run(context, &options)?;
    output.show(&done, |output| print::outcome(&done, output));
    Ok(Exit::Done)
}
