//! `okstra render-bundle`

use std::path::Path;

use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::folders::below_common;
use crate::cli::output::{Output, Tone};
use crate::cli::prepare::PrepareArgs;
use crate::cli::table::Cell;
use crate::context::Context;
use crate::domain::ids::short;
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
    output.show(&prepared, |output| print(&prepared, context, output));
    Ok(Exit::Done)
}

/// What was prepared, where everything is, and the command that starts a lead on it.
fn print(prepared: &Prepared, context: &Context, output: &mut Output) {
    show(prepared, output);
    let root = prepared.manifest_path.parent().and_then(Path::parent);
    let below = |path: &Path| root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path).display().to_string();
    let rows = prepared.prompts.iter().map(|prompt| {
        let size = format!("{} kB, about {} tokens", prompt.bytes.div_ceil(1000), prompt.tokens);
        vec![Cell::from(&prompt.worker), Cell::from(size), Cell::from(below(&prompt.path))]
    });
    output.table(&["prompt", "size", "file"], &rows.collect::<Vec<_>>());
    if let Some(root) = root {
        let here = context.cwd().and_then(|cwd| root.strip_prefix(cwd).ok()).unwrap_or(root);
        output.text(&format!("files in {}", here.display()));
    }
    output.next("start a lead on it", &[]);
    output.paste(&prepared.next);
}

/// What was prepared: the run, and the stages that it builds.
pub(super) fn show(prepared: &Prepared, output: &mut Output) {
    let vendor = match prepared.is_one_vendor {
        true => "; all that look at it are of one vendor, and agree more easily than they should",
        false => "",
    };
    output.headline(Tone::Good, "prepared", &format!("{} of {}{vendor}", prepared.run, prepared.task));
    if prepared.stages.is_empty() {
        return;
    }
    if let (Some(branch), Some(base)) = (&prepared.task_branch, &prepared.base) {
        let base = base.trim_start_matches("refs/heads/").trim_start_matches("refs/remotes/");
        output.text(&format!("task branch {branch}, from {base}, now at {}", short(&prepared.base_commit)));
    }
    let numbers: Vec<_> = prepared.stages.iter().map(|stage| stage.stage.to_string()).collect();
    output.text(&format!("selected stages: {}", numbers.join(",")));
    let worktrees: Vec<&str> = prepared.stages.iter().map(|stage| stage.worktree.as_str()).collect();
    let (folder, names) = below_common(&worktrees);
    let rows = prepared.stages.iter().zip(names).map(|(stage, name)| {
        vec![
            Cell::from(stage.stage.to_string()),
            Cell::from(short(&stage.base)),
            Cell::from(&stage.branch),
            Cell::from(name),
            Cell::from(&stage.title),
        ]
    });
    output.table(&["stage", "base", "branch", "worktree", "title"], &rows.collect::<Vec<_>>());
    if let Some(folder) = folder {
        output.text(&format!("worktrees in {}", folder.display()));
    }
}
