//! What can be wrong with stages. `ops::Error` gives each its code.

use std::path::PathBuf;

use crate::domain::batch::BatchError;
use crate::domain::hint::Hint;
use crate::domain::names::TaskName;
use crate::domain::shell;
use crate::domain::stages::{Check, Kept, Obstacle};

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
            Self::NoPlan { task } => Some(format!(
                "approve one: {}",
                shell::command(["okstra", "plan", "approve", "--task", &task.to_string()])
            )),
            Self::NotReserved { task, .. } => {
                let run = shell::command(["okstra", "run", "--task", &task.to_string(), "--type", "implementation"]);
                Some(format!("prepare a run that builds it: {run}"))
            }
            Self::NoBranch { .. } => Some("name the ref of its commit: --head REF".to_owned()),
            Self::NothingDone { .. } => Some("commit the work there first, or name another ref: --head REF".to_owned()),
            Self::Incomplete { root, .. } => {
                Some(format!("see what is missing: {}", shell::command(["git", "-C", root, "fsck"])))
            }
            Self::Dirty { path, .. } => {
                Some(format!("commit them, or take them back: {}", shell::command(["git", "-C", path, "status"])))
            }
            Self::Outside { paths, .. } => {
                let path = paths.first().map(String::as_str).unwrap_or_default();
                Some(format!(
                    "take it out of the stage, or have it recorded: --allow-outside {} --reason TEXT",
                    shell::word(path)
                ))
            }
            Self::CheckFailed { failed, .. } => failed
                .first()
                .and_then(|check| check.log.as_ref())
                .map(|log| format!("see what it said: {}", shell::command(["cat", log]))),
            Self::Changed { path, .. } => {
                Some(format!("see what it did: {}", shell::command(["git", "-C", path, "status"])))
            }
            Self::BackFill { path, source, .. } => {
                let own = source.hint().map_or_else(String::new, |hint| format!("{hint}\n"));
                Some(format!(
                    "{own}the file was kept; without it the stage counts as not done: {}",
                    shell::word(&path.to_string_lossy())
                ))
            }
            Self::Conflict { stage, with, task, .. } => Some(solve(*stage, with, task)),
            Self::Kept { why: Kept::Reserved { run }, .. } => Some(format!("finish or abandon {run} first")),
            Self::Kept { why: Kept::Lost { .. }, .. } => {
                Some("integrate it first, or give its commit a branch of its own".to_owned())
            }
            Self::Kept { path: Some(path), .. } => {
                Some(format!("look at it: {}", shell::command(["git", "-C", path, "status"])))
            }
            Self::Kept { .. } => None,
            Self::ConfirmationNeeded { .. } => Some("say yes to that with --yes".to_owned()),
            Self::NoTaskWorktree { task, .. } => {
                let run = shell::command(["okstra", "run", "--task", &task.to_string(), "--type", "implementation"]);
                Some(format!("it is made by the next run that builds: {run}"))
            }
            Self::NotOnBranch { path, branch } => {
                let command = shell::command(["git", "-C", path, "checkout", branch]);
                Some(format!("finish what is under way there, then: {command}"))
            }
            Self::NoCarry { .. } => Some("bring the file back: okstra doctor --restore".to_owned()),
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

fn others(stages: &[u32]) -> String {
    match stages {
        [] => "the task branch".to_owned(),
        [one] => format!("stage {one}"),
        several => format!("stages {}", several.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// What helps against a conflict: nothing was changed, so one of the branches has to give way.
fn solve(stage: u32, with: &[u32], task: &TaskName) -> String {
    let task = task.to_string();
    let reconcile =
        ["okstra", "git-reconcile", "--task", &task, "--apply", "--stage", &stage.to_string(), "--use-ref", "REF"]
            .map(str::to_owned);
    format!(
        "nothing was changed. Merge {} into the branch of stage {stage} and solve the conflict there, then record that commit: {}",
        others(with),
        shell::command(reconcile)
    )
}
