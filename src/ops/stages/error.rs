//! What can be wrong with stages. `ops::Error` gives each its code.

use std::path::PathBuf;

use crate::domain::batch::BatchError;
use crate::domain::hint::Hint;
use crate::domain::names::TaskName;
use crate::domain::shell;
use crate::domain::stages::Obstacle;

/// Why something could not be done with a stage.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StageError {
    /// No batch can be chosen.
    #[error(transparent)]
    Batch(BatchError),
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

impl Hint for StageError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Batch(BatchError::AllDone) => {
                Some("what comes next is final-verification; see where the task stands: okstra stage list".to_owned())
            }
            Self::Batch(BatchError::Done { stage }) => Some(use_ref(*stage)),
            Self::Batch(_) => Some("see how each stage stands: okstra stage list".to_owned()),
            Self::Reserved { run, task, .. } => Some(ways_on(run, task)),
            Self::PathNotUtf8 { .. } => Some("name another folder with OKSTRA_HOME".to_owned()),
            Self::BadBranch { .. } => Some("name another one with --branch".to_owned()),
            Self::Place { obstacle, branch, path, base, root, .. } => Some(look(obstacle, (branch, path, root), base)),
            Self::NoBase { hint, .. } => Some(hint.clone()),
        }
    }
}

/// How another commit is recorded for a done stage.
pub(super) fn use_ref(stage: u32) -> String {
    format!("to record another commit: okstra git-reconcile --apply --stage {stage} --use-ref REF")
}

fn ways_on(run: &str, task: &TaskName) -> String {
    let task = task.to_string();
    let command = |words: &[&str]| shell::command([words, &["--task", &task]].concat());
    format!(
        "go on with that run: {}; or give it up: {}; or do both in one step: --take-over {run}",
        command(&["okstra", "resume", run]),
        command(&["okstra", "abandon", run, "--reason", "TEXT"]),
    )
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

/// The command that shows what is in the way, and what to do about it.
fn look(obstacle: &Obstacle, (branch, path, root): (&str, &str, &str), base: &Option<String>) -> String {
    let git = |folder: &str, words: &[&str]| shell::command([&["git", "-C", folder], words].concat());
    match obstacle {
        Obstacle::BranchTaken => {
            format!("look at it, then rename or delete it: {}", git(root, &["log", "--oneline", "-5", branch, "--"]))
        }
        Obstacle::LacksBase => {
            let range = base.as_ref().map_or_else(|| branch.to_owned(), |base| format!("{branch}..{base}"));
            format!(
                "see what it lacks, then rebase it, or delete it: {}",
                git(root, &["log", "--oneline", &range, "--"])
            )
        }
        Obstacle::Elsewhere(other) => {
            format!("check out something else there, or remove that worktree: {}", git(other, &["status"]))
        }
        Obstacle::FolderTaken => format!("look at it, then move it away: {}", shell::command(["ls", "-la", path])),
        Obstacle::OnOther(_) => {
            format!("finish what is under way there, then check out the branch: {}", git(path, &["status"]))
        }
    }
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
