//! `okstra task sync`

use crate::cli::args::OfTask;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, Tone};
use crate::context::Context;
use crate::domain::ids::short;
use crate::ops::sync::{self, Follow, Options, Outcome};

/// Let the branch of the task follow its base
///
/// The base is what the branch was made from, or its upstream where that is ahead; fetch first, since okstra does not. The
/// branch moves on where the base holds all of it, starts again from the base where its content is proved to have landed
/// there (after a squash, say), and else gets the base merged in. It is tried in memory first: on a conflict nothing has
/// changed. The commit that the branch leaves stays kept.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra task sync
  okstra task sync --task auth/fix-login --json")]
pub(super) struct Args {
    #[command(flatten)]
    of: OfTask,
}

impl From<Args> for Options {
    fn from(args: Args) -> Self {
        let OfTask { task, project_root } = args.of;
        Self { project_root, task }
    }
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let outcome = sync::run(context, &args.into())?;
    output.show(&outcome, |output| print(&outcome, output));
    Ok(Exit::Done)
}

fn print(outcome: &Outcome, output: &mut Output) {
    let base = outcome.base.trim_start_matches("refs/heads/").trim_start_matches("refs/remotes/");
    let sentence = match outcome.how {
        Follow::Nothing => format!("holds {base} already"),
        Follow::FastForward => format!("moved on to {base}"),
        Follow::Restart => format!("starts again from {base}: {}", outcome.reason),
        Follow::Merge => format!("has {base} merged in"),
    };
    output.headline(Tone::Good, &outcome.branch, &sentence);
    if outcome.how != Follow::Nothing {
        output.fields(&[("before", &short(&outcome.before), ""), ("now", &short(&outcome.commit), "")]);
    }
}
