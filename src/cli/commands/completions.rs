//! `okstra completions`

use clap::ValueEnum;
use clap_complete::Shell;
use serde::Serialize;

use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::context::Context;

/// Print the completions of a shell
///
/// They go to the standard output; put them where your shell reads them:
///
///   bash        okstra completions bash > ~/.local/share/bash-completion/completions/okstra
///   zsh         okstra completions zsh > ~/.zfunc/_okstra, with ~/.zfunc in fpath before compinit
///   fish        okstra completions fish > ~/.config/fish/completions/okstra.fish
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

fn completions_of(shell: Shell) -> Completions {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut crate::cli::command(), "okstra", &mut script);
    Completions { shell: shell.to_string(), script: String::from_utf8_lossy(&script).into_owned() }
}
