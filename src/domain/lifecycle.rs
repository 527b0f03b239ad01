//! The lifecycle of a task: its six phases, in their order, and the runs that execute them.

mod category;
mod next;
mod record;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize, Serializer};

pub use category::{CATEGORIES, CategoryError, parse_category};
pub use next::{Facts, Next, OpenRun, PlanFacts, Progress, Step, is_done, left_out, needs_route, next};
pub use record::{Lifecycle, Phase, PhaseRun, PhaseStatus, TaskBrief, Workflow};

/// A phase of a task's lifecycle, in the order in which they come; one run is one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskType {
    /// What is wanted, and which way it takes.
    RequirementsDiscovery,
    /// What is wrong, and why.
    ErrorAnalysis,
    /// How it is going to be done, in stages, for approval.
    ImplementationPlanning,
    /// The approved stages, built and verified. The only phase that edits source.
    Implementation,
    /// Whether what was asked for is there.
    FinalVerification,
    /// What the user chose to do with it: commit, push, pull request.
    ReleaseHandoff,
}

/// What a task type sets for convergence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Convergence {
    /// The most rounds after the first.
    pub max_rounds: u32,
    /// Whether verifiers try to break a claim.
    pub adversarial: bool,
    /// Whether they open the files themselves.
    pub full_reanalysis: bool,
}

/// A text that is no task type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no task type: there are {}", TaskType::ALL.map(TaskType::as_str).join(", "))]
pub struct TaskTypeError {
    /// The text as given.
    pub text: String,
}

impl TaskType {
    /// All of them, in order.
    pub const ALL: [Self; 6] = [
        Self::RequirementsDiscovery,
        Self::ErrorAnalysis,
        Self::ImplementationPlanning,
        Self::Implementation,
        Self::FinalVerification,
        Self::ReleaseHandoff,
    ];

    /// Its name, as it is typed and written everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RequirementsDiscovery => "requirements-discovery",
            Self::ErrorAnalysis => "error-analysis",
            Self::ImplementationPlanning => "implementation-planning",
            Self::Implementation => "implementation",
            Self::FinalVerification => "final-verification",
            Self::ReleaseHandoff => "release-handoff",
        }
    }

    /// Whether its runs edit source.
    pub fn edits_source(self) -> bool {
        self == Self::Implementation
    }

    /// How the findings of its workers converge; `None` where the lead works alone.
    pub fn convergence(self) -> Option<Convergence> {
        let (max_rounds, adversarial, full_reanalysis) = match self {
            Self::RequirementsDiscovery => (1, true, true),
            Self::ErrorAnalysis => (2, true, true),
            Self::ImplementationPlanning | Self::Implementation | Self::FinalVerification => (2, false, false),
            Self::ReleaseHandoff => return None,
        };
        Some(Convergence { max_rounds, adversarial, full_reanalysis })
    }

    /// How long a worker may take before it counts as timed out, in minutes: twice the expected time.
    pub fn deadline_minutes(self) -> u32 {
        match self {
            Self::RequirementsDiscovery | Self::FinalVerification | Self::ReleaseHandoff => 20,
            Self::ErrorAnalysis => 30,
            Self::ImplementationPlanning | Self::Implementation => 40,
        }
    }
}

impl fmt::Display for TaskType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for TaskType {
    type Err = TaskTypeError;

    fn from_str(text: &str) -> Result<Self, TaskTypeError> {
        let found = Self::ALL.into_iter().find(|task_type| task_type.as_str() == text);
        found.ok_or_else(|| TaskTypeError { text: text.to_owned() })
    }
}

/// How much comes before an approved plan. It never removes the approval, nor final-verification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Route {
    /// Everything.
    #[default]
    Full,
    /// Planning may give one option, which one worker verifies.
    LiteImplementationPlanning,
    /// Without error-analysis.
    DirectImplementationPlanning,
}

/// A text that is no route.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no route: there are {}", Route::ALL.map(Route::as_str).join(", "))]
pub struct RouteError {
    /// The text as given.
    pub text: String,
}

impl Route {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Full, Self::LiteImplementationPlanning, Self::DirectImplementationPlanning];

    /// Its name, as it is typed and written everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::LiteImplementationPlanning => "lite-implementation-planning",
            Self::DirectImplementationPlanning => "direct-implementation-planning",
        }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Route {
    type Err = RouteError;

    fn from_str(text: &str) -> Result<Self, RouteError> {
        Self::ALL.into_iter().find(|route| route.as_str() == text).ok_or_else(|| RouteError { text: text.to_owned() })
    }
}

/// A run of a task, written `implementation-001`: unique within the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunName {
    /// What it executes.
    pub task_type: TaskType,
    /// Its number among the runs of that type, from 1.
    pub number: u32,
}

/// A text that names no run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` names no run: a run is written like implementation-001")]
pub struct RunNameError {
    /// The text as given.
    pub text: String,
}

impl RunName {
    /// The number as it stands in names of files and folders: three digits, more where they are needed.
    pub fn seq(self) -> String {
        format!("{:03}", self.number)
    }
}

impl fmt::Display for RunName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:03}", self.task_type, self.number)
    }
}

impl FromStr for RunName {
    type Err = RunNameError;

    fn from_str(text: &str) -> Result<Self, RunNameError> {
        let error = || RunNameError { text: text.to_owned() };
        let (task_type, digits) = text.rsplit_once('-').ok_or_else(error)?;
        let task_type = task_type.parse().map_err(|_| error())?;
        let number = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let name = Self { task_type, number: number.filter(|&number| number > 0).ok_or_else(error)? };
        // One run has one name: `implementation-1` is another spelling of it, and none.
        if name.to_string() == text { Ok(name) } else { Err(error()) }
    }
}

impl Serialize for RunName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_type_is_read_as_it_is_written() {
        for task_type in TaskType::ALL {
            assert_eq!(task_type.to_string().parse(), Ok(task_type));
            assert_eq!(serde_json::to_value(task_type).unwrap(), task_type.as_str());
        }
        let error = "planning".parse::<TaskType>().unwrap_err().to_string();
        assert!(error.starts_with("`planning` is no task type: there are requirements-discovery, "), "{error}");
    }

    #[test]
    fn only_implementation_edits_source_and_only_the_handoff_is_done_alone() {
        let edits = TaskType::ALL.map(TaskType::edits_source);
        assert_eq!(edits, [false, false, false, true, false, false]);
        let alone = TaskType::ALL.map(|task_type| task_type.convergence().is_none());
        assert_eq!(alone, [false, false, false, false, false, true]);
    }

    #[test]
    fn a_run_has_one_name() {
        let run = RunName { task_type: TaskType::Implementation, number: 7 };
        assert_eq!((run.to_string(), run.seq()), ("implementation-007".to_owned(), "007".to_owned()));
        assert_eq!("implementation-007".parse(), Ok(run));
        assert_eq!("error-analysis-1234".parse::<RunName>().unwrap().number, 1234);
        for text in ["implementation", "implementation-7", "implementation-000", "implementation-+07", "x-001", "-001"]
        {
            assert!(text.parse::<RunName>().is_err(), "{text}");
        }
    }
}
