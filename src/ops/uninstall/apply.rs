//! Does what was decided. What is recorded goes last, so that a killed removal is completed by the next.

use crate::domain::digest::sha256;
use std::path::{Path, PathBuf};

use super::{Proposal, Uninstalled};
use crate::context::Context;
use crate::domain::install::Removal;
use crate::fs::{self, Seen};
use crate::ops::Error;
use crate::ops::install::{Undo, is_left_alone, is_text};
use crate::store::Home;
use crate::store::installation::{Installation, InstallationGuard};

/// Does what `propose` decides once nobody else is at work.
pub(super) fn run(
    context: &Context,
    home: &Home,
    propose: impl FnOnce(&Context) -> Result<Proposal, Error>,
) -> Result<Uninstalled, Error> {
    let alone = InstallationGuard::lock(&home.installation(), context)?;
    let Proposal { installed, settings, purge, outcome, .. } = propose(context)?;
    let mut folders = installed.as_ref().map(folders_of).unwrap_or_default();
    // Another one was faster, and the lock made the folder again.
    if installed.is_none() && context.environment().get("OKSTRA_HOME").is_none() {
        folders.push(home.folder().to_owned());
    }
    if let Some(installed) = &installed {
        let mut undo = Undo::new(context);
        for edited in &settings {
            let expected = |seen: &Seen| is_text(seen, Some(&edited.before));
            match &edited.after {
                Some(after) => undo.write(&edited.path, after.as_bytes(), false, expected)?,
                None => undo.remove(&edited.path, expected)?,
            }
        }
        for step in outcome.files.iter().filter(|step| step.action == Removal::Remove) {
            let recorded = &installed.files[&step.path];
            undo.remove(Path::new(&step.path), |seen| match seen {
                Seen::File { bytes, .. } => recorded.is_of_sha256(&sha256(bytes)),
                _ => false,
            })?;
        }
        folders.iter().filter(|folder| folder.is_dir()).try_for_each(|folder| fs::delete_leftovers(folder))?;
        folders.iter().try_for_each(|folder| undo.remove_folder(folder))?;
        undo.remove(&home.installation(), |_| true)?;
        undo.keep();
    }
    if let Some(purge) = &purge {
        let purged = purge.apply(context, home);
        if purged.is_err() && installed.is_some() {
            context.warn("okstra itself is taken out; for the rest, again: npx -y okstra@latest uninstall --purge");
        }
        purged?;
    }
    alone.remove_file()?;
    // Those that held the lock go now.
    for folder in folders.iter().map(PathBuf::as_path).chain(purge.iter().map(|_| home.folder())) {
        fs::delete_empty_folder(folder)?;
    }
    Ok(outcome)
}

/// Removes what an installation left that was killed before anything was recorded, and a removal after that: a lock.
pub(super) fn sweep(context: &Context, home: &Home) -> Result<(), Error> {
    let record = home.installation();
    if InstallationGuard::file(&record).exists() && is_left_alone(home)? {
        let alone = InstallationGuard::lock(&record, context)?;
        fs::delete_leftovers(home.folder())?;
        alone.remove_file()?;
        fs::delete_empty_folder(home.folder())?;
    }
    // A removal that was killed at the very end. An empty folder that somebody named is theirs.
    if context.environment().get("OKSTRA_HOME").is_none() {
        fs::delete_empty_folder(home.folder())?;
    }
    Ok(())
}

/// The folders that okstra made, each before the one that it lies in.
fn folders_of(installed: &Installation) -> Vec<PathBuf> {
    installed.folders.iter().rev().map(PathBuf::from).collect()
}
