//! The git command: for what gix cannot do, and for everything that changes a repository.

use std::path::{Path, PathBuf};

use super::Error;
use crate::context::Context;
use crate::process::{self, Command, Ending};

/// The git command in one folder; it sees no configuration but the repository's own.
#[derive(Clone, Debug)]
pub struct Git {
    folder: PathBuf,
    variables: Vec<(&'static str, String)>,
}

impl Git {
    /// git as it is called in `folder`.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), variables: Vec::new() }
    }

    /// The same with who commits, and when: `time` in seconds since 1970, as UTC. What is made so has the same ids
    /// everywhere.
    pub fn as_committer(mut self, name: &str, mail: &str, time: u64) -> Self {
        let date = format!("{time} +0000");
        self.variables.extend([
            ("GIT_AUTHOR_NAME", name.to_owned()),
            ("GIT_AUTHOR_EMAIL", mail.to_owned()),
            ("GIT_AUTHOR_DATE", date.clone()),
            ("GIT_COMMITTER_NAME", name.to_owned()),
            ("GIT_COMMITTER_EMAIL", mail.to_owned()),
            ("GIT_COMMITTER_DATE", date),
        ]);
        self
    }

    /// Runs git and gives what it printed.
    ///
    /// # Errors
    /// [`Error::GitCommand`] when it is not installed or did not succeed, [`Error::Cancelled`].
    pub fn run(&self, context: &Context, arguments: &[&str]) -> Result<Vec<u8>, Error> {
        let (ending, stdout, stderr) = self.try_run(context, arguments)?;
        match ending {
            Ending::Code(0) => Ok(stdout),
            _ => Err(self.failed(arguments, &stderr)),
        }
    }

    /// Asks git: what it printed, or `None` when it answered no (exit code 1).
    ///
    /// # Errors
    /// As [`Git::run`].
    pub fn ask(&self, context: &Context, arguments: &[&str]) -> Result<Option<Vec<u8>>, Error> {
        let (ending, stdout, stderr) = self.try_run(context, arguments)?;
        match ending {
            Ending::Code(0) => Ok(Some(stdout)),
            Ending::Code(1) => Ok(None),
            _ => Err(self.failed(arguments, &stderr)),
        }
    }

    fn try_run(&self, context: &Context, arguments: &[&str]) -> Result<(Ending, Vec<u8>, Vec<u8>), Error> {
        let variables = self.variables.iter();
        let command = variables
            .fold(isolated(context, &self.folder), |command, (name, value)| command.env(*name, value.as_str()));
        let output = command.args(arguments).run(context).map_err(|error| match error {
            process::Error::Cancelled(cancelled) => Error::Cancelled(cancelled),
            source @ process::Error::NotFound { .. } => Error::NoGit { source },
            error => self.failed(arguments, error.to_string().as_bytes()),
        })?;
        Ok((output.ending, output.stdout, output.stderr))
    }

    fn failed(&self, arguments: &[&str], message: &[u8]) -> Error {
        Error::GitCommand {
            arguments: arguments.join(" "),
            path: self.folder.clone(),
            message: String::from_utf8_lossy(message).trim().to_owned(),
        }
    }
}

/// git without the caller's `GIT_…` variables, without system and user configuration, replace refs and prompts.
fn isolated(context: &Context, folder: &Path) -> Command {
    let ours = context.environment().iter().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_"));
    ours.fold(Command::new("git"), |command, (name, _)| command.env_remove(name))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" })
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_EDITOR", "true")
        .env("LC_ALL", "C")
        .in_folder(folder)
}
