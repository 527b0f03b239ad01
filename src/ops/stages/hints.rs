//! What helps when something is wrong with a stage.

use super::StageError;
use super::error::others;
use crate::domain::batch::BatchError;
use crate::domain::hint::Hint;
use crate::domain::names::TaskName;
use crate::domain::shell;
use crate::domain::stages::{Kept, Obstacle};

impl Hint for StageError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Batch { task, error: BatchError::AllDone } => {
                list("what comes next is final-verification; see where the task stands", task)
            }
            Self::Batch { task, error: BatchError::Done { stage } } => use_ref(*stage, task),
            Self::Batch { task, .. } => list("see how each stage stands", task),
            Self::Reserved { run, task, .. } => ways_on(run, task),
            Self::PathNotUtf8 { .. } => "name another folder with OKSTRA_HOME".to_owned(),
            Self::BadBranch { .. } => "name another one with --branch".to_owned(),
            Self::Place { obstacle, branch, path, base, root, .. } => {
                look(obstacle, (branch, path, root), base.as_deref())
            }
            Self::NoBase { hint, .. } => hint.clone(),
            Self::NoPlan { task } => of_task("approve one", &["okstra", "plan", "approve", "FILE"], task),
            Self::LostWork { task, .. } => {
                of_task("bring it from where the records came from", &["okstra", "task", "fetch"], task)
            }
            Self::NotReserved { task, .. } => prepare("prepare a run that builds it", task),
            Self::Lost { task, holder: Some(holder), .. } => {
                of_task("go on with that run", &["okstra", "resume", holder], task)
            }
            Self::Lost { task, .. } => prepare("prepare a run that builds it", task),
            Self::NoTaskWorktree { task, .. } => prepare("it is made by the next run that builds", task),
            Self::Conflict { stage, with, task, .. } => solve(*stage, with, task),
            Self::Kept { stage, why, path, task } => return kept(why, path.as_deref(), (*stage, task)),
            Self::ConfirmationNeeded { .. } => "say yes to that with --yes".to_owned(),
            Self::BackFill { path, source, .. } => {
                let own = source.hint().map_or_else(String::new, |hint| format!("{hint}\n"));
                let path = shell::word(&path.to_string_lossy());
                format!("{own}the file was kept; without it the stage counts as not done: {path}")
            }
            Self::NoCarry { .. } => "bring the file back: okstra doctor --restore".to_owned(),
            _ => return of_work(self),
        })
    }
}

/// What helps when the work on a stage is not as it should be.
fn of_work(error: &StageError) -> Option<String> {
    Some(match error {
        StageError::NoBranch { .. } => "name the ref of its commit: --head REF".to_owned(),
        StageError::NothingDone { .. } => "commit the work there first, or name another ref: --head REF".to_owned(),
        StageError::Incomplete { root, .. } => git("see what is missing", root, &["fsck"]),
        StageError::Dirty { path, .. } => git("commit them, or take them back", path, &["status"]),
        StageError::Outside { paths, .. } => {
            let path = shell::word(paths.first().map(String::as_str).unwrap_or_default());
            format!("take it out of the stage, or have it recorded: --allow-outside {path} --reason TEXT")
        }
        StageError::CheckFailed { failed, .. } => {
            let log = failed.first().and_then(|check| check.log.as_ref())?;
            format!("see what it said: {}", shell::command(["cat", log]))
        }
        StageError::Changed { path, .. } => git("see what it did", path, &["status"]),
        StageError::NotOnBranch { path, branch } => {
            git("finish what is under way there, then", path, &["checkout", branch])
        }
        _ => return None,
    })
}

/// How another commit is recorded for a done stage.
pub(in crate::ops) fn use_ref(stage: u32, task: &TaskName) -> String {
    format!("to record another commit: okstra git-reconcile --task {task} --apply --stage {stage} --use-ref REF")
}

fn list(what: &str, task: &TaskName) -> String {
    of_task(what, &["okstra", "stage", "list"], task)
}

fn git(what: &str, folder: &str, words: &[&str]) -> String {
    format!("{what}: {}", shell::command([&["git", "-C", folder], words].concat()))
}

fn of_task(what: &str, words: &[&str], task: &TaskName) -> String {
    format!("{what}: {}", shell::command([words, &["--task", &task.to_string()]].concat()))
}

fn prepare(what: &str, task: &TaskName) -> String {
    prepare_with(what, &[], task)
}

fn prepare_with(what: &str, more: &[&str], task: &TaskName) -> String {
    of_task(what, &[&["okstra", "run", "--type", "implementation"], more].concat(), task)
}

fn kept(why: &Kept, path: Option<&str>, (stage, task): (u32, &TaskName)) -> Option<String> {
    Some(match (why, path) {
        (Kept::Reserved { run }, _) => format!("finish or abandon {run} first"),
        (Kept::Lost { commit }, _) => format!(
            "{}; where it is what counts now, record it first: okstra git-reconcile --task {task} --apply --stage {stage} \
             --use-ref {commit}; or give it a branch of its own",
            of_task("integrate it first", &["okstra", "stage", "integrate"], task),
        ),
        (_, path) => git("look at it", path?, &["status"]),
    })
}

fn ways_on(run: &str, task: &TaskName) -> String {
    format!(
        "{}; or {}; or {}",
        of_task("go on with that run", &["okstra", "resume", run], task),
        of_task("give it up", &["okstra", "abandon", run, "--reason", "TEXT"], task),
        prepare_with("take its stages over, which abandons it", &["--take-over", run], task),
    )
}

/// The command that shows what is in the way, and what to do about it.
fn look(obstacle: &Obstacle, (branch, path, root): (&str, &str, &str), base: Option<&str>) -> String {
    match obstacle {
        Obstacle::BranchTaken => {
            let look = git("what is on it", root, &["log", "--oneline", "-5", branch, "--"]);
            format!("name another branch for the task with --branch; {look}")
        }
        Obstacle::LacksBase => {
            let range = base.map_or_else(|| branch.to_owned(), |base| format!("{branch}..{base}"));
            git("see what it lacks, then rebase it, or delete it", root, &["log", "--oneline", &range, "--"])
        }
        Obstacle::Elsewhere(other) => {
            git("check out something else there, or remove that worktree", other, &["status"])
        }
        Obstacle::FolderTaken => format!("look at it, then move it away: {}", shell::command(["ls", "-la", path])),
        Obstacle::OnOther(_) => git("finish what is under way there, then check out the branch", path, &["status"]),
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
