//! `okstra finish`

use std::path::PathBuf;

use crate::cli::args::Text;
use crate::cli::confirm::confirm;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, Tone};
use crate::context::Context;
use crate::ops::finish::{self, Finished, Options, Plan};

/// Bring a run to its end
///
/// Checks that the run left what it must leave: its stages done and in the task branch, its report, the route. Then it is
/// recorded as finished, its reservations and snapshots are released, and the records are mirrored. This is final.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra finish --task auth/fix-login
  okstra finish requirements-discovery-001 --task auth/fix-login --route full
  okstra finish implementation-001 --task auth/fix-login --force 'stage 2 is not wanted any more'")]
pub(in crate::cli) struct Args {
    /// The run, as in implementation-001 [default: the only one that is open]
    #[arg(value_parser = Text)]
    run: Option<String>,
    /// The task [default: the one of the worktree you stand in]
    #[arg(long, value_name = "GROUP/ID", value_parser = Text)]
    task: Option<String>,
    /// The route that requirements-discovery chose: full, lite-implementation-planning, direct-implementation-planning
    #[arg(long, value_name = "ROUTE", value_parser = Text)]
    route: Option<String>,
    /// Finish it although something is missing; the reason is recorded
    #[arg(long, value_name = "REASON", value_parser = Text)]
    force: Option<String>,
    /// With --force: do it without asking
    #[arg(long)]
    yes: bool,
    /// The project [default: the main worktree of the repository here]
    #[arg(long, value_name = "DIR")]
    project_root: Option<PathBuf>,
}

impl From<Args> for Options {
    fn from(args: Args) -> Self {
        let Args { run, task, route, force, yes, project_root } = args;
        Self { project_root, task, run, route, force, yes }
    }
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let mut options = Options::from(args);
    let plan = finish::plan(context, &options)?;
    if !plan.missing.is_empty() && options.force.is_some() && !options.yes {
        confirm(context, output, "Finish it all the same?", plan.unconfirmed(), |output| show(&plan, output))?;
        options.yes = true;
    }
    let done = finish::run(context, &options)?;
    output.show(&done, |output| print(&done, output));
    Ok(Exit::Done)
}

fn show(plan: &Plan, output: &mut Output) {
    output.headline(Tone::Doubtful, "unfinished", &format!("{} of {}; its end is final", plan.run, plan.task));
    let missing: Vec<_> = plan.missing.iter().map(|missing| ("missing", missing.as_str(), "")).collect();
    output.fields(&missing);
}

fn print(done: &Finished, output: &mut Output) {
    let word = if done.already { "finished already" } else { "finished" };
    output.headline(Tone::Good, word, &format!("{} of {}", done.run, done.task));
    let released: Vec<_> = done.released.iter().map(ToString::to_string).collect();
    let released = released.join(", ");
    let mut fields: Vec<(&str, &str, &str)> = Vec::new();
    fields.extend(done.route.map(|route| ("route", route.as_str(), "")));
    fields.extend(done.forced.as_deref().map(|reason| ("forced", reason, "")));
    fields.extend(done.missing.iter().map(|missing| ("missing", missing.as_str(), "")));
    fields.extend((!released.is_empty()).then_some(("released stages", released.as_str(), "")));
    fields.extend(done.removed.iter().map(|folder| ("removed snapshot", folder.as_str(), "")));
    if !fields.is_empty() {
        output.fields(&fields);
    }
    output.next(&done.next.reason, &[]);
    if let Some(command) = &done.next.command {
        output.paste(command);
    }
}
