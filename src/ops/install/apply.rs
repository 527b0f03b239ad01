//! Does what was decided, all of it or nothing.

use crate::domain::digest::sha256;
use std::path::{Path, PathBuf};

use super::project::Settings;
use super::scene::{Scene, missing_above};
use super::{Installed, Proposal, Undo};
use crate::context::Context;
use crate::domain::install::{Action, Kind};
use crate::fs::{self, Seen};
use crate::ops::{Error, init};
use crate::store::Home;
use crate::store::installation::{Installation, InstallationGuard};

/// Does what `propose` decides once nobody else is at work.
pub(super) fn run(
    context: &Context,
    home: &Home,
    propose: impl FnOnce(&Context) -> Result<Proposal, Error>,
) -> Result<Installed, Error> {
    let record = home.installation();
    let mut made = missing_above(&record)?;
    fs::create_folder(home.folder())?;
    let had_lock = InstallationGuard::file(&record).exists();
    // An empty folder that somebody named may be theirs; the default one is made by nobody else.
    let is_okstras = had_lock || context.environment().get("OKSTRA_HOME").is_none();
    if made.is_empty() && is_okstras && is_left_alone(home)? {
        made.push(home.folder().to_owned());
    }
    let alone = InstallationGuard::lock(&record, context);
    // Declared behind the lock, so that everything is taken back before that is let go.
    let mut undo = Undo::new(context);
    made.iter().rev().for_each(|folder| undo.made_folder(folder));
    if let Err(error) = alone {
        return Err(error.into());
    }
    if !had_lock {
        undo.made_file(&InstallationGuard::file(&record));
    }
    let Proposal { mut scene, outcome } = propose(context)?;
    scene.folders.splice(0..0, made.into_iter().rev());
    if outcome.changed {
        apply(context, &scene, &mut undo)?;
    }
    undo.keep();
    Ok(outcome)
}

/// Whether okstra's own folder holds nothing but the lock, and what was only half written: an installation was killed right
/// after it had made it.
pub(in crate::ops) fn is_left_alone(home: &Home) -> Result<bool, Error> {
    let lock = InstallationGuard::file(&home.installation());
    let names = fs::names_in(home.folder())?;
    Ok(names.iter().all(|name| lock.ends_with(name) || name.starts_with(".okstra-")))
}

fn apply(context: &Context, scene: &Scene, undo: &mut Undo) -> Result<(), Error> {
    write_record(scene, &scene.journal(), undo)?;
    scene.folders.iter().try_for_each(|folder| undo.make_folder(folder))?;
    write_files(scene, undo)?;
    let project = scene.project.as_ref();
    if let Some(settings) = project.and_then(|project| project.settings.as_ref()) {
        write_settings(scene, settings, undo)?;
    }
    for step in scene.plan.steps.iter().filter(|step| step.action == Action::Remove) {
        let expected = scene.facts.found.get(&step.path);
        undo.remove(Path::new(&step.path), |seen| expected.is_some_and(|expected| is(seen, expected)))?;
    }
    scene.emptied_folders().iter().try_for_each(|folder| undo.remove_folder(folder))?;
    write_record(scene, &scene.record(), undo)?;
    if let Some(project) = project {
        init::run(context, &project.options)?;
    }
    Ok(())
}

fn write_files(scene: &Scene, undo: &mut Undo) -> Result<(), Error> {
    let mut clean: Vec<PathBuf> = Vec::new();
    for write in &scene.plan.writes {
        let path = Path::new(&write.path);
        let folder = path.parent().unwrap_or(path).to_owned();
        // What a killed installation left half written.
        if !clean.contains(&folder) {
            fs::delete_leftovers(&folder)?;
            clean.push(folder);
        }
        let kind =
            scene.contents.wanted.iter().find(|wanted| wanted.path == write.content_of).map(|wanted| wanted.kind);
        let bytes = scene.contents.bytes.get(&write.content_of).map_or(&[][..], |bytes| bytes);
        undo.write(path, bytes, kind == Some(Kind::Executable), |seen| match seen {
            Seen::Missing => write.before.is_none(),
            Seen::File { bytes, .. } => write.before.as_ref() == Some(&sha256(bytes)),
            Seen::Other => false,
        })?;
    }
    Ok(())
}

fn write_settings(scene: &Scene, settings: &Settings, undo: &mut Undo) -> Result<(), Error> {
    if !settings.changes() {
        return Ok(());
    }
    fs::delete_leftovers(settings.path.parent().unwrap_or(scene.home.folder()))?;
    if let (Some(backup), Some(before)) = (&settings.backup, &settings.before) {
        let is_free = |seen: &Seen| match seen {
            Seen::Missing => true,
            Seen::File { bytes, .. } => bytes == before.as_bytes(),
            Seen::Other => false,
        };
        undo.write_copy(backup, before.as_bytes(), &settings.path, is_free)?;
    }
    let expected = |seen: &Seen| is_text(seen, settings.before.as_deref());
    match &settings.edit.text {
        Some(text) => undo.write(&settings.path, text.as_bytes(), false, expected),
        None => undo.remove(&settings.path, expected),
    }
}

/// Whether the text of a file is as it was read.
pub(in crate::ops) fn is_text(seen: &Seen, text: Option<&str>) -> bool {
    match seen {
        Seen::Missing => text.is_none(),
        Seen::File { bytes, .. } => text.is_some_and(|text| text.as_bytes() == bytes),
        Seen::Other => false,
    }
}

fn is(seen: &Seen, expected: &crate::domain::install::Found) -> bool {
    use crate::domain::install::Found;
    match (seen, expected) {
        (Seen::Missing, Found::Missing) => true,
        (Seen::File { bytes, .. }, Found::File { sha256: planned, .. }) => sha256(bytes) == *planned,
        _ => false,
    }
}

fn write_record(scene: &Scene, record: &Installation, undo: &mut Undo) -> Result<(), Error> {
    let path = scene.home.installation();
    fs::delete_leftovers(scene.home.folder())?;
    let text = record.to_text(&path)?;
    undo.write(&path, text.as_bytes(), false, |_| true)
}
