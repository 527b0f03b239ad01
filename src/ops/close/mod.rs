//! `task close`: the worktrees and branches of a task go, as far as what they hold has landed on the base.

mod apply;
mod places;
mod proof;
mod record;

use std::path::PathBuf;

use serde::Serialize;

use self::places::Place;
use self::proof::{Proofs, Released};
use super::lifecycle::{complete_registrations, layout_of};
use super::stages::idle::refuse_open_runs;
use super::stages::trunk;
use super::task::{Selector, Task};
use super::{Error, mirror};
use crate::context::Context;
use crate::domain::base::{Stay, may_close};
use crate::domain::ids::CommitId;
use crate::domain::shell;
use crate::store::{consumers, plans};

/// What to close.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<PathBuf>,
    /// The task, `GROUP/ID`; by default that of the worktree one stands in.
    pub task: Option<String>,
    /// Only say what would be done.
    pub dry_run: bool,
    /// A person has said yes.
    pub yes: bool,
}

/// What is removed, or would be, and what stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The task, `PROJECT/GROUP/ID`.
    pub task: String,
    /// The base on which its work is looked for, a full ref name; null where nothing of the task is left.
    pub base: Option<String>,
    /// What goes.
    pub removed: Vec<Removed>,
    /// What stays: a person has to look at it.
    pub kept: Vec<Kept>,
    /// The refs of okstra's own that no longer keep what has landed.
    pub released: Vec<String>,
    /// The stages of the approved plan that are not done.
    pub undone: Vec<u32>,
    /// Whether the task is closed with that.
    pub closed: bool,
    /// The removed worktree in which the command was called.
    pub stood_in: Option<String>,
}

/// A place that goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Removed {
    /// Whose it is: `task`, `stage 1`, a run's worker.
    pub of: String,
    /// Its worktree, where there is one.
    pub worktree: Option<String>,
    /// Its branch, a short name, where there is one.
    pub branch: Option<String>,
    /// Where that is.
    pub commit: Option<String>,
    /// Why nothing is lost with it.
    pub safe: Option<String>,
    /// The ignored files in the worktree, which go with it; of a folder in which all is ignored only the folder.
    pub ignored: Vec<String>,
}

/// A place that stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Kept {
    /// Whose it is.
    pub of: String,
    /// Its worktree, where there is one.
    pub worktree: Option<String>,
    /// Its branch, a short name, where there is one.
    pub branch: Option<String>,
    /// Where that is.
    pub commit: Option<String>,
    /// Why it stays.
    pub reason: String,
    /// The command that shows it.
    pub command: String,
}

impl Plan {
    /// Whether something would go, so that a person has to say yes.
    pub fn needs_a_person(&self) -> bool {
        !self.removed.is_empty()
    }

    /// The error for where nobody has said yes.
    pub fn unconfirmed(&self) -> Error {
        let branches = self.removed.iter().filter(|removed| removed.branch.is_some()).count();
        let worktrees = self.removed.iter().filter(|removed| removed.worktree.is_some()).count();
        let count = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
        let (branches, worktrees) = (count(branches, "branch", "branches"), count(worktrees, "worktree", "worktrees"));
        Error::ConfirmationNeeded { what: format!("removing {branches} and {worktrees} of {}", self.task) }
    }
}

/// What is decided of every place of a task.
struct Decided {
    plan: Plan,
    going: Vec<Place>,
    released: Released,
    /// The anchor, where no base reaches it.
    lone_anchor: Option<CommitId>,
    /// The tip of the task branch, where it has landed and no base reaches it.
    tip_left_behind: Option<CommitId>,
}

/// What would be done; nothing is.
///
/// # Errors
/// [`Error::OpenRuns`], [`super::stages::StageError::Dirty`], [`Error::OperationInProgress`], [`Error::NoBaseRef`].
pub fn propose(context: &Context, options: &Options) -> Result<Plan, Error> {
    let task = find(context, options)?;
    refuse_open_runs(context, &task)?;
    Ok(decide(context, &task)?.plan)
}

/// Removes what has landed. Doing it again, also after it was killed, completes it.
///
/// # Errors
/// Those of [`propose`], and [`Error::ConfirmationNeeded`] where nobody has said yes.
pub fn run(context: &Context, options: &Options) -> Result<Plan, Error> {
    if options.dry_run {
        return propose(context, options);
    }
    let task = find(context, options)?;
    complete_registrations(context, &task.root)?;
    let _alone = trunk::lock(context, &task)?;
    refuse_open_runs(context, &task)?;
    let decided = decide(context, &task)?;
    if decided.plan.needs_a_person() && !options.yes {
        return Err(decided.plan.unconfirmed());
    }
    record::landings(context, &task, &decided)?;
    apply::remove(context, &task, &decided)?;
    record::close(context, &task, &decided)?;
    mirror::write_or_warn(context, &task)?;
    Ok(decided.plan)
}

fn find(context: &Context, options: &Options) -> Result<Task, Error> {
    let task = Task::find(context, options.project_root.as_deref(), &Selector::Project(options.task.clone()))?;
    layout_of(&task)?;
    task.of_main_worktree(context)
}

fn decide(context: &Context, task: &Task) -> Result<Decided, Error> {
    let entry = task.registry().read(&task.key)?.unwrap_or_default();
    let mut places = places::find(context, task, &entry)?;
    places::refuse_work_under_way(context, task, &places)?;
    let mut proofs = Proofs::read(context, task, &entry, &places)?;
    let (mut going, mut removed, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    proofs.look_at(&mut places)?;
    for place in places {
        match may_close(&place.facts) {
            Ok(safe) => {
                if place.is_there() {
                    removed.push(place.removed(context, task, safe)?);
                }
                going.push(place);
            }
            Err(stay) => kept.push(kept_place(task, &place, &stay, proofs.base())),
        }
    }
    let released = proofs.released(&going)?;
    let lone_anchor = proofs.lone_anchor()?.filter(|_| going.iter().any(Place::is_there));
    let tip_left_behind = proofs.tip_left_behind()?;
    let stood_in = context.cwd().and_then(|cwd| going.iter().find(|place| place.holds(cwd))?.folder_text());
    let plan = Plan {
        task: task.key.to_string(),
        base: proofs.base().map(str::to_owned),
        removed,
        undone: undone(context, task)?,
        closed: kept.is_empty(),
        kept,
        released: released.refs.iter().map(|(name, _)| name.clone()).collect(),
        stood_in,
    };
    Ok(Decided { plan, going, released, lone_anchor, tip_left_behind })
}

/// The stages of the approved plan that are not done.
fn undone(context: &Context, task: &Task) -> Result<Vec<u32>, Error> {
    let Some(plan) = plans::current(&task.plans(), &task.key)? else { return Ok(Vec::new()) };
    let done = consumers::read_done(&task.log(), context, &task.key, Some(&plan))?;
    Ok(plan.stages.iter().map(|stage| stage.stage).filter(|stage| !done.contains_key(stage)).collect())
}

/// A place that stays, with the command that shows what it is about.
fn kept_place(task: &Task, place: &Place, stay: &Stay, base: Option<&str>) -> Kept {
    let (root, folder) = (task.root.to_string_lossy(), place.folder_text());
    let folder = folder.as_deref().unwrap_or(&root);
    let range = || match (base, place.tip) {
        (Some(base), Some(tip)) => format!("{base}..{tip}"),
        _ => "HEAD".to_owned(),
    };
    let command = match stay {
        Stay::Foreign => shell::command(["ls", "-la", folder]),
        Stay::Locked { .. } => shell::command(["git", "-C", &root, "worktree", "list", "--verbose"]),
        Stay::Dirty { .. } | Stay::Submodules => shell::command(["git", "-C", folder, "status"]),
        Stay::Elsewhere { path } => shell::command(["git", "-C", path, "status"]),
        Stay::BaseOf { task } => {
            let name = task.split_once('/').map_or(task.as_str(), |(_, name)| name);
            shell::command(["okstra", "status", "--task", name])
        }
        Stay::NotLanded { .. } => shell::command(["git", "-C", &root, "log", "--oneline", &range(), "--"]),
    };
    Kept {
        of: place.of.to_string(),
        worktree: place.folder_text(),
        branch: place.tip.and(place.branch.clone()),
        commit: place.tip.map(|tip| tip.to_string()),
        reason: stay.to_string(),
        command,
    }
}
