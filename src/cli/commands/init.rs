//! `okstra init`

use std::path::PathBuf;

use crate::cli::args::Text;
use crate::cli::confirm;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, Tone};
use crate::context::Context;
use crate::ops::init::{self, Init, Options};

/// Make the repository here an okstra project
///
/// Creates .okstra/ in the main worktree, with project.json, and with a .gitignore that keeps everything but project.json
/// and prompts/ out of git. Doing it again changes nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra init
  okstra init --project-id shop
  okstra init --yes")]
pub(in crate::cli) struct Args {
    /// The project id: letters, digits, `.`, `_`, `-` [default: asked for; the name of the folder]
    #[arg(long, value_name = "ID", value_parser = Text)]
    project_id: Option<String>,
    /// Take the name of the folder as the id, without asking
    #[arg(long)]
    yes: bool,
    /// The root of the repository [default: the main worktree of the repository here]
    #[arg(long, value_name = "DIR")]
    project_root: Option<PathBuf>,
}

impl From<Args> for Options {
    fn from(args: Args) -> Self {
        let Args { project_id, yes, project_root } = args;
        Self { project_root, project_id, yes }
    }
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let mut options = Options::from(args);
    let plan = init::plan(context, &options)?;
    if plan.id.is_none() && !options.yes {
        options.project_id = confirm::ask(context, output, "project id", plan.default_id.as_str())?;
    }
    let done = init::run(context, &options)?;
    output.show(&done, |output| print(&done, output));
    Ok(Exit::Done)
}

fn print(done: &Init, output: &mut Output) {
    let Init { project_root, project_id, created } = done;
    let root = project_root.to_string_lossy();
    if !created {
        return output.headline(Tone::Good, "ok", &format!("{root} is the project {project_id} already"));
    }
    output.headline(Tone::Good, "created", &format!("{root} is now the project {project_id}"));
    output.fields(&[
        (".okstra/project.json", "id and configuration", "commit it"),
        (".okstra/.gitignore", "keeps state out of git", "git ignores this file as well"),
    ]);
    let task = ["--task", "GROUP/ID", "--category", "fix", "--brief", "FILE"];
    output.next("begin a task: what is asked for, in a file", &[&["okstra", "run"], &task[..]].concat());
}
