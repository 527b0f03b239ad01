//! `okstra render-bundle`

use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, Tone};
use crate::cli::prepare::PrepareArgs;
use crate::cli::table::Cell;
use crate::context::Context;
use crate::ops::prepare::{self, Prepared};

/// Prepare a run and start nothing
///
/// Chooses and reserves the stages, makes their branches and worktrees, renders every prompt, and says where everything
/// is: for a lead that is there already.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra render-bundle --task auth/login --category fix --brief brief.md
  okstra render-bundle --task auth/login --type implementation --stage auto --json")]
pub(in crate::cli) struct Args {
    #[command(flatten)]
    prepare: PrepareArgs,
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let prepared = prepare::run(context, &args.prepare.into_options(context, output)?)?;
    output.show(&prepared, |output| print(&prepared, output));
    Ok(Exit::Done)
}

/// What was prepared, and the command that starts a lead on it.
pub(super) fn print(prepared: &Prepared, output: &mut Output) {
    output.headline(Tone::Good, "prepared", &format!("{} of {}", prepared.run, prepared.task));
    if prepared.is_one_vendor {
        output.text("All that look at it are of one vendor: they will agree more easily than they should.");
    }
    if !prepared.stages.is_empty() {
        let numbers: Vec<_> = prepared.stages.iter().map(|stage| stage.stage.to_string()).collect();
        output.text(&format!("selected stages: {}", numbers.join(",")));
        let rows = prepared.stages.iter().map(|stage| {
            let base: String = stage.base.chars().take(8).collect();
            vec![
                Cell::from(stage.stage.to_string()),
                Cell::from(base),
                Cell::from(&stage.branch),
                Cell::from(&stage.worktree),
            ]
        });
        output.table(&["stage", "base", "branch", "worktree"], &rows.collect::<Vec<_>>());
    }
    let rows = prepared.prompts.iter().map(|prompt| {
        let size = format!("{} kB, about {} tokens", prompt.bytes.div_ceil(1000), prompt.tokens);
        vec![Cell::from(&prompt.worker), Cell::from(size), Cell::from(prompt.path.to_string_lossy())]
    });
    output.table(&["prompt", "size", "file"], &rows.collect::<Vec<_>>());
    output.next("start a lead on it", &[]);
    output.paste(&prepared.next);
}
