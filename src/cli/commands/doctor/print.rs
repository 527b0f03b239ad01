//! What doctor says to people.

use crate::cli::output::{Output, Tone};
use crate::cli::table::Cell;
use crate::cli::words;
use crate::ops::doctor::{Advice, Options, Outcome, Report, Restored, Status};

/// More files than this are counted, not listed.
const MOST_LISTED: usize = 20;

pub(super) fn print(options: &Options, outcome: &Outcome, output: &mut Output) {
    match outcome {
        Outcome::Checked(report) => print_report(report, output),
        Outcome::Restored(restored) => print_restored(options, restored, output),
    }
}

fn print_report(report: &Report, output: &mut Output) {
    let of = |status: Status| report.checks.iter().filter(|check| check.status == status).count();
    let found = [(of(Status::Problem), "problem"), (of(Status::Warning), "warning")];
    let found: Vec<_> = found.into_iter().filter(|(number, _)| *number > 0).map(|(n, what)| count(n, what)).collect();
    let (tone, word) = words::status(report.worst());
    let sentence = if found.is_empty() { "everything is as it should be".to_owned() } else { found.join(", ") };
    output.headline(tone, word, &sentence);
    let rows = report.checks.iter().map(|check| {
        let (tone, status) = words::status(check.status);
        vec![Cell::of(tone, status), Cell::from(check.name), Cell::from(&check.message)]
    });
    output.table(&["status", "what", "found"], &rows.collect::<Vec<_>>());
    let mut said: Vec<&Advice> = Vec::new();
    for (name, advice) in report.checks.iter().filter_map(|check| Some((check.name, check.advice.as_ref()?))) {
        if !said.contains(&advice) {
            let text = format!("{name}: {}", advice.text);
            output.next(&text, &advice.command.iter().map(String::as_str).collect::<Vec<_>>());
            said.push(advice);
        }
    }
}

fn print_restored(options: &Options, restored: &Restored, output: &mut Output) {
    let (tone, word, sentence) = headline(restored);
    output.headline(tone, word, &sentence);
    let rows = rows(restored);
    if !rows.is_empty() {
        output.table(&["what", "where"], &rows);
    }
    let (advice, mut command) = match restored.tasks.as_slice() {
        [] => {
            return output
                .next("get the records from another clone", &["okstra", "task", "fetch", "--task", "GROUP/ID"]);
        }
        [task] => ("see whether the recorded commits hold", vec!["okstra", "git-reconcile", "--task", task]),
        _ => ("see whether anything is still missing", vec!["okstra", "doctor"]),
    };
    let root = options.project_root.as_ref().map(|root| root.to_string_lossy().into_owned());
    command.extend(root.iter().flat_map(|root| ["--project-root", root.as_str()]));
    output.next(advice, &command);
}

fn headline(restored: &Restored) -> (Tone, &'static str, String) {
    let Restored { tasks, restored: files, registry, moved, kept, refused, .. } = restored;
    let there = match kept {
        0 => String::new(),
        _ => format!("; {} already there", are(*kept, "file")),
    };
    let back = [(files.len(), "file"), (registry.len(), "registry row"), (moved.len(), "moved task")];
    let back: Vec<_> = back.into_iter().filter(|(count, _)| *count > 0).map(|(n, what)| count(n, what)).collect();
    match (tasks.as_slice(), back.is_empty(), refused.len()) {
        ([], ..) => (Tone::Doubtful, "nothing", "no task is mirrored in this repository".to_owned()),
        (_, true, 0) => (Tone::Good, "ok", format!("nothing that is mirrored was missing{there}")),
        (_, true, refused) => (Tone::Doubtful, "refused", format!("{} not brought back{there}", are(refused, "thing"))),
        (_, false, 0) => (Tone::Good, "restored", format!("{} brought back{there}", back.join(" and "))),
        (_, false, refused) => {
            let back = back.join(" and ");
            (Tone::Doubtful, "restored", format!("{back} brought back, {} not{there}", are(refused, "thing")))
        }
    }
}

fn rows(restored: &Restored) -> Vec<Vec<Cell>> {
    let mut rows = listed(Tone::Good, "restored", &restored.restored);
    rows.extend(listed(Tone::Good, "registry", &restored.registry));
    rows.extend(listed(Tone::Good, "moved", &restored.moved));
    rows.extend(listed(Tone::Quiet, "differs", &restored.differing));
    rows.extend(listed(Tone::Quiet, "ignored", &restored.ignored));
    rows.extend(restored.refused.iter().map(|refused| {
        let what = refused.path.as_ref().unwrap_or(&refused.task);
        vec![Cell::of(Tone::Doubtful, "refused"), Cell::from(format!("{what}: {}", refused.reason))]
    }));
    rows
}

fn listed(tone: Tone, word: &str, places: &[String]) -> Vec<Vec<Cell>> {
    let row = |place: String| vec![Cell::of(tone, word), Cell::from(place)];
    let more = places.len().saturating_sub(MOST_LISTED);
    let listed = places.iter().take(MOST_LISTED).cloned().map(row);
    listed.chain((more > 0).then(|| row(format!("and {more} more; --json lists them all")))).collect()
}

fn count(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn are(number: usize, what: &str) -> String {
    format!("{} {}", count(number, what), if number == 1 { "was" } else { "were" })
}
