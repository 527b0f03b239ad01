//! Changes to files that are taken back unless they came to their end.

use std::path::{Path, PathBuf};

use super::InstallError;
use crate::context::Context;
use crate::fs::{self, Seen};
use crate::ops::Error;

/// What was changed, to be taken back in the opposite order when this is dropped; unless it was kept.
pub(in crate::ops) struct Undo {
    context: Context,
    done: Vec<Done>,
}

/// A change.
enum Done {
    /// A file, as it was before.
    File(PathBuf, Seen),
    /// A folder was made.
    Made(PathBuf),
    /// An empty folder was removed.
    Removed(PathBuf),
}

impl Undo {
    /// Nothing was changed yet.
    pub(in crate::ops) fn new(context: &Context) -> Self {
        Self { context: context.clone(), done: Vec::new() }
    }

    /// Makes the folder `path`, if it is not there.
    pub(in crate::ops) fn make_folder(&mut self, path: &Path) -> Result<(), Error> {
        if !fs::is_folder(path)? {
            fs::create_folder(path)?;
            self.done.push(Done::Made(path.to_owned()));
        }
        Ok(())
    }

    /// Writes a file; what stands there has to be what `is_expected` takes it for.
    pub(in crate::ops) fn write(
        &mut self,
        path: &Path,
        bytes: &[u8],
        executable: bool,
        is_expected: impl FnOnce(&Seen) -> bool,
    ) -> Result<(), Error> {
        self.remember(path, is_expected)?;
        // Also a write that fails may have come to its end, so it is remembered before.
        if executable {
            fs::replace_executable(path, bytes)?
        } else {
            fs::replace(path, bytes)?
        }
        Ok(())
    }

    /// Writes a copy of the file `original`, which nobody may read who may not read that; what stands at `path` has to be
    /// what `is_expected` takes it for.
    pub(in crate::ops) fn write_copy(
        &mut self,
        path: &Path,
        bytes: &[u8],
        original: &Path,
        is_expected: impl FnOnce(&Seen) -> bool,
    ) -> Result<(), Error> {
        self.remember(path, is_expected)?;
        Ok(fs::replace_as(path, bytes, original)?)
    }

    /// Remembers what stands at `path`, which has to be what `is_expected` takes it for.
    fn remember(&mut self, path: &Path, is_expected: impl FnOnce(&Seen) -> bool) -> Result<(), Error> {
        self.context.cancel().check()?;
        let before = fs::look(path)?;
        if !is_expected(&before) {
            return Err(InstallError::Changed { path: path.to_owned() }.into());
        }
        self.done.push(Done::File(path.to_owned(), before));
        Ok(())
    }

    /// Removes a file; what stands there has to be what `is_expected` takes it for.
    pub(in crate::ops) fn remove(&mut self, path: &Path, is_expected: impl FnOnce(&Seen) -> bool) -> Result<(), Error> {
        self.remember(path, is_expected)?;
        Ok(fs::delete_file(path)?)
    }

    /// Removes the folder `path` if nothing is in it.
    pub(in crate::ops) fn remove_folder(&mut self, path: &Path) -> Result<(), Error> {
        if fs::delete_empty_folder(path)? {
            self.done.push(Done::Removed(path.to_owned()));
        }
        Ok(())
    }

    /// A folder that was made otherwise goes again.
    pub(in crate::ops) fn made_folder(&mut self, path: &Path) {
        self.done.push(Done::Made(path.to_owned()));
    }

    /// A file that was made otherwise goes again.
    pub(in crate::ops) fn made_file(&mut self, path: &Path) {
        self.done.push(Done::File(path.to_owned(), Seen::Missing));
    }

    /// It came to its end: all stays.
    pub(in crate::ops) fn keep(mut self) {
        self.done.clear();
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        while let Some(done) = self.done.pop() {
            if let Done::File(path, before) = &done
                && fs::look(path).is_ok_and(|now| now == *before)
            {
                // It failed before anything was changed.
                continue;
            }
            let taken_back = match &done {
                Done::File(path, Seen::File { bytes, executable: true }) => fs::replace_executable(path, bytes),
                Done::File(path, Seen::File { bytes, .. }) => fs::replace(path, bytes),
                Done::File(path, _) => fs::delete_file(path),
                Done::Made(path) => fs::delete_empty_folder(path).map(|_| ()),
                Done::Removed(path) => fs::create_folder(path),
            };
            if let Err(error) = taken_back {
                self.context.warn(format!("not everything that was done could be taken back: {error}"));
            }
        }
    }
}
