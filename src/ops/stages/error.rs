//! What can be wrong with stages. `ops::Error` gives each its code.

use std::path::PathBuf;

use crate::domain::batch::BatchError;
use crate::domain::names::TaskName;
use crate::domain::stages::{Check, Kept, Obstacle};

/// Why something could not be done with a stage.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StageError {
    /// No batch can be chosen.
    #[error("{error}")]
    Batch {
        /// The task.
        task: TaskName,
        /// Why not.
        error: BatchError,
    },
    /// Another open run has the stage.
    #[error("stage {stage} is reserved by {run}{}: {}", since(age.as_deref()), life(*alive))]
    Reserved {
        /// The stage.
        stage: u32,
        /// Its task.
        task: TaskName,
        /// The run that has it.
        run: String,
        /// For how long.
        age: Option<String>,
        /// Whether the process that prepared it lives, where that can be told.
        alive: Option<bool>,
    },
    /// A path that neither the registry nor the git command can be told.
    #[error("`{}` is not UTF-8, so no worktree can be there", path.display())]
    PathNotUtf8 {
        /// The path.
        path: PathBuf,
    },
    /// A name that no branch can have.
    #[error("`{name}` can be no branch")]
    BadBranch {
        /// As given.
        name: String,
    },
    /// Something is where a branch or a worktree belongs.
    #[error("{of}: {}", in_the_way(obstacle, branch, path))]
    Place {
        /// Whose place it is: `the task`, `stage 1`.
        of: String,
        /// What is in the way.
        obstacle: Obstacle,
        /// The branch, a short name.
        branch: String,
        /// The folder.
        path: String,
        /// What the branch has to start from, where that is known.
        base: Option<String>,
        /// The project root.
        root: String,
    },
    /// The task has no approved plan.
    #[error("task {task} has no approved plan")]
    NoPlan {
        /// The task.
        task: TaskName,
    },
    /// No open run has the stage.
    #[error("no open run has reserved stage {stage}{}", run.as_deref().map_or_else(String::new, |run| format!(": {run} is not open")))]
    NotReserved {
        /// The stage.
        stage: u32,
        /// Its task.
        task: TaskName,
        /// The run that the registry names.
        run: Option<String>,
    },
    /// The stage was taken from its run while it was checked.
    #[error("stage {stage} is no longer {run}'s to record{}; nothing was recorded", now(*status, holder.as_deref()))]
    Lost {
        /// The stage.
        stage: u32,
        /// Its task.
        task: TaskName,
        /// The run that had it.
        run: String,
        /// How that run ended, where it did.
        status: Option<&'static str>,
        /// The run that has it now.
        holder: Option<String>,
    },
    /// The stage has no branch.
    #[error("stage {stage} has no branch `{branch}`")]
    NoBranch {
        /// The stage.
        stage: u32,
        /// Its branch, a short name.
        branch: String,
    },
    /// Nothing was committed.
    #[error("nothing was committed for stage {stage}: `{branch}` is at {at}, where it started")]
    NothingDone {
        /// The stage.
        stage: u32,
        /// The commit.
        at: String,
        /// Its branch, a short name.
        branch: String,
    },
    /// Objects of the stage are not there.
    #[error("what stage {stage} changed cannot be read: objects are missing")]
    Incomplete {
        /// The stage.
        stage: u32,
        /// The project root.
        root: String,
    },
    /// Something in a worktree is not committed.
    #[error("{of} has changes that are not committed, in `{path}`: {}", some(files))]
    Dirty {
        /// Whose it is.
        of: String,
        /// The worktree.
        path: String,
        /// The files.
        files: Vec<String>,
    },
    /// Paths outside of the stage's files were touched.
    #[error("stage {stage} touched what is not among its files in the plan: {}", some(paths))]
    Outside {
        /// The stage.
        stage: u32,
        /// The paths.
        paths: Vec<String>,
    },
    /// Merging a stage gives conflicts.
    #[error("stage {stage} conflicts with {} in {}", others(with), some(files))]
    Conflict {
        /// The stage.
        stage: u32,
        /// The files.
        files: Vec<String>,
        /// The other stages that touched them.
        with: Vec<u32>,
        /// Its task.
        task: TaskName,
    },
    /// The task has no worktree.
    #[error("task {task} has no worktree{}", path.as_deref().map_or_else(String::new, |path| format!(" at `{path}`")))]
    NoTaskWorktree {
        /// The task.
        task: TaskName,
        /// Where it should be.
        path: Option<String>,
    },
    /// The worktree of the task has something else checked out.
    #[error("the worktree `{path}` does not have `{branch}` checked out")]
    NotOnBranch {
        /// The worktree.
        path: String,
        /// The branch, a short name.
        branch: String,
    },
    /// Worktree and branch of a stage may not go.
    #[error("stage {stage} is not removed: {why}")]
    Kept {
        /// The stage.
        stage: u32,
        /// Its task.
        task: TaskName,
        /// Why.
        why: Kept,
        /// Its worktree, where it is there.
        path: Option<String>,
    },
    /// Nobody has said yes.
    #[error("to remove stage {stage} means to remove {what}")]
    ConfirmationNeeded {
        /// The stage.
        stage: u32,
        /// What would go, a clause.
        what: String,
    },
    /// Commands of the plan failed.
    #[error("stage {stage} does not pass its validation: {}", failures(failed))]
    CheckFailed {
        /// The stage.
        stage: u32,
        /// The commands.
        failed: Vec<Check>,
    },
    /// The commands changed what they were to check.
    #[error("the validation of stage {stage} changed what it was to check, in `{path}`: {what}")]
    Changed {
        /// The stage.
        stage: u32,
        /// What was changed.
        what: String,
        /// The worktree.
        path: String,
    },
    /// A carry file without its done row cannot be completed.
    #[error("stage {stage} was handed on in `{}`, and cannot be recorded as done", path.display())]
    BackFill {
        /// The stage.
        stage: u32,
        /// The carry file.
        path: PathBuf,
        /// What is wrong.
        #[source]
        source: Box<super::Error>,
    },
    /// What a stage builds on was not handed on.
    #[error("stage {stage} builds on stage {on}, which {}", no_carry(path.as_deref()))]
    NoCarry {
        /// The stage.
        stage: u32,
        /// What it builds on.
        on: u32,
        /// The recorded carry file.
        path: Option<PathBuf>,
    },
    /// The branch of a task is not here, nor is the work that it has to hold.
    #[error("the branch `{branch}` of {task} cannot be made: {what} is not in this clone")]
    LostWork {
        /// The task.
        task: TaskName,
        /// Its branch, a short name.
        branch: String,
        /// What is missing, with its commit.
        what: String,
    },
    /// Nothing says where a stage starts from.
    #[error("stage {stage} has nothing to start from: {why}")]
    NoBase {
        /// The stage.
        stage: u32,
        /// Why, a clause.
        why: String,
        /// What helps.
        hint: String,
    },
}

fn in_the_way(obstacle: &Obstacle, branch: &str, path: &str) -> String {
    match obstacle {
        Obstacle::BranchTaken => format!("there is a branch `{branch}` already, and the registry knows nothing of it"),
        Obstacle::LacksBase => format!("the branch `{branch}` was not built on the commit that it has to start from"),
        Obstacle::Elsewhere(other) => format!("the branch `{branch}` is checked out in `{other}`"),
        Obstacle::FolderTaken => format!("`{path}` is there already, and is not its worktree"),
        Obstacle::OnOther(what) => format!("the worktree `{path}` has {what} checked out, and not `{branch}`"),
    }
}

fn now(status: Option<&str>, holder: Option<&str>) -> String {
    let status = status.map(|status| format!("it is {status}"));
    let holder = match holder {
        Some(holder) => format!("{holder} has reserved the stage now"),
        None => "no run has reserved the stage now".to_owned(),
    };
    format!(": {}", status.into_iter().chain([holder]).collect::<Vec<_>>().join(", and "))
}

fn since(age: Option<&str>) -> String {
    age.map_or_else(String::new, |age| format!(" since {age}"))
}

fn life(alive: Option<bool>) -> &'static str {
    match alive {
        Some(true) => "its process is alive",
        Some(false) => "its process is gone",
        None => "whether it is still at work cannot be told",
    }
}

/// A few of many.
fn some(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn failures(failed: &[Check]) -> String {
    let one = |check: &Check| format!("`{}` ended with exit code {}", check.command, check.exit_code);
    failed.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn no_carry(path: Option<&std::path::Path>) -> String {
    path.map_or_else(|| "has no carry file".to_owned(), |path| format!("has lost its carry file `{}`", path.display()))
}

/// Stages, as they are named in a sentence; the task branch where there are none.
pub(super) fn others(stages: &[u32]) -> String {
    match stages {
        [] => "the task branch".to_owned(),
        [one] => format!("stage {one}"),
        several => format!("stages {}", several.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
    }
}
