//! Starting the lead of a run, with the terminal handed over whole.

use std::path::PathBuf;

use super::lifecycle::layout_of;
use super::task::{Selector, Task};
use super::{Error, resume_page};
use crate::agents::claude;
use crate::context::Context;
use crate::domain::lifecycle::RunName;
use crate::domain::run::{RunManifest, RunStatus};
use crate::process::{self, Ending};
use crate::store::runs::{self, StateGuard};

/// The exit code of a program that is not installed, as shells have it.
const NOT_INSTALLED: i32 = 127;

/// Which run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<PathBuf>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in.
    pub task: Option<String>,
    /// The run; by default the one that is open.
    pub run: Option<String>,
}

/// How the lead ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With this code; a signal as 128 and its number.
    Code(i32),
    /// It is not installed.
    NotInstalled,
}

impl Ended {
    /// The code to pass on.
    pub fn code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::NotInstalled => NOT_INSTALLED,
        }
    }
}

/// Starts the lead on a run that was just prepared.
///
/// # Errors
/// When the run is not there or has ended, and when its files cannot be read or written.
pub fn start(context: &Context, options: &Options) -> Result<Ended, Error> {
    let (task, manifest) = find(context, options)?;
    let prompt = crate::fs::read_text(&task.root.join(&manifest.lead.prompt_path))?;
    launch(context, &task, &manifest, claude::lead(&manifest.lead, &prompt))
}

/// Starts the lead again on the same bundle, with a page on what is there.
///
/// # Errors
/// As [`start`].
pub fn resume(context: &Context, options: &Options) -> Result<Ended, Error> {
    let (task, manifest) = find(context, options)?;
    let page = resume_page::make(context, &task, Some(&manifest.run))?;
    let prompt = crate::fs::read_text(&task.root.join(&manifest.lead.prompt_path))?;
    let words = format!("{}\n\n{prompt}", page.markdown.trim_end());
    launch(context, &task, &manifest, claude::lead_again(&manifest.lead, &words))
}

fn find(context: &Context, options: &Options) -> Result<(Task, RunManifest), Error> {
    let task = Task::find(context, options.project_root.as_deref(), &Selector::Project(options.task.clone()))?;
    let layout = layout_of(&task)?;
    let all = runs::read_all(layout, &task.key)?;
    let name = task.key.task.clone();
    let run = match &options.run {
        Some(text) => {
            let run: RunName = text.parse()?;
            let known = all.iter().map(|run| run.name).collect();
            all.into_iter().find(|other| other.name == run).ok_or(Error::UnknownRun {
                task: name.clone(),
                run,
                known,
            })?
        }
        None => {
            let mut open: Vec<_> = all.into_iter().filter(|run| !run.state.status.is_final()).collect();
            match (open.len(), open.pop()) {
                (1, Some(run)) => run,
                (_, last) => {
                    let open = open.iter().chain(last.iter()).map(|run| run.name).collect();
                    return Err(Error::WhichRun { task: name, open });
                }
            }
        }
    };
    if run.state.status.is_final() {
        return Err(Error::RunEnded { task: name, run: run.name, status: run.state.status.as_str() });
    }
    Ok((task, run.manifest))
}

fn launch(context: &Context, task: &Task, manifest: &RunManifest, command: process::Command) -> Result<Ended, Error> {
    let layout = layout_of(task)?;
    let name = manifest.run.parse()?;
    let guard = StateGuard::lock(context, layout, &task.key, name)?;
    let state = guard.read()?;
    if state.status == RunStatus::Prepared {
        guard.write(&crate::domain::run::TeamState { status: RunStatus::Running, ..state })?;
    }
    drop(guard);
    match command.run_on_terminal(context) {
        Ok(Ending::Code(code)) => Ok(Ended::Code(code)),
        Ok(ending) => Ok(Ended::Code(ending.code())),
        Err(process::Error::NotFound { .. }) => Ok(Ended::NotInstalled),
        Err(process::Error::Cancelled(cancelled)) => Err(cancelled.into()),
        Err(source) => Err(Error::Lead { run: manifest.run.clone(), source }),
    }
}
