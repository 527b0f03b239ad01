//! What is on disk and recorded, and what follows from it.

use crate::domain::digest::sha256;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::content::{Contents, text_of};
use super::project::InProject;
use super::{Options, VERSION, targets};
use crate::context::Context;
use crate::domain::install::{self, Facts, Found, OFFERED, Plan, Recorded, Target};
use crate::fs::{self, Seen};
use crate::ops::Error;
use crate::store::Home;
use crate::store::installation::Installation;

/// Everything that an installation needs to know.
#[derive(Debug)]
pub(super) struct Scene {
    pub(super) home: Home,
    pub(super) installed: Option<Installation>,
    pub(super) targets: Vec<Target>,
    pub(super) also_found: Vec<Target>,
    pub(super) contents: Contents,
    pub(super) facts: Facts,
    pub(super) plan: Plan,
    pub(super) project: Option<InProject>,
    /// The folders that are missing, each after the one that it lies in.
    pub(super) folders: Vec<PathBuf>,
    /// Backups of settings, which stay as long as okstra is installed.
    backups: BTreeMap<String, Recorded>,
}

impl Scene {
    pub(super) fn read(context: &Context, options: &Options) -> Result<Self, Error> {
        let home = Home::find(context)?;
        text_of(home.folder())?;
        let installed = Installation::read(&home.installation())?;
        let known = installed.as_ref().map_or(&[][..], |installed| &installed.targets);
        let (targets, also_found) = targets(context, options, known)?;
        let contents = Contents::read(context, &home, &targets)?;
        let folder = home.backups();
        let files = installed.iter().flat_map(|installed| installed.files.clone());
        let (backups, recorded) = files.partition(|(path, _)| Path::new(path).starts_with(&folder));
        let facts = facts(&contents, recorded)?;
        let plan = install::plan(&facts);
        let project = match options.project {
            true => Some(InProject::read(context, options, &home, installed.as_ref())?),
            false => None,
        };
        let mut scene =
            Self { home, installed, targets, also_found, contents, facts, plan, project, folders: Vec::new(), backups };
        scene.folders = scene.missing_folders()?;
        Ok(scene)
    }

    /// Whether anything is to be done.
    pub(super) fn changes(&self) -> bool {
        let project = self.project.as_ref().is_some_and(InProject::changes);
        !self.plan.is_empty() || project || self.installed.as_ref() != Some(&self.record())
    }

    /// What is recorded when it is done.
    pub(super) fn record(&self) -> Installation {
        let mut record = self.installed.clone().unwrap_or_default();
        VERSION.clone_into(&mut record.version);
        record.targets.clone_from(&self.targets);
        record.files.clone_from(&self.plan.record);
        record.files.extend(self.backups.clone());
        record.folders.extend(self.folders.iter().map(|folder| folder.to_string_lossy().into_owned()));
        if let Some(project) = &self.project {
            project.record(&mut record);
        }
        let needed = self.needed_folders(&record);
        record.folders.retain(|folder| needed.contains(Path::new(folder)));
        record
    }

    /// What is recorded before anything is done.
    pub(super) fn journal(&self) -> Installation {
        let mut journal = self.record();
        journal.files = self.plan.journal(&self.facts);
        journal.files.extend(self.backups.clone());
        let before = self.installed.iter().flat_map(|installed| installed.folders.clone());
        journal.folders.extend(before);
        if let Some(project) = &self.project {
            project.journal(&mut journal, self.installed.as_ref());
        }
        journal
    }

    /// The folders that okstra made and has nothing in any more, each before the one that it lies in.
    pub(super) fn emptied_folders(&self) -> Vec<PathBuf> {
        let record = self.record().folders;
        let before = self.installed.iter().flat_map(|installed| installed.folders.iter());
        let emptied = before.filter(|folder| !record.contains(*folder)).map(PathBuf::from);
        let mut emptied: Vec<_> = emptied.collect();
        emptied.sort_by(|a, b| b.cmp(a));
        emptied
    }

    /// Every folder that a file lies in.
    fn needed_folders(&self, record: &Installation) -> BTreeSet<PathBuf> {
        let files = record.files.keys().chain(record.settings.keys()).map(PathBuf::from);
        let paths = files.chain([self.home.installation()]);
        paths.flat_map(|path| path.ancestors().skip(1).map(Path::to_owned).collect::<Vec<_>>()).collect()
    }

    fn missing_folders(&self) -> Result<Vec<PathBuf>, Error> {
        let writes = self.plan.writes.iter().map(|write| PathBuf::from(&write.path));
        let project = self.project.iter().flat_map(|project| project.writes(&self.home));
        let mut missing = BTreeSet::new();
        for path in writes.chain(project).chain([self.home.installation()]) {
            missing.extend(missing_above(&path)?);
        }
        Ok(missing.into_iter().collect())
    }
}

/// The folders above `path` that do not exist.
pub(super) fn missing_above(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut missing = Vec::new();
    for folder in path.ancestors().skip(1) {
        if fs::is_folder(folder)? {
            break;
        }
        missing.push(folder.to_owned());
    }
    Ok(missing)
}

fn facts(contents: &Contents, recorded: BTreeMap<String, Recorded>) -> Result<Facts, Error> {
    let mut facts = Facts { wanted: contents.wanted.clone(), recorded, found: BTreeMap::new() };
    let wanted = facts.wanted.iter().flat_map(|wanted| [wanted.path.clone(), format!("{}{OFFERED}", wanted.path)]);
    for path in wanted.collect::<BTreeSet<_>>() {
        let found = found_of(Path::new(&path))?;
        facts.found.insert(path, found);
    }
    for path in facts.recorded.keys() {
        if !facts.found.contains_key(path) {
            facts.found.insert(path.clone(), found_of_old(Path::new(path))?);
        }
    }
    Ok(facts)
}

/// What stands where an earlier installation wrote a file that is no longer shipped. Whatever the user has made of that
/// place, nothing is going to be written there.
fn found_of_old(path: &Path) -> Result<Found, Error> {
    match found_of(path) {
        Err(Error::Fs(fs::Error::IsAFolder { .. })) => Ok(Found::Other),
        Err(Error::Fs(fs::Error::NotAFolder { .. })) => Ok(Found::Missing),
        found => found,
    }
}

/// What stands at `path`.
///
/// # Errors
/// When a folder does, or it cannot be read.
pub(in crate::ops) fn found_of(path: &Path) -> Result<Found, Error> {
    Ok(match fs::look(path)? {
        Seen::Missing => Found::Missing,
        Seen::File { bytes, executable } => Found::File { sha256: sha256(&bytes), executable },
        Seen::Other => Found::Other,
    })
}
