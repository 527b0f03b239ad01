//! git-reconcile: find the recorded commits that history changes made stale, repair what is proved, and put the rest
//! before a person.

mod apply;
mod before_run;
mod content;
mod draft;
mod findings;
mod gates;
mod into;
mod request;
mod scene;
mod work;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::Error;
use super::task::Task;
use crate::context::Context;
pub use crate::domain::reconcile::{
    AppliedDocument, Cause, Classification, Guidance, Inspection, Into, Item, Kind, Repair, WayOut,
};
pub use crate::domain::records::Reason;
pub use before_run::{AutoReconciled, auto_reconcile, check_gate, check_records, check_whole};
use request::Request;
use scene::Scene;
pub(super) use scene::is_of_this_clone;
pub(super) use work::{Work, typed};

/// What to look at, and what to do about it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<PathBuf>,
    /// The task, `GROUP/ID`; by default that of the worktree one stands in. Not together with the five below.
    pub task: Option<String>,
    /// The folder of the task's `consumers.jsonl`; with the next four it names a task without `.okstra/`.
    pub plan_run_root: Option<PathBuf>,
    /// The project id.
    pub project_id: Option<String>,
    /// The task group.
    pub task_group: Option<String>,
    /// The task id.
    pub task_id: Option<String>,
    /// The work category.
    pub work_category: Option<String>,
    /// Ask of every done stage whether it is in this ref.
    pub into: Option<String>,
    /// Repair what is proved.
    pub apply: bool,
    /// The stage that `use_ref` is for.
    pub stage: Option<u32>,
    /// Record the commit of this ref for `stage`.
    pub use_ref: Option<String>,
    /// Move the anchor to the commit of this ref.
    pub reset_anchor: Option<String>,
    /// Show also what is `ok`.
    pub all: bool,
}

/// What was found, or done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Outcome {
    /// Without `apply`.
    Inspected(Inspection),
    /// With it.
    Applied(AppliedDocument),
}

/// An outcome with what is needed to say what comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reconciled {
    /// The document.
    pub outcome: Outcome,
    /// Without `apply`: all items, also those that are `ok`.
    pub items: Vec<Item>,
    /// How to name the task in a command.
    pub guidance: Guidance,
    /// A ref to suggest for each stage that needs a person.
    pub ways_out: Vec<WayOut>,
    /// Whether there are landings in the ref of `into` that `apply` would record.
    pub has_landings: bool,
}

impl Reconciled {
    /// What should be known of stages that are contained: that their content was taken out again.
    pub fn warnings(&self) -> Vec<String> {
        let into = match &self.outcome {
            Outcome::Inspected(inspection) => &inspection.into,
            Outcome::Applied(applied) => &applied.into,
        };
        let gates = self.items.iter().filter_map(Item::gone_again);
        gates.chain(into.iter().flatten().filter_map(Into::gone_again)).collect()
    }

    /// The stages whose done record no longer holds, and why: a person has to decide.
    pub fn stale(&self) -> BTreeMap<u32, String> {
        let stale = self.items.iter().filter(|item| item.kind == Kind::Done && item.is_confirm());
        stale.filter_map(|item| Some((item.stage?, item.reason.clone()))).collect()
    }

    /// Whether a person has to decide on something.
    pub fn needs_a_person(&self) -> bool {
        match &self.outcome {
            Outcome::Inspected(inspection) => inspection.needs_a_person(),
            Outcome::Applied(applied) => applied.needs_a_person(),
        }
    }
}

/// Inspects the records of a task, and repairs them where that was asked for.
///
/// # Errors
/// When the request contradicts itself, the task or a ref is not there, a record cannot be read, or a repair cannot be
/// written. A request that is wrong changes nothing.
pub fn run(context: &Context, options: &Options) -> Result<Reconciled, Error> {
    let (selector, request) = request::read(options)?;
    let task = Task::find(context, options.project_root.as_deref(), &selector)?;
    match request {
        Request::Inspect { into } => inspect(context, &task, into.as_deref(), options.all),
        Request::Apply(wanted) => {
            let (outcome, ways_out) = apply::run(context, &task, &wanted)?;
            Ok(Reconciled { outcome, items: Vec::new(), guidance: guidance(&task), ways_out, has_landings: false })
        }
    }
}

fn inspect(context: &Context, task: &Task, into: Option<&str>, all: bool) -> Result<Reconciled, Error> {
    let into = into.map(|text| scene::candidate(context, task, text)).transpose()?;
    let mut scene = Scene::read(context, task)?;
    let findings = scene.findings()?;
    let (mut has_landings, mut answers) = (false, None);
    if let Some(candidate) = into {
        let found = scene.all_in(&candidate, &findings)?;
        let is_base = scene.bases()?.iter().any(|base| base.name == candidate.name);
        has_landings = is_base && found.iter().any(|answer| answer.is_news);
        answers = Some(found.into_iter().map(|answer| answer.document).collect());
    }
    let items = findings.into_items();
    let shown = items.iter().filter(|item| all || item.classification != Classification::Ok).cloned();
    let outcome = Outcome::Inspected(Inspection { items: shown.collect(), into: answers });
    let ways_out = scene.ways_out(&items)?;
    Ok(Reconciled { outcome, items, guidance: guidance(task), ways_out, has_landings })
}

/// How to name `task` in a command.
pub(super) fn guidance(task: &Task) -> Guidance {
    Guidance {
        project_root: task.root.to_string_lossy().into_owned(),
        plan_run_root: task.plan_run_root.to_string_lossy().into_owned(),
        key: task.key.clone(),
        category: task.category.clone(),
    }
}
