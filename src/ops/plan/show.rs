//! How the stages of a plan wait for one another, and where they stand.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Serialize;

use super::check::one_plan;
use super::{PlanStage, Source, StageState, Violation, newest_report, reports};
use crate::context::Context;
use crate::domain::plan::Plan;
use crate::domain::progress::stage_states;
use crate::domain::records::started_stages;
use crate::domain::stage_graph;
use crate::ops::Error;
use crate::ops::task::{Selector, Task};
use crate::store::consumers::LogText;
use crate::store::plans;

/// Which plan to show, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<PathBuf>,
    /// The plan, a Markdown file. It needs no project.
    pub file: Option<PathBuf>,
    /// Without a file: the task, `GROUP/ID`; by default that of the worktree one stands in. Shown is the plan that it
    /// goes by, or else its newest planning report.
    pub task: Option<String>,
    /// Draw the graph in the language of Graphviz.
    pub dot: bool,
    /// Draw the graph in that of Mermaid.
    pub mermaid: bool,
}

/// A plan, to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    /// The plan's file; of an approved plan the frozen copy.
    pub plan: String,
    /// The id of the approved plan; nothing for one that is not approved.
    pub id: Option<String>,
    /// Its first heading.
    pub title: Option<String>,
    /// Its stages.
    pub stages: Vec<ShownStage>,
    /// What is wrong with a plan that is not approved.
    pub violations: Vec<Violation>,
    /// The graph, where a language for it was asked for.
    pub graph: Option<String>,
}

/// A stage with where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownStage {
    /// The stage.
    #[serde(flatten)]
    pub stage: PlanStage,
    /// Where it stands; nothing where no task is named.
    pub state: Option<StageState>,
}

/// Reads a plan, and where its stages stand.
///
/// # Errors
/// When options contradict one another, and when the plan or the task's records cannot be found or read.
pub fn run(context: &Context, options: &Options) -> Result<Shown, Error> {
    if options.dot && options.mermaid {
        let (message, hint) = ("--dot does not go with --mermaid", "ask for one of them");
        return Err(Error::Request { message: message.to_owned(), hint: hint.to_owned() });
    }
    let mut shown = match (&options.file, &options.task) {
        (Some(_), Some(_)) => return Err(one_plan()),
        (Some(file), None) => of_file(Source::read(context, file)?),
        (None, task) => {
            let selector = Selector::Project(task.clone());
            of_task(context, &Task::find(context, options.project_root.as_deref(), &selector)?)?
        }
    };
    let stages = shown.stages.iter().map(|shown| (&shown.stage, shown.state));
    shown.graph = match (options.dot, options.mermaid) {
        (true, _) => Some(stage_graph::dot(stages)),
        (_, true) => Some(stage_graph::mermaid(stages)),
        _ => None,
    };
    Ok(shown)
}

fn of_file(source: Source) -> Shown {
    let stages = source.checked.stages.into_iter().map(|stage| ShownStage { stage, state: None });
    Shown {
        plan: source.path.to_string_lossy().into_owned(),
        id: None,
        title: source.checked.title,
        stages: stages.collect(),
        violations: source.checked.violations,
        graph: None,
    }
}

fn of_task(context: &Context, task: &Task) -> Result<Shown, Error> {
    let Some(plan) = plans::current(&task.plans(), &task.key)? else {
        let report = newest_report(task)?.ok_or_else(|| Error::NoPlan { folder: reports(task) })?;
        let shown = of_file(Source::read(context, &report)?);
        let stages: Vec<_> = shown.stages.iter().map(|shown| shown.stage.clone()).collect();
        return Ok(Shown { stages: with_states(context, task, stages)?, ..shown });
    };
    let path = task.plans().join(format!("{}.md", plan.id));
    Ok(Shown {
        plan: path.to_string_lossy().into_owned(),
        id: Some(plan.id),
        title: plan.title,
        stages: with_states(context, task, plan.stages)?,
        violations: Vec::new(),
        graph: None,
    })
}

/// The stages with where they stand by the task's log, if they are what its rows are about.
fn with_states(context: &Context, task: &Task, stages: Vec<PlanStage>) -> Result<Vec<ShownStage>, Error> {
    let plan = Plan { stages, ..Plan::default() };
    let text = LogText::read(&task.log())?;
    let log = text.rows(context)?;
    let done: BTreeSet<u32> = log.done(&task.key, Some(&plan))?.into_keys().collect();
    let started = started_stages(log.rows(), &task.key, Some(&plan));
    let states = stage_states(&plan.stages, &done, &started).into_iter().map(Some);
    Ok(plan.stages.into_iter().zip(states).map(|(stage, state)| ShownStage { stage, state }).collect())
}
