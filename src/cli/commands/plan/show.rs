//! `okstra plan show`

use std::path::PathBuf;

use super::print;
use crate::cli::args::Text;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::graph::{self, Card};
use crate::cli::output::Output;
use crate::cli::words;
use crate::context::Context;
use crate::domain::stage_graph::layers;
use crate::ops::plan::show::{self, Options, Shown};
use crate::ops::plan::{PlanStage, StageState};

/// Show the stages of a plan as a graph
///
/// Stages that could run side by side stand side by side, each below what it waits for. With a task it is the approved
/// plan, with where each stage stands.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra plan show --task auth/fix-login
  okstra plan show plan.md --dot > plan.dot

Exit codes: 0 shown, 1 error.")]
pub(super) struct Args {
    /// The plan, a Markdown file
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The task [default: the one of the worktree you stand in]
    #[arg(long, value_name = "GROUP/ID", value_parser = Text)]
    task: Option<String>,
    /// Print the graph in the language of Graphviz
    #[arg(long)]
    dot: bool,
    /// Print the graph in the language of Mermaid
    #[arg(long)]
    mermaid: bool,
    /// The project [default: the main worktree of the repository here]
    #[arg(long, value_name = "DIR")]
    project_root: Option<PathBuf>,
}

/// The columns of an output that has none.
const COLUMNS: usize = 80;

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let Args { file, task, dot, mermaid, project_root } = args;
    let shown = show::run(context, &Options { project_root, file, task, dot, mermaid })?;
    if !shown.violations.is_empty() {
        let count = print::counted(shown.violations.len(), "violation");
        output.warning(&format!("{} has {count}: okstra plan check says which", shown.plan));
    }
    output.show(&shown, |output| match &shown.graph {
        Some(graph) => output.verbatim(graph),
        None => draw(&shown, output),
    });
    Ok(Exit::Done)
}

fn draw(shown: &Shown, output: &mut Output) {
    let id = shown.id.as_ref().map_or_else(|| "not approved".to_owned(), |id| format!("plan {id}"));
    let title = shown.title.as_deref().unwrap_or("a plan without a title");
    output.text(&format!("{title} ({id}, {})", print::counted(shown.stages.len(), "stage")));
    let (columns, color) = output.canvas();
    let layers = layers(&shown.stages);
    let cards: Vec<_> = shown.standing().map(|(stage, state)| card(stage, state)).collect();
    let drawn = layers.as_ref().and_then(|layers| graph::draw(layers, &cards, columns.unwrap_or(COLUMNS), color));
    match drawn {
        Some(lines) => output.drawing(&lines),
        None => print::list(shown, layers.as_ref(), output),
    }
}

fn card(stage: &PlanStage, state: Option<StageState>) -> Card {
    let steps = print::steps(stage);
    let (tone, note) = match state.map(words::stage_state) {
        Some((tone, word)) => (Some(tone), format!("{word}, {steps}")),
        None => (None, steps),
    };
    Card { title: format!("{}  {}", stage.stage, stage.title), note, tone }
}
