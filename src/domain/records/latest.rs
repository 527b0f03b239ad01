//! Which rows say what a stage's commit is. Nothing else in okstra looks through rows for that.

use std::collections::{BTreeMap, BTreeSet};

use super::row::Row;
use crate::domain::names::TaskKey;
use crate::domain::plan::Plan;

/// Where the rows of a done stage stand in the log, counted from 0 in the order of the rows given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// The last done row: it says what the stage's commit is.
    pub latest: usize,
    /// The last done row that `stage done` or a person wrote: every proof starts from it.
    pub witness: Option<usize>,
}

/// The done stages of `task`, each with its last done row and its witness.
///
/// Rows of other tasks do not count, nor do rows that name another hash than the stage has in `plan`; a row without
/// task or hash counts. Without a plan all hashes count.
pub fn latest_done_by_stage<'a>(
    rows: impl IntoIterator<Item = &'a Row<'a>>,
    task: &TaskKey,
    plan: Option<&Plan>,
) -> BTreeMap<u32, Places> {
    let task = task.to_string();
    let mut done = BTreeMap::new();
    for (place, row) in rows.into_iter().enumerate() {
        let Some(stage) = row.stage.filter(|_| row.is_done()) else { continue };
        if row.impl_task_key.as_deref().is_some_and(|key| key != task) || !counts(row, stage, plan) {
            continue;
        }
        let places = done.entry(stage).or_insert(Places { latest: place, witness: None });
        places.latest = place;
        if !row.is_automatic() {
            places.witness = Some(place);
        }
    }
    done
}

/// The stages of `task` that a run has started, done or not. Rows count as for [`latest_done_by_stage`].
pub fn started_stages<'a>(
    rows: impl IntoIterator<Item = &'a Row<'a>>,
    task: &TaskKey,
    plan: Option<&Plan>,
) -> BTreeSet<u32> {
    let task = task.to_string();
    let own = |row: &&Row<'_>| row.impl_task_key.as_deref().is_none_or(|key| key == task);
    let started = |row: &Row<'_>| row.stage.filter(|&stage| row.is_started() && counts(row, stage, plan));
    rows.into_iter().filter(own).filter_map(started).collect()
}

/// Whether a row is about the stage as `plan` has it.
fn counts(row: &Row<'_>, stage: u32, plan: Option<&Plan>) -> bool {
    match (row.stage_hash.as_deref(), plan) {
        (Some(hash), Some(plan)) => plan.stage(stage).is_some_and(|stage| stage.hash == hash),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::plan::PlanStage;

    fn places(rows: &[&str], plan: Option<&Plan>) -> Vec<(u32, usize, Option<usize>)> {
        let rows: Vec<Row<'_>> = rows.iter().map(|row| serde_json::from_str(row).unwrap()).collect();
        let done = latest_done_by_stage(&rows, &"p/g/t".parse().unwrap(), plan);
        done.into_iter().map(|(stage, places)| (stage, places.latest, places.witness)).collect()
    }

    const DONE: &str = r#"{"impl_task_key":"p/g/t","stage":1,"status":"done","head_commit":"a"}"#;
    const USERS: &str = r#"{"stage":1,"status":"done","reconciled":true,"reconcile_reason":"user-ref"}"#;
    const AUTOMATIC: &str = r#"{"stage":1,"status":"done","reconciled":true,"reconcile_reason":"auto-patch-id"}"#;
    const HASHED: &str = r#"{"stage":1,"status":"done","stage_hash":"h1"}"#;

    #[test]
    fn the_last_done_row_wins_and_the_witness_is_never_automatic() {
        assert_eq!(places(&[DONE], None), [(1, 0, Some(0))]);
        assert_eq!(places(&[DONE, AUTOMATIC, AUTOMATIC], None), [(1, 2, Some(0))]);
        assert_eq!(places(&[DONE, AUTOMATIC, USERS, AUTOMATIC], None), [(1, 3, Some(2))]);
        assert_eq!(places(&[AUTOMATIC], None), [(1, 0, None)]);
    }

    #[test]
    fn started_rows_other_tasks_and_odd_stages_are_left_out() {
        let started = r#"{"stage":1,"status":"started"}"#;
        let other = r#"{"impl_task_key":"p/g/u","stage":1,"status":"done"}"#;
        let odd = r#"{"stage":"1","status":"done"}"#;
        let second = r#"{"stage":2,"status":"done"}"#;
        assert_eq!(places(&[started, other, odd], None), []);
        assert_eq!(places(&[DONE, second, started, other, odd], None), [(1, 0, Some(0)), (2, 1, Some(1))]);
    }

    #[test]
    fn started_stages_are_those_of_the_task_as_the_plan_has_them() {
        let rows = [
            r#"{"impl_task_key":"p/g/t","stage":1,"status":"started"}"#,
            r#"{"impl_task_key":"p/g/u","stage":2,"status":"started"}"#,
            r#"{"stage":3,"status":"started","stage_hash":"h3"}"#,
            r#"{"stage":4,"status":"done"}"#,
        ];
        let rows: Vec<Row<'_>> = rows.iter().map(|row| serde_json::from_str(row).unwrap()).collect();
        let started = |plan| started_stages(&rows, &"p/g/t".parse().unwrap(), plan).into_iter().collect::<Vec<_>>();
        assert_eq!(started(None), [1, 3]);
        assert_eq!(started(Some(&Plan::default())), [1]);
    }

    #[test]
    fn a_new_plan_reopens_the_stages_that_it_changed() {
        let stage = |number, hash: &str| PlanStage { stage: number, hash: hash.to_owned(), ..PlanStage::default() };
        let same = Plan { stages: vec![stage(1, "h1")], ..Plan::default() };
        let changed = Plan { stages: vec![stage(1, "h2")], ..Plan::default() };
        let gone = Plan { stages: vec![stage(2, "h1")], ..Plan::default() };
        assert_eq!(places(&[HASHED], Some(&same)), [(1, 0, Some(0))]);
        assert_eq!(places(&[HASHED], Some(&changed)), []);
        assert_eq!(places(&[HASHED], Some(&gone)), []);
        assert_eq!(places(&[HASHED], None), [(1, 0, Some(0))]);
        assert_eq!(places(&[DONE, HASHED], Some(&changed)), [(1, 0, Some(0))]);
    }
}
