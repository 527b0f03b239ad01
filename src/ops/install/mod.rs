//! `install`: puts okstra into the user's agent folders, and permission entries into a project's settings.
//!
//! What is to be done is a value ([`Proposal`]), made from what is on disk and what was recorded. Doing it writes down first
//! what is about to change, so that a killed installation is completed by the next; whatever fails in between is taken back.

mod apply;
mod content;
mod error;
mod project;
mod scene;
mod undo;

use std::path::PathBuf;

use serde::Serialize;

use super::Error;
use crate::context::Context;
use crate::domain::install::{self, Action, Kind, Shell, Target, parse_targets};
pub use crate::domain::install::{Advice, RemovalStep, Step};
use crate::process::find_program_in;
use crate::store::Home;
pub(super) use apply::{is_left_alone, is_text};
pub(super) use content::Contents;

pub use error::InstallError;
pub(super) use project::read_settings;
use scene::Scene;
pub(super) use scene::found_of;
pub(super) use undo::Undo;

/// What to install, and for whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The agents, by their words; by default those that it is installed for, else those that are on this machine.
    pub targets: Vec<String>,
    /// Make the repository a project, and allow agents some commands in it.
    pub project: bool,
    /// The root of that repository; by default the main worktree of the one that holds the current folder.
    pub project_root: Option<PathBuf>,
    /// Allow agents nothing.
    pub no_permissions: bool,
    /// Say what would be done, and do nothing.
    pub dry_run: bool,
    /// A person agreed.
    pub yes: bool,
}

/// What is going to be done.
#[derive(Debug)]
pub struct Proposal {
    scene: Scene,
    outcome: Installed,
}

/// What was done, or would be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Installed {
    /// The version of okstra.
    pub version: String,
    /// The other version in whose place it comes; null where there is none.
    pub replaces: Option<String>,
    /// Whether this says what would be done, and nothing was.
    pub dry_run: bool,
    /// Whether anything changed, or would.
    pub changed: bool,
    /// The agents that it is installed for.
    pub targets: Vec<Target>,
    /// Agents that are on this machine as well.
    pub also_found: Vec<Target>,
    /// okstra's own folder.
    pub home: PathBuf,
    /// The executable.
    pub executable: PathBuf,
    /// Every file, and what happens to it.
    pub files: Vec<Step>,
    /// How the executable is put on PATH; null where it is.
    pub path_advice: Option<Advice>,
    /// Another `okstra` that comes before it on PATH.
    pub shadowed_by: Option<PathBuf>,
    /// What happens in the project, with `project`.
    pub project: Option<Project>,
}

/// What happens in a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// Its root.
    pub root: PathBuf,
    /// Its id.
    pub id: String,
    /// Whether it is made a project now.
    pub created: bool,
    /// What agents are allowed in it; null where nothing was asked for.
    pub permissions: Option<Permissions>,
}

/// Permission entries in a project's settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Permissions {
    /// The settings file.
    pub path: PathBuf,
    /// The entries that are added.
    pub added: Vec<String>,
    /// Entries of an older okstra that go.
    pub removed: Vec<String>,
    /// Where the file is kept as it was.
    pub backup: Option<PathBuf>,
}

impl Proposal {
    /// What would be done.
    pub fn outcome(&self) -> &Installed {
        &self.outcome
    }

    /// Whether anything would change, so that a person has to agree.
    pub fn needs_a_person(&self) -> bool {
        self.outcome.changed
    }

    /// Whether agents would be allowed something, which is asked for separately.
    pub fn allows(&self) -> Option<&Permissions> {
        self.outcome.project.as_ref()?.permissions.as_ref().filter(|permissions| !permissions.added.is_empty())
    }

    /// The error for where nobody has agreed.
    pub fn unconfirmed(&self) -> Error {
        Error::ConfirmationNeeded { what: "the installation".to_owned() }
    }
}

/// Says what would be done; nothing is.
///
/// # Errors
/// [`InstallError`], when a file cannot be read, and those of [`super::init::plan`].
pub fn propose(context: &Context, options: &Options) -> Result<Proposal, Error> {
    if !options.project && (options.project_root.is_some() || options.no_permissions) {
        let message = "a project's root and permissions were named, and not that it is to be made a project".to_owned();
        return Err(Error::Request { message, hint: "add --project, or leave them out".to_owned() });
    }
    let scene = Scene::read(context, options)?;
    let outcome = outcome(context, options, &scene);
    Ok(Proposal { scene, outcome })
}

/// Does it; doing it again changes nothing.
///
/// # Errors
/// Those of [`propose`], [`Error::ConfirmationNeeded`] where nobody has agreed, and when a file cannot be written; what was
/// done by then is taken back.
pub fn run(context: &Context, options: &Options) -> Result<Installed, Error> {
    let proposal = propose(context, options)?;
    if options.dry_run || !proposal.needs_a_person() {
        return Ok(proposal.outcome);
    }
    if !options.yes {
        return Err(proposal.unconfirmed());
    }
    // It is looked at anew under the lock: another installation may have come to its end meanwhile.
    apply::run(context, &proposal.scene.home, |context| propose(context, options))
}

fn outcome(context: &Context, options: &Options, scene: &Scene) -> Installed {
    let project = scene.project.as_ref().map(|project| project.outcome());
    let (path_advice, shadowed_by) = on_path(context, &scene.home);
    Installed {
        version: VERSION.to_owned(),
        replaces: scene.installed.as_ref().map(|installed| installed.version.clone()).filter(|it| it != VERSION),
        dry_run: options.dry_run,
        changed: scene.changes(),
        targets: scene.targets.clone(),
        also_found: scene.also_found.clone(),
        home: scene.home.folder().to_owned(),
        executable: scene.home.executable(),
        files: scene.plan.steps.clone(),
        path_advice,
        shadowed_by,
        project,
    }
}

/// The version of this okstra.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How the executable gets on PATH, where it is not, and what comes before it there.
fn on_path(context: &Context, home: &Home) -> (Option<Advice>, Option<PathBuf>) {
    let (environment, bin) = (context.environment(), home.bin());
    let is_bin = |folder: &PathBuf| {
        *folder == bin || folder.canonicalize().is_ok_and(|it| bin.canonicalize().is_ok_and(|bin| it == bin))
    };
    let is_on_path = environment.path().is_some_and(|path| std::env::split_paths(path).any(|folder| is_bin(&folder)));
    if is_on_path {
        // npm puts folders of its own before all others while it runs something.
        let first = find_program_in(context, "okstra".as_ref(), |folder| !folder.ends_with("node_modules/.bin"));
        return (None, first.filter(|first| !first.parent().is_some_and(|folder| is_bin(&folder.to_owned()))));
    }
    let shell = match environment.get("SHELL").and_then(|shell| shell.to_str()) {
        Some(path) => Shell::of_path(path),
        None if cfg!(windows) => Shell::PowerShell,
        None => Shell::Other,
    };
    (Some(install::advice(shell, &bin.to_string_lossy())), None)
}

/// The agents to install for, and those that are here besides.
fn targets(context: &Context, options: &Options, installed: &[Target]) -> Result<(Vec<Target>, Vec<Target>), Error> {
    let here: Vec<_> =
        Target::ALL.into_iter().filter(|target| crate::agents::home::is_here(context, *target)).collect();
    let asked = parse_targets(&options.targets).map_err(InstallError::from)?;
    let mut targets: Vec<_> = asked.iter().chain(installed).copied().collect();
    if targets.is_empty() {
        targets.clone_from(&here);
    }
    if targets.is_empty() {
        targets.push(Target::Claude);
    }
    targets.sort();
    targets.dedup();
    let also_found = here.into_iter().filter(|target| !targets.contains(target)).collect();
    Ok((targets, also_found))
}

impl Installed {
    /// The files of a kind to which something happens that a person may want to know.
    pub fn with(&self, action: Action) -> impl Iterator<Item = &Step> {
        self.files.iter().filter(move |step| step.action == action)
    }

    /// How many files of a kind are installed.
    pub fn count(&self, kind: Kind) -> usize {
        self.files.iter().filter(|step| step.kind == kind && step.action != Action::Remove).count()
    }
}
