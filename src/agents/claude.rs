//! Claude Code, `claude`.

use crate::domain::run::Lead;
use crate::process::Command;

/// The program.
pub const PROGRAM: &str = "claude";

/// How the lead is started at a terminal: in its folder, with its session id, the folders that it must reach besides, and
/// its first words. Tried with Claude Code 2.1.
pub fn lead(lead: &Lead, first_words: &str) -> Command {
    let folders = lead.more_folders.iter().flat_map(|folder| ["--add-dir", folder.as_str()]);
    let command = Command::new(PROGRAM).args(["--session-id", lead.session_id.as_str()]).args(folders);
    command.args(["--", first_words]).in_folder(&lead.folder)
}

/// How a lead is started again: a session of its own, since the first may never have begun.
pub fn lead_again(lead: &Lead, first_words: &str) -> Command {
    let folders = lead.more_folders.iter().flat_map(|folder| ["--add-dir", folder.as_str()]);
    Command::new(PROGRAM).args(folders).args(["--", first_words]).in_folder(&lead.folder)
}
