//! `okstra run`

use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::prepare::PrepareArgs;
use crate::context::Context;
use crate::ops::lead::{self, Ended};
use crate::ops::prepare;

/// Prepare a run and start the lead on it
///
/// Prepares like `render-bundle`, then hands the terminal to `claude` with the launch prompt, in the worktree of the task
/// where source is edited and in the project otherwise. Its exit code is passed on.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra run --task auth/login --category fix --brief brief.md
  okstra run --task auth/login")]
pub(in crate::cli) struct Args {
    #[command(flatten)]
    prepare: PrepareArgs,
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let options = args.prepare.into_options(context, output)?;
    let project_root = options.project_root.clone();
    let prepared = prepare::run(context, &options)?;
    output.show(&prepared, |output| super::render_bundle::print(&prepared, output));
    output.finish()?;
    let options = lead::Options { project_root, task: Some(prepared.task), run: Some(prepared.run) };
    Ok(ended(lead::start(context, &options)?, output))
}

/// Passes on how the lead ended.
pub(super) fn ended(ended: Ended, output: &mut Output) -> Exit {
    if ended == Ended::NotInstalled {
        output.warning("`claude` is not installed: npm install -g @anthropic-ai/claude-code; the run stays prepared");
    }
    Exit::Child(ended.code())
}
