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
