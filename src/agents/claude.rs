//! Claude Code, `claude`. Tried with 2.1.

mod session;

use crate::domain::run::Lead;
use crate::process::Command;

pub use session::{Session, home, session};

/// How the lead is started at a terminal: in its folder, with its session id, the folders that it must reach besides, and
/// its first words. `command` starts the program.
pub fn lead(command: Command, lead: &Lead, first_words: &str) -> Command {
    begin(command.args(["--session-id", &lead.session_id]), lead, first_words)
}

/// How a lead goes on with its session; that is known to be there.
pub fn lead_goes_on(command: Command, lead: &Lead, next_words: &str) -> Command {
    begin(command.args(["--resume", &lead.session_id]), lead, next_words)
}

/// How a lead is started in a session with an id that claude makes up: the one that belongs to it is taken.
pub fn lead_elsewhere(command: Command, lead: &Lead, first_words: &str) -> Command {
    begin(command, lead, first_words)
}

/// What is the same each time. `--add-dir` takes any number of folders, so the words come after `--`.
fn begin(command: Command, lead: &Lead, words: &str) -> Command {
    let folders = lead.more_folders.iter().flat_map(|folder| ["--add-dir", folder.as_str()]);
    command.args(folders).args(["--", words]).in_folder(&lead.folder)
}
