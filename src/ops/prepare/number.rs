//! Which numbers runs have had. A number is never given twice, also where the files of a run were lost.

use crate::context::Context;
use crate::domain::lifecycle::{RunName, TaskType};
use crate::fs;
use crate::ops::task::Task;
use crate::ops::{Error, mirror};
use crate::store::consumers::LogText;
use crate::store::{Layout, Manifest, runs, timeline};

/// The folders in which runs leave files that are named for them.
const LEFT: [&str; 4] = ["manifests", "state", "worker-results", "reports"];

/// The greatest number that a run of this type is known to have had; 0 where there was none.
///
/// # Errors
/// When a record cannot be read. Of a mirror that cannot be read `context` is warned.
pub(super) fn last_known(context: &Context, task: &Task, layout: &Layout, task_type: TaskType) -> Result<u32, Error> {
    let name = &task.key.task;
    let path = layout.manifest(name);
    let listed = Manifest::read(&path)?.map(|manifest| manifest.lifecycle(&path)).transpose()?.unwrap_or_default();
    let events = timeline::read(&layout.timeline(name), context)?;
    let log = LogText::read(&task.log())?;
    let rows = log.rows(context)?;
    let texts = (listed.phases.values().flat_map(|phase| &phase.runs).map(|run| run.run.as_str()))
        .chain(events.iter().filter_map(|event| event.get("run")?.as_str()))
        .chain(rows.rows().iter().filter_map(|row| row.run.as_deref()))
        .filter_map(|text| text.parse().ok());
    let written = runs::names(layout, &task.key)?.into_iter().chain(texts).filter(|run| run.task_type == task_type);
    let root = layout.run_root(name, task_type.as_str());
    let mut files = mirror::files_below(context, task, &LEFT.map(|folder| root.join(folder)))?;
    for folder in LEFT {
        files.extend(fs::names_in(&root.join(folder))?);
    }
    let named = files.iter().filter_map(|file| named(file, task_type));
    Ok(written.map(|run: RunName| run.number).chain(named).max().unwrap_or_default())
}

/// The number of the run that a file is named for, if it is one of this type.
fn named(file: &str, task_type: TaskType) -> Option<u32> {
    let pull_request = || file.strip_prefix("pull-request-").filter(|_| task_type.edits_source());
    let of_type = file.split_once(&format!("{task_type}-")).map(|(_, after)| after);
    let digits: String = of_type.or_else(pull_request)?.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_its_run() {
        let cases = [
            ("run-manifest-implementation-012.json", Some(12)),
            ("codex-implementation-003-errors-r2.json", Some(3)),
            ("final-report-implementation-1000.data.json", Some(1000)),
            ("pull-request-007.md", Some(7)),
            ("final-report-implementation-planning-004.md", None),
            ("notes-005.md", None),
            ("implementation-", None),
        ];
        for (file, expected) in cases {
            assert_eq!(named(file, TaskType::Implementation), expected, "{file}");
        }
        assert_eq!(named("pull-request-007.md", TaskType::ErrorAnalysis), None);
    }
}
