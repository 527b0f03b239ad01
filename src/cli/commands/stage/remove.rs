//! `okstra stage remove`

use crate::cli::args::OfTask;
use crate::cli::commands::say_gone;
use crate::cli::confirm::confirm;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, Tone};
use crate::context::Context;
use crate::ops::stages::remove::{self, Options};

/// Remove worktree and branch of a stage, when nothing is lost with them
///
/// Never a worktree in which something is not committed, and never a commit that nothing else reaches and of which nothing
/// proves that it landed. Ignored files in the worktree go with it; they are named first.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra stage remove --stage 1
  okstra stage remove --stage 1 --yes")]
pub(super) struct Args {
    /// The stage
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    stage: u32,
    #[command(flatten)]
    of: OfTask,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

impl From<Args> for Options {
    fn from(args: Args) -> Self {
        let Args { stage, of: OfTask { task, project_root }, yes } = args;
        Self { project_root, task, stage, yes }
    }
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let mut options = Options::from(args);
    let plan = remove::propose(context, &options)?;
    if !options.yes && plan.needs_a_person() {
        confirm(context, output, "Remove it?", plan.unconfirmed(), |output| {
            output.headline(Tone::Strong, &format!("stage {}", plan.stage), &format!("removes {}", plan.sentence()));
            say_gone(&plan.ignored, plan.stood_in.as_deref(), output);
        })?;
        options.yes = true;
    }
    let plan = remove::run(context, &options)?;
    output.show(&plan, |output| {
        output.headline(Tone::Good, &format!("stage {}", plan.stage), &format!("removed {}", plan.sentence()));
        say_gone(&plan.ignored, plan.stood_in.as_deref(), output);
    });
    Ok(Exit::Done)
}
