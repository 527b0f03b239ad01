//! `okstra doctor`

mod print;

use std::path::PathBuf;

use crate::cli::args::Text;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::context::Context;
use crate::ops::doctor::{self, Options};

/// Check this machine and the project's records, and bring back records that were lost
///
/// Every line says ok, warning or problem, and what to do. okstra mirrors the records of each task to a ref,
/// refs/okstra/state/GROUP/ID. With --restore what is missing on disk is brought back from there: files of .okstra/ and
/// rows of the registry. What is there is never touched.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra doctor
  okstra doctor --restore
  okstra doctor --restore --task auth/fix-login

Exit codes: 0 no problem, 2 a problem was found or something was not brought back, 1 error.")]
pub(in crate::cli) struct Args {
    /// Bring back what is mirrored and missing, never over what is there
    #[arg(long)]
    restore: bool,
    /// With --restore: the records of this task only, GROUP/ID [default: of all that are mirrored]
    #[arg(long, value_name = "TASK", value_parser = Text)]
    task: Option<String>,
    /// The project [default: the main worktree of the repository here]
    #[arg(long, value_name = "DIR")]
    project_root: Option<PathBuf>,
}

impl From<Args> for Options {
    fn from(args: Args) -> Self {
        let Args { restore, task, project_root } = args;
        Self { project_root, restore, task }
    }
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let options = Options::from(args);
    let outcome = doctor::run(context, &options)?;
    output.show(&outcome, |output| print::print(&options, &outcome, output));
    Ok(if outcome.needs_a_person() { Exit::Decide } else { Exit::Done })
}
