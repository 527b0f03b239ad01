//! `okstra task close`

use crate::cli::args::OfTask;
use crate::cli::commands::say_gone;
use crate::cli::confirm::confirm;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::folders::below_common;
use crate::cli::output::{Output, Tone};
use crate::cli::table::Cell;
use crate::context::Context;
use crate::ops::close::{self, Options, Plan};

/// Remove worktrees and branches of the task, as far as they have landed on its base
///
/// A branch goes when its content is proved to be on the base, or its upstream, or when nothing was committed on it; its
/// worktree goes with it. Then okstra lets go of the commits that it kept. The rest stays and is listed. Nothing is fetched.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra task close --dry-run
  okstra task close --task auth/fix-login --yes

Exit codes: 0 the task is closed, 1 the request is wrong or the work failed, 2 something stays and is listed.")]
pub(super) struct Args {
    #[command(flatten)]
    of: OfTask,
    /// Only show what would be removed
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
}

impl From<Args> for Options {
    fn from(args: Args) -> Self {
        let Args { of: OfTask { task, project_root }, dry_run, yes } = args;
        Self { project_root, task, dry_run, yes }
    }
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let mut options = Options::from(args);
    if !options.dry_run && !options.yes {
        let plan = close::propose(context, &options)?;
        if plan.needs_a_person() {
            confirm(context, output, "Remove it?", plan.unconfirmed(), |output| print(&plan, true, output))?;
            options.yes = true;
        }
    }
    let plan = close::run(context, &options)?;
    output.show(&plan, |output| print(&plan, options.dry_run, output));
    Ok(if plan.kept.is_empty() { Exit::Done } else { Exit::Decide })
}

fn print(plan: &Plan, is_to_come: bool, output: &mut Output) {
    match (plan.closed, is_to_come) {
        (true, false) => output.headline(Tone::Good, "closed", &plan.task),
        (true, true) => output.headline(Tone::Good, "to close", &plan.task),
        (false, _) => {
            let sentence = format!("{}: not all of it has landed, or something is in the way", plan.task);
            output.headline(Tone::Doubtful, "not closed", &sentence);
        }
    }
    if let [first, rest @ ..] = plan.undone.as_slice() {
        let stages = rest.iter().fold(first.to_string(), |stages, stage| format!("{stages}, {stage}"));
        let (stages, are) =
            if rest.is_empty() { (format!("stage {stages}"), "is") } else { (format!("stages {stages}"), "are") };
        output.text(&format!("{stages} of the plan {are} not done"));
    }
    let worktrees = plan.removed.iter().map(|gone| &gone.worktree).chain(plan.kept.iter().map(|kept| &kept.worktree));
    let worktrees: Vec<&str> = worktrees.map(|worktree| worktree.as_deref().unwrap_or_default()).collect();
    let (folder, names) = below_common(&worktrees);
    let (removed, kept) = names.split_at(plan.removed.len());
    let cell = |text: &Option<String>| Cell::from(text.as_deref().unwrap_or_default());
    if !plan.removed.is_empty() {
        let rows = plan.removed.iter().zip(removed);
        let rows =
            rows.map(|(gone, name)| vec![Cell::from(&gone.of), cell(&gone.branch), Cell::from(name), cell(&gone.safe)]);
        let title = if is_to_come { "to remove" } else { "removed" };
        output.table(&[title, "branch", "worktree", "why nothing is lost"], &rows.collect::<Vec<_>>());
    }
    if !plan.kept.is_empty() {
        let rows = plan.kept.iter().zip(kept).map(|(kept, name)| {
            vec![Cell::of(Tone::Doubtful, &kept.of), cell(&kept.branch), Cell::from(name), Cell::from(&kept.reason)]
        });
        output.table(&["stays", "branch", "worktree", "why"], &rows.collect::<Vec<_>>());
    }
    if let Some(folder) = folder {
        output.text(&format!("worktrees in {}", folder.display()));
    }
    if !plan.kept.is_empty() {
        output.next("look at what stays", &[]);
        plan.kept.iter().for_each(|kept| output.paste(&kept.command));
    }
    let ignored = plan
        .removed
        .iter()
        .zip(removed)
        .flat_map(|(gone, name)| gone.ignored.iter().map(move |file| format!("{name}/{file}")));
    let ignored: Vec<String> = ignored.collect();
    say_gone(&ignored, plan.stood_in.as_deref(), output);
}
