//! The page that a lead gets when it goes on with a run: what is there already, and what comes next. Markdown.

mod results;

use std::fmt::Write as _;
use std::path::Path;

use super::Error;
use super::lifecycle::choose::choose;
use super::lifecycle::known::Known;
use super::lifecycle::layout_of;
use super::status::next_step;
use super::task::Task;
use crate::context::Context;
use crate::domain::lifecycle::{self, RunName};
use crate::domain::moment::{Moment, for_people};
use crate::store::runs::Run;

/// A run that can be gone on with, and its page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResumePage {
    /// The run.
    pub run: RunName,
    /// The page.
    pub markdown: String,
}

/// Makes the page for the run that is `named`, by default the only one that is open. Nothing is written.
///
/// # Errors
/// [`Error::UnknownRun`], [`Error::WhichRun`], [`Error::RunEnded`] for a run that is over, and when files cannot be read.
pub fn make(context: &Context, task: &Task, named: Option<&str>) -> Result<ResumePage, Error> {
    let layout = layout_of(task)?;
    let known = Known::read(context, task, layout)?;
    let run = choose(&known, named)?;
    if run.state.status.is_final() {
        let status = run.state.status.as_str();
        return Err(Error::RunEnded { task: task.key.task.clone(), run: run.name, status });
    }
    let mut page = heading(task, run, context.clock().moment());
    page.push_str(&results::workers(layout, &task.key.task, run));
    page.push_str(&results::convergence(layout, &task.key.task, run)?);
    page.push_str(&stages(&known, run));
    page.push_str(&results::report(layout, &task.key.task, run));
    let own = only(known.facts(layout)?, run.name);
    let next = next_step(task, &known, None, lifecycle::next(&own));
    let _ = write!(page, "\n## What comes next\n\n{}.", capital(&next.reason));
    match next.step {
        "resume" => {
            page.push_str(" Go on with what is missing above. Dispatch nothing again that has a valid result.\n")
        }
        _ => {
            let _ = write!(page, "\n\n```sh\n{}\n```\n", next.command.unwrap_or_default());
        }
    }
    Ok(ResumePage { run: run.name, markdown: page })
}

/// The facts with this run as the only one that is open.
fn only(mut facts: lifecycle::Facts, run: RunName) -> lifecycle::Facts {
    facts.open.retain(|open| open.run == run);
    facts
}

fn heading(task: &Task, run: &Run, now: Moment) -> String {
    let prepared: Option<Moment> = run.manifest.created_at.parse().ok();
    let age = prepared.map_or_else(String::new, |at| format!(", {} ago", for_people(at.seconds_until(now))));
    format!(
        "# Resuming {} of {}\n\nIt was prepared at {}{age}, and is {}. Everything below is there already: keep it.\n",
        run.name,
        task.key,
        run.manifest.created_at,
        run.state.status.as_str()
    )
}

fn stages(known: &Known, run: &Run) -> String {
    if run.manifest.stages.is_empty() {
        return String::new();
    }
    let mut text = "\n## Stages\n\n| stage | state | branch | worktree |\n| --- | --- | --- | --- |\n".to_owned();
    for stage in &run.manifest.stages {
        let state = match known.done.get(&stage.stage) {
            Some(done) if known.integrated.contains(&stage.stage) => {
                format!("done at {}, in the task branch", done.latest.head_commit)
            }
            Some(done) => format!("done at {}, not in the task branch", done.latest.head_commit),
            None => "not done".to_owned(),
        };
        let gone = if Path::new(&stage.worktree).is_dir() { "" } else { " (gone)" };
        let _ = writeln!(
            text,
            "| {} {} | {state} | `{}` | `{}`{gone} |",
            stage.stage,
            results::cell(&stage.title),
            results::cell(&stage.branch),
            results::cell(&stage.worktree)
        );
    }
    text
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
