//! The gates of the stages to come.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::Finding;
use super::scene::Scene;
use crate::domain::equivalence::{Candidate, Verdict};
use crate::domain::reconcile::{Dependency, HeldBy, Item, State, gate, needs_head};
use crate::git::Resolved;
use crate::ops::Error;

/// The items of one gate, with what the task worktree was found to hold of each.
#[derive(Default)]
pub(super) struct Gate {
    /// Whether the stage starts from the task worktree.
    pub(super) is_multiple: bool,
    /// One for each predecessor.
    pub(super) items: Vec<(Item, Option<HeldBy>)>,
    /// Every stage that must be done before, directly or through others.
    dependencies: BTreeSet<u32>,
}

impl Gate {
    /// The dependencies whose branches have left behind what is recorded, and are proved to hold their content still.
    pub(super) fn left_behind(&self, done: &BTreeMap<u32, Finding>) -> Vec<u32> {
        let is_auto = |stage: &&u32| done.get(stage).is_some_and(|finding| finding.is_auto());
        self.dependencies.iter().filter(is_auto).copied().collect()
    }
}

/// The number of the stage that stands for the whole task: it depends on all stages, and builds nothing.
pub(super) const WHOLE: u32 = 0;

impl Scene<'_> {
    /// The items of the gate of every stage of the plan that is not done.
    pub(super) fn gates(&mut self, done: &BTreeMap<u32, Finding>) -> Result<Vec<Item>, Error> {
        let planned = self.plan.iter().flat_map(|plan| &plan.stages).map(|stage| stage.stage);
        let to_come: Vec<u32> = planned.filter(|stage| !done.contains_key(stage)).collect();
        let mut items = Vec::new();
        for stage in to_come {
            items.extend(self.gate_of(stage, done)?.items.into_iter().map(|(item, _)| item));
        }
        Ok(items)
    }

    /// The gate of `stage`.
    pub(super) fn gate_of(&mut self, stage: u32, done: &BTreeMap<u32, Finding>) -> Result<Gate, Error> {
        let Some(plan) = &self.plan else { return Ok(Gate::default()) };
        let mut direct: Vec<u32> = plan.stage(stage).map(|stage| stage.depends_on.clone()).unwrap_or_default();
        direct.sort_unstable();
        direct.dedup();
        // The whole task is looked for in the task worktree, also where it has one stage only.
        let count = direct.len() + usize::from(stage == WHOLE);
        let mut items = Vec::new();
        let dependencies = plan.all_dependencies(stage);
        for &predecessor in &dependencies {
            let finding = done.get(&predecessor);
            let state = finding.map_or(State::NotDone, |finding| State::Done(finding.item.clone()));
            let dependency = Dependency { stage: predecessor, is_direct: direct.contains(&predecessor), state };
            let held = match finding {
                Some(_) if needs_head(&dependency, count) => Some(self.held(predecessor)?),
                _ => None,
            };
            items.extend(gate(stage, &dependency, held.as_ref()).map(|item| (item, held)));
        }
        Ok(Gate { is_multiple: count > 1, items, dependencies })
    }

    /// Whether the task worktree holds a stage, and where that is not so, whether the base does.
    fn held(&mut self, stage: u32) -> Result<HeldBy, Error> {
        let Some(head) = self.task_head()? else { return Ok(HeldBy::Nobody) };
        let answer = self.content_in(stage, &head)?;
        let mut base = None;
        if answer.verdict != Verdict::Contained {
            for candidate in self.bases()? {
                let there = self.content_in(stage, &candidate)?;
                let found = there.verdict == Verdict::Contained;
                base = Some((candidate.name, there));
                if found {
                    break;
                }
            }
        }
        Ok(HeldBy::Head { head: head.commit, answer, base })
    }

    /// Where stages of several dependencies start: the HEAD of the task worktree, else the task branch.
    pub(super) fn task_head(&mut self) -> Result<Option<Candidate>, Error> {
        let worktree = self.entry.as_ref().and_then(|entry| entry.worktree_path.clone());
        if let Some(path) = worktree {
            let head = self.task.repository.head_of(self.context, path.as_ref())?;
            if let Some(Resolved { name, commit }) = head {
                return Ok(Some(Candidate { name, commit }));
            }
        }
        self.candidate(self.task_branch())
    }
}
