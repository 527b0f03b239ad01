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

impl PlanStage {
    /// Whether a run is bound to the same by both: the stage, its section, what it needs, what it may touch, and what is
    /// run on it.
    pub fn binds_as(&self, other: &Self) -> bool {
        let bound = |stage: &Self| {
            let Self { stage, depends_on, files, hash, pre, post, .. } = stage.clone();
            (stage, depends_on, files, hash, pre, post)
        };
        bound(self) == bound(other)
    }
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

/// The plan that holds now, of all that were approved: the one approved last, and of those of one moment the one with
/// the greatest number.
pub fn current(plans: impl IntoIterator<Item = Plan>) -> Option<Plan> {
    let rank = |plan: &Plan| (plan.approved(), sequence(&plan.id), plan.id.clone());
    plans.into_iter().max_by_key(rank)
}

/// When a plan counts as approved that is approved `now`: never before the one that holds, whatever was done to the
/// clock, since it would then not hold.
pub fn approval_time(now: Moment, current: Option<&Plan>) -> Moment {
    current.and_then(Plan::approved).map_or(now, |last| now.max(last))
}

/// The id of the next plan, whose text has the hash `sha256`: a number that no file in `names` has had, and the first 8
/// digits of the hash. Every file counts, also one that was left behind by an approval that was cut short.
pub fn next_id<'a>(names: impl IntoIterator<Item = &'a str>, sha256: &str) -> String {
    let last = names.into_iter().filter_map(sequence).max().unwrap_or_default();
    format!("{:03}-{}", last.saturating_add(1), sha256.chars().take(8).collect::<String>())
}

/// The number with which the id of a plan, or the name of its file, begins.
fn sequence(name: &str) -> Option<u32> {
    let digits = name.split(['-', '.']).next()?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// The number, round and attempt of a planning report, by the name of its file; none for any other file. The greatest
/// is the newest.
pub fn report_rank(name: &str) -> Option<(u32, u32, u32)> {
    let parts = name.strip_prefix("final-report-implementation-planning-")?.strip_suffix(".md")?;
    let mut parts = parts.split('-').peekable();
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?;
    let sequence = number(parts.next()?)?;
    let mut marked = |mark: char| match parts.next_if(|part| part.starts_with(mark)) {
        Some(part) => number(&part[1..]),
        None => Some(0),
    };
    let (round, attempt) = (marked('r')?, marked('a')?);
    parts.next().is_none().then_some((sequence, round, attempt))
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
        let same = "2026-01-01T10:00:00Z";
        assert_eq!(current([plan("1000-a", same), plan("999-b", same)]).unwrap().id, "1000-a");
    }

    #[test]
    fn a_plan_never_counts_as_approved_before_the_one_that_holds() {
        let moment = |text: &str| text.parse::<Moment>().unwrap();
        let plan = Plan { approved_at: "2026-01-02T00:00:00Z".to_owned(), ..Plan::default() };
        let (before, after) = (moment("2026-01-01T00:00:00Z"), moment("2026-01-03T00:00:00Z"));
        assert_eq!(approval_time(before, Some(&plan)), moment("2026-01-02T00:00:00Z"));
        assert_eq!(approval_time(after, Some(&plan)), after);
        assert_eq!(approval_time(before, None), before);
    }

    #[test]
    fn ids_go_on_from_the_greatest_that_was_ever_there() {
        let sha256 = "3fa9c1d2e4";
        let cases: [(&[&str], &str); 5] = [
            (&[], "001-3fa9c1d2"),
            (&["001-aaaaaaaa.json", "001-aaaaaaaa.md"], "002-3fa9c1d2"),
            (&["001-aaaaaaaa.json", "002-bbbbbbbb.md"], "003-3fa9c1d2"),
            (&["notes.md", "-1.md", ".json", "1a-x.md", "007.json"], "008-3fa9c1d2"),
            (&["999-aaaaaaaa.json"], "1000-3fa9c1d2"),
        ];
        for (names, id) in cases {
            assert_eq!(next_id(names.iter().copied(), sha256), id, "{names:?}");
        }
    }

    #[test]
    fn planning_reports_are_known_by_their_names() {
        let name = |end: &str| format!("final-report-implementation-planning-{end}");
        let cases = [
            ("001.md", Some((1, 0, 0))),
            ("010-r2.md", Some((10, 2, 0))),
            ("010-r2-a3.md", Some((10, 2, 3))),
            ("010-a3.md", Some((10, 0, 3))),
            ("010-a3-r2.md", None),
            ("010-x.md", None),
            ("010-r.md", None),
            ("x.md", None),
            ("001.html", None),
            ("001.data.json", None),
        ];
        for (end, rank) in cases {
            assert_eq!(report_rank(&name(end)), rank, "{end}");
        }
        assert_eq!(report_rank("final-report-implementation-001.md"), None);
    }
}
