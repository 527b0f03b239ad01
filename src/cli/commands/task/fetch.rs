//! `okstra task fetch`

use crate::cli::args::{OfTask, Text};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, Tone};
use crate::context::Context;
use crate::ops::sharing::fetch::{self, Conflict, Options, Outcome, State};

/// Bring the records of a task from a remote, and go on with it here
///
/// What is missing here is added; nothing that is here is lost. Where a stage, a run or a file is one thing here and another
/// there, both are shown, and nothing is written.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra task fetch --task auth/fix-login
  okstra task fetch --task auth/fix-login --remote origin --json
  okstra task fetch --dry-run

Ends with 2 where a person has to decide.")]
pub(super) struct Args {
    #[command(flatten)]
    of: OfTask,
    /// The remote [default: that of the checked-out branch, else the only one, else origin]
    #[arg(long, value_name = "NAME", value_parser = Text)]
    remote: Option<String>,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl From<Args> for Options {
    fn from(args: Args) -> Self {
        let Args { of: OfTask { task, project_root }, remote, dry_run } = args;
        Self { project_root, task, remote, dry_run }
    }
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let outcome = fetch::run(context, &args.into())?;
    output.show(&outcome, |output| print(&outcome, output));
    Ok(if outcome.needs_a_person() { Exit::Decide } else { Exit::Done })
}

fn print(outcome: &Outcome, output: &mut Output) {
    let (remote, would) = (&outcome.remote, if outcome.dry_run { "would be " } else { "" });
    let (tone, sentence) = match outcome.state {
        State::New => (Tone::Good, format!("{would}new here, from {remote}")),
        State::Merged => (Tone::Good, format!("{would}brought up to date from {remote}")),
        State::UpToDate => (Tone::Good, format!("has all that {remote} has")),
        State::Conflict => (Tone::Bad, format!("is not the same on {remote}; nothing was written")),
    };
    output.headline(tone, &outcome.task, &sentence);
    outcome.conflicts.iter().for_each(|conflict| show(conflict, output));
    let counts = [
        ("files", outcome.added.len(), "added"),
        ("", outcome.updated.len(), "with a later state"),
        ("log", outcome.rows, "rows added"),
        ("timeline", outcome.events, "lines added"),
        ("commits", outcome.commits, "kept from now on"),
        ("left there", outcome.ignored.len(), "files that this okstra does not know"),
    ];
    let told = counts.iter().filter(|(_, count, _)| *count > 0);
    let told: Vec<(&str, String)> = told.map(|(name, count, what)| (*name, format!("{count} {what}"))).collect();
    let fields: Vec<_> = told.iter().map(|(name, text)| (*name, text.as_str(), "")).collect();
    if !fields.is_empty() {
        output.fields(&fields);
    }
}

fn show(conflict: &Conflict, output: &mut Output) {
    let look = conflict.look.iter().map(|command| ("look at it", command.as_str(), ""));
    let files = conflict.paths.len().to_string();
    let count = (conflict.paths.len() > 1).then_some(("files", files.as_str(), ""));
    let both = [("here", conflict.ours.as_str(), ""), ("there", conflict.theirs.as_str(), "")];
    let way_out = ("then", conflict.way_out.as_str(), "");
    output.text("");
    output.text(&conflict.what);
    output.list(&both.into_iter().chain(count).chain(look).chain([way_out]).collect::<Vec<_>>());
}
