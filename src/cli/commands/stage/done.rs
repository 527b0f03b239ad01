//! `okstra stage done`

use std::path::PathBuf;

use crate::cli::args::{OfTask, Text};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, Tone};
use crate::cli::table::Cell;
use crate::context::Context;
use crate::domain::ids::short;
use crate::ops::stages::done::{self, Options, Outcome};

/// Check a stage and record it as done
///
/// The commit of the stage is the tip of its branch. What it touched must be among its files in the plan, and the `post`
/// commands of the plan are run here, at that commit: their exit codes count, and what anyone says of them does not.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra stage done --stage 1
  okstra stage done --stage 1 --carry stage-1.json
  okstra stage done --stage 2 --allow-outside Cargo.lock --reason 'a new dependency'")]
pub(super) struct Args {
    /// The stage
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    stage: u32,
    #[command(flatten)]
    of: OfTask,
    /// The ref whose commit is the stage's [default: its branch]
    #[arg(long, value_name = "REF", value_parser = Text)]
    head: Option<String>,
    /// What the agent says of the exit contract, a JSON file; kept as its claims
    #[arg(long, value_name = "FILE")]
    carry: Option<PathBuf>,
    /// A path outside of the stage's files that it may have touched
    #[arg(long, value_name = "PATH", value_parser = Text)]
    allow_outside: Vec<String>,
    /// Why it may
    #[arg(long, value_name = "TEXT", value_parser = Text)]
    reason: Option<String>,
}

impl From<Args> for Options {
    fn from(args: Args) -> Self {
        let Args { stage, of: OfTask { task, project_root }, head, carry, allow_outside, reason } = args;
        Self { project_root, task, stage, head, carry, allow_outside, reason }
    }
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let outcome = done::run(context, &args.into())?;
    output.show(&outcome, |output| print(&outcome, output));
    Ok(Exit::Done)
}

fn print(outcome: &Outcome, output: &mut Output) {
    let short = short(&outcome.head_commit);
    let word = format!("stage {}", outcome.stage);
    match outcome.is_news {
        true => output.headline(Tone::Good, &word, &format!("is done, at {short}")),
        false => output.headline(Tone::Good, &word, &format!("was recorded before, at {short}")),
    }
    let rows: Vec<Vec<Cell>> = outcome
        .validation
        .iter()
        .map(|check| {
            let tone = if check.exit_code == 0 { Tone::Good } else { Tone::Bad };
            let time = format!("{:.1} s", std::time::Duration::from_millis(check.duration_ms).as_secs_f64());
            vec![Cell::of(tone, &check.exit_code.to_string()), Cell::from(time), Cell::from(&check.command)]
        })
        .collect();
    if !rows.is_empty() {
        output.table(&["exit code", "time", "command"], &rows);
    }
    for path in &outcome.outside {
        output.text(&format!("outside of its files, as allowed: {} ({})", path.path, path.reason));
    }
}
