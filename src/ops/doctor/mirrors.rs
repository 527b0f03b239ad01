//! Mirrors: whether each task has one, and whether it is as the disk is.

use std::collections::BTreeSet;

use super::check::{Examined, Files};
use super::machine;
use crate::domain::doctor::{Fact, MirrorState, Shared, Sound};
use crate::domain::mirror::{Place, REGISTRY_ROW, is_same_log, place};
use crate::domain::names::{TaskKey, TaskName};
use crate::ops::{Error, mirror};
use crate::store;

impl Examined<'_> {
    /// Compares every mirror with the disk.
    pub(super) fn check_mirrors(&mut self) -> Result<(), Error> {
        let tasks: BTreeSet<TaskName> = self.tasks.keys().chain(self.mirrors.keys()).cloned().collect();
        let (mut found, mut count) = (Vec::new(), 0);
        for task in tasks {
            self.context.cancel().check()?;
            match self.state_of(&task) {
                Ok(Some(state)) => found.push(Fact::Mirror(task, state)),
                Ok(None) => count += usize::from(self.mirrors.contains_key(&task)),
                Err(error) => found.push(unreadable(error)?),
            }
        }
        match self.shared() {
            Ok(shared) => found.extend(shared.map(Fact::Shared)),
            Err(error) => found.push(unreadable(error)?),
        }
        if found.is_empty() && count > 0 {
            found.push(Fact::Sound(Sound::Mirrors, count));
        }
        self.facts.extend(found);
        Ok(())
    }

    /// How the mirror of a task differs from the disk; `None` when it does not, or there is nothing to mirror.
    fn state_of(&self, task: &TaskName) -> Result<Option<MirrorState>, Error> {
        let files = match self.mirrors.get(task) {
            None => {
                let has_records = self.tasks.get(task).is_some_and(|on_disk| on_disk.has_records);
                return Ok(has_records.then_some(MirrorState::None));
            }
            Some((_, Err(why))) => return Ok(Some(MirrorState::Unreadable(why.clone()))),
            Some((_, Ok(files))) => files,
        };
        if self.is_mirrored(task) && !self.tasks.contains_key(task) {
            return Ok(Some(MirrorState::NotOnDisk));
        }
        let disk = self.on_disk(&[self.layout.task(task)])?;
        let own = |path: &&Vec<u8>| place(task, path) == Place::Own;
        let lost = self.lost(files.keys().filter(own), &disk).len();
        let (row_lost, row_behind) = self.row(task, files);
        if lost > 0 || row_lost {
            return Ok(Some(MirrorState::Lost { files: lost, row: row_lost }));
        }
        let behind = behind(&disk, files) + usize::from(row_behind);
        Ok((behind > 0).then_some(MirrorState::Behind { files: behind }))
    }

    /// Whether the registry has lost the row that is mirrored, or has another.
    fn row(&self, task: &TaskName, files: &Files) -> (bool, bool) {
        let (Some(key), Some(registry)) = (self.key(task), &self.registry) else { return (false, false) };
        let mirrored = files.get(REGISTRY_ROW.as_bytes());
        let of_this =
            |row: &Vec<u8>| mirror::parse_row(row).is_ok_and(|row| row.key.parse() == Ok::<TaskKey, _>(key.clone()));
        match registry.get(&key.to_string()) {
            None => (mirrored.is_some_and(of_this), false),
            Some(entry) if !self.is_ours(entry) => (false, false),
            Some(entry) => (false, mirrored != Some(&mirror::row(&key, entry))),
        }
    }

    /// How what all tasks share differs from the mirror that was written last.
    fn shared(&self) -> Result<Option<Shared>, Error> {
        let readable = self.mirrors.values().filter_map(|(mirror, files)| Some((mirror, files.as_ref().ok()?)));
        let Some((newest, files)) = readable.max_by_key(|(mirror, _)| mirror.written) else { return Ok(None) };
        let disk = self.on_disk(&[self.layout.project(), self.layout.prompts()])?;
        let shared = |path: &&Vec<u8>| place(&newest.task, path) == Place::Shared;
        let lost = self.lost(files.keys().filter(shared), &disk);
        let behind = behind(&disk, files);
        let is_same = lost.is_empty() && behind == 0;
        Ok((!is_same).then(|| Shared { lost, behind, task: newest.task.clone() }))
    }

    /// What would be mirrored of these files and folders now.
    fn on_disk(&self, paths: &[std::path::PathBuf]) -> Result<Files, Error> {
        let mut files = Files::new();
        for path in paths {
            let found = mirror::collect(self.context, &self.layout, path)?;
            files.extend(found.into_iter().map(|file| (file.path.as_bytes().to_vec(), file.content)));
        }
        Ok(files)
    }

    /// Those of the mirrored files that are not there, from the project root.
    fn lost<'p>(&self, mirrored: impl Iterator<Item = &'p Vec<u8>>, disk: &Files) -> Vec<String> {
        let missing = mirrored.filter(|path| !disk.contains_key(*path));
        let names = missing.map(|path| String::from_utf8_lossy(path).into_owned());
        // What has grown too large for the mirror is there.
        names
            .filter(|name| self.layout.folder().join(name).symlink_metadata().is_err())
            .map(|name| format!(".okstra/{name}"))
            .collect()
    }
}

/// How many files are on disk and not so in the mirror.
fn behind(disk: &Files, mirrored: &Files) -> usize {
    let is_there = |(path, content): &(&Vec<u8>, &Vec<u8>)| {
        mirrored.get(*path).is_some_and(|there| there == *content || is_same_log(path, content, there))
    };
    disk.iter().filter(|file| !is_there(file)).count()
}

/// What keeps from comparing, as a fact, unless it is no fact about the project.
fn unreadable(error: Error) -> Result<Fact, Error> {
    match error {
        Error::Fs(error) => Ok(Fact::BadFile(machine::fault(&store::Error::Fs(error)))),
        error => Err(error),
    }
}
