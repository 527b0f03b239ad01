//! A frozen, approved plan: what implementation runs go by.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::moment::Moment;

/// A frozen plan, as `plans/<id>.json` holds it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Its id, unique in the task: the name of its file.
    pub id: String,
    /// The task that it was approved for, `PROJECT/GROUP/ID`.
    pub task_key: String,
    /// Who approved it.
    pub approved_by: String,
    /// When, RFC 3339 in UTC.
    pub approved_at: String,
    /// The SHA-256 of the whole plan, lower-case hex.
    pub sha256: String,
    /// Its first heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where it was read from: relative to the project root where it lies in the project, absolute elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Its stages, in order.
    pub stages: Vec<PlanStage>,
}

/// One stage of a frozen plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanStage {
    /// Its number, from 1.
    pub stage: u32,
    /// Its title, one line.
    pub title: String,
    /// The stages that must be done before it.
    #[serde(default)]
    pub depends_on: Vec<u32>,
    /// How many steps it has.
    #[serde(default)]
    pub step_count: u32,
    /// The paths that it may touch, as globs.
    #[serde(default)]
    pub files: Vec<String>,
    /// The SHA-256 of its row and section, lower-case hex: the same as long as the stage is the same.
    pub hash: String,
    /// The line of its section in the plan, from 1; 0 where it is not known.
    #[serde(default)]
    pub section_line: usize,
    /// What each step says, as Markdown.
    #[serde(default)]
    pub steps: Vec<String>,
    /// The commands that must succeed before it begins.
    #[serde(default)]
    pub pre: Vec<String>,
    /// The commands that must succeed before it counts as done.
    #[serde(default)]
    pub post: Vec<String>,
    /// What must hold when it is done, as Markdown, an item each.
    #[serde(default)]
    pub exit_contract: Vec<String>,
    /// How it is taken back, as Markdown.
    #[serde(default)]
    pub rollback: String,
}

impl Plan {
    /// The stage with this number.
    pub fn stage(&self, number: u32) -> Option<&PlanStage> {
        self.stages.iter().find(|stage| stage.stage == number)
    }

    /// Every stage that must be done before `number`, directly or through others, without itself.
    pub fn all_dependencies(&self, number: u32) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        let mut left = self.stage(number).map(|stage| stage.depends_on.clone()).unwrap_or_default();
        while let Some(next) = left.pop() {
            if next != number && found.insert(next) {
                left.extend(self.stage(next).into_iter().flat_map(|stage| &stage.depends_on));
            }
        }
        found
    }

    fn approved(&self) -> Option<Moment> {
        self.approved_at.parse().ok()
    }
}

/// The plan that holds now, of all that were approved: the one approved last.
pub fn current(plans: impl IntoIterator<Item = Plan>) -> Option<Plan> {
    plans.into_iter().max_by(|a, b| (a.approved(), &a.id).cmp(&(b.approved(), &b.id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_followed_and_circles_end() {
        let stage = |number, depends_on: &[u32]| PlanStage {
            stage: number,
            depends_on: depends_on.to_vec(),
            ..PlanStage::default()
        };
        let stages = vec![stage(1, &[]), stage(2, &[1]), stage(3, &[2]), stage(4, &[5]), stage(5, &[4])];
        let plan = Plan { stages, ..Plan::default() };
        let all = |number| plan.all_dependencies(number).into_iter().collect::<Vec<_>>();
        assert_eq!([all(1), all(2), all(3), all(4), all(9)], [vec![], vec![1], vec![1, 2], vec![5], vec![]]);
    }

    #[test]
    fn the_plan_approved_last_holds() {
        let plan = |id: &str, at: &str| Plan { id: id.to_owned(), approved_at: at.to_owned(), ..Plan::default() };
        let plans = [
            plan("b", "2026-01-01T10:00:00Z"),
            plan("c", "2026-01-01T10:30:00+01:00"),
            plan("a", "2026-01-01T10:00:00Z"),
        ];
        assert_eq!(current(plans).unwrap().id, "b");
        assert_eq!(current([]), None);
    }
}
