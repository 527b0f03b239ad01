//! What can be typed.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, ValueEnum};

use super::commands::Command;
use crate::domain::workflow;

/// The widest help text; longer lines are hard to read.
const HELP_COLUMNS: usize = 100;

/// Makes coding agents check one another, and keeps its records true whatever people do to git meanwhile
#[derive(Debug, Parser)]
#[command(
    name = "okstra",
    version,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "Examples:
  okstra install
  okstra run --task auth/fix-login --category fix --brief brief.md
  okstra status --task auth/fix-login
  okstra git-reconcile --help

Exit codes: 0 done, 1 the request is wrong or the work failed, 2 a person has to decide."
)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) globals: Globals,
    #[command(subcommand)]
    pub(super) command: Command,
}

/// What every command understands.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Everywhere")]
pub(super) struct Globals {
    /// When to use colours; auto means on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(super) color: Color,
    /// Print exactly one JSON document on stdout, also when it fails
    #[arg(long, global = true)]
    pub(super) json: bool,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

/// The tree of commands, for checking that a line someone wrote down would parse. Give it the program's name first.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Why a command that a text names cannot be typed; `None` where it can.
pub fn refusal(command: &workflow::Command) -> Option<String> {
    let error = self::command().try_get_matches_from(&command.words).err()?;
    let is_fine = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => true,
        ErrorKind::MissingRequiredArgument
        | ErrorKind::MissingSubcommand
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => !command.is_whole,
        _ => false,
    };
    let said = || error.to_string().lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    (!is_fine).then(said)
}

impl Cli {
    /// Reads the arguments, without the program's name. Help is wrapped to `columns`.
    pub(super) fn parse_arguments(arguments: &[OsString], columns: Option<usize>) -> Result<Self, clap::Error> {
        let mut command = Self::command();
        command = match columns {
            Some(columns) => command.term_width(columns.min(HELP_COLUMNS)),
            None => command.term_width(HELP_COLUMNS),
        };
        let program = OsString::from("okstra");
        let matches = command.try_get_matches_from_mut(std::iter::once(&program).chain(arguments))?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }
}

impl Globals {
    /// What the arguments say when they do not parse as a whole.
    pub(super) fn guess(arguments: &[OsString]) -> Self {
        let mut guessed = Self { color: Color::Auto, json: false };
        let mut before = None;
        for argument in arguments.iter().take_while(|argument| *argument != "--") {
            let text = argument.to_str().unwrap_or_default();
            guessed.json |= text == "--json";
            let when = text.strip_prefix("--color=").or(before.filter(|&name| name == "--color").map(|_| text));
            if let Some(color) = when.and_then(|when| Color::from_str(when, false).ok()) {
                guessed.color = color;
            }
            before = Some(text);
        }
        guessed
    }
}

/// Which task.
#[derive(Debug, clap::Args)]
pub(super) struct OfTask {
    /// The task [default: the one of the worktree you stand in]
    #[arg(long, value_name = "GROUP/ID", value_parser = Text)]
    pub(super) task: Option<String>,
    /// The project [default: the main worktree of the repository here]
    #[arg(long, value_name = "DIR")]
    pub(super) project_root: Option<PathBuf>,
}

/// Reads a value that is text, an id or a ref, and shows one that is not UTF-8 for what it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text;

impl TypedValueParser for Text {
    type Value = String;

    fn parse_ref(&self, cmd: &clap::Command, arg: Option<&clap::Arg>, value: &OsStr) -> Result<String, clap::Error> {
        value.to_str().map(str::to_owned).ok_or_else(|| {
            let name = arg.map(|arg| format!(" for `{arg}`")).unwrap_or_default();
            clap::Error::raw(ErrorKind::InvalidUtf8, format!("the value {value:?}{name} is not UTF-8\n")).with_cmd(cmd)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn json_and_colour_are_known_even_when_nothing_parses() {
        let cases: [(&[&str], bool, Color); 5] = [
            (&["nonsense", "--json"], true, Color::Auto),
            (&["--color", "always", "x"], false, Color::Always),
            (&["--color=never", "--json", "--x"], true, Color::Never),
            (&["--color", "pink"], false, Color::Auto),
            (&["--", "--json"], false, Color::Auto),
        ];
        for (arguments, json, color) in cases {
            let arguments: Vec<_> = arguments.iter().map(OsString::from).collect();
            let guessed = Globals::guess(&arguments);
            assert_eq!((guessed.json, guessed.color), (json, color), "{arguments:?}");
        }
    }
}
