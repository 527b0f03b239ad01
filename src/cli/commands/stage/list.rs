//! `okstra stage list`

use crate::cli::args::OfTask;
use crate::cli::commands::{next_reconcile, say_stale};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, Tone};
use crate::cli::table::Cell;
use crate::context::Context;
use crate::domain::ids::short;
use crate::domain::stages::StageState;
use crate::ops::stages::list::{self, Options, Outcome, StageLine};

/// Show how each stage stands: its branch, its commit, where it landed
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra stage list
  okstra stage list --task auth/fix-login --json")]
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
    let options: Options = args.into();
    let outcome = list::run(context, &options)?;
    output.show(&outcome, |output| print(&outcome, &options, output));
    Ok(Exit::Done)
}

fn print(outcome: &Outcome, options: &Options, output: &mut Output) {
    let ended = [StageState::Done, StageState::Integrated];
    let done = outcome.stages.iter().filter(|stage| ended.contains(&stage.state)).count();
    let sentence = format!("{done} of {} stages are done", outcome.stages.len());
    output.headline(Tone::Strong, &outcome.task, &sentence);
    let rows: Vec<Vec<Cell>> = outcome.stages.iter().map(row).collect();
    output.table(&["stage", "state", "branch", "commit", "landed", "title"], &rows);
    let stale = outcome.stages.iter().filter_map(|stage| Some((stage.stage, stage.reason.as_deref()?)));
    if say_stale(stale, output) {
        let task = outcome.task.split_once('/').map_or(&*outcome.task, |(_, task)| task);
        next_reconcile(task, options.project_root.as_deref(), output);
    }
}

fn row(stage: &StageLine) -> Vec<Cell> {
    let (tone, state) = match stage.state {
        StageState::Waiting => (Tone::Quiet, "waiting"),
        StageState::Ready => (Tone::Strong, "ready"),
        StageState::Started => (Tone::Strong, "started"),
        StageState::Done => (Tone::Good, "done"),
        StageState::Integrated => (Tone::Good, "integrated"),
        StageState::Stale => (Tone::Doubtful, "stale"),
    };
    let place = |name: &str| name.trim_start_matches("refs/heads/").trim_start_matches("refs/remotes/").to_owned();
    let landed: Vec<String> = stage.landed.iter().map(|landed| place(&landed.reference)).collect();
    vec![
        Cell::from(stage.stage.to_string()),
        Cell::of(tone, state),
        Cell::from(&stage.branch),
        Cell::from(stage.commit.as_deref().map(short).unwrap_or_default()),
        Cell::from(landed.join(", ")),
        Cell::from(&stage.title),
    ]
}
