//! What git-reconcile says to people: a headline, a table, and the next command.

use crate::cli::output::{Output, Tone};
use crate::cli::table::Cell;
use crate::cli::words;
use crate::ops::reconcile::{
    AppliedDocument, Classification, Into, Item, Kind, Options, Outcome, Reason, Reconciled, Repair,
};

pub(super) fn print(options: &Options, reconciled: &Reconciled, output: &mut Output) {
    match &reconciled.outcome {
        Outcome::Inspected(inspection) => {
            summary(&reconciled.items, output);
            table(&reconciled.items, output);
            into_table(inspection.into.as_deref(), output);
        }
        Outcome::Applied(applied) => {
            said(applied, output);
            if !applied.remaining_confirm.is_empty() {
                table(&applied.remaining_confirm, output);
            }
            into_table(applied.into.as_deref(), output);
        }
    }
    next(options, reconciled, output);
}

/// One line: how many records hold, can be repaired, wait for the user.
fn summary(items: &[Item], output: &mut Output) {
    let count = |class| items.iter().filter(|item| item.classification == class).count();
    let (confirm, auto) = (count(Classification::Confirm), count(Classification::Auto));
    let (tone, word, sentence) = match (items.len(), confirm, auto) {
        (0, ..) => (Tone::Good, "ok", "nothing is recorded yet".to_owned()),
        (_, 0, 0) => (Tone::Good, "ok", "every recorded commit holds".to_owned()),
        (_, 0, _) => (Tone::Good, "auto", format!("{} can be repaired from proof", records(auto))),
        (_, _, 0) => (Tone::Doubtful, "confirm", format!("you have to decide on {}", records(confirm))),
        _ => {
            let sentence = format!("you have to decide on {}; {} can be repaired", records(confirm), records(auto));
            (Tone::Doubtful, "confirm", sentence)
        }
    };
    output.headline(tone, word, &sentence);
}

fn records(count: usize) -> String {
    if count == 1 { "one record".to_owned() } else { format!("{count} records") }
}

fn table(items: &[Item], output: &mut Output) {
    if items.is_empty() {
        return;
    }
    let rows: Vec<Vec<Cell>> = items
        .iter()
        .map(|item| {
            let (tone, class) = words::classification(item.classification);
            let landed = item.matched_commit.map(|commit| commit.short()).unwrap_or_default();
            vec![
                Cell::from(name(item)),
                Cell::from(short(item.recorded.as_deref().unwrap_or_default())),
                Cell::of(tone, class),
                Cell::from(landed),
                Cell::from(item.proof.map(|proof| words::proof(Some(proof)).0).unwrap_or_default()),
                Cell::from(&item.reason),
            ]
        })
        .collect();
    output.table(&["what", "recorded", "class", "landed", "proof", "reason"], &rows);
}

fn name(item: &Item) -> String {
    let stage = item.stage.unwrap_or_default();
    match item.kind {
        Kind::Anchor => "anchor".to_owned(),
        Kind::Done => format!("stage {stage}"),
        Kind::Gate => format!("gate {stage} ← {}", item.predecessor.unwrap_or_default()),
    }
}

fn into_table(into: Option<&[Into]>, output: &mut Output) {
    let Some(first) = into.and_then(<[Into]>::first) else { return };
    output.title(&format!("in {}", first.reference));
    let rows: Vec<Vec<Cell>> = into
        .unwrap_or_default()
        .iter()
        .map(|answer| {
            let (tone, verdict) = words::verdict(answer.verdict);
            let (effect, means) = words::effect(answer.effect);
            let effect = if means.is_empty() { effect.to_owned() } else { format!("{effect}: {means}") };
            vec![
                Cell::from(format!("stage {}", answer.stage)),
                Cell::of(tone, verdict),
                Cell::from(answer.matched_commit.map(|commit| commit.short()).unwrap_or_default()),
                Cell::from(words::proof(answer.proof).0),
                Cell::from(effect),
            ]
        })
        .collect();
    output.table(&["what", "verdict", "landed", "proof", "effect"], &rows);
}

/// What a person asked for and got; the automatic repairs were said already.
fn said(applied: &AppliedDocument, output: &mut Output) {
    for repair in &applied.applied {
        match repair {
            Repair::Anchor { anchor } => output.headline(Tone::Good, "anchor", &format!("moved to {anchor}")),
            Repair::Stage { stage, new_commit, replaced, reason: Reason::UserRef } => {
                let sentence = format!("{} -> {}, as you decided", short(replaced), short(new_commit));
                output.headline(Tone::Good, &format!("stage {stage}"), &sentence);
            }
            Repair::Stage { .. } => {}
        }
    }
    if applied.applied.is_empty() && applied.remaining_confirm.is_empty() {
        output.headline(Tone::Good, "ok", "there was nothing to repair");
    }
}

/// The command that goes on from here, if any.
fn next(options: &Options, reconciled: &Reconciled, output: &mut Output) {
    let command = |more: &[&str]| command(options, reconciled, more);
    let open = match &reconciled.outcome {
        Outcome::Inspected(inspection) => &inspection.items,
        Outcome::Applied(applied) => &applied.remaining_confirm,
    };
    if open.iter().any(|item| item.classification == Classification::Auto) {
        output.next("repair what is proved", &words_of(&command(&["--apply"])));
    }
    if let Some(way) = reconciled.ways_out.first() {
        let advice = format!("look at what {} has become, then record it for stage {}", way.suggested_ref, way.stage);
        let stage = way.stage.to_string();
        output.next(&advice, &words_of(&command(&["--apply", "--stage", &stage, "--use-ref", &way.suggested_ref])));
    }
    if open.iter().any(|item| item.kind == Kind::Anchor && item.is_confirm()) {
        output.next(
            "name the commit that the task started from, as a ref in the place of REF",
            &words_of(&command(&["--apply", "--reset-anchor", "REF"])),
        );
    }
}

/// The words of a command about the same task, named in the way in which it was named.
fn command(options: &Options, reconciled: &Reconciled, more: &[&str]) -> Vec<String> {
    let mut words = match options.plan_run_root {
        Some(_) => reconciled.guidance.words(),
        None => {
            let task = reconciled.guidance.key.task.to_string();
            let mut words = ["okstra", "git-reconcile", "--task", &task].map(str::to_owned).to_vec();
            if options.project_root.is_some() {
                words.extend(["--project-root".to_owned(), reconciled.guidance.project_root.clone()]);
            }
            words
        }
    };
    words.extend(more.iter().map(|word| (*word).to_owned()));
    words
}

fn words_of(command: &[String]) -> Vec<&str> {
    command.iter().map(String::as_str).collect()
}

fn short(id: &str) -> String {
    id.chars().take(8).collect()
}
