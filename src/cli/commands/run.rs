//! `okstra run`

use crate::cli;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::prepare::PrepareArgs;
use crate::context::Context;
use crate::ops::lead;
use crate::ops::prepare;

/// Prepare a run and start the lead on it
///
/// Prepares like `render-bundle`, then hands the terminal to `claude` with the launch prompt, in the worktree of the task
/// where source is edited and in the project otherwise. Its exit code is passed on; 127 where it is not installed. Another
/// command line for it is set in $OKSTRA_HOME/config.toml: [agents.claude] command = ["PROGRAM", "ARGUMENT"]
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra run --task auth/login --category fix --brief brief.md
  okstra run --task auth/login")]
pub(in crate::cli) struct Args {
    #[command(flatten)]
    prepare: PrepareArgs,
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    // Nothing is prepared, and no stage reserved, for a lead that cannot be started.
    lead::check(context)?;
    let options = args.prepare.into_options(context, output)?;
    let project_root = options.project_root.clone();
    let prepared = prepare::run(context, &options)?;
    output.show(&prepared, |output| super::render_bundle::show(&prepared, output));
    output.finish()?;
    let (task, run) = (Some(prepared.task), Some(prepared.run));
    let ended = lead::start(context, &lead::Options { project_root: project_root.clone(), task, run })?;
    Ok(cli::lead::ended(&ended, project_root, context, output))
}
