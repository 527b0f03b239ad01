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
    pub stages: Vec<PlanStage>,
    /// Where they stand, in the same order; nothing where no task is named.
    pub states: Option<Vec<StandingStage>>,
    /// What is wrong with a plan that is not approved.
    pub violations: Vec<Violation>,
    /// The graph, where a language for it was asked for.
    pub graph: Option<String>,
}

/// Where a stage stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StandingStage {
    /// The stage.
    pub stage: u32,
    /// Where it stands.
    pub state: StageState,
}

impl Shown {
    /// The stages, each with where it stands.
    pub fn standing(&self) -> impl Iterator<Item = (&PlanStage, Option<StageState>)> {
        let state = |place: usize| self.states.as_ref().and_then(|states| states.get(place)).map(|one| one.state);
        self.stages.iter().enumerate().map(move |(place, stage)| (stage, state(place)))
    }
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
    shown.graph = match (options.dot, options.mermaid) {
        (true, _) => Some(stage_graph::dot(shown.standing())),
        (_, true) => Some(stage_graph::mermaid(shown.standing())),
        _ => None,
    };
    Ok(shown)
}

fn of_file(source: Source) -> Shown {
    Shown {
        plan: source.path.to_string_lossy().into_owned(),
        id: None,
        title: source.checked.title,
        stages: source.checked.stages,
        states: None,
        violations: source.checked.violations,
        graph: None,
    }
}

fn of_task(context: &Context, task: &Task) -> Result<Shown, Error> {
    let shown = match plans::current(&task.plans(), &task.key)? {
        Some(plan) => Shown {
            plan: task.plans().join(format!("{}.md", plan.id)).to_string_lossy().into_owned(),
            id: Some(plan.id),
            title: plan.title,
            stages: plan.stages,
            states: None,
            violations: Vec::new(),
            graph: None,
        },
        None => {
            let report = newest_report(task)?.ok_or_else(|| Error::NoPlan { folder: reports(task) })?;
            of_file(Source::read(context, &report)?)
        }
    };
    let states = states(context, task, &shown.stages)?;
    Ok(Shown { states: Some(states), ..shown })
}

/// Where the stages stand by the task's log, as far as its rows are about them.
fn states(context: &Context, task: &Task, stages: &[PlanStage]) -> Result<Vec<StandingStage>, Error> {
    let plan = Plan { stages: stages.to_vec(), ..Plan::default() };
    let text = LogText::read(&task.log())?;
    let log = text.rows(context)?;
    let done: BTreeSet<u32> = log.done(&task.key, Some(&plan))?.into_keys().collect();
    let started = started_stages(log.rows(), &task.key, Some(&plan));
    let states = stage_states(stages, &done, &started).into_iter();
    Ok(stages.iter().zip(states).map(|(stage, state)| StandingStage { stage: stage.stage, state }).collect())
}
