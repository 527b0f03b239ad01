//! `okstra demo`

use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, Tone};
use crate::cli::words;
use crate::context::Context;
use crate::ops::demo::{self, Demo, Options, SceneOutcome};

/// See what okstra does, on a scratch repository
///
/// A branch is recorded. Then people rebase it, squash it, amend it, revert it, or leave it alone, and okstra says each
/// time whether its content is in main, and why. Works offline, in a temporary folder, and touches nothing else.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  okstra demo --keep

Exit codes: 0 shown, 1 error.")]
pub(in crate::cli) struct Args {
    /// Leave the scratch repositories to look at
    #[arg(long)]
    keep: bool,
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let demo = demo::run(context, &Options { keep: args.keep })?;
    output.show(&demo, |output| print(&demo, output));
    Ok(Exit::Done)
}

fn print(demo: &Demo, output: &mut Output) {
    output.text("A branch of two commits, feat-login, is recorded by its last commit; main moves on in the same file.");
    for (number, scene) in demo.scenes.iter().enumerate() {
        print_scene(number + 1, scene, output);
    }
    match &demo.folder {
        Some(folder) => output.next("look at the repositories, one for each scene", &["ls", &folder.to_string_lossy()]),
        None => output.next("keep the repositories to look at them yourself", &["okstra", "demo", "--keep"]),
    }
}

fn print_scene(number: usize, scene: &SceneOutcome, output: &mut Output) {
    output.title(&format!("{number}. {}", scene.title));
    output.text(scene.story);
    output.typed(&scene.commands);
    let (tone, verdict) = words::verdict(scene.answer.verdict);
    let git = match scene.reachable {
        true => "the recorded commit is reachable from main",
        false => "the recorded commit is not reachable from main",
    };
    output.sayings(&[
        ("git", Tone::Quiet, if scene.reachable { "merged" } else { "not merged" }, git),
        ("okstra", tone, verdict, &scene.answer.reason),
    ]);
    output.text(scene.moral);
}
