//! `okstra stage integrate`

use crate::cli::args::OfTask;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, Tone};
use crate::cli::table::Cell;
use crate::context::Context;
use crate::domain::ids::short;
use crate::ops::stages::integrate::{self, Options, Outcome};

/// Merge done stages into the branch of the task, all of them or none
///
/// Taken are the done stages of the open runs; where those are merged already, or no run is open, all done stages. Each
/// becomes a merge commit. The merges are made in memory: on a conflict nothing has changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra stage integrate
  okstra stage integrate --task auth/fix-login")]
pub(super) struct Args {
    #[command(flatten)]
    of: OfTask,
}

impl From<Args> for Options {
    fn from(args: Args) -> Self {
        let OfTask { task, project_root } = args.of;
        Self { project_root, task }
    }
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let outcome = integrate::run(context, &args.into())?;
    output.show(&outcome, |output| print(&outcome, output));
    Ok(Exit::Done)
}

fn print(outcome: &Outcome, output: &mut Output) {
    if outcome.merged.is_empty() && outcome.before != outcome.commit {
        let sentence =
            format!("{} -> {}, as another clone integrated it", short(&outcome.before), short(&outcome.commit));
        output.headline(Tone::Good, &outcome.branch, &sentence);
        return;
    }
    if outcome.merged.is_empty() {
        match outcome.contained.is_empty() {
            true => output.headline(Tone::Doubtful, &outcome.branch, "has nothing to take in: no stage is done yet"),
            false => output.headline(Tone::Good, &outcome.branch, "has every done stage already"),
        }
        return;
    }
    let sentence = format!("{} -> {}", short(&outcome.before), short(&outcome.commit));
    output.headline(Tone::Good, &outcome.branch, &sentence);
    let rows: Vec<Vec<Cell>> = outcome
        .merged
        .iter()
        .map(|merged| {
            let (commit, merge) = (short(&merged.commit), short(&merged.merge_commit));
            vec![Cell::from(format!("stage {}", merged.stage)), commit.into(), merge.into(), Cell::from(&merged.title)]
        })
        .collect();
    output.table(&["merged", "commit", "as", "title"], &rows);
}
