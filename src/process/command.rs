//! What to start, and how it ended.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use super::{Error, capture, interactive};
use crate::context::Context;

/// The characters of a long argument that an error shows.
const LONGEST: usize = 80;

/// A program with its arguments: where it runs, what differs in its environment, and what it reads.
#[derive(Clone, Debug)]
pub struct Command {
    program: OsString,
    arguments: Vec<OsString>,
    folder: Option<PathBuf>,
    variables: Vec<(OsString, Option<OsString>)>,
    stdin: Option<Vec<u8>>,
    limit: Option<usize>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It returned this exit code.
    Code(i32),
    /// This signal killed it.
    Signal(i32),
}

/// What a process said, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// How it ended.
    pub ending: Ending,
    /// Everything it wrote to its standard output.
    pub stdout: Vec<u8>,
    /// Everything it wrote to its standard error.
    pub stderr: Vec<u8>,
}

impl Command {
    /// The command that starts `program`, a path or a name that is looked for on the context's `PATH`.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            folder: None,
            variables: Vec::new(),
            stdin: None,
            limit: None,
        }
    }

    /// The same command with one more argument.
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// The same command with these arguments added.
    pub fn args(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// The same command, run in `folder` instead of the context's current folder.
    pub fn in_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// The same command, with `name` set to `value` in its environment.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), Some(value.into())));
        self
    }

    /// The same command, without `name` in its environment.
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), None));
        self
    }

    /// The same command, which reads these bytes; without them it reads an empty standard input.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// The same command, of whose output not much more than `bytes` is kept of each stream: its beginning and its end.
    pub fn keeping(mut self, bytes: usize) -> Self {
        self.limit = Some(bytes);
        self
    }

    /// Runs the command in a process group of its own and waits for it; its exit code is the caller's to judge.
    ///
    /// When the context is cancelled the whole group is ended before this returns, so nothing is left behind. The
    /// group is not the terminal's foreground group: a program that asks the terminal a question would wait for ever.
    ///
    /// # Errors
    /// When it cannot be started, when its output cannot be read, and when the context is cancelled.
    pub fn run(&self, context: &Context) -> Result<Output, Error> {
        capture::run(self, context)
    }

    /// Runs the command like [`Command::run`] and returns its standard output; any ending but exit code 0 is an error
    /// that carries what it wrote to standard error.
    ///
    /// # Errors
    /// As [`Command::run`], and [`Error::Failed`].
    pub fn check(&self, context: &Context) -> Result<Vec<u8>, Error> {
        let Output { ending, stdout, stderr } = self.run(context)?;
        if ending.is_success() {
            return Ok(stdout);
        }
        let stderr = String::from_utf8_lossy(&stderr).trim().to_owned();
        Err(Error::Failed { command: self.to_string(), ending, stderr })
    }

    /// Runs the command on our own terminal: it inherits all three streams, and Ctrl-C is its alone.
    ///
    /// # Errors
    /// When it cannot be started, and when the context was cancelled before; later the cancellation is passed on to
    /// the child, and its ending is the answer.
    pub fn run_on_terminal(&self, context: &Context) -> Result<Ending, Error> {
        interactive::run(self, context)
    }

    /// The program as it was given.
    pub fn program(&self) -> &OsStr {
        &self.program
    }

    pub(super) fn limit(&self) -> Option<usize> {
        self.limit
    }

    pub(super) fn input(&self) -> Option<&[u8]> {
        self.stdin.as_deref()
    }

    /// The folder in which it will run, where one is known.
    pub(super) fn folder<'a>(&'a self, context: &'a Context) -> Option<&'a Path> {
        self.folder.as_deref().or(context.cwd())
    }

    /// The standard library's form of it, with no stream set.
    #[expect(clippy::disallowed_methods, reason = "this is the room through which programs are started")]
    pub(super) fn to_std(&self, context: &Context) -> std::process::Command {
        let mut command = std::process::Command::new(&self.program);
        command.args(&self.arguments).env_clear().envs(context.environment().iter());
        if let Some(folder) = self.folder(context) {
            command.current_dir(folder);
        }
        for (name, value) in &self.variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.stdin(if self.stdin.is_some() { Stdio::piped() } else { Stdio::null() });
        command
    }
}

/// For error messages: what one would type into a shell, nearly.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(&self.program))?;
        self.arguments.iter().try_for_each(|argument| write!(f, " {}", shown(&cut(argument))))
    }
}

/// An argument, of which only the beginning is shown where it is a whole text, as a prompt is.
fn cut(argument: &OsStr) -> Cow<'_, OsStr> {
    let text = argument.to_string_lossy();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) if text.chars().nth(2 * LONGEST).is_some() => {
            OsString::from(format!("{}…", &text[..end])).into()
        }
        _ => argument.into(),
    }
}

/// A word, quoted where its ends, its bytes or its control characters could be mistaken.
fn shown(word: &OsStr) -> String {
    match word.to_str() {
        Some(text) if !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c.is_control()) => {
            text.to_owned()
        }
        _ => format!("{word:?}"),
    }
}

impl Ending {
    /// Whether it returned exit code 0.
    pub fn is_success(self) -> bool {
        self == Self::Code(0)
    }

    /// The exit code as a shell would report it: 128 + the number of the signal that killed it.
    pub fn code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
        }
    }
}

impl From<ExitStatus> for Ending {
    fn from(status: ExitStatus) -> Self {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Self::Signal(signal);
        }
        Self::Code(status.code().unwrap_or(1))
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_shows_where_each_word_ends() {
        let command = Command::new("echo").args(["-n", "a b", "", "a\nb"]);
        assert_eq!(command.to_string(), r#"echo -n "a b" "" "a\nb""#);
        let whole = "ü".repeat(2 * LONGEST);
        assert_eq!(Command::new("echo").arg(&whole).to_string(), format!("echo {whole}"));
        let prompt = "ü".repeat(2 * LONGEST + 1);
        assert_eq!(Command::new("echo").arg(prompt).to_string(), format!("echo {}…", "ü".repeat(LONGEST)));
    }

    #[test]
    fn a_signal_counts_from_128() {
        assert_eq!((Ending::Code(0).code(), Ending::Code(256).code(), Ending::Signal(2).code()), (0, 256, 130));
        assert!(Ending::Code(0).is_success() && !Ending::Code(1).is_success() && !Ending::Signal(15).is_success());
    }
}
