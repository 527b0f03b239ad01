//! `okstra plan`

mod approve;
mod check;
mod print;
mod show;

use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::context::Context;

/// Check, approve and show plans
///
/// A plan is Markdown with a Stage Map: a table of its stages, and a section for each. What a person approves is frozen,
/// and implementation goes by the frozen copy alone.
#[derive(Debug, clap::Args)]
#[command(
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "Example:
  okstra plan check plan.md

Exit codes: 0 done, 2 the plan breaks a rule, 1 error."
)]
pub(in crate::cli) struct Args {
    #[command(subcommand)]
    command: PlanCommand,
}

#[derive(Debug, clap::Subcommand)]
enum PlanCommand {
    Check(check::Args),
    Approve(approve::Args),
    Show(show::Args),
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    match args.command {
        PlanCommand::Check(args) => check::run(args, context, output),
        PlanCommand::Approve(args) => approve::run(args, context, output),
        PlanCommand::Show(args) => show::run(args, context, output),
    }
}
