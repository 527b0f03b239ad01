//! The git command: for what gix cannot do, and for everything that changes a repository.

use std::path::{Path, PathBuf};

use super::{Error, Repository};
use crate::context::Context;
use crate::process::{self, Command, Ending};

/// What a write through plumbing needs beside the repository's own configuration: no hook is run and no log of our refs
/// kept, a lock is waited for a little, and what is written is on the disk when git ends.
const WRITING: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.logAllRefUpdates=false",
    "core.filesRefLockTimeout=500",
    "reftable.lockTimeout=500",
    "core.fsync=loose-object,reference",
    "core.fsyncMethod=batch",
];

/// The git command in one folder; it sees no configuration but the repository's own.
#[derive(Clone, Debug)]
pub struct Git {
    folder: PathBuf,
    variables: Vec<(&'static str, String)>,
    of_user: bool,
    reaches_out: bool,
}

impl Git {
    /// git as it is called in `folder`.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), variables: Vec::new(), of_user: false, reaches_out: false }
    }

    /// git in a worktree, as its user has it: with their configuration, since that says how files are checked out (line
    /// ends, filters) and who commits. Still without hooks, prompts and the caller's `GIT_…` variables that move it.
    pub(super) fn of_user(folder: impl Into<PathBuf>) -> Self {
        Self { of_user: true, ..Self::at(folder) }
    }

    /// The user's git for talking to a remote: with what their environment says of how that is done, too. It asks
    /// nothing, whatever it would need to know, since nobody could answer.
    pub(super) fn reaching_out(context: &Context, folder: impl Into<PathBuf>) -> Result<Self, Error> {
        let git = Self { reaches_out: true, ..Self::of_user(folder) };
        let environment = context.environment();
        let named = environment.get("GIT_SSH_COMMAND").map(|command| command.to_string_lossy().into_owned());
        let named = match named {
            Some(command) => Some(command),
            None => git.user_setting(context, "core.sshCommand")?,
        };
        // A program that is named without arguments stays as it is.
        if named.is_none() && environment.get("GIT_SSH").is_some() {
            return Ok(git);
        }
        let command = named.unwrap_or_else(|| "ssh".to_owned());
        let silent = if is_openssh(&command) { format!("{command} -oBatchMode=yes") } else { command };
        Ok(Self { variables: vec![("GIT_SSH_COMMAND", silent)], ..git })
    }

    /// git for the plumbing that writes to `repository`, whichever of its worktrees that was opened from.
    pub(super) fn plumbing(repository: &Repository) -> Self {
        // Named, the git folder is taken as it is: git looks for no other, and asks not who owns it. Nor may it fetch
        // what a partial clone lacks, which would start what the configuration says.
        let variables = [("GIT_DIR", "."), ("GIT_NO_LAZY_FETCH", "1")].map(|(name, value)| (name, value.to_owned()));
        Self {
            folder: repository.common_dir().to_owned(),
            variables: variables.to_vec(),
            of_user: false,
            reaches_out: false,
        }
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
    /// [`Error::GitCommand`] when it did not succeed, [`Error::NoGit`], [`Error::Cancelled`].
    pub fn run(&self, context: &Context, arguments: &[&str]) -> Result<Vec<u8>, Error> {
        match self.try_run(context, arguments, |command| command)? {
            (Ending::Code(0), stdout, _) => Ok(stdout),
            (_, _, stderr) => Err(self.failed(arguments, &stderr)),
        }
    }

    /// Runs git to write what `input` says, without hooks; see [`WRITING`].
    ///
    /// # Errors
    /// As [`Git::run`].
    pub(super) fn write(&self, context: &Context, arguments: &[&str], input: Vec<u8>) -> Result<(), Error> {
        let settings = WRITING.iter().flat_map(|setting| ["-c", setting]);
        match self.try_run(context, arguments, |command| command.args(settings).stdin(input))? {
            (Ending::Code(0), ..) => Ok(()),
            (_, _, stderr) => Err(self.failed(arguments, &stderr)),
        }
    }

    /// Asks git: what it printed, or `None` when it answered no (exit code 1).
    ///
    /// # Errors
    /// As [`Git::run`].
    pub fn ask(&self, context: &Context, arguments: &[&str]) -> Result<Option<Vec<u8>>, Error> {
        let (ending, stdout, stderr) = self.try_run(context, arguments, |command| command)?;
        match ending {
            Ending::Code(0) => Ok(Some(stdout)),
            Ending::Code(1) => Ok(None),
            _ => Err(self.failed(arguments, &stderr)),
        }
    }

    /// What git would set `name` to in this folder, by the user's configuration as well; nothing where it is not set.
    /// For what says who somebody is, and for nothing that decides.
    ///
    /// # Errors
    /// As [`Git::run`].
    pub fn user_setting(&self, context: &Context, name: &str) -> Result<Option<String>, Error> {
        let home = context.environment();
        let global = home.get("GIT_CONFIG_GLOBAL").map(std::ffi::OsStr::to_owned);
        let prepare = |command: Command| match global {
            Some(path) => command.env_remove("GIT_CONFIG_NOSYSTEM").env("GIT_CONFIG_GLOBAL", path),
            None => command.env_remove("GIT_CONFIG_NOSYSTEM").env_remove("GIT_CONFIG_GLOBAL"),
        };
        let arguments = ["config", "--get", name];
        let (ending, stdout, stderr) = self.try_run(context, &arguments, prepare)?;
        match ending {
            Ending::Code(0) => {
                Ok(Some(String::from_utf8_lossy(&stdout).trim().to_owned()).filter(|text| !text.is_empty()))
            }
            Ending::Code(1) => Ok(None),
            _ => Err(self.failed(&arguments, &stderr)),
        }
    }

    pub(super) fn try_run(
        &self,
        context: &Context,
        arguments: &[&str],
        prepare: impl FnOnce(Command) -> Command,
    ) -> Result<(Ending, Vec<u8>, Vec<u8>), Error> {
        let variables = self.variables.iter();
        let bare = match (self.of_user, self.reaches_out) {
            (true, true) => as_user(context, &self.folder, &[USERS, TRANSPORT].concat()),
            (true, false) => as_user(context, &self.folder, USERS),
            (false, _) => isolated(context, &self.folder),
        };
        let command = variables.fold(bare, |command, (name, value)| command.env(*name, value.as_str()));
        let output = prepare(command).args(arguments).run(context).map_err(|error| match error {
            process::Error::Cancelled(cancelled) => Error::Cancelled(cancelled),
            source @ process::Error::NotFound { .. } => Error::NoGit { source },
            error => self.failed(arguments, error.to_string().as_bytes()),
        })?;
        Ok((output.ending, output.stdout, output.stderr))
    }

    pub(super) fn failed(&self, arguments: &[&str], message: &[u8]) -> Error {
        Error::GitCommand {
            arguments: arguments.join(" "),
            path: self.folder.clone(),
            message: String::from_utf8_lossy(message).trim().to_owned(),
        }
    }
}

/// What of the caller's `GIT_…` variables belongs to the user, and not to the repository in which they stand.
const USERS: &[&str] =
    &["GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"];

/// What of them says how remotes are reached.
const TRANSPORT: &[&str] = &[
    "GIT_SSH",
    "GIT_ASKPASS",
    "GIT_SSL_",
    "GIT_HTTP_",
    "GIT_PROXY_",
    "GIT_ALLOW_PROTOCOL",
    "GIT_PROTOCOL",
    "GIT_CONFIG_",
];

/// Whether `command`, as a shell takes it, starts OpenSSH.
fn is_openssh(command: &str) -> bool {
    let program = first_word(command);
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    matches!(name, "ssh" | "ssh.exe")
}

/// The first word of a command, as a shell reads it.
fn first_word(command: &str) -> String {
    let (mut word, mut quote, mut letters) = (String::new(), None, command.trim_start().chars());
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (_, Some(open)) if letter == open => quote = None,
            ('\'' | '"', None) => quote = Some(letter),
            ('\\', None | Some('"')) => word.extend(letters.next()),
            (_, None) if letter.is_whitespace() => break,
            _ => word.push(letter),
        }
    }
    word
}

/// git without the caller's `GIT_…` variables, without system and user configuration, replace refs and prompts.
fn isolated(context: &Context, folder: &Path) -> Command {
    quiet(context, folder, &[])
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" })
}

/// git with the user's configuration and those of their variables that begin with one of `kept`, without hooks and the
/// programs that watch files.
fn as_user(context: &Context, folder: &Path, kept: &[&str]) -> Command {
    quiet(context, folder, kept).args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"])
}

/// git without replace refs, prompts and the caller's `GIT_…` variables, but for those that begin with one of `kept`.
fn quiet(context: &Context, folder: &Path, kept: &[&str]) -> Command {
    let names = context.environment().iter().map(|(name, _)| name);
    let ours = names.filter(|name| {
        let name = name.to_string_lossy();
        name.starts_with("GIT_") && !kept.iter().any(|kept| name.starts_with(kept))
    });
    ours.fold(Command::new("git"), |command, name| command.env_remove(name))
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_EDITOR", "true")
        .env("LC_ALL", "C")
        .in_folder(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openssh_is_known_however_it_is_written() {
        let cases = [
            ("ssh", true),
            ("ssh -i key", true),
            ("  /usr/bin/ssh -p 22", true),
            (r"/my\ tools/ssh", true),
            (r#""C:/Program Files/Git/usr/bin/ssh.exe" -i 'a b'"#, true),
            ("'/a b/ssh' -v", true),
            ("plink -batch", false),
            ("sshpass -f x ssh", false),
            ("", false),
        ];
        for (command, expected) in cases {
            assert_eq!(is_openssh(command), expected, "{command}");
        }
    }
}
