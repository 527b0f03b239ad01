//! The demo, told to people.

use crate::cli::commands::git_reconcile::print as git_reconcile;
use crate::cli::output::{Output, Tone};
use crate::cli::table::Cell;
use crate::cli::words;
use crate::domain::ids::short;
use crate::ops::demo::{Demo, GitFacts, LogRow, PreparedRun, Scene, StageLine, StageStart, Step, TaskStory};
use crate::ops::reconcile::Reason;

pub(super) fn print(demo: &Demo, output: &mut Output) {
    output.text("Everything below happens now, with git, in a temporary folder.");
    question(&demo.scenes, output);
    output.text(demo.moral);
    task(&demo.task, output);
    match demo.look.as_slice() {
        [] => output.next("look around in it yourself", &["okstra", "demo", "--keep"]),
        look => {
            output.next("look around in it", &[]);
            look.iter().for_each(|command| output.paste(command));
        }
    }
}

/// The first part.
fn question(scenes: &[Scene], output: &mut Output) {
    output.title("1. Is it in main?");
    output.text("Ada's work is two commits on a branch. On three days, one question about it:");
    if let Some(scene) = scenes.first() {
        output.asked(&scene.question);
    }
    for scene in scenes {
        output.lead(scene.title, scene.story);
        output.typed(&scene.commands);
        let (tone, verdict) = words::verdict(scene.answer.verdict);
        let (git, why) = match scene.reachable {
            true => ("merged", "main reaches it"),
            false => ("not merged", "main does not reach it"),
        };
        output.sayings(&[("git", Tone::Quiet, git, why), ("okstra", tone, verdict, &scene.answer.reason)]);
    }
}

/// The second part.
fn task(task: &TaskStory, output: &mut Output) {
    output.title("2. The records of a task");
    output.text(&format!(
        "The task {} has an approved plan. Stages 1 and 2 were built side by side, each on a branch of its own; okstra \
         recorded their commits and integrated both into the branch of the task.",
        task.task
    ));
    plan(&task.stages, output);
    for (number, one) in (3..).zip(&task.steps) {
        step(number, one, output);
    }
    log(&task.log, output);
    output.text(task.moral);
}

fn plan(stages: &[StageLine], output: &mut Output) {
    let row = |stage: &StageLine| {
        let needs: Vec<String> = stage.depends_on.iter().map(u32::to_string).collect();
        vec![
            Cell::from(stage.stage.to_string()),
            Cell::from(needs.join(", ")),
            Cell::from(stage.commit.as_deref().map_or_else(|| "not yet".to_owned(), short)),
            Cell::from(&stage.title),
        ]
    };
    output.table(&["stage", "needs", "recorded", "what it does"], &stages.iter().map(row).collect::<Vec<_>>());
}

fn step(number: usize, step: &Step, output: &mut Output) {
    output.title(&format!("{number}. {}", step.title));
    output.text(step.story);
    output.typed(&step.commands);
    what_git_knows(&step.git, output);
    if let Some(run) = &step.run {
        output.asked(&run.command);
        output.quoted(|output| prepared(run, output));
    }
    for call in &step.calls {
        output.asked(&call.command);
        output.quoted(|output| git_reconcile::show(&call.options, &call.reconciled, output));
    }
    if !step.moral.is_empty() {
        output.text(step.moral);
    }
}

fn prepared(run: &PreparedRun, output: &mut Output) {
    run.notices.iter().for_each(|notice| output.text(notice));
    output.headline(Tone::Good, "prepared", &run.run);
    let row = |stage: &StageStart| {
        vec![Cell::from(stage.stage.to_string()), Cell::from(short(&stage.base)), Cell::from(&stage.branch)]
    };
    output.table(&["stage", "base", "branch"], &run.stages.iter().map(row).collect::<Vec<_>>());
}

/// What plain git knows of recorded commits, and whether okstra keeps them.
fn what_git_knows(facts: &[GitFacts], output: &mut Output) {
    let Some(first) = facts.first() else { return };
    let ids = facts.iter().map(|fact| short(&fact.commit)).collect::<Vec<_>>().join(" or ");
    let (tone, word, branches) = match facts.iter().any(|fact| fact.on_a_branch) {
        true => (Tone::Quiet, "there", "a branch reaches"),
        false => (Tone::Quiet, "not merged", "no branch reaches"),
    };
    let cherry = match facts.iter().any(|fact| fact.found_by_cherry) {
        true => "git cherry finds such a patch in main",
        false => "git cherry finds no such patch in main",
    };
    let mut sayings = vec![("git", tone, word, format!("{branches} {ids}, and {cherry}"))];
    let folder = first.kept_by.as_deref().and_then(|name| name.rsplit_once('/')).map(|(folder, _)| folder);
    if let Some(folder) = folder.filter(|_| facts.iter().all(|fact| fact.kept_by.is_some())) {
        sayings.push(("okstra", Tone::Good, "kept", format!("git still has them, by refs below {folder}")));
    }
    let sayings: Vec<_> = sayings.iter().map(|(who, tone, word, said)| (*who, *tone, *word, said.as_str())).collect();
    output.sayings(&sayings);
}

fn log(log: &[LogRow], output: &mut Output) {
    let row = |row: &LogRow| {
        let by = match row.reason {
            None => row.run.clone().unwrap_or_default(),
            Some(Reason::UserRef) => "a person".to_owned(),
            Some(_) => "okstra, by proof".to_owned(),
        };
        vec![
            Cell::from(row.stage.to_string()),
            Cell::from(short(&row.commit)),
            Cell::from(row.replaced.as_deref().map(short).unwrap_or_default()),
            Cell::from(by),
            Cell::from(row.reference.as_deref().unwrap_or_default()),
        ]
    };
    output.table(&["stage", "commit", "replaces", "by", "on"], &log.iter().map(row).collect::<Vec<_>>());
}
