//! A failure as it is shown: to people as text, to programs as a document.

use serde::Serialize;

use super::{Exit, bug};
use crate::domain::hint::Hint;
use crate::ops;

/// The code of a command line that cannot be understood.
const USAGE: &str = "usage";
/// The code of an argument that has to be UTF-8 and is not.
const NOT_UTF8: &str = "not-utf8";
/// The code of a question that a person answered with no.
const DECLINED: &str = "declined";
/// The code of a panic.
const BUG: &str = "bug";
/// The code of results that could not be written to standard output.
const OUTPUT: &str = "output";

/// Why a command failed, in the words of both doors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub(super) message: String,
    /// What caused it, the nearest first.
    pub(super) causes: Vec<String>,
    code: &'static str,
    hint: Option<String>,
}

/// The document that `--json` prints for a failure.
#[derive(Serialize)]
struct Document {
    error: String,
    code: &'static str,
    hint: Option<String>,
}

impl Failure {
    /// A request that cannot be understood.
    pub fn usage(message: String, hint: Option<String>) -> Self {
        Self { message, causes: Vec::new(), code: USAGE, hint }
    }

    /// Does `work`; a panic becomes a failure.
    ///
    /// # Errors
    /// What `work` says, or the panic with the code `bug`.
    pub fn catch<T>(work: impl FnOnce() -> Result<T, Self>) -> Result<T, Self> {
        bug::catch(work).unwrap_or_else(|said| Err(Self::bug(&said)))
    }

    /// What went wrong and what caused it, in one line.
    pub fn text(&self) -> String {
        std::iter::once(&self.message).chain(&self.causes).map(String::as_str).collect::<Vec<_>>().join(": ")
    }

    /// A stable kebab-case word for programs.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// What a person can do.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// An argument that is not UTF-8.
    pub(super) fn not_utf8(message: String) -> Self {
        let hint = "ids and refs are given as UTF-8; paths may be any bytes".to_owned();
        Self { message, causes: Vec::new(), code: NOT_UTF8, hint: Some(hint) }
    }

    /// A person who was asked did not agree.
    pub(super) fn declined() -> Self {
        let message = "it was not confirmed, and nothing was changed".to_owned();
        Self { message, causes: Vec::new(), code: DECLINED, hint: None }
    }

    fn bug(message: &str) -> Self {
        Self {
            message: format!("this is a bug in okstra: {message}"),
            causes: Vec::new(),
            code: BUG,
            hint: Some("please report it, with the command line and what `okstra --version` says".to_owned()),
        }
    }

    /// Results that could not be written to standard output.
    pub(super) fn output(error: &std::io::Error) -> Self {
        Self {
            message: "cannot write to the standard output".to_owned(),
            causes: vec![error.to_string()],
            code: OUTPUT,
            hint: None,
        }
    }

    /// The exit code that goes with it.
    pub(super) fn exit(&self) -> Exit {
        match self.code {
            BUG => Exit::Bug,
            ops::NOT_INSTALLED => Exit::Child(127),
            _ => Exit::Failed,
        }
    }

    /// The document that `--json` prints.
    pub(super) fn document(&self) -> impl Serialize {
        Document { error: self.text(), code: self.code, hint: self.hint.clone() }
    }
}

impl From<ops::Error> for Failure {
    fn from(error: ops::Error) -> Self {
        let sources = std::iter::successors(std::error::Error::source(&error), |source| source.source());
        Self {
            message: error.to_string(),
            causes: sources.map(ToString::to_string).collect(),
            code: error.code(),
            hint: error.hint(),
        }
    }
}
