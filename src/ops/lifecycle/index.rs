//! `task-index.md`: what the manifest of a task says, for people.

use crate::domain::lifecycle::{Lifecycle, TaskType};
use crate::fs;
use crate::ops::Error;
use crate::store::{Layout, Manifest};

/// Writes the index of a task, unless it says that already.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write(layout: &Layout, manifest: &Manifest, lifecycle: &Lifecycle) -> Result<(), Error> {
    let path = layout.task_index(&manifest.key.task);
    let text = text(layout, manifest, lifecycle);
    if fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    Ok(fs::replace(&path, text.as_bytes())?)
}

fn text(layout: &Layout, manifest: &Manifest, lifecycle: &Lifecycle) -> String {
    let task = &manifest.key.task;
    let title = manifest.title.as_deref().unwrap_or(task.id.as_str());
    let mut text = format!("# {}\n\n", one_line(title));
    let route = lifecycle.route.map(|route| route.to_string());
    let fields = [
        ("task", Some(manifest.key.to_string())),
        ("category", manifest.category.as_ref().map(ToString::to_string)),
        ("route", route),
        ("began", lifecycle.created_at.clone()),
        ("closed", lifecycle.closed_at.clone()),
        ("brief", lifecycle.brief.as_ref().and_then(|brief| brief.path.as_deref()).map(one_line)),
    ];
    for (name, value) in fields.iter().filter_map(|(name, value)| Some((name, value.as_ref()?))) {
        text.push_str(&format!("- {name}: `{value}`\n"));
    }
    text.push_str("\n| run | status | prepared | ended | report |\n| --- | --- | --- | --- | --- |\n");
    for run in TaskType::ALL.iter().filter_map(|phase| lifecycle.phases.get(phase)).flat_map(|phase| &phase.runs) {
        let report = run.run.parse().ok().map(|name| layout.report(task, name, "md"));
        let report = report.filter(|report| report.is_file()).map(|report| {
            let below = report.strip_prefix(layout.task(task)).unwrap_or(&report).to_string_lossy().replace('\\', "/");
            format!("[report]({below})")
        });
        let ended = run.ended_at.as_deref().unwrap_or("");
        let (status, report) = (run.status.as_str(), report.unwrap_or_default());
        text.push_str(&format!("| {} | {status} | {} | {ended} | {report} |\n", run.run, run.prepared_at));
    }
    text
}

/// `text` as it can stand in a line of Markdown.
fn one_line(text: &str) -> String {
    text.replace('`', "'").split_whitespace().collect::<Vec<_>>().join(" ")
}
