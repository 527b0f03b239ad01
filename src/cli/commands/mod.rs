//! The commands, one file each: its arguments, its call, its outcome in print.

mod abandon;
pub(super) mod completions;
mod content_merged;
mod demo;
mod doctor;
mod finish;
mod git_reconcile;
mod init;
mod install;
mod plan;
mod render_bundle;
mod resume;
mod run;
mod stage;
mod status;
mod task;
mod tasks;
mod uninstall;
mod validate_workflow;

use std::path::Path;

use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;
use crate::context::Context;

/// Makes clap's subcommands and the call of each from the table below.
macro_rules! commands {
    ($($name:ident => $file:ident,)*) => {
        /// A command with its arguments.
        #[derive(Debug, clap::Subcommand)]
        pub(super) enum Command {
            $($name($file::Args),)*
        }

        impl Command {
            /// Does it, prints its outcome, and says how it ended.
            pub(super) fn run(self, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
                match self {
                    $(Self::$name(args) => $file::run(args, context, output),)*
                }
            }
        }
    };
}

commands! {
    Install => install,
    Uninstall => uninstall,
    Doctor => doctor,
    Init => init,
    Run => run,
    Resume => resume,
    Finish => finish,
    Abandon => abandon,
    RenderBundle => render_bundle,
    Status => status,
    Tasks => tasks,
    Plan => plan,
    Stage => stage,
    GitReconcile => git_reconcile,
    ContentMerged => content_merged,
    Task => task,
    ValidateWorkflow => validate_workflow,
    Demo => demo,
    Completions => completions,
}

/// Says of the stages whose records no longer hold why. Answers whether there are any.
fn say_stale<'a>(stale: impl Iterator<Item = (u32, &'a str)>, output: &mut Output) -> bool {
    stale.map(|(stage, reason)| output.text(&format!("stage {stage} is stale: {reason}"))).count() > 0
}

/// The ignored files that are named one by one.
const MOST_IGNORED: usize = 5;

/// Says what goes with worktrees besides what git keeps: ignored files, and the folder that one stands in.
fn say_gone(ignored: &[String], stood_in: Option<&str>, output: &mut Output) {
    if !ignored.is_empty() {
        let more = ignored.len().saturating_sub(MOST_IGNORED);
        let names = ignored.iter().take(MOST_IGNORED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        output.text(&format!("ignored files in it, which nothing keeps: {names}{more}"));
    }
    if let Some(folder) = stood_in {
        output.text(&format!("the folder that you stand in goes with it: {folder}"));
    }
}

/// Names the way to decide on the records of `task`, `GROUP/ID`.
fn next_reconcile(task: &str, project_root: Option<&Path>, output: &mut Output) {
    let root = project_root.map(|root| root.to_string_lossy().into_owned());
    let mut command = vec!["okstra", "git-reconcile", "--task", task];
    command.extend(root.iter().flat_map(|root| ["--project-root", root]));
    output.next("decide on what is stale", &command);
}
