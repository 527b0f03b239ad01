//! `okstra abandon`

use std::path::PathBuf;

use crate::cli::args::Text;
use crate::cli::confirm::confirm;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, Tone};
use crate::context::Context;
use crate::ops::abandon::{self, Abandoned, Kept, Options, Plan};

/// Give a run up
///
/// Its reservations are released, so that another run can take its stages; its worktrees and branches stay, and
/// `okstra status` shows them. This is final.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  okstra abandon implementation-001 --task auth/fix-login --reason 'wrong approach'")]
pub(in crate::cli) struct Args {
    /// The run, as in implementation-001
    #[arg(value_parser = Text)]
    run: String,
    /// The task [default: the one of the worktree you stand in]
    #[arg(long, value_name = "GROUP/ID", value_parser = Text)]
    task: Option<String>,
    /// Why, for people
    #[arg(long, value_name = "TEXT", value_parser = Text)]
    reason: String,
    /// Do it without asking
    #[arg(long)]
    yes: bool,
    /// The project [default: the main worktree of the repository here]
    #[arg(long, value_name = "DIR")]
    project_root: Option<PathBuf>,
}

impl From<Args> for Options {
    fn from(args: Args) -> Self {
        let Args { run, task, reason, yes, project_root } = args;
        Self { project_root, task, run, reason, yes }
    }
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let mut options = Options::from(args);
    let plan = abandon::plan(context, &options)?;
    if !options.yes && !plan.already {
        confirm(context, output, "Abandon this run?", plan.unconfirmed(), |output| show(&plan, output))?;
        options.yes = true;
    }
    let done = abandon::run(context, &options)?;
    output.show(&done, |output| print(&options, &done, output));
    Ok(Exit::Done)
}

fn show(plan: &Plan, output: &mut Output) {
    output.headline(Tone::Strong, "abandon", &format!("{} of {}; this is final", plan.run, plan.task));
    consequences("releases", "keeps", (&plan.released, &plan.worktrees), output);
}

fn print(options: &Options, done: &Abandoned, output: &mut Output) {
    let word = if done.already { "abandoned already" } else { "abandoned" };
    output.headline(Tone::Good, word, &format!("{} of {}: {}", done.run, done.task, done.reason));
    consequences("released", "kept", (&done.released, &done.worktrees), output);
    let root = options.project_root.as_ref().map(|root| root.to_string_lossy().into_owned());
    let mut command = vec!["okstra", "status", "--task", &done.task];
    command.extend(root.iter().flat_map(|root| ["--project-root", root.as_str()]));
    output.next("see what comes next", &command);
}

/// The stages that others may take, and the worktrees that stay.
fn consequences(released: &str, stays: &str, (stages, worktrees): (&[u32], &[Kept]), output: &mut Output) {
    let numbers: Vec<_> = stages.iter().map(ToString::to_string).collect();
    let numbers = format!("stage{} {}", if stages.len() == 1 { "" } else { "s" }, numbers.join(", "));
    let mut fields = Vec::new();
    fields.extend((!stages.is_empty()).then_some((released, numbers.as_str(), "")));
    let kept: Vec<String> = worktrees.iter().map(kept).collect();
    fields.extend(kept.iter().map(|kept| (stays, kept.as_str(), "")));
    if !fields.is_empty() {
        output.fields(&fields);
    }
}

fn kept(kept: &Kept) -> String {
    format!("stage {}, branch {}, {}", kept.stage, kept.branch, kept.worktree)
}
