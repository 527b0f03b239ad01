//! `uninstall`: takes out what `install` wrote and nobody changed, and okstra's entries out of settings.
//!
//! Task data in projects and worktrees stay. With `purge` okstra's own folder goes too, unless work would be lost with it.

mod apply;
mod purge;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Error;
use super::install::{found_of, read_settings};
use crate::context::Context;
use crate::domain::install::{Found, Removal, RemovalStep, plan_removal, settings};
use crate::store::Home;
use crate::store::installation::Installation;
use purge::Purge;

/// What to take out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Remove okstra's own folder as well.
    pub purge: bool,
    /// Say what would be done, and do nothing.
    pub dry_run: bool,
    /// A person agreed.
    pub yes: bool,
}

/// What is going to be done.
#[derive(Debug)]
pub struct Proposal {
    home: Home,
    installed: Option<Installation>,
    settings: Vec<Edited>,
    purge: Option<Purge>,
    outcome: Uninstalled,
}

/// A settings file, and what becomes of it.
#[derive(Debug)]
struct Edited {
    path: PathBuf,
    before: String,
    after: Option<String>,
}

/// What was done, or would be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Uninstalled {
    /// Whether this says what would be done, and nothing was.
    pub dry_run: bool,
    /// Whether anything changed, or would.
    pub changed: bool,
    /// The version that was installed; null where none was.
    pub version: Option<String>,
    /// okstra's own folder.
    pub home: PathBuf,
    /// Every file that okstra wrote and that is there, and what happens to it.
    pub files: Vec<RemovalStep>,
    /// The settings files that okstra's entries are in.
    pub settings: Vec<Settings>,
    /// What goes with okstra's own folder, with `purge`.
    pub purged: Option<Purged>,
}

/// A settings file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// The file.
    pub path: PathBuf,
    /// The entries that go.
    pub removed: Vec<String>,
    /// Why it is left as it is, where it is.
    pub left: Option<String>,
}

/// What goes with okstra's own folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Purged {
    /// What is in the folder, name by name.
    pub entries: Vec<String>,
    /// The worktrees in it. Their branches stay in their repositories.
    pub worktrees: Vec<PathBuf>,
    /// The ignored files in them, which go with them; of a folder in which all is ignored only the folder.
    pub ignored: Vec<PathBuf>,
}

impl Proposal {
    /// What would be done.
    pub fn outcome(&self) -> &Uninstalled {
        &self.outcome
    }

    /// Whether anything would go, so that a person has to agree.
    pub fn needs_a_person(&self) -> bool {
        self.outcome.changed
    }

    /// The error for where nobody has agreed.
    pub fn unconfirmed(&self) -> Error {
        let what =
            if self.purge.is_some() { "the removal of okstra with its own folder" } else { "the removal of okstra" };
        Error::ConfirmationNeeded { what: what.to_owned() }
    }
}

/// Says what would be done; nothing is.
///
/// # Errors
/// When what is recorded cannot be read, and with `purge` where work would be lost, or the folder is not okstra's alone.
pub fn propose(context: &Context, options: &Options) -> Result<Proposal, Error> {
    let home = Home::find(context)?;
    let installed = Installation::read(&home.installation())?;
    let mut found = BTreeMap::new();
    for path in installed.iter().flat_map(|installed| installed.files.keys()) {
        // A folder in its place is not okstra's file.
        found.insert(path.clone(), found_of(Path::new(path)).unwrap_or(Found::Other));
    }
    let files = installed.as_ref().map(|installed| plan_removal(&installed.files, &found)).unwrap_or_default();
    let (mut edited, mut settings) = (Vec::new(), Vec::new());
    for (path, recorded) in installed.iter().flat_map(|installed| &installed.settings) {
        let (edit, said) = take_out(Path::new(path), recorded);
        edited.extend(edit);
        settings.extend(said);
    }
    let purge = if options.purge { Purge::plan(context, &home)? } else { None };
    let outcome = Uninstalled {
        dry_run: options.dry_run,
        changed: installed.is_some() || purge.is_some(),
        version: installed.as_ref().map(|installed| installed.version.clone()),
        home: home.folder().to_owned(),
        files,
        settings,
        purged: purge.as_ref().map(Purge::outcome),
    };
    Ok(Proposal { home, installed, settings: edited, purge, outcome })
}

/// Does it; doing it again changes nothing.
///
/// # Errors
/// Those of [`propose`], [`Error::ConfirmationNeeded`] where nobody has agreed, and when a file cannot be removed; what was
/// removed by then is brought back.
pub fn run(context: &Context, options: &Options) -> Result<Uninstalled, Error> {
    let proposal = propose(context, options)?;
    if options.dry_run {
        return Ok(proposal.outcome);
    }
    if !proposal.needs_a_person() {
        apply::sweep(context, &proposal.home)?;
        return Ok(proposal.outcome);
    }
    if !options.yes {
        return Err(proposal.unconfirmed());
    }
    apply::run(context, &proposal.home, |context| propose(context, options))
}

/// What becomes of a settings file, and what is said of it. One that cannot be edited is left as it is.
fn take_out(path: &Path, recorded: &settings::Recorded) -> (Option<Edited>, Option<Settings>) {
    let left = |why: String| Some(Settings { path: path.to_owned(), removed: Vec::new(), left: Some(why) });
    let before = match read_settings(path) {
        Ok(None) => {
            return (None, left("it is not there; if it was moved, okstra's entries are still in it".to_owned()));
        }
        Ok(Some(before)) => before,
        Err(error) => return (None, left(error.to_string())),
    };
    match settings::take_out(&before, recorded.in_text(Some(&before))) {
        Ok(edit) if edit.text.as_ref() == Some(&before) => (None, None),
        Ok(edit) => {
            let said = Settings { path: path.to_owned(), removed: edit.removed, left: None };
            (Some(Edited { path: path.to_owned(), before, after: edit.text }), Some(said))
        }
        Err(fault) => (None, left(format!("line {}, column {}: {fault}", fault.line, fault.column))),
    }
}

impl Uninstalled {
    /// The files that stay, since somebody changed them.
    pub fn kept(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter(|step| step.action == Removal::Keep).map(|step| step.path.as_str())
    }

    /// How many files go.
    pub fn removed(&self) -> usize {
        self.files.iter().filter(|step| step.action == Removal::Remove).count()
    }
}
