//! `okstra plan check`

use std::path::PathBuf;

use super::print;
use crate::cli::args::Text;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, Tone};
use crate::context::Context;
use crate::ops::plan::check::{self, Options, Report};

/// Check a plan against the rules of the Stage Map
///
/// Every violation is reported, not only the first, with its line, its rule and how to mend it. A file needs no project;
/// without one the newest planning report of the task is checked.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra plan check plan.md
  okstra plan check --task auth/fix-login

Rules:
  S1  one Stage Map, with one table of the columns stage, title, depends-on, step-count, files
  S2  stages are numbered 1, 2, 3 … in order
  S3  every row has its section, every section its row, and both one title
  S4  depends-on is `(none)` or numbers of other stages
  S5  no stage waits for itself through others
  S6  a stage has 1 to 6 steps
  S7  a stage has as many steps as its row says
  S8  a stage has `post` commands, an exit contract and a rollback
  S9  files are globs, and stages that could run side by side touch none in common

Exit codes: 0 it keeps all of them, 2 it does not, 1 error.")]
pub(super) struct Args {
    /// The plan, a Markdown file
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The task whose newest planning report is checked [default: the one of the worktree you stand in]
    #[arg(long, value_name = "GROUP/ID", value_parser = Text)]
    task: Option<String>,
    /// The project [default: the main worktree of the repository here]
    #[arg(long, value_name = "DIR")]
    project_root: Option<PathBuf>,
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let Args { file, task, project_root } = args;
    let report = check::run(context, &Options { project_root, file, task })?;
    output.show(&report, |output| show(&report, output));
    Ok(if report.violations.is_empty() { Exit::Done } else { Exit::Decide })
}

fn show(report: &Report, output: &mut Output) {
    let stages = print::counted(report.stages.len(), "stage");
    match report.violations.as_slice() {
        [] => output.headline(Tone::Good, "ok", &format!("{}: {stages}, and every rule is kept", report.plan)),
        violations => print::violations(&report.plan, violations, output),
    }
}
