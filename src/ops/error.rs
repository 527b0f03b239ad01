//! The one place where errors get their code.

mod codes;
mod hints;

use std::path::PathBuf;

use super::install::InstallError;
use super::sharing::SharingError;
use super::stages::StageError;
use crate::context::Cancelled;
use crate::domain::lifecycle::{CategoryError, RouteError, RunName, RunNameError};
use crate::domain::moment::Moment;
use crate::domain::names::{NameError, TaskKey, TaskName, TaskNameError};
use crate::{fs, git, render, store};
use codes::{fs_code, git_code, install_code, render_code, sharing_code, stage_code, store_code};

/// The code of an agent CLI that is not there; the exit code for it is that of shells.
pub(crate) const NOT_INSTALLED: &str = "not-installed";

/// Why an operation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The repository could not be read.
    #[error(transparent)]
    Git(git::Error),
    /// A file could not be read or written.
    #[error(transparent)]
    Fs(#[from] fs::Error),
    /// A state file could not be read or written.
    #[error(transparent)]
    Store(store::Error),
    /// A prompt could not be rendered.
    #[error(transparent)]
    Render(render::Error),
    /// The work was asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A name that is none.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A task that is not written as one.
    #[error(transparent)]
    TaskName(#[from] TaskNameError),
    /// Options that do not go together.
    #[error("{message}")]
    Request {
        /// What is wrong.
        message: String,
        /// What to do instead.
        hint: String,
    },
    /// The lead could not be started, or was lost.
    #[error("the lead of {run} could not be run")]
    Lead {
        /// The task.
        task: TaskName,
        /// The run.
        run: String,
        /// Why.
        #[source]
        source: Box<crate::process::Error>,
    },
    /// Another lead is at work on the run.
    #[error("{run} has a lead already{}", lead_there(*holder, *since))]
    LeadThere {
        /// The run.
        run: String,
        /// The okstra process that started it, where that is known.
        holder: Option<u32>,
        /// Since when it runs, where that is known.
        since: Option<Moment>,
    },
    /// An agent CLI that is not there.
    #[error("`{program}` is not installed: {}", not_found(program, config.as_ref()))]
    NotInstalled {
        /// Whose it is, as in the settings.
        vendor: &'static str,
        /// The program.
        program: String,
        /// The file that names it, where the user replaced the command.
        config: Option<PathBuf>,
        /// The command that installs it.
        install: String,
    },
    /// There is nothing that a run could start from.
    #[error("`{}` has no commit yet", root.display())]
    NoCommit {
        /// The project root.
        root: PathBuf,
    },
    /// No roster for a run.
    #[error(transparent)]
    Roster(#[from] crate::domain::roster::RosterError),
    /// The current folder belongs to no task, and none was named.
    #[error("no task is named, and the current folder is in no worktree of one")]
    NoTask {
        /// The tasks that there are.
        known: Vec<TaskName>,
    },
    /// There is no `.okstra/` here.
    #[error("`{}` is no okstra project: it has no .okstra/project.json", root.display())]
    NoProject {
        /// The project root.
        root: PathBuf,
    },
    /// The project has no such task.
    #[error("there is no task {task} in `{}`", folder.display())]
    UnknownTask {
        /// The task.
        task: TaskName,
        /// Where tasks are.
        folder: PathBuf,
    },
    /// The task's manifest names no work category.
    #[error("the manifest of task {task} names no work category")]
    NoCategory {
        /// The task.
        task: TaskName,
    },
    /// There is no such task yet, and it cannot be made without a work category.
    #[error("there is no task {task} yet, and no work category is given to make it with")]
    CategoryNeeded {
        /// The task.
        task: TaskName,
    },
    /// Neither was a plan named, nor is there a report to take for one.
    #[error("no plan is named, and `{}` holds no planning report", folder.display())]
    NoPlan {
        /// Where reports are.
        folder: PathBuf,
    },
    /// A plan that was frozen for another task.
    #[error("`{}` was approved for {owner}, and is no plan for {key}", path.display())]
    OtherTasksPlan {
        /// The plan.
        path: PathBuf,
        /// The task that it was approved for.
        owner: String,
        /// The task that it should be approved for.
        key: TaskKey,
    },
    /// Nobody is known who could be said to have approved it.
    #[error("who approves is not known: neither git's user.name nor a login name is set")]
    NoApprover,
    /// A text that is no work category of the project.
    #[error(transparent)]
    Category(#[from] CategoryError),
    /// A text that names no run.
    #[error(transparent)]
    RunName(#[from] RunNameError),
    /// A text that is no route.
    #[error(transparent)]
    Route(#[from] RouteError),
    /// The task is there, with another category.
    #[error("task {task} has the work category {recorded}, and not {given}")]
    OtherCategory {
        /// The task.
        task: TaskName,
        /// Its category.
        recorded: String,
        /// The one that was given.
        given: String,
    },
    /// The task has no such run.
    #[error("task {task} has no run {run}")]
    UnknownRun {
        /// The task.
        task: TaskName,
        /// The run.
        run: RunName,
        /// The runs that it has.
        known: Vec<RunName>,
    },
    /// No run is named, and it is not clear which one is meant.
    #[error("no run of {task} is named, and {}", which(open))]
    WhichRun {
        /// The task.
        task: TaskName,
        /// The runs that are open.
        open: Vec<RunName>,
    },
    /// The run has come to its end, otherwise than was asked for.
    #[error("{run} of {task} is {status} already, and that is final")]
    RunEnded {
        /// The task.
        task: TaskName,
        /// The run.
        run: RunName,
        /// How it ended, one word.
        status: &'static str,
    },
    /// A run that was prepared in another clone, whose folders are there.
    #[error("{run} of {task} was prepared in another clone, to work in `{}`", folder.display())]
    RunElsewhere {
        /// The task.
        task: TaskName,
        /// The run.
        run: RunName,
        /// Where its lead works.
        folder: PathBuf,
    },
    /// A run that lacks what it must leave.
    #[error("{run} of {task} cannot be finished:{}", listed(missing))]
    Unfinished {
        /// The task.
        task: TaskName,
        /// The run.
        run: RunName,
        /// What is missing, a clause each.
        missing: Vec<String>,
        /// Whether a route is among it.
        needs_route: bool,
    },
    /// A person has to agree, and nobody was asked.
    #[error("{what} has to be confirmed by a person")]
    ConfirmationNeeded {
        /// What is to be done, a noun.
        what: String,
    },
    /// No project id is given, and nobody was asked for one.
    #[error("no project id is given; `{default}` would be one")]
    NoProjectId {
        /// The id that is proposed.
        default: String,
    },
    /// The project has another id.
    #[error("`{}` is the project `{recorded}` already, and not `{given}`", root.display())]
    OtherProject {
        /// The project root.
        root: PathBuf,
        /// Its id.
        recorded: String,
        /// The id that was given.
        given: String,
    },
    /// A bare repository has no worktree to hold `.okstra/`.
    #[error("`{}` is a bare repository: it has no main worktree that could hold .okstra/", path.display())]
    Bare {
        /// The folder as it was given.
        path: PathBuf,
    },
    /// Nothing is mirrored of the task.
    #[error("there is no mirror of task {task} in `{}`", root.display())]
    NoMirror {
        /// The task.
        task: TaskName,
        /// The project root.
        root: PathBuf,
        /// The tasks that are mirrored.
        mirrored: Vec<TaskName>,
    },
    /// No `.okstra/` belongs into the folder.
    #[error("`{}` is not the root of a worktree, so no records belong there", path.display())]
    NotARoot {
        /// The folder.
        path: PathBuf,
        /// The root of the worktree that it is in.
        root: Option<PathBuf>,
    },
    /// The folder of the log is not there.
    #[error("the plan run root `{}` is no folder", path.display())]
    NoPlanRunRoot {
        /// As it was given.
        path: PathBuf,
    },
    /// A ref that a person named is no single commit.
    #[error("could not resolve ref `{text}`")]
    UnresolvableRef {
        /// As it was given.
        text: String,
        /// Why.
        #[source]
        source: git::Unresolvable,
    },
    /// The log is gone from the disk, and its mirror is there.
    #[error("the log of task {task} is lost: `{}` is not there, but it is mirrored", path.display())]
    LostLog {
        /// The task.
        task: TaskName,
        /// The log.
        path: PathBuf,
    },
    /// Nothing of the task is on the disk, and it is mirrored.
    #[error("task {task} is not on disk, but it is mirrored: it is not a new one")]
    LostTask {
        /// The task.
        task: TaskName,
    },
    /// Nothing is recorded of the stage that could be repaired.
    #[error("stage {stage} has no done row to reconcile")]
    NoDoneRow {
        /// The stage.
        stage: u32,
    },
    /// Another commit is recorded for the stage.
    #[error("stage {stage} is done already, at {recorded}")]
    DoneAlready {
        /// The task.
        task: TaskName,
        /// The stage.
        stage: u32,
        /// The recorded commit.
        recorded: String,
    },
    /// Stages are done, and the registry has no anchor for the task.
    #[error("{} has done stages but no anchor in `{}`", key, registry.display())]
    NoAnchor {
        /// The task.
        key: TaskKey,
        /// The registry.
        registry: PathBuf,
        /// Whether the registry knows the task at all.
        is_registered: bool,
    },
    /// The registry does not know the task.
    #[error("{} has no entry in `{}`", key, registry.display())]
    NotRegistered {
        /// The task.
        key: TaskKey,
        /// The registry.
        registry: PathBuf,
    },
    /// Landings are recorded only where later stages start from.
    #[error("`{reference}` is neither the base of the task nor its upstream, so nothing is recorded from it")]
    NotTheBase {
        /// The ref of `--into`, in full.
        reference: String,
        /// The base and its upstream, as far as they exist.
        bases: Vec<String>,
    },
    /// Somebody is in the middle of something.
    #[error("a {} of `{reference}` is under way in `{}`", operation.kind, operation.worktree.display())]
    OperationInProgress {
        /// The ref, in full.
        reference: String,
        /// What is under way, and where.
        operation: git::Operation,
    },
    /// Somebody is at work on the task.
    #[error("runs of {task} are open: {}", runs.join(", "))]
    OpenRuns {
        /// The task.
        task: TaskName,
        /// The runs that are open, or are being prepared.
        runs: Vec<String>,
    },
    /// The ref that the task grew from is not there.
    #[error("{}", no_base_ref(task, base.as_deref()))]
    NoBaseRef {
        /// The task.
        task: TaskName,
        /// The ref that the registry names, in full.
        base: Option<String>,
        /// The project root.
        root: PathBuf,
    },
    /// The base cannot be merged into the task branch.
    #[error("merging `{base}` into `{branch}` conflicts in {}", files.join(", "))]
    BaseConflict {
        /// The base, as a person would type it.
        base: String,
        /// The task branch, a short name.
        branch: String,
        /// The files.
        files: Vec<String>,
        /// The task worktree.
        folder: PathBuf,
    },
    /// Records or branches kept changing while it was decided on them.
    #[error("`{}`, or a branch of the task, changes faster than it can be decided on", log.display())]
    ChangedMeanwhile {
        /// The log.
        log: PathBuf,
    },
    /// A stage may not start.
    #[error("{message}")]
    Gate {
        /// What holds it up, a line for each dependency.
        message: String,
        /// What helps.
        hint: String,
    },
    /// Something is wrong with a stage.
    #[error(transparent)]
    Stage(Box<StageError>),
    /// A task could not be carried to another clone.
    #[error(transparent)]
    Sharing(Box<SharingError>),
    /// Something is wrong with an installation.
    #[error(transparent)]
    Install(Box<InstallError>),
    /// The demo could not be played.
    #[error("the demo cannot be played below `{}`", parent.display())]
    Scratch {
        /// The temporary folder.
        parent: PathBuf,
        /// What went wrong there.
        #[source]
        source: Box<Error>,
    },
    /// Neither was a folder given, nor is there a current one.
    #[error("the current folder no longer exists")]
    NoCurrentFolder,
}

impl Error {
    /// A stable kebab-case word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Git(error) => git_code(error),
            Self::Fs(error) => fs_code(error),
            Self::Store(error) => store_code(error),
            Self::Render(error) => render_code(error),
            Self::Cancelled(_) => "cancelled",
            Self::NoCurrentFolder => "no-current-folder",
            Self::Scratch { source, .. } => source.code(),
            Self::Name(_) | Self::TaskName(_) => "bad-name",
            Self::Request { .. } => "usage",
            Self::Lead { .. } => "lead-failed",
            Self::LeadThere { .. } => "lead-there",
            Self::NotInstalled { .. } => NOT_INSTALLED,
            Self::NoCommit { .. } => "no-commit",
            Self::Roster(_) => "bad-roster",
            Self::NoTask { .. } => "no-task",
            Self::NoProject { .. } => "not-a-project",
            Self::UnknownTask { .. } => "unknown-task",
            Self::NoCategory { .. } => "no-category",
            Self::Category(CategoryError::Name(_)) => "bad-name",
            Self::Category(CategoryError::Unknown { .. }) => "unknown-category",
            Self::RunName(_) => "bad-name",
            Self::Route(_) => "unknown-route",
            Self::OtherCategory { .. } => "other-category",
            Self::UnknownRun { .. } => "unknown-run",
            Self::WhichRun { .. } => "which-run",
            Self::RunEnded { .. } => "run-ended",
            Self::RunElsewhere { .. } => "run-elsewhere",
            Self::Unfinished { .. } => "run-unfinished",
            Self::ConfirmationNeeded { .. } | Self::NoProjectId { .. } => "confirmation-needed",
            Self::OtherProject { .. } => "other-project",
            Self::Bare { .. } => "bare-repository",
            Self::NoMirror { .. } => "no-mirror",
            Self::NotARoot { .. } => "not-a-project-root",
            Self::CategoryNeeded { .. } => "category-needed",
            Self::NoPlan { .. } => "no-plan",
            Self::OtherTasksPlan { .. } => "other-tasks-plan",
            Self::NoApprover => "no-approver",
            Self::NoPlanRunRoot { .. } => "no-such-folder",
            Self::UnresolvableRef { .. } => "unresolvable-ref",
            Self::LostLog { .. } | Self::LostTask { .. } => "lost-records",
            Self::NoDoneRow { .. } => "no-done-row",
            Self::DoneAlready { .. } => "done-already",
            Self::NoAnchor { .. } => "no-anchor",
            Self::NotRegistered { .. } => "no-registry-entry",
            Self::NotTheBase { .. } => "not-the-base",
            Self::OperationInProgress { .. } => "operation-in-progress",
            Self::OpenRuns { .. } => "runs-open",
            Self::NoBaseRef { .. } => "no-base-ref",
            Self::BaseConflict { .. } => "merge-conflict",
            Self::ChangedMeanwhile { .. } => "changed-meanwhile",
            Self::Gate { .. } => "stage-blocked",
            Self::Stage(error) => stage_code(error),
            Self::Sharing(error) => sharing_code(error),
            Self::Install(error) => install_code(error),
        }
    }
}

impl From<render::Error> for Error {
    fn from(error: render::Error) -> Self {
        match error {
            render::Error::Fs(error) => Self::Fs(error),
            error => Self::Render(error),
        }
    }
}

impl From<StageError> for Error {
    fn from(error: StageError) -> Self {
        Self::Stage(Box::new(error))
    }
}

impl From<InstallError> for Error {
    fn from(error: InstallError) -> Self {
        Self::Install(Box::new(error))
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::Fs(error) => Self::Fs(error),
            error => Self::Store(error),
        }
    }
}

impl From<git::Error> for Error {
    fn from(error: git::Error) -> Self {
        match error {
            git::Error::Cancelled(cancelled) => Self::Cancelled(cancelled),
            error => Self::Git(error),
        }
    }
}

/// That a task has no base to follow, a sentence.
fn no_base_ref(task: &TaskName, base: Option<&str>) -> String {
    match base {
        Some(base) => format!("the base `{base}` of task {task} is not there"),
        None => format!("the registry names no base of task {task}"),
    }
}

/// Who leads a run, a clause.
fn lead_there(holder: Option<u32>, since: Option<Moment>) -> String {
    let process = holder.map(|holder| format!(", started by process {holder}")).unwrap_or_default();
    process + &since.map(|since| format!(", since {since}")).unwrap_or_default()
}

/// Clauses below one another.
fn listed(clauses: &[String]) -> String {
    clauses.iter().map(|clause| format!("\n  {clause}")).collect()
}

/// Where a program was looked for, a clause.
fn not_found(program: &str, config: Option<&PathBuf>) -> String {
    let place =
        if std::path::Path::new(program).is_absolute() { "there is no such program" } else { "it is not on PATH" };
    config.map_or_else(|| place.to_owned(), |config| format!("{place}; `{}` names it", config.display()))
}

/// Which runs are open, a clause.
fn which(open: &[RunName]) -> String {
    let names: Vec<_> = open.iter().map(ToString::to_string).collect();
    if names.is_empty() { "none is open".to_owned() } else { format!("several are open: {}", names.join(", ")) }
}
