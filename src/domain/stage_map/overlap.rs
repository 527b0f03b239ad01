//! Rule S9: files are globs, and two stages that could run side by side have no path in common.

use super::graph::Graph;
use super::rows::{File, MapRow};
use super::violation::{Rule, Violation};
use crate::domain::glob::{Budget, Glob, Meeting, meet};

/// More stages than these are not compared with one another.
const MOST_STAGES: usize = 200;
/// How much is looked at, for all pairs of globs together.
const BUDGET: usize = 500_000;

/// What two stages have in common.
enum Common<'a> {
    /// Globs of the one and the other that both match this path.
    Path(&'a Glob, &'a Glob, String),
    /// The first is a file by the one and a folder by the other.
    FileAndFolder(&'a Glob, &'a Glob),
    /// Nobody knows.
    Unknown,
}

/// What is wrong with the files of all rows.
pub(super) fn check(rows: &[MapRow]) -> Vec<Violation> {
    let mut violations: Vec<_> = rows.iter().flat_map(faults).collect();
    if rows.len() > MOST_STAGES {
        let message = format!("{} stages are too many to compare their files; {MOST_STAGES} are the most", rows.len());
        violations.push(Violation::new(Rule::S9, rows[MOST_STAGES].line, message, "cut the plan into several tasks"));
        return violations;
    }
    let (orders, mut budget) = (Graph::of(rows).orders(), Budget(BUDGET));
    for second in 0..rows.len() {
        for first in (0..second).filter(|&first| !orders[first][second] && !orders[second][first]) {
            match common(&rows[first], &rows[second], &mut budget) {
                None => {}
                Some(Common::Unknown) => {
                    violations.push(too_much(&rows[second]));
                    return violations;
                }
                Some(common) => violations.push(collision(&rows[first], &rows[second], &common)),
            }
        }
    }
    violations
}

/// What is wrong with the files of one row.
fn faults(row: &MapRow) -> Vec<Violation> {
    let new = |message, mend: &str| Violation::new(Rule::S9, row.line, message, mend);
    match &row.files {
        Err(why) => vec![new(
            format!("{}: {why}", name(row)),
            "write the paths that the stage may touch, as in `src/login.rs`, `tests/login/`",
        )],
        Ok(files) => files
            .iter()
            .filter_map(|File { path, glob }| {
                let error = glob.as_ref().err()?;
                Some(new(format!("{}: `{path}` is no path of the project: {error}", name(row)), error.mend()))
            })
            .collect(),
    }
}

fn common<'a>(first: &'a MapRow, second: &'a MapRow, budget: &mut Budget) -> Option<Common<'a>> {
    for a in first.globs() {
        for b in second.globs() {
            if is_folder_of(a, b) {
                return Some(Common::FileAndFolder(a, b));
            }
            if is_folder_of(b, a) {
                return Some(Common::FileAndFolder(b, a));
            }
            match meet(a, b, budget) {
                Meeting::Nowhere => {}
                Meeting::At(path) => return Some(Common::Path(a, b, path)),
                Meeting::Unknown => return Some(Common::Unknown),
            }
        }
    }
    None
}

/// Whether `a` names one path, and `b` is about what lies below it.
fn is_folder_of(a: &Glob, b: &Glob) -> bool {
    a.is_one_path() && b.as_str().strip_prefix(a.as_str()).is_some_and(|rest| rest.starts_with('/'))
}

fn collision(first: &MapRow, second: &MapRow, common: &Common<'_>) -> Violation {
    let (one, other) = (number(first), number(second));
    let message = match common {
        Common::Path(a, b, path) if a.as_str() == path && b.as_str() == path => {
            format!("stages {one} and {other} could run side by side, and both touch `{path}`")
        }
        Common::Path(a, b, path) => {
            format!("stages {one} and {other} could run side by side, and `{a}` and `{b}` both match `{path}`")
        }
        Common::FileAndFolder(file, below) => format!(
            "stages {one} and {other} could run side by side, and `{file}`, a file by the one, is a folder by `{below}`"
        ),
        Common::Unknown => String::new(),
    };
    let mend = match common {
        Common::FileAndFolder(file, _) => format!(
            "write `{file}/` if the folder is meant; else let one stage depend on the other, or part their files"
        ),
        _ => format!("let stage {other} depend on {one}, put both into one stage, or part their files"),
    };
    Violation::new(Rule::S9, second.line, message, mend)
}

fn too_much(row: &MapRow) -> Violation {
    let message =
        format!("{}: whether its files overlap with others could not be told, since there are too many", name(row));
    Violation::new(
        Rule::S9,
        row.line,
        message,
        "name folders, with a `/` at the end, in place of many files and wildcards",
    )
}

fn name(row: &MapRow) -> String {
    format!("stage {}", number(row))
}

fn number(row: &MapRow) -> String {
    row.stage.as_ref().map_or_else(|text| format!("`{text}`"), ToString::to_string)
}
