//! `okstra tasks`

use std::path::PathBuf;

use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, Tone};
use crate::cli::table::Cell;
use crate::context::Context;
use crate::domain::moment::{self, Moment};
use crate::ops::tasks::{self, Options, Tasks};

/// List the tasks of the project, the one that changed last first
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  okstra tasks

Exit codes: 0 done, 2 the manifest of a task cannot be read, 1 error.")]
pub(in crate::cli) struct Args {
    /// The project [default: the main worktree of the repository here]
    #[arg(long, value_name = "DIR")]
    project_root: Option<PathBuf>,
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let options = Options { project_root: args.project_root };
    let tasks = tasks::run(context, &options)?;
    output.show(&tasks, |output| print(&options, &tasks, context.clock().moment(), output));
    Ok(if tasks.unreadable.is_empty() { Exit::Done } else { Exit::Decide })
}

fn print(options: &Options, tasks: &Tasks, now: Moment, output: &mut Output) {
    let count = tasks.tasks.len() + tasks.unreadable.len();
    let s = if count == 1 { "" } else { "s" };
    output.headline(Tone::Strong, &tasks.project_id, &format!("{count} task{s}"));
    if !tasks.tasks.is_empty() {
        let rows: Vec<_> = tasks.tasks.iter().map(|task| row(task, now)).collect();
        output.table(&["task", "category", "last run", "changed", "state", "title"], &rows);
    }
    for unreadable in &tasks.unreadable {
        output.warning(&format!("{}: {}", unreadable.task, unreadable.error));
    }
    let root = options.project_root.as_ref().map(|root| root.to_string_lossy().into_owned());
    let root = root.iter().flat_map(|root| ["--project-root", root.as_str()]);
    let first = tasks.tasks.first().map(|task| short(&task.task_key));
    match first {
        Some(task) => {
            let command: Vec<_> = ["okstra", "status", "--task", task].into_iter().chain(root).collect();
            output.next("see where a task stands", &command);
        }
        None if count == 0 => {
            output.next(
                "begin one: okstra run --task GROUP/ID --type requirements-discovery --category fix --brief FILE",
                &[],
            );
        }
        None => {}
    }
}

fn row(task: &tasks::CatalogEntry, now: Moment) -> Vec<Cell> {
    let changed = task.updated_at.as_ref().and_then(|at| at.parse::<Moment>().ok());
    let changed = changed.map(|at| moment::for_people(at.seconds_until(now)));
    vec![
        Cell::of(Tone::Strong, short(&task.task_key)),
        Cell::from(task.category.as_deref().unwrap_or_default()),
        Cell::from(task.last_run.as_deref().unwrap_or_default()),
        Cell::of(Tone::Quiet, &changed.unwrap_or_default()),
        Cell::from(if task.closed_at.is_some() { "closed" } else { "" }),
        Cell::from(task.title.as_deref().unwrap_or_default()),
    ]
}

/// The task without its project.
fn short(key: &str) -> &str {
    key.split_once('/').map_or(key, |(_, task)| task)
}
