//! The command line of an agent CLI on this machine.

use std::path::PathBuf;

use crate::context::Context;
use crate::domain::run::Vendor;
use crate::domain::shell;
use crate::process::{Command, find_program};

/// An agent CLI as it is started here: a program, and what always follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Whose it is.
    pub vendor: Vendor,
    /// Whether this machine's user replaced the command.
    pub is_replaced: bool,
    words: Vec<String>,
}

impl Program {
    /// The CLI of `vendor`: as it was replaced, else by its own name.
    pub fn new(vendor: Vendor, replaced: Option<Vec<String>>) -> Self {
        let is_replaced = replaced.is_some();
        let own = || vec![vendor.as_str().to_owned()];
        Self { vendor, is_replaced, words: replaced.filter(|words| !words.is_empty()).unwrap_or_else(own) }
    }

    /// The program itself, as it was given.
    pub fn name(&self) -> &str {
        self.words.first().map_or_else(|| self.vendor.as_str(), String::as_str)
    }

    /// Where it is; `None` where it is not installed.
    pub fn find(&self, context: &Context) -> Option<PathBuf> {
        find_program(context, self.name().as_ref())
    }

    /// The command that starts it, for what belongs to a call to be added; `None` where it is not installed.
    pub fn command(&self, context: &Context) -> Option<Command> {
        Some(Command::new(self.find(context)?).args(self.words.iter().skip(1)))
    }
}

/// What one would type into a shell.
impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&shell::command(&self.words))
    }
}

/// The command that installs the CLI of `vendor`.
pub fn install(vendor: Vendor) -> [&'static str; 4] {
    let package = match vendor {
        Vendor::Claude => "@anthropic-ai/claude-code",
        Vendor::Codex => "@openai/codex",
        Vendor::Gemini => "@google/gemini-cli",
    };
    ["npm", "install", "-g", package]
}
