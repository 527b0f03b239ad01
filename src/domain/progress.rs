//! Where the stages of a plan stand, and what another plan makes of those that are done.

use std::collections::BTreeSet;

use serde::Serialize;

use super::plan::PlanStage;

/// Where a stage stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StageState {
    /// It is recorded as done.
    Done,
    /// A run has started it.
    Started,
    /// Everything that it waits for is done.
    Ready,
    /// A stage that it waits for is not done.
    Waiting,
}

/// Where each of `stages` stands, in their order.
pub fn stage_states(stages: &[PlanStage], done: &BTreeSet<u32>, started: &BTreeSet<u32>) -> Vec<StageState> {
    let state = |stage: &PlanStage| {
        if done.contains(&stage.stage) {
            StageState::Done
        } else if started.contains(&stage.stage) {
            StageState::Started
        } else if stage.depends_on.iter().all(|other| done.contains(other)) {
            StageState::Ready
        } else {
            StageState::Waiting
        }
    };
    stages.iter().map(state).collect()
}

/// What an approval makes of the stages that are done by the plan that holds now, or would be by the new one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fates {
    /// They are done, and stay so, since row and section are what was done.
    pub kept: Vec<u32>,
    /// They are done, and are to be done again, since row or section are others.
    pub reopened: Vec<u32>,
    /// They are done, and the new plan has them no longer.
    pub removed: Vec<u32>,
}

/// What becomes of done stages when `stages` are those of the new plan: `done_now` are done by the plan that holds now,
/// `done_then` by the new one.
pub fn fates(stages: &[PlanStage], done_now: &BTreeSet<u32>, done_then: &BTreeSet<u32>) -> Fates {
    let there: BTreeSet<_> = stages.iter().map(|stage| stage.stage).collect();
    let (kept, open): (BTreeSet<u32>, BTreeSet<u32>) = there.iter().partition(|stage| done_then.contains(stage));
    Fates {
        kept: kept.into_iter().collect(),
        reopened: open.intersection(done_now).copied().collect(),
        removed: done_now.difference(&there).copied().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stages(depends_on: &[&[u32]]) -> Vec<PlanStage> {
        let numbered = (1..).zip(depends_on);
        numbered
            .map(|(stage, depends_on)| PlanStage { stage, depends_on: depends_on.to_vec(), ..PlanStage::default() })
            .collect()
    }

    #[test]
    fn a_stage_is_ready_when_all_that_it_waits_for_is_done() {
        use StageState::{Done, Ready, Started, Waiting};
        let plan = stages(&[&[], &[], &[1, 2], &[3]]);
        let cases: [(&[u32], &[u32], [StageState; 4]); 4] = [
            (&[], &[], [Ready, Ready, Waiting, Waiting]),
            (&[1], &[1, 2], [Done, Started, Waiting, Waiting]),
            (&[1, 2], &[], [Done, Done, Ready, Waiting]),
            (&[1, 2, 3, 4], &[4], [Done, Done, Done, Done]),
        ];
        for (done, started, expected) in cases {
            let set = |numbers: &[u32]| numbers.iter().copied().collect();
            assert_eq!(stage_states(&plan, &set(done), &set(started)), expected, "{done:?} {started:?}");
        }
    }

    #[test]
    fn every_stage_has_the_fate_of_what_is_done_now_and_then() {
        let plan = stages(&[&[], &[], &[], &[]]);
        let fates = fates(&plan, &BTreeSet::from([1, 2, 5, 7]), &BTreeSet::from([1, 3, 5]));
        assert_eq!(fates, Fates { kept: vec![1, 3], reopened: vec![2], removed: vec![5, 7] });
    }
}
