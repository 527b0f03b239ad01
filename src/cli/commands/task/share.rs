//! `okstra task share`

use crate::cli::args::{OfTask, Text};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, Tone};
use crate::cli::table::Cell;
use crate::context::Context;
use crate::ops::sharing::share::{self, Options, Outcome};

/// Push the records of a task to a remote, and the commits that they name
///
/// Another clone goes on with `okstra task fetch`. What the remote has is never overwritten: where it has records that are
/// not here, they are fetched first. Branches are not pushed, and hooks are not run.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra task share
  okstra task share --task auth/fix-login --remote origin
  okstra task share --dry-run")]
pub(super) struct Args {
    #[command(flatten)]
    of: OfTask,
    /// The remote [default: that of the checked-out branch, else the only one, else origin]
    #[arg(long, value_name = "NAME", value_parser = Text)]
    remote: Option<String>,
    /// Show what would be pushed, and push nothing
    #[arg(long)]
    dry_run: bool,
}

impl From<Args> for Options {
    fn from(args: Args) -> Self {
        let Args { of: OfTask { task, project_root }, remote, dry_run } = args;
        Self { project_root, task, remote, dry_run }
    }
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let outcome = share::run(context, &args.into())?;
    output.show(&outcome, |output| print(&outcome, output));
    Ok(Exit::Done)
}

fn print(outcome: &Outcome, output: &mut Output) {
    let remote = &outcome.remote;
    if outcome.pushed.is_empty() {
        output.headline(Tone::Good, &outcome.task, &format!("{remote} has all of it already"));
        return;
    }
    let (tone, verb) = if outcome.dry_run { (Tone::Strong, "would be shared") } else { (Tone::Good, "is shared") };
    output.headline(tone, &outcome.task, &format!("{verb} on {remote}"));
    let rows: Vec<Vec<Cell>> = outcome
        .pushed
        .iter()
        .map(|pushed| {
            let old = pushed.old.map_or_else(|| "new".to_owned(), |old| old.short());
            vec![Cell::from(&pushed.name), Cell::from(old), Cell::from(pushed.new.short())]
        })
        .collect();
    output.table(&["ref", "was", "is"], &rows);
}
