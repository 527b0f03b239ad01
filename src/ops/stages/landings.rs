//! Where the done stages of a task landed, by their content, and which records no longer hold.

use std::collections::{BTreeMap, BTreeSet};

use crate::context::Context;
use crate::domain::equivalence::Verdict;
use crate::domain::reconcile::{Cause, Into, Item};
use crate::domain::registry::TaskEntry;
use crate::ops::Error;
use crate::ops::reconcile::{self, Outcome};
use crate::ops::task::Task;

/// Where it is looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ops) enum Where {
    /// In the task branch.
    Task,
    /// In the task branch and in its base.
    TaskAndBase,
}

/// What was found of the done stages.
#[derive(Clone, Debug, Default)]
pub(in crate::ops) struct Landings {
    /// The stages whose record no longer holds, and why.
    pub(in crate::ops) stale: BTreeMap<u32, String>,
    /// Why a person has to decide before anything can build on the stages, a clause.
    pub(in crate::ops) undecided: Option<String>,
    task: Option<Vec<Into>>,
    base: Vec<Into>,
}

impl Landings {
    /// Looks through the history. Nothing is written.
    ///
    /// # Errors
    /// When records or the repository cannot be read.
    pub(in crate::ops) fn find(context: &Context, task: &Task, entry: &TaskEntry, place: Where) -> Result<Self, Error> {
        let branch = entry.branch.as_ref().map(|branch| format!("refs/heads/{branch}"));
        let base = entry.base_ref.clone().filter(|_| place == Where::TaskAndBase);
        let is_there = |name: &String| task.repository.ref_commit(context, name).map(|commit| commit.is_some());
        let (mut found, mut is_asked) = (Self::default(), false);
        for (name, is_base) in [(branch, false), (base, true)] {
            let Some(name) = name else { continue };
            if !is_there(&name)? {
                continue;
            }
            let into = found.ask(context, task, Some(name))?;
            is_asked = true;
            match is_base {
                true => found.base = into,
                false => found.task = Some(into),
            }
        }
        if !is_asked {
            found.ask(context, task, None)?;
        }
        Ok(found)
    }

    fn ask(&mut self, context: &Context, task: &Task, into: Option<String>) -> Result<Vec<Into>, Error> {
        let root = Some(task.root.clone());
        let name = Some(task.key.task.to_string());
        let options = reconcile::Options { project_root: root, task: name, into, ..Default::default() };
        let answer = reconcile::run(context, &options)?;
        self.stale = answer.stale();
        self.undecided = answer.items.iter().find(|item| is_undecided(item)).map(clause);
        Ok(match answer.outcome {
            Outcome::Inspected(inspection) => inspection.into.unwrap_or_default(),
            Outcome::Applied(_) => Vec::new(),
        })
    }

    /// Those of the stages that are in the task branch; `None` where there is no such branch.
    pub(in crate::ops) fn in_task(&self) -> Option<BTreeSet<u32>> {
        let there = self.task.as_ref()?.iter().filter(|into| into.verdict == Verdict::Contained);
        Some(there.map(|into| into.stage).collect())
    }

    /// Where a stage landed: first the task branch, then its base.
    pub(in crate::ops) fn of(&self, stage: u32) -> impl Iterator<Item = &Into> {
        let all = self.task.iter().flatten().chain(&self.base);
        all.filter(move |into| into.stage == stage && into.verdict == Verdict::Contained)
    }
}

/// Whether it waits for a person, and not for a stage to be done or integrated.
fn is_undecided(item: &Item) -> bool {
    let waits = matches!(item.cause.flatten(), Some(Cause::NotDone | Cause::NotIntegrated));
    item.is_confirm() && !waits
}

fn clause(item: &Item) -> String {
    match item.stage {
        Some(stage) => format!("a person has to decide on stage {stage}: {}", item.reason),
        None => format!("a person has to decide: {}", item.reason),
    }
}
