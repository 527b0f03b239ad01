//! What the workers of a run left: results, rounds, votes, the report.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use crate::domain::lifecycle::RunName;
use crate::domain::names::TaskName;
use crate::fs;
use crate::ops::Error;
use crate::store::Layout;
use crate::store::json::{Document, SchemaVersion};
use crate::store::runs::Run;

/// The newest schema of a convergence state that is understood.
const CONVERGENCE: SchemaVersion = SchemaVersion { major: 1, minor: 2 };

/// The results of each worker of the roster, every round and attempt.
pub(super) fn workers(layout: &Layout, task: &TaskName, run: &Run) -> String {
    let mut text = "\n## Results\n\n| worker | role | results |\n| --- | --- | --- |\n".to_owned();
    let folder = layout.worker_results(task, run.name);
    let files = fs::names_in(&folder).unwrap_or_default();
    for worker in &run.manifest.workers {
        let own: Vec<_> = files.iter().filter(|file| is_result_of(file, &worker.name, run.name)).collect();
        let listed: Vec<_> =
            own.iter().map(|file| format!("`{}`", layout.recorded(&folder.join(file.as_str())))).collect();
        let listed = if listed.is_empty() { "missing".to_owned() } else { listed.join("<br>") };
        let role = serde_json::to_value(worker.role).ok().and_then(|role| role.as_str().map(str::to_owned));
        let _ = writeln!(text, "| {} | {} | {listed} |", cell(&worker.name), role.unwrap_or_default());
    }
    if run.manifest.workers.is_empty() {
        return "\n## Results\n\nThe lead works alone in this run.\n".to_owned();
    }
    text
}

/// Whether `file` is a result of the worker: the first one, or that of a later round or attempt.
fn is_result_of(file: &str, worker: &str, run: RunName) -> bool {
    let rest = file.strip_prefix(&format!("{worker}-{run}")).and_then(|rest| rest.strip_suffix(".md"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    rest.is_some_and(|rest| {
        rest.split('-').skip(1).all(|part| part.strip_prefix(['r', 'a']).is_some_and(is_number))
            && (rest.is_empty() || rest.starts_with('-'))
    })
}

/// The rounds of convergence and who voted in them.
///
/// # Errors
/// When the state of convergence is there and cannot be read.
pub(super) fn convergence(layout: &Layout, task: &TaskName, run: &Run) -> Result<String, Error> {
    let path = layout.convergence(task, run.name);
    let Some(document) = Document::read(&path, CONVERGENCE)? else {
        let begins = if run.manifest.convergence.enabled { "It has not begun." } else { "There is none in this run." };
        return Ok(format!("\n## Convergence\n\n{begins}\n"));
    };
    let findings = document.get("findings").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut votes = BTreeMap::<(u64, String), usize>::new();
    for round in findings.iter().filter_map(|finding| finding.get("rounds")?.as_array()).flatten() {
        let number = round.get("round").and_then(Value::as_u64).unwrap_or_default();
        for worker in round.get("votes").and_then(Value::as_object).into_iter().flatten().map(|(worker, _)| worker) {
            *votes.entry((number, worker.clone())).or_default() += 1;
        }
    }
    let state = layout.recorded(&path);
    let mut text = format!("\n## Convergence\n\n{} findings, in `{state}`.\n", findings.len());
    if !votes.is_empty() {
        text.push_str("\n| round | worker | votes |\n| --- | --- | --- |\n");
    }
    for ((round, worker), count) in votes {
        let _ = writeln!(text, "| {round} | {} | {count} |", cell(&worker));
    }
    Ok(text)
}

/// Whether the report is there.
pub(super) fn report(layout: &Layout, task: &TaskName, run: &Run) -> String {
    let data = layout.report(task, run.name, "data.json");
    let report = layout.report(task, run.name, "md");
    let is_there = |path: &std::path::Path| if path.is_file() { "there" } else { "missing" };
    format!(
        "\n## Report\n\n- data, `{}`: {}\n- report, `{}`: {}\n",
        layout.recorded(&data),
        is_there(&data),
        layout.recorded(&report),
        is_there(&report)
    )
}

/// `text` as it can stand in a cell of a Markdown table.
pub(super) fn cell(text: &str) -> String {
    text.replace('|', "\\|").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_told_from_other_files() {
        let run: RunName = "implementation-001".parse().unwrap();
        let cases = [
            ("codex-implementation-001.md", true),
            ("codex-implementation-001-r1.md", true),
            ("codex-implementation-001-r2-a3.md", true),
            ("codex-implementation-001-errors.json", false),
            ("codex-implementation-0012.md", false),
            ("codex-implementation-001-rx.md", false),
            ("codex-two-implementation-001.md", false),
            ("claude-implementation-001.md", false),
        ];
        for (file, expected) in cases {
            assert_eq!(is_result_of(file, "codex", run), expected, "{file}");
        }
        assert_eq!(cell("a|b\nc"), "a\\|b c");
    }
}
