//! What git-reconcile says to people: a headline, a table of what does not simply hold, and the next command.

use crate::cli::output::{Output, Tone};
use crate::cli::table::Cell;
use crate::cli::words;
use crate::domain::ids::short;
use crate::ops::content_merged::Verdict;
use crate::ops::reconcile::{
    AppliedDocument, Classification, Into, Item, Kind, Options, Outcome, Reason, Reconciled, Repair,
};

/// All that the command says to people, for another command that shows it.
pub(in crate::cli::commands) fn show(options: &Options, reconciled: &Reconciled, output: &mut Output) {
    notices(reconciled).for_each(|notice| output.text(&notice));
    print(options, reconciled, output);
}

/// What is said of the automatic repairs.
pub(super) fn notices(reconciled: &Reconciled) -> impl Iterator<Item = String> {
    let applied = match &reconciled.outcome {
        Outcome::Applied(applied) => applied.applied.as_slice(),
        Outcome::Inspected(_) => &[],
    };
    applied.iter().filter_map(Repair::notice)
}

/// Prints what was found, or what was done and is not said yet.
pub(super) fn print(options: &Options, reconciled: &Reconciled, output: &mut Output) {
    match &reconciled.outcome {
        Outcome::Inspected(inspection) => {
            summary(&reconciled.items, output);
            table(inspection.items.iter().filter(|item| is_worth_a_row(item, options)), output);
            into_answers(inspection.into.as_deref(), output);
        }
        Outcome::Applied(applied) => {
            said(applied, output);
            table(applied.remaining_confirm.iter(), output);
            into_answers(applied.into.as_deref(), output);
        }
    }
    next(options, reconciled, output);
}

/// With `--into` the question is another one than what the stages to come wait for.
fn is_worth_a_row(item: &Item, options: &Options) -> bool {
    options.all || options.into.is_none() || item.classification != Classification::Waiting
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
    let holds = match (holding(items), confirm + auto) {
        (None, _) => String::new(),
        (Some((which, _)), 0) => format!(": {which}"),
        (Some((which, verb)), _) => format!("; {which} {verb}"),
    };
    output.headline(tone, word, &format!("{sentence}{holds}"));
}

/// Which records hold, and the verb to that.
fn holding(items: &[Item]) -> Option<(String, &'static str)> {
    let holds = |kind| move |item: &&Item| item.kind == kind && item.classification == Classification::Ok;
    let anchor = items.iter().find(holds(Kind::Anchor)).map(|_| "the anchor".to_owned());
    let stages: Vec<String> =
        items.iter().filter(holds(Kind::Done)).filter_map(|item| item.stage).map(|stage| stage.to_string()).collect();
    let verb = if anchor.iter().count() + stages.len() == 1 { "holds" } else { "hold" };
    let stages = match stages.as_slice() {
        [] => None,
        [one] => Some(format!("stage {one}")),
        [first @ .., last] => Some(format!("stages {} and {last}", first.join(", "))),
    };
    let which: Vec<String> = anchor.into_iter().chain(stages).collect();
    (!which.is_empty()).then(|| (which.join(", "), verb))
}

fn records(count: usize) -> String {
    if count == 1 { "one record".to_owned() } else { format!("{count} records") }
}

fn table<'a>(items: impl Iterator<Item = &'a Item>, output: &mut Output) {
    let rows: Vec<Vec<Cell>> = items
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
    if !rows.is_empty() {
        output.table(&["what", "recorded", "class", "landed", "proof", "reason"], &rows);
    }
}

fn name(item: &Item) -> String {
    let stage = item.stage.unwrap_or_default();
    match item.kind {
        Kind::Anchor => "anchor".to_owned(),
        Kind::Done => format!("stage {stage}"),
        Kind::Gate => format!("gate {stage} ← {}", item.predecessor.unwrap_or_default()),
    }
}

/// Whether the done stages are in the ref of `--into`, in one line; then each of them.
fn into_answers(into: Option<&[Into]>, output: &mut Output) {
    let into = into.unwrap_or_default();
    let Some(first) = into.first() else { return };
    let with = |verdict| into.iter().filter(|answer| answer.verdict == verdict).count();
    let there = match (with(Verdict::Contained), into.len()) {
        (1, 1) => "the one done stage is".to_owned(),
        (2, 2) => "both done stages are".to_owned(),
        (there, all) if there == all => format!("all {all} done stages are"),
        (there, all) => format!("{there} of {all} done stages are"),
    };
    let worst = [Verdict::Ask, Verdict::Absent].into_iter().find(|verdict| with(*verdict) > 0);
    let (tone, word) = words::verdict(worst.unwrap_or(Verdict::Contained));
    output.headline(tone, word, &format!("{there} in {}", first.reference));
    let rows: Vec<Vec<Cell>> = into.iter().map(into_row).collect();
    output.table(&["what", "verdict", "landed", "proof", "effect"], &rows);
}

fn into_row(answer: &Into) -> Vec<Cell> {
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
    let is_auto = open.iter().any(|item| item.classification == Classification::Auto);
    if let Some(into) = options.into.as_deref().filter(|_| reconciled.has_landings) {
        let advice =
            if is_auto { "repair what is proved, and record where it landed" } else { "record where it landed" };
        output.next(advice, &words_of(&command(&["--into", into, "--apply"])));
    } else if is_auto {
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
            let mut words = ["okstra", "git-reconcile"].map(str::to_owned).to_vec();
            if options.task.is_some() {
                words.extend(["--task".to_owned(), reconciled.guidance.key.task.to_string()]);
            }
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
