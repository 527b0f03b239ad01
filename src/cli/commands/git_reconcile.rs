//! `okstra git-reconcile`

pub(super) mod print;

use std::path::PathBuf;

use crate::cli::args::Text;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::context::Context;
use crate::ops::reconcile::{self, Options};

/// Find and repair recorded commits that outside history changes made stale
///
/// okstra records the commit of each done stage. Rebase, squash, amend and deleted branches make such records stale.
/// This looks at every one of them and says whether it holds, whether it can be repaired from proof, or whether you have
/// to decide. Without --apply nothing is changed; with it, what is proved is repaired, and never anything else.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra git-reconcile --task auth/fix-login
  okstra git-reconcile --task auth/fix-login --apply
  okstra git-reconcile --task auth/fix-login --into main
  okstra git-reconcile --task auth/fix-login --apply --stage 2 --use-ref fix-fix-login-s2

Exit codes: 0 nothing to decide, 2 something is left for you to decide, 1 error.")]
pub(in crate::cli) struct Args {
    /// The task [default: the one of the worktree you stand in]
    #[arg(long, value_name = "GROUP/ID", value_parser = Text)]
    task: Option<String>,
    /// Repair what is proved
    #[arg(long)]
    apply: bool,
    /// The stage that --use-ref is for
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    stage: Option<u32>,
    /// Record the commit of this ref for the stage, as your decision
    #[arg(long, value_name = "REF", value_parser = Text)]
    use_ref: Option<String>,
    /// Move the anchor of the task to the commit of this ref
    #[arg(long, value_name = "REF", value_parser = Text)]
    reset_anchor: Option<String>,
    /// Also ask whether every done stage is in this ref; with --apply record where it landed there
    #[arg(long, value_name = "REF", value_parser = Text)]
    into: Option<String>,
    /// List also what holds
    #[arg(long)]
    all: bool,
    /// The project [default: the main worktree of the repository here]
    #[arg(long, value_name = "DIR")]
    project_root: Option<PathBuf>,
    /// The folder of the task's consumers.jsonl; with the next four instead of --task, needs no .okstra/
    #[arg(long, value_name = "DIR")]
    plan_run_root: Option<PathBuf>,
    /// The project id
    #[arg(long, value_name = "P", value_parser = Text)]
    project_id: Option<String>,
    /// The task group
    #[arg(long, value_name = "G", value_parser = Text)]
    task_group: Option<String>,
    /// The task id
    #[arg(long, value_name = "T", value_parser = Text)]
    task_id: Option<String>,
    /// The work category, which branches are named after where the registry does not name them
    #[arg(long, value_name = "C", value_parser = Text)]
    work_category: Option<String>,
}

impl From<Args> for Options {
    fn from(args: Args) -> Self {
        let Args { task, apply, stage, use_ref, reset_anchor, into, all, project_root, plan_run_root, .. } = args;
        let Args { project_id, task_group, task_id, work_category, .. } = args;
        Self {
            project_root,
            task,
            plan_run_root,
            project_id,
            task_group,
            task_id,
            work_category,
            into,
            apply,
            stage,
            use_ref,
            reset_anchor,
            all,
        }
    }
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let options = Options::from(args);
    let reconciled = reconcile::run(context, &options)?;
    reconciled.warnings().iter().for_each(|warning| output.warning(warning));
    print::notices(&reconciled).for_each(|notice| output.notice(&notice));
    output.show(&reconciled.outcome, |output| print::print(&options, &reconciled, output));
    Ok(if reconciled.needs_a_person() { Exit::Decide } else { Exit::Done })
}
