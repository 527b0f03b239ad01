//! What happens in a project: it is made one, and agents are allowed some commands in it.

use crate::domain::digest::sha256;
use std::path::{Path, PathBuf};

use super::content::text_of;
use super::{InstallError, Options, Permissions, Project};
use crate::context::Context;
use crate::domain::install::settings::{self, Edit, Own, Recorded};
use crate::domain::install::{self as domain, rules};
use crate::domain::shell;
use crate::fs::{self, Doing, Seen};
use crate::ops::{Error, init};
use crate::store::Home;
use crate::store::installation::Installation;

/// A project, and what is to be done in it.
#[derive(Debug)]
pub(super) struct InProject {
    pub(super) plan: init::Plan,
    pub(super) options: init::Options,
    is_project: bool,
    pub(super) settings: Option<Settings>,
}

/// The settings file of a project, and what becomes of it.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) path: PathBuf,
    pub(super) before: Option<String>,
    pub(super) edit: Edit,
    /// What was okstra's in it before.
    own: Own,
    /// Where it is kept as it was, where it changes.
    pub(super) backup: Option<PathBuf>,
}

impl InProject {
    pub(super) fn read(
        context: &Context,
        options: &Options,
        home: &Home,
        installed: Option<&Installation>,
    ) -> Result<Self, Error> {
        let options_of_init = init::Options { project_root: options.project_root.clone(), project_id: None, yes: true };
        let plan = init::plan(context, &options_of_init)?;
        let settings = match options.no_permissions {
            true => None,
            false => Some(Settings::read(&plan.root, home, installed)?),
        };
        Ok(Self { is_project: init::is_whole(&plan.root), plan, options: options_of_init, settings })
    }

    pub(super) fn changes(&self) -> bool {
        !self.is_project || self.settings.as_ref().is_some_and(Settings::changes)
    }

    pub(super) fn outcome(&self) -> Project {
        let id = self.plan.id.as_ref().unwrap_or(&self.plan.default_id).to_string();
        let permissions = self.settings.as_ref().map(|settings| Permissions {
            path: settings.path.clone(),
            added: settings.edit.added.clone(),
            removed: settings.edit.removed.clone(),
            backup: settings.backup.clone(),
        });
        Project { root: self.plan.root.clone(), id, created: self.plan.id.is_none(), permissions }
    }

    /// The files that are written, besides what makes it a project.
    pub(super) fn writes(&self, home: &Home) -> Vec<PathBuf> {
        let Some(settings) = self.settings.as_ref().filter(|settings| settings.changes()) else { return Vec::new() };
        let backup = settings.backup.as_ref().map(|_| home.backups().join("file"));
        std::iter::once(settings.path.clone()).chain(backup).collect()
    }

    /// Adds what is recorded when it is done.
    pub(super) fn record(&self, record: &mut Installation) {
        let Some(settings) = &self.settings else { return };
        let path = settings.path.to_string_lossy().into_owned();
        if settings.edit.own.entries.is_empty() {
            record.settings.remove(&path);
        } else {
            record.settings.insert(path, Recorded { own: settings.edit.own.clone(), previous: None });
        }
        if let (Some(backup), Some(before)) = (&settings.backup, &settings.before) {
            let recorded = domain::Recorded { sha256: sha256(before.as_bytes()), journal: None };
            record.files.insert(backup.to_string_lossy().into_owned(), recorded);
        }
    }

    /// Marks what is about to be done as such.
    pub(super) fn journal(&self, journal: &mut Installation, installed: Option<&Installation>) {
        let Some(settings) = self.settings.as_ref().filter(|settings| settings.changes()) else { return };
        let path = settings.path.to_string_lossy().into_owned();
        if let Some(recorded) = journal.settings.get_mut(&path) {
            recorded.previous = Some(settings.own.clone());
        } else if let Some(recorded) = installed.and_then(|installed| installed.settings.get(&path)) {
            journal.settings.insert(path, recorded.clone());
        }
        if let (Some(backup), Some(before)) = (&settings.backup, &settings.before) {
            let recorded = domain::Recorded { sha256: sha256(before.as_bytes()), journal: None };
            journal.files.insert(backup.to_string_lossy().into_owned(), recorded);
        }
    }
}

impl Settings {
    fn read(root: &Path, home: &Home, installed: Option<&Installation>) -> Result<Self, Error> {
        let path = settings_of(root)?;
        let before = read_settings(&path)?;
        let recorded = installed.and_then(|installed| installed.settings.get(&text_of(&path).ok()?)).cloned();
        let own = recorded.unwrap_or_default().in_text(before.as_deref()).clone();
        let program = shell::word(&text_of(&home.executable())?);
        let offered = rules(&["okstra", &program]);
        let fault = |fault| InstallError::Settings { path: path.clone(), fault };
        let edit = settings::put_in(before.as_deref(), &own, &offered).map_err(fault)?;
        let backup = before
            .as_ref()
            .filter(|before| edit.text.as_ref() != Some(before))
            .map(|before| home.backups().join(format!("{}-settings.local.json", &sha256(before.as_bytes())[..12])));
        Ok(Self { path, before, edit, own, backup })
    }

    pub(super) fn changes(&self) -> bool {
        self.edit.text != self.before
    }
}

/// The settings file of the project at `root`. Its folder has to be one of the project, and no link to elsewhere.
fn settings_of(root: &Path) -> Result<PathBuf, Error> {
    let folder = root.join(".claude");
    match fs::look(&folder) {
        Ok(Seen::Missing) | Err(fs::Error::IsAFolder { .. }) => Ok(folder.join("settings.local.json")),
        Ok(_) => Err(fs::Error::NotAFile { path: folder, doing: Doing::Read }.into()),
        Err(error) => Err(error.into()),
    }
}

/// The settings at `path`; a link is refused, since it may lead to settings that hold for more than this project.
pub(in crate::ops) fn read_settings(path: &Path) -> Result<Option<String>, Error> {
    match fs::look(path)? {
        Seen::Missing => Ok(None),
        Seen::File { .. } => Ok(Some(fs::read_text(path)?)),
        Seen::Other => Err(fs::Error::NotAFile { path: path.to_owned(), doing: Doing::Read }.into()),
    }
}
