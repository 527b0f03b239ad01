//! `--restore`: what is mirrored and missing on disk is written there again, and nothing that is there is touched.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{moved, registry_rows};
use crate::context::Context;
use crate::domain::equivalence::RepoPath;
use crate::domain::mirror::{Place, place, rank};
use crate::domain::names::TaskName;
use crate::fs;
use crate::git::{self, Repository, SnapshotFile};
use crate::ops::Error;
use crate::ops::mirror::{self, Mirror};
use crate::store::{Home, Layout};

/// What was brought back, and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Restored {
    /// The tasks whose mirrors were gone through, `GROUP/ID`.
    pub tasks: Vec<String>,
    /// The files that were brought back, from the project root.
    pub restored: Vec<String>,
    /// The tasks whose registry rows were brought back, `PROJECT/GROUP/ID`.
    pub registry: Vec<String>,
    /// The tasks that this clone holds again after it was moved, `PROJECT/GROUP/ID`.
    pub moved: Vec<String>,
    /// How many mirrored files were there already; they stay as they are.
    pub kept: usize,
    /// Those of them that hold something else than the mirror.
    pub differing: Vec<String>,
    /// What a mirror holds and no okstra of this version writes; it was left there.
    pub ignored: Vec<String>,
    /// What could not be brought back, and why; a person has to look at it.
    pub refused: Vec<Refused>,
}

/// Something that was not brought back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Refused {
    /// The task whose mirror holds it.
    pub task: String,
    /// The file, from the project root; null for the whole task, or its registry row.
    pub path: Option<String>,
    /// Why, a clause.
    pub reason: String,
}

/// A restore under way.
pub(super) struct Restoring<'a> {
    pub(super) context: &'a Context,
    pub(super) repository: &'a Repository,
    pub(super) layout: Layout,
    pub(super) home: Home,
    pub(super) outcome: Restored,
}

/// A mirror with its files.
type Read = (Mirror, Vec<SnapshotFile>);

/// Brings back what is missing of the task that is `named`, or of all that are mirrored.
pub(super) fn run(
    context: &Context,
    (root, repository): (PathBuf, &Repository),
    named: Option<&str>,
) -> Result<Restored, Error> {
    let named = named.map(str::parse::<TaskName>).transpose()?;
    let home = Home::find(context)?;
    let mirrors = mirror::all(context, repository)?;
    let is_named = |task: &TaskName| named.as_ref().is_none_or(|named| named == task);
    if let Some(task) = named.as_ref().filter(|named| mirrors.iter().all(|mirror| mirror.task != **named)) {
        let mirrored = mirrors.into_iter().map(|mirror| mirror.task).collect();
        return Err(Error::NoMirror { task: task.clone(), root, mirrored });
    }
    let layout = Layout::new(root);
    let mut restoring = Restoring { context, repository, layout, home, outcome: Restored::default() };
    // Everything is read before anything is written.
    let shared = restoring.newest(&mirrors)?;
    let mut read = Vec::new();
    for mirror in mirrors.into_iter().filter(|mirror| is_named(&mirror.task)) {
        restoring.outcome.tasks.push(mirror.task.to_string());
        read.extend(restoring.read(mirror)?);
    }
    moved::restore(&mut restoring, named.as_ref())?;
    restoring.write(&read, shared.as_ref())?;
    Ok(restoring.outcome)
}

impl Restoring<'_> {
    /// The mirror that was written last, of those that can be read: what all tasks share is taken from it.
    fn newest(&self, mirrors: &[Mirror]) -> Result<Option<Read>, Error> {
        let mut by_age: Vec<&Mirror> = mirrors.iter().collect();
        by_age.sort_by_key(|mirror| std::cmp::Reverse(mirror.written));
        for mirror in by_age {
            match self.repository.read_snapshot_at(mirror.commit) {
                Ok(files) => return Ok(Some((mirror.clone(), files))),
                Err(git::Error::Cancelled(cancelled)) => return Err(cancelled.into()),
                Err(_) => {}
            }
        }
        Ok(None)
    }

    /// The files of a mirror; none when they must not be taken.
    fn read(&mut self, mirror: Mirror) -> Result<Option<Read>, Error> {
        match self.repository.read_snapshot_at(mirror.commit) {
            Ok(files) => Ok(Some((mirror, files))),
            Err(git::Error::Cancelled(cancelled)) => Err(cancelled.into()),
            Err(error) => {
                self.refuse(&mirror.task, None, told(&error));
                Ok(None)
            }
        }
    }

    fn write(&mut self, read: &[Read], shared: Option<&Read>) -> Result<(), Error> {
        let Some((newest, common)) = shared.filter(|_| !read.is_empty()) else { return Ok(()) };
        fs::create_folders_in(self.layout.root(), Path::new(".okstra"))?;
        if self.layout.ensure_ignored()? {
            self.outcome.restored.push(self.layout.recorded(&self.layout.gitignore()));
        }
        for (mirror, files) in read {
            match self.layout.check_case(&mirror.task) {
                Ok(()) => self.write_files(&mirror.task, files, Place::Own)?,
                Err(crate::store::Error::Fs(error)) => return Err(error.into()),
                Err(error) => self.refuse(&mirror.task, None, told(&error)),
            }
            self.note_unknown(&mirror.task, files);
        }
        self.write_files(&newest.task, common, Place::Shared)?;
        for (mirror, files) in read {
            let row = files.iter().find(|file| place(&mirror.task, file.path.as_bytes()) == Place::RegistryRow);
            if let Some(row) = row {
                registry_rows::restore(self, &mirror.task, &row.content)?;
            }
        }
        Ok(())
    }

    /// Writes those files of the mirror of `task` that are of one kind and missing.
    fn write_files(&mut self, task: &TaskName, files: &[SnapshotFile], kind: Place) -> Result<(), Error> {
        let mut files: Vec<_> = files.iter().filter(|file| place(task, file.path.as_bytes()) == kind).collect();
        files.sort_by_key(|file| rank(file.path.as_bytes()));
        for file in files {
            self.context.cancel().check()?;
            self.write_file(task, file)?;
        }
        Ok(())
    }

    fn write_file(&mut self, task: &TaskName, file: &SnapshotFile) -> Result<(), Error> {
        let Some(below) = local(&file.path) else {
            self.refuse(task, Some(file.path.to_string()), "this system has no file names like it".to_owned());
            return Ok(());
        };
        let path = self.layout.folder().join(&below);
        let shown = self.layout.recorded(&path);
        match fs::create_folders_in(&self.layout.folder(), below.parent().unwrap_or(Path::new(""))) {
            Ok(()) => {}
            Err(error @ fs::Error::NotAFolder { .. }) => {
                self.refuse(task, Some(shown), error.to_string());
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        }
        // What is there needs no place that can be written to.
        let is_there = path.symlink_metadata().is_ok() || !fs::create_new(&path, &file.content)?;
        match is_there {
            true => self.keep(task, &path, (shown, &file.content)),
            false => self.outcome.restored.push(shown),
        }
        Ok(())
    }

    /// Leaves what is there as it is, and says whether it is what was mirrored.
    fn keep(&mut self, task: &TaskName, path: &Path, (shown, mirrored): (String, &[u8])) {
        let kind = path.symlink_metadata().map(|metadata| metadata.file_type());
        if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) {
            return self.refuse(task, Some(shown), "a folder is in its place".to_owned());
        }
        self.outcome.kept += 1;
        let is_same = kind.is_ok_and(|kind| kind.is_file()) && fs::read(path).is_ok_and(|bytes| bytes == mirrored);
        if !is_same {
            self.outcome.differing.push(shown);
        }
    }

    fn note_unknown(&mut self, task: &TaskName, files: &[SnapshotFile]) {
        let unknown = files.iter().filter(|file| place(task, file.path.as_bytes()) == Place::Unknown);
        self.outcome.ignored.extend(unknown.map(|file| format!("{}{task}: {}", mirror::PREFIX, file.path)));
    }

    pub(super) fn refuse(&mut self, task: &TaskName, path: Option<String>, reason: String) {
        self.outcome.refused.push(Refused { task: task.to_string(), path, reason });
    }
}

/// An error with what caused it, in one line.
pub(super) fn told(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// A path of a mirror as this system writes it.
pub(in crate::ops) fn local(path: &RepoPath) -> Option<PathBuf> {
    #[cfg(unix)]
    return Some(PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(path.as_bytes())));
    #[cfg(not(unix))]
    std::str::from_utf8(path.as_bytes()).ok().map(PathBuf::from)
}
