//! Plans: whether one keeps the rules, who approved it, and how it looks.

pub mod approve;
pub mod check;
pub mod show;

use std::path::{Path, PathBuf};

use super::Error;
use super::task::Task;
use crate::context::Context;
pub use crate::domain::plan::PlanStage;
use crate::domain::plan::report_rank;
pub use crate::domain::progress::{Fates, StageState};
use crate::domain::stage_map::{self, Checked};
pub use crate::domain::stage_map::{Rule, Violation};
use crate::fs;

/// A plan that was read.
struct Source {
    /// Where it is, as it is named to people.
    path: PathBuf,
    text: String,
    checked: Checked,
}

impl Source {
    /// Reads the Markdown file `path`, seen from the current folder.
    fn read(context: &Context, path: &Path) -> Result<Self, Error> {
        let text = fs::read_text(&context.absolute(path))?;
        let checked = stage_map::check(&text);
        Ok(Self { path: path.to_owned(), text, checked })
    }
}

/// The newest planning report of a task.
fn newest_report(task: &Task) -> Result<Option<PathBuf>, Error> {
    let folder = reports(task);
    let ranked = fs::names_in(&folder)?.into_iter().filter_map(|name| Some((report_rank(&name)?, name)));
    Ok(ranked.max().map(|(_, name)| folder.join(name)))
}

/// Where the planning reports of a task are.
fn reports(task: &Task) -> PathBuf {
    task.plan_run_root.join("reports")
}
