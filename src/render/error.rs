//! Why a text could not be rendered, with template, line and variable.

use std::error::Error as _;
use std::fmt;
use std::path::PathBuf;

use super::templates;
use crate::domain::hint::Hint;
use crate::domain::lifecycle::RunNameError;
use crate::fs;

/// Why a text could not be rendered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A variable has no value.
    #[error("line {line} of {place}: `{variable}` is not defined")]
    Undefined {
        /// Where it is asked for.
        place: Place,
        /// The line, from 1.
        line: usize,
        /// The variable, as it stands there.
        variable: String,
    },
    /// A template that is none.
    #[error("line {line} of {place}: {message}")]
    Template {
        /// The template.
        place: Place,
        /// The line, from 1; 0 where none is known.
        line: usize,
        /// What is wrong there.
        message: String,
    },
    /// A template of the project leaves out what the run depends on.
    #[error("{place} leaves out {what}")]
    Lost {
        /// The template.
        place: Place,
        /// What is missing, a noun.
        what: &'static str,
    },
    /// A file among the project's templates that replaces nothing.
    #[error("`{}` replaces no template: there is none named {name}", path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
        /// The template that it would be.
        name: String,
    },
    /// A file could not be read.
    #[error(transparent)]
    Fs(#[from] fs::Error),
    /// The manifest names a run that is none.
    #[error(transparent)]
    Run(#[from] RunNameError),
}

/// A template, and the file of the project that stands for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The template, as in `profiles/implementation.md`.
    pub template: String,
    /// The file that replaces it, where one does.
    pub replaced_by: Option<PathBuf>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.replaced_by {
            Some(path) => write!(f, "template {} (`{}`)", self.template, path.display()),
            None => write!(f, "template {}", self.template),
        }
    }
}

impl Error {
    /// The innermost error that minijinja met, at the place that `place` says a template has.
    pub(super) fn of(error: &minijinja::Error, fallback: &str, place: impl Fn(&str) -> Place) -> Self {
        let sources = std::iter::successors(Some(error), |&outer| outer.source()?.downcast_ref());
        let cause = sources.last().unwrap_or(error);
        let place = place(cause.name().unwrap_or(fallback));
        let line = cause.line().unwrap_or_default();
        let detail = cause.detail().unwrap_or_default();
        if cause.kind() == minijinja::ErrorKind::UndefinedError {
            return Self::Undefined { place, line, variable: variable(detail).to_owned() };
        }
        let kind = cause.kind().to_string();
        let message = if detail.is_empty() { kind } else { format!("{kind}: {detail}") };
        Self::Template { place, line, message }
    }

    fn place(&self) -> Option<&Place> {
        match self {
            Self::Undefined { place, .. } | Self::Template { place, .. } | Self::Lost { place, .. } => Some(place),
            Self::Unknown { .. } | Self::Fs(_) | Self::Run(_) => None,
        }
    }
}

/// The name between the first two backticks of what minijinja says of an undefined value.
fn variable(detail: &str) -> &str {
    detail.split('`').nth(1).unwrap_or("a value")
}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Fs(error) => error.hint(),
            Self::Run(_) => None,
            Self::Unknown { .. } => {
                let names: Vec<_> = templates::names().collect();
                Some(format!("rename it or take it away; there are {}", names.join(", ")))
            }
            _ if self.place()?.replaced_by.is_some() => {
                Some("mend that file, or take it away: the template of okstra then counts again".to_owned())
            }
            _ => Some("please report it, with what `okstra --version` says".to_owned()),
        }
    }
}
