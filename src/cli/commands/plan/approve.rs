//! `okstra plan approve`

use std::path::PathBuf;

use super::print;
use crate::cli::args::Text;
use crate::cli::confirm::confirm;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, Tone};
use crate::context::Context;
use crate::ops::plan::approve::{self, Approval, Options};

/// Approve a plan for a task, and freeze it
///
/// Shows what is approved, asks, and keeps a copy that no later edit of the file changes: implementation goes by that
/// alone. Done stages whose row and section are as they were stay done; the others are opened again. Any Markdown file
/// will do as a plan, also one written by hand; where there is no such task yet, it is made.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra plan approve --task auth/fix-login
  okstra plan approve --task auth/fix-login plan.md --category fix

Exit codes: 0 it is approved, 2 the plan breaks a rule, 1 error or not confirmed.")]
pub(super) struct Args {
    /// The plan, a Markdown file [default: the newest planning report of the task]
    #[arg(value_name = "PLAN")]
    plan: Option<PathBuf>,
    /// The task [default: the one of the worktree you stand in]
    #[arg(long, value_name = "GROUP/ID", value_parser = Text)]
    task: Option<String>,
    /// The work category, for a task that has none yet: feat, fix, refactor, perf, docs, test, chore
    #[arg(long, value_name = "C", value_parser = Text)]
    category: Option<String>,
    /// Who approves [default: git's user.name, else the login name]
    #[arg(long, value_name = "NAME", value_parser = Text)]
    by: Option<String>,
    /// Approve without being asked
    #[arg(long)]
    yes: bool,
    /// The project [default: the main worktree of the repository here]
    #[arg(long, value_name = "DIR")]
    project_root: Option<PathBuf>,
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let Args { plan, task, category, by, yes, project_root } = args;
    let options = Options { project_root, task, plan, category, by, yes };
    let proposal = approve::propose(context, &options)?;
    let asks = proposal.needs_a_person();
    if asks && !yes {
        let unasked = proposal.unconfirmed();
        confirm(context, output, "Approve this plan?", unasked, |output| print::proposal(&proposal, output))?;
    }
    let approval = if asks { approve::apply(context, proposal)? } else { proposal.unchanged(context)? };
    output.show(&approval, |output| show(&approval, yes, output));
    Ok(if approval.violations.is_empty() { Exit::Done } else { Exit::Decide })
}

fn show(approval: &Approval, unseen: bool, output: &mut Output) {
    if !approval.violations.is_empty() {
        return print::violations(&approval.plan, &approval.violations, output);
    }
    let (id, task) = (approval.id.as_deref().unwrap_or_default(), approval.task_key.as_str());
    let by = approval.approved_by.as_deref().unwrap_or_default();
    match approval.changed {
        true if unseen => {
            output.headline(Tone::Good, "approved", &format!("{} as plan {id} of {task}, by {by}", approval.plan));
            print::fates(approval, output);
        }
        true => output.headline(Tone::Good, "approved", &format!("plan {id} of {task}, by {by}")),
        false => output.headline(Tone::Quiet, "unchanged", &format!("{task} goes by exactly this plan already, {id}")),
    }
    let name = task.split_once('/').map_or(task, |(_, name)| name);
    output.next("see which stages are ready", &["okstra", "plan", "show", "--task", name]);
}
