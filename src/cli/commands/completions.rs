//! `okstra completions`

use clap::builder::PossibleValuesParser;
use clap::{Command, ValueEnum, ValueHint};
use clap_complete::Shell;
use serde::Serialize;

use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::context::Context;
use crate::domain::lifecycle::{CATEGORIES, Route, TaskType};

/// Print the completions of a shell
///
/// They go to the standard output; put them where your shell reads them:
///
///   bash        okstra completions bash > ~/.local/share/bash-completion/completions/okstra
///   zsh         okstra completions zsh > ~/.zfunc/_okstra, with ~/.zfunc in fpath before compinit
///   fish        okstra completions fish > ~/.config/fish/completions/okstra.fish
///   (the folders have to be there: mkdir -p)
///   powershell  okstra completions powershell >> $PROFILE
///   elvish      okstra completions elvish >> ~/.config/elvish/rc.elv
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[command(after_help = "Examples:
  okstra completions fish > ~/.config/fish/completions/okstra.fish
  source <(okstra completions bash)")]
pub(in crate::cli) struct Args {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

/// The completions of a shell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Completions {
    /// The shell.
    pub shell: String,
    /// What it reads.
    pub script: String,
}

pub(super) fn run(args: Args, _: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let done = completions_of(args.shell);
    output.show(&done, |output| output.verbatim(&done.script));
    Ok(Exit::Done)
}

/// The completions of the shell with this name.
///
/// # Errors
/// A usage failure for a shell that is not known.
pub fn completions(shell: &str) -> Result<Completions, Failure> {
    let known: Vec<_> = Shell::value_variants().iter().map(ToString::to_string).collect();
    let unknown = |_| {
        Failure::usage(
            format!("there are no completions for `{shell}`"),
            Some(format!("there are some for {}", known.join(", "))),
        )
    };
    Shell::from_str(shell, false).map(completions_of).map_err(unknown)
}

/// The command with what its options take where that is known; where it is not, no file is offered for what is none.
fn with_values(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let values: Vec<&str> = match arg.get_id().as_str() {
            "task_type" => TaskType::ALL.map(TaskType::as_str).to_vec(),
            "category" => CATEGORIES.to_vec(),
            "route" => Route::ALL.map(Route::as_str).to_vec(),
            _ if arg.get_value_hint() == ValueHint::Unknown && arg.get_action().takes_values() => {
                return arg.value_hint(ValueHint::Other);
            }
            _ => return arg,
        };
        arg.value_parser(PossibleValuesParser::new(values))
    });
    command.mut_subcommands(with_values)
}

fn completions_of(shell: Shell) -> Completions {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut with_values(crate::cli::command()), "okstra", &mut script);
    Completions { shell: shell.to_string(), script: String::from_utf8_lossy(&script).into_owned() }
}
