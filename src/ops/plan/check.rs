//! Whether a plan keeps the rules of the Stage Map.

use std::path::PathBuf;

use serde::Serialize;

use super::{PlanStage, Source, Violation, newest_report, reports};
use crate::context::Context;
use crate::ops::Error;
use crate::ops::task::{Selector, Task};

/// Which plan to check.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<PathBuf>,
    /// The plan, a Markdown file. It needs no project.
    pub file: Option<PathBuf>,
    /// Without a file: the task, `GROUP/ID`, whose newest planning report is checked; by default that of the worktree one
    /// stands in.
    pub task: Option<String>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The plan's file.
    pub plan: String,
    /// Its stages, as far as they can be read.
    pub stages: Vec<PlanStage>,
    /// Everything that is wrong with it, by line and rule.
    pub violations: Vec<Violation>,
}

/// Checks a plan against every rule.
///
/// # Errors
/// When the plan cannot be found or read, also since it is not UTF-8.
pub fn run(context: &Context, options: &Options) -> Result<Report, Error> {
    let path = match (&options.file, &options.task) {
        (Some(file), None) => file.clone(),
        (Some(_), Some(_)) => return Err(one_plan()),
        (None, task) => {
            let task = Task::find(context, options.project_root.as_deref(), &Selector::Project(task.clone()))?;
            newest_report(&task)?.ok_or_else(|| Error::NoPlan { folder: reports(&task) })?
        }
    };
    Ok(Source::read(context, &path)?.into())
}

/// The error for a request that names a plan in two ways.
pub(super) fn one_plan() -> Error {
    Error::Request {
        message: "a file and --task name two plans".to_owned(),
        hint: "name the file, or the task".to_owned(),
    }
}

impl From<Source> for Report {
    fn from(source: Source) -> Self {
        let plan = source.path.to_string_lossy().into_owned();
        Self { plan, stages: source.checked.stages, violations: source.checked.violations }
    }
}
