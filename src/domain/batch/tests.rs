//! The choice of a batch: the examples of the specification, and every small plan against a slow oracle.

use super::*;
use crate::domain::plan::PlanStage;

/// A plan of stages given as steps and what they depend on, numbered from 1.
fn plan(stages: &[(u32, &[u32])]) -> Plan {
    let stage = |(at, (steps, depends_on)): (usize, &(u32, &[u32]))| PlanStage {
        stage: u32::try_from(at + 1).unwrap(),
        step_count: *steps,
        depends_on: depends_on.to_vec(),
        ..PlanStage::default()
    };
    Plan { stages: stages.iter().enumerate().map(stage).collect(), ..Plan::default() }
}

fn auto_of(plan: &Plan, done: &[u32]) -> Result<Vec<u32>, BatchError> {
    choose(plan, &done.iter().copied().collect(), &BTreeMap::new(), Request::Auto, BUDGET)
}

#[test]
fn the_examples_of_the_specification() {
    assert_eq!(auto_of(&plan(&[(2, &[]), (3, &[]), (2, &[1, 2])]), &[]), Ok(vec![1, 2]));
    assert_eq!(auto_of(&plan(&[(5, &[]), (5, &[])]), &[]), Ok(vec![1]));
    assert_eq!(auto_of(&plan(&[(6, &[])]), &[]), Ok(vec![1]));
    assert_eq!(auto_of(&plan(&[(1, &[]), (2, &[1]), (2, &[1])]), &[1]), Ok(vec![2, 3]));
}

#[test]
fn it_does_not_look_past_the_first_that_does_not_fit() {
    assert_eq!(auto_of(&plan(&[(5, &[]), (5, &[]), (1, &[])]), &[]), Ok(vec![1]));
    assert_eq!(auto_of(&plan(&[(9, &[]), (1, &[])]), &[]), Ok(vec![1]));
}

#[test]
fn a_request_is_auto_or_a_number() {
    assert_eq!("auto".parse(), Ok(Request::Auto));
    assert_eq!("3".parse(), Ok(Request::Stage(3)));
    for text in ["", "0", "-1", "1.5", "Auto", "1,2", " 1", "+1", "99999999999"] {
        assert_eq!(text.parse::<Request>(), Err(BatchError::Request { text: text.to_owned() }), "{text:?}");
    }
}

#[test]
fn what_cannot_be_met_says_why() {
    let plan = plan(&[(1, &[]), (1, &[1]), (1, &[1, 2])]);
    let reserved = BTreeMap::from([(1, "implementation-001".to_owned())]);
    let ask = |done: &[u32], reserved: &BTreeMap<u32, String>, request| {
        choose(&plan, &done.iter().copied().collect(), reserved, request, BUDGET).unwrap_err().to_string()
    };
    let none = BTreeMap::new();
    let cases = [
        (ask(&[], &none, Request::Stage(9)), "there is no stage 9 in the plan: it has 1, 2, 3"),
        (ask(&[1], &none, Request::Stage(1)), "stage 1 is done already"),
        (ask(&[], &none, Request::Stage(2)), "stage 2 waits for stage 1, which is not done"),
        (ask(&[], &none, Request::Stage(3)), "stage 3 waits for stages 1, 2, which are not done"),
        (ask(&[], &reserved, Request::Stage(1)), "stage 1 is reserved by implementation-001"),
        (
            ask(&[], &reserved, Request::Auto),
            "no stage is ready: stage 1 is reserved by implementation-001; stage 2 waits for 1; stage 3 waits for 1, 2",
        ),
        (ask(&[1, 2, 3], &none, Request::Auto), "all stages are done"),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
}

/// The rule again, word for word and slowly: of all sets of stages the one that `auto` would take.
fn oracle(plan: &Plan, done: &BTreeSet<u32>, reserved: &BTreeMap<u32, String>, budget: u32) -> Option<Vec<u32>> {
    let is_ready = |stage: &&PlanStage| {
        !done.contains(&stage.stage)
            && !reserved.contains_key(&stage.stage)
            && stage.depends_on.iter().all(|needed| done.contains(needed))
    };
    let ready: Vec<&PlanStage> = plan.stages.iter().filter(is_ready).collect();
    // The longest beginning of the ready stages that stays within the budget, at least the first.
    let fits = |count: &usize| ready[..*count].iter().map(|stage| stage.step_count).sum::<u32>() <= budget;
    let longest = (1..=ready.len()).filter(|count| *count == 1 || (1..=*count).all(|at| at == 1 || fits(&at))).max()?;
    Some(ready[..longest].iter().map(|stage| stage.stage).collect())
}

#[test]
fn every_plan_of_four_stages_equals_the_oracle() {
    let mut seen = 0_u32;
    // Which of the earlier stages each depends on, as bits: 1, 2 and 4 choices for the second to the fourth.
    for bits in 0..64_u32 {
        let depends = [vec![], pick(bits & 1, 1), pick(bits >> 1 & 3, 2), pick(bits >> 3 & 7, 3)];
        for steps in 0..16_u32 {
            let steps = [0, 1, 2, 3].map(|at| [3, 5][(steps >> at & 1) as usize]);
            let stages: Vec<(u32, &[u32])> = steps.into_iter().zip(depends.iter().map(Vec::as_slice)).collect();
            let plan = plan(&stages);
            for state in 0..81_u32 {
                // Each stage is open, done, or reserved.
                let of = |at: u32| state / 3_u32.pow(at - 1) % 3;
                let done: BTreeSet<u32> = (1..=4).filter(|&at| of(at) == 1).collect();
                let reserved = (1..=4).filter(|&at| of(at) == 2).map(|at| (at, "run".to_owned())).collect();
                let chosen = choose(&plan, &done, &reserved, Request::Auto, BUDGET);
                assert_eq!(
                    chosen.clone().ok(),
                    oracle(&plan, &done, &reserved, BUDGET),
                    "{plan:?} {done:?} {reserved:?}"
                );
                if done.len() == 4 {
                    assert_eq!(chosen, Err(BatchError::AllDone));
                }
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 64 * 16 * 81);
}

/// The numbers from 1 to `count` of which the bit is set.
fn pick(bits: u32, count: u32) -> Vec<u32> {
    (1..=count).filter(|number| bits >> (number - 1) & 1 == 1).collect()
}
