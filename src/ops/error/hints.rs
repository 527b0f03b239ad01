//! The way out of each error.

use super::Error;
use crate::domain::hint::Hint;
use crate::domain::lifecycle::{CATEGORIES, RunName};
use crate::domain::names::TaskName;
use crate::domain::shell;
use crate::ops::stages;

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Git(error) => error.hint(),
            Self::Fs(error) => error.hint(),
            Self::Store(error) => error.hint(),
            Self::Render(error) => error.hint(),
            Self::Stage(error) => error.hint(),
            Self::Sharing(error) => error.hint(),
            Self::Install(error) => error.hint(),
            Self::Cancelled(_) => None,
            Self::Name(_) | Self::TaskName(_) | Self::UnresolvableRef { .. } => None,
            Self::NoCategory { .. } => Some("name it where the command takes one: --category fix".to_owned()),
            Self::CategoryNeeded { .. } => Some(format!("name one: --category {}", CATEGORIES.join("|"))),
            Self::NoPlan { .. } => Some("name a Markdown file".to_owned()),
            Self::OtherTasksPlan { owner, .. } => Some(format!(
                "to plan the same work again, approve a copy that lies elsewhere; it stays the plan of {owner}"
            )),
            Self::NoApprover => Some("name the person: --by NAME".to_owned()),
            Self::Request { hint, .. } | Self::Gate { hint, .. } => Some(hint.clone()),
            Self::NoTask { known } => Some(name_a_task(known)),
            Self::NoProject { .. } => Some(
                "make it one: okstra init; if it was one, bring its records back: okstra doctor --restore".to_owned(),
            ),
            Self::UnknownTask { .. } => Some("see which there are: okstra tasks".to_owned()),
            Self::Category(_) => Some(
                "a project adds its own in .okstra/project.json: \"config\": {\"workCategories\": [\"NAME\"]}"
                    .to_owned(),
            ),
            Self::ConfirmationNeeded { .. } => {
                Some("run it at a terminal and look at what will happen, or answer with --yes".to_owned())
            }
            Self::NoProjectId { .. } => Some("name it with --project-id ID, or take that one with --yes".to_owned()),
            Self::OtherProject { recorded, .. } => Some(format!(
                "leave --project-id out, or give {recorded}; records and branches go by the id, so it is not changed"
            )),
            Self::Bare { .. } => Some("work in a clone that has a worktree".to_owned()),
            Self::NoMirror { mirrored, .. } => Some(no_mirror(mirrored)),
            Self::NotARoot { root: Some(root), .. } => {
                Some(format!("name the root: --project-root {}", shell::word(&root.to_string_lossy())))
            }
            Self::NotARoot { .. } => Some("name the worktree that shall hold .okstra/: --project-root DIR".to_owned()),
            other => run_hint(other),
        }
    }
}

/// The way out of what is wrong with runs and their leads.
fn run_hint(error: &Error) -> Option<String> {
    match error {
        Error::RunName(_) | Error::Route(_) => None,
        Error::LeadThere { .. } => Some("go on in its terminal, or end it first".to_owned()),
        Error::Lead { task, run, .. } => {
            Some(format!("the run stays open; try again: okstra resume {run} --task {task}"))
        }
        Error::NotInstalled { vendor, config: Some(_), .. } => {
            Some(format!("install it, or correct agents.{vendor}.command there"))
        }
        Error::NotInstalled { install, .. } => Some(format!("install it: {install}")),
        Error::NoCommit { .. } => Some("commit something first: a run starts from a commit".to_owned()),
        Error::Roster(_) => {
            Some("name workers with --workers claude,codex,gemini, and models with --model WORKER=MODEL".to_owned())
        }
        Error::OtherCategory { recorded, .. } => Some(format!("leave --category out, or give {recorded}")),
        Error::UnknownRun { task, known, .. } => Some(known_runs(task, known)),
        Error::WhichRun { task, open } if open.is_empty() => {
            Some(format!("see what comes next: okstra status --task {task}"))
        }
        Error::WhichRun { .. } => Some("name one of them".to_owned()),
        Error::RunEnded { task, .. } => Some(format!("see what comes next: okstra status --task {task}")),
        Error::RunElsewhere { task, run, .. } => Some(format!(
            "go on with it there; or prepare another one here: okstra run --task {task} --type {}; or give it up: okstra abandon {run} --task {task} --reason TEXT",
            run.task_type
        )),
        Error::Unfinished { task, run, missing, needs_route: true } => {
            let rest = if missing.len() > 1 { "bring about the rest, and " } else { "" };
            Some(format!(
                "{rest}name the route: okstra finish {run} --task {task} --route ROUTE; or finish it all the same, which is recorded: --force REASON"
            ))
        }
        Error::Unfinished { .. } => {
            Some("bring about what is missing, or finish it all the same, which is recorded: --force REASON".to_owned())
        }
        other => reconcile_hint(other),
    }
}

/// The way out of what git-reconcile and the records refuse.
fn reconcile_hint(error: &Error) -> Option<String> {
    match error {
        Error::NoPlanRunRoot { .. } => Some("it is the folder that holds the task's consumers.jsonl".to_owned()),
        Error::LostLog { task, .. } | Error::LostTask { task } => {
            Some(format!("bring it back: okstra doctor --restore --task {task}"))
        }
        Error::NoDoneRow { .. } => Some("see what is recorded: okstra git-reconcile --all".to_owned()),
        Error::DoneAlready { task, stage, .. } => Some(stages::hints::use_ref(*stage, task)),
        Error::NoAnchor { key, is_registered: true, .. } => Some(format!(
            "name the commit that the task started from: okstra git-reconcile --task {} --apply --reset-anchor REF",
            key.task
        )),
        Error::NoAnchor { .. } | Error::NotRegistered { .. } => Some(
            "the registry was lost or belongs to another machine: okstra doctor --restore brings back what is mirrored"
                .to_owned(),
        ),
        Error::NotTheBase { bases, .. } if bases.is_empty() => {
            Some("the registry names no base that exists".to_owned())
        }
        Error::NotTheBase { bases, .. } => Some(format!("record from {}, or look without --apply", bases.join(" or "))),
        Error::OperationInProgress { operation, .. } => Some(format!(
            "finish it or abort it there first; okstra aborts nothing that it did not start: git -C {} status",
            shell::word(&operation.worktree.to_string_lossy())
        )),
        Error::OpenRuns { task, .. } => Some(format!(
            "finish them, or give them up with okstra abandon; see what comes next: okstra status --task {task}"
        )),
        Error::NoBaseRef { root, .. } => Some(format!(
            "fetch it, or make it again; see which refs there are: git -C {} for-each-ref",
            shell::word(&root.to_string_lossy())
        )),
        Error::BaseConflict { base, folder, .. } => Some(format!(
            "nothing was changed. Merge it yourself, solve the conflict and commit; that is all that is left to do: git -C {} merge {}",
            shell::word(&folder.to_string_lossy()),
            shell::word(base)
        )),
        Error::ChangedMeanwhile { .. } => Some("try again when nothing else is at work on it".to_owned()),
        Error::Scratch { .. } => {
            let name = if cfg!(windows) { "TEMP" } else { "TMPDIR" };
            Some(format!(
                "if that folder is the reason, name one that can be written to and has room: {name}=FOLDER okstra demo"
            ))
        }
        Error::NoCurrentFolder => Some("change into a folder that exists, or give --project-root".to_owned()),
        _ => None,
    }
}

/// Which runs there are, where another was named.
fn known_runs(task: &TaskName, known: &[RunName]) -> String {
    let names: Vec<_> = known.iter().map(ToString::to_string).collect();
    match names.as_slice() {
        [] => format!("it has none yet; see what comes next: okstra status --task {task}"),
        names => format!("these are there: {}", names.join(", ")),
    }
}

/// What to do where a task has no mirror.
fn no_mirror(mirrored: &[TaskName]) -> String {
    if mirrored.is_empty() {
        return "no task is mirrored here; another clone may have shared it: okstra task fetch --task GROUP/ID"
            .to_owned();
    }
    let names: Vec<_> = mirrored.iter().map(ToString::to_string).collect();
    format!("these are mirrored: {}", names.join(", "))
}

/// How many tasks are named one by one.
const MOST_TASKS: usize = 5;

fn name_a_task(known: &[TaskName]) -> String {
    let names = known.iter().take(MOST_TASKS).map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match known.len() {
        0 => "there is none yet; begin one: okstra run --task GROUP/ID --category fix --brief FILE".to_owned(),
        1 => format!("name it: --task {names}; or change into its worktree"),
        2..=MOST_TASKS => format!("name one with --task: {names}; or change into a worktree of the task"),
        _ => format!("name one with --task: {names}, …; see them all: okstra tasks"),
    }
}
