//! Starting the lead of a run, with the terminal handed over whole.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::agents::Agents;
use super::lifecycle::layout_of;
use super::task::{Selector, Task};
use super::{Error, mirror, resume_page, stages};
use crate::agents::claude::{self, Session};
use crate::context::Context;
use crate::domain::lifecycle::RunName;
use crate::domain::names::TaskName;
use crate::domain::run::{Lead, RunManifest, RunStatus};
use crate::fs::{self, LockGuard};
use crate::process::{self, Command};
use crate::store::runs::{self, StateGuard};
use crate::store::{Home, Layout};

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

/// How a lead ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The exit code of its process; a signal as 128 and its number.
    pub code: i32,
    /// The task, `GROUP/ID`.
    pub task: String,
    /// The run that it led.
    pub run: String,
}

/// Makes sure that a lead could be started, before anything is prepared for one.
///
/// # Errors
/// [`Error::NotInstalled`], and when the settings of the machine cannot be read.
pub fn check(context: &Context) -> Result<(), Error> {
    let vendor = Lead::default().vendor;
    Agents::read(context, &Home::find(context)?)?.command(context, vendor).map(drop)
}

/// Starts the lead on a run that was just prepared, waits for it, and says how it ended.
///
/// # Errors
/// When the run is not there or has ended, when its files cannot be read or written, and [`Error::NotInstalled`].
pub fn start(context: &Context, options: &Options) -> Result<Ended, Error> {
    let (task, manifest) = find(context, options)?;
    let (agents, prompt) = (Agents::read(context, &task.home)?, prompt(&task, &manifest)?);
    let command = agents.command(context, manifest.lead.vendor)?;
    launch(context, &task, &manifest, &agents, &claude::lead(command, &manifest.lead, &prompt))
}

/// Starts the lead again on the same bundle, with a page on what is there; in its own session, where that is there.
///
/// # Errors
/// As [`start`], and [`Error::RunElsewhere`] for a run that was prepared in another clone.
pub fn resume(context: &Context, options: &Options) -> Result<Ended, Error> {
    let (task, manifest) = find(context, options)?;
    let folder = Path::new(&manifest.lead.folder);
    if !task.is_folder_here(folder) {
        let (run, folder) = (manifest.run.parse()?, folder.to_owned());
        return Err(Error::RunElsewhere { task: task.key.task.clone(), run, folder });
    }
    if !folder.is_dir() || manifest.stages.iter().any(|stage| !Path::new(&stage.worktree).is_dir()) {
        stages::run_again(context, &task, &manifest.stages)?;
    }
    let page = resume_page::make(context, &task, Some(&manifest.run))?.markdown;
    let (agents, lead) = (Agents::read(context, &task.home)?, &manifest.lead);
    let command = agents.command(context, lead.vendor)?;
    let anew = || Ok::<_, Error>(format!("{}\n\n{}", page.trim_end(), prompt(&task, &manifest)?));
    let command = match session(context, &agents, lead)? {
        Session::Here => claude::lead_goes_on(command, lead, &reminder(&page, &task, lead)),
        Session::None => claude::lead(command, lead, &anew()?),
        Session::Elsewhere => claude::lead_elsewhere(command, lead, &anew()?),
    };
    launch(context, &task, &manifest, &agents, &command)
}

fn prompt(task: &Task, manifest: &RunManifest) -> Result<String, Error> {
    Ok(crate::fs::read_text(&task.root.join(&manifest.lead.prompt_path))?)
}

/// What a lead is told that has its launch prompt in its session, if not in its memory any more.
fn reminder(page: &str, task: &Task, lead: &Lead) -> String {
    let prompt = task.root.join(&lead.prompt_path);
    format!("{}\n\nYour launch prompt holds as before: `{}`.\n", page.trim_end(), prompt.display())
}

fn session(context: &Context, agents: &Agents, lead: &Lead) -> Result<Session, Error> {
    let Some(home) = agents.claude_home(context) else { return Ok(Session::None) };
    Ok(claude::session(&home, &lead.session_id, Path::new(&lead.folder))?)
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

/// The lock that a lead holds while it works, in the folder of its run.
const LOCK: &str = "lead.lock";

/// How long it is waited for: as long as somebody takes to look whether it is held.
const LOOK: Duration = Duration::from_millis(50);

/// Whether the lead of a run is at work; `None` where okstra has not started one on this machine.
pub(super) fn is_at_work(layout: &Layout, task: &TaskName, run: RunName) -> Option<bool> {
    LockGuard::is_held(&layout.instruction_set(task, run).join(LOCK))
}

/// One lead at a time works on a run: two would dispatch everything twice.
fn alone(context: &Context, folder: &Path, run: &str) -> Result<LockGuard, Error> {
    let stop = || context.cancel().is_cancelled();
    LockGuard::acquire(&folder.join(LOCK), LOOK, stop).map_err(|error| match error {
        fs::Error::Locked { holder, since, .. } => Error::LeadThere { run: run.to_owned(), holder, since },
        error => error.into(),
    })
}

/// The same command, with the installed okstra on `PATH` where none is: prompts call it by its name.
fn with_okstra(context: &Context, home: &Home, command: &Command) -> Command {
    let installed = Some(home.executable()).filter(|path| path.is_file());
    let is_found = process::find_program(context, "okstra".as_ref()).is_some();
    let folders = context.environment().path().map(std::env::split_paths).into_iter().flatten();
    match installed
        .filter(|_| !is_found)
        .and_then(|_| std::env::join_paths([home.bin()].into_iter().chain(folders)).ok())
    {
        Some(path) => command.clone().env("PATH", path),
        None => command.clone(),
    }
}

fn launch(
    context: &Context,
    task: &Task,
    manifest: &RunManifest,
    agents: &Agents,
    command: &Command,
) -> Result<Ended, Error> {
    let layout = layout_of(task)?;
    let name = manifest.run.parse()?;
    let _alone = alone(context, &layout.instruction_set(&task.key.task, name), &manifest.run)?;
    let guard = StateGuard::lock(context, layout, &task.key, name)?;
    let state = guard.read()?;
    let begins = state.status == RunStatus::Prepared;
    if begins {
        guard.write(&crate::domain::run::TeamState { status: RunStatus::Running, ..state })?;
    }
    drop(guard);
    if begins {
        mirror::write_or_warn(context, task)?;
    }
    match with_okstra(context, &task.home, command).run_on_terminal(context) {
        Ok(ending) => {
            let (task, run) = (task.key.task.to_string(), manifest.run.clone());
            Ok(Ended { code: ending.code(), task, run })
        }
        // It went between the look and the start.
        Err(process::Error::NotFound { .. }) => Err(agents.not_installed(manifest.lead.vendor)),
        Err(process::Error::Cancelled(cancelled)) => Err(cancelled.into()),
        Err(source) => {
            Err(Error::Lead { task: task.key.task.clone(), run: manifest.run.clone(), source: source.into() })
        }
    }
}
