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
    Abandon => abandon,
    Completions => completions,
    ContentMerged => content_merged,
    Demo => demo,
    Doctor => doctor,
    Finish => finish,
    GitReconcile => git_reconcile,
    Init => init,
    Install => install,
    Status => status,
    Tasks => tasks,
    Plan => plan,
    RenderBundle => render_bundle,
    Resume => resume,
    Run => run,
    Stage => stage,
    Task => task,
    Uninstall => uninstall,
    ValidateWorkflow => validate_workflow,
}
