//! Folders that are there for a while.

use std::path::{Path, PathBuf};

use super::{Doing, Error};

/// A new, empty folder of our own, which goes when this value goes: at the end, on an error, and when the command was
/// cancelled.
#[derive(Debug)]
pub struct ScratchFolder(tempfile::TempDir);

impl ScratchFolder {
    /// Creates one in the folder `parent`; its name begins with `prefix`.
    ///
    /// # Errors
    /// [`Error`] with the path of `parent`.
    pub fn create_in(parent: &Path, prefix: &str) -> Result<Self, Error> {
        let created = tempfile::Builder::new().prefix(prefix).tempdir_in(parent);
        created.map(Self).map_err(|source| Error::new(Doing::Create, parent, source))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Leaves the folder where it is, for someone to look at.
    pub fn keep(self) -> PathBuf {
        self.0.keep()
    }

    /// Removes the folder now, and says so if that fails.
    ///
    /// # Errors
    /// [`Error`] with the folder's path.
    pub fn remove(self) -> Result<(), Error> {
        let path = self.path().to_owned();
        self.0.close().map_err(|source| Error::new(Doing::Remove, &path, source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_with_its_value_unless_it_is_kept() {
        let parent = tempfile::tempdir().unwrap();
        let create = || ScratchFolder::create_in(parent.path(), "demo-").unwrap();
        let (dropped, kept, removed) = (create(), create(), create());
        let paths = [&dropped, &kept, &removed].map(|folder| folder.path().to_owned());
        std::fs::write(paths[0].join("file"), "").unwrap();
        drop(dropped);
        kept.keep();
        removed.remove().unwrap();
        assert_eq!(paths.map(|path| path.exists()), [false, true, false]);
        assert!(ScratchFolder::create_in(&parent.path().join("none"), "").unwrap_err().is_missing());
    }
}
