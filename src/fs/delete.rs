//! Removing files and folders.

use std::fs;
use std::io;
use std::path::Path;

use super::list::{is_temporary, names_in};
use super::{Doing, Error};

/// Removes the file `path`; of a link the link. That there is none is no error.
///
/// # Errors
/// [`Error`] with the path.
pub fn delete_file(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::new(Doing::Remove, path, error)),
        _ => Ok(()),
    }
}

/// Removes the folder `path` if nothing is in it; answers whether it did. A link to a folder stays.
///
/// # Errors
/// [`Error`] with the path.
pub fn delete_empty_folder(path: &Path) -> Result<bool, Error> {
    use io::ErrorKind::{DirectoryNotEmpty, NotADirectory, NotFound};
    match fs::remove_dir(path) {
        Ok(()) => Ok(true),
        Err(error) if matches!(error.kind(), DirectoryNotEmpty | NotADirectory | NotFound) => Ok(false),
        Err(error) => Err(Error::new(Doing::Remove, path, error)),
    }
}

/// Removes the folder `path` and everything in it; links in it are removed and not followed. That there is none is no
/// error.
///
/// # Errors
/// [`Error`] with the path of the folder.
pub fn delete_folder(path: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::new(Doing::Remove, path, error)),
        _ => Ok(()),
    }
}

/// Removes from `folder` itself what processes that were killed while they wrote left behind. To be called by whoever is
/// alone there.
///
/// # Errors
/// [`Error`] with the path.
pub fn delete_leftovers(folder: &Path) -> Result<(), Error> {
    for name in names_in(folder)?.iter().filter(|name| is_temporary(Path::new(name))) {
        let path = folder.join(name);
        if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
            delete_file(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_gone_and_what_is_not_empty_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("a/b")).unwrap();
        for name in ["a/file", "a/.okstra-xyz.tmp", "a/.okstra-folder.tmpx"] {
            fs::write(path(name), "").unwrap();
        }
        delete_leftovers(&path("a")).unwrap();
        delete_leftovers(&path("none")).unwrap();
        assert_eq!(names_in(&path("a")).unwrap(), [".okstra-folder.tmpx", "b", "file"]);
        for (name, removed) in [("a", false), ("a/b", true), ("a/b", false), ("a/file", false), ("none", false)] {
            assert_eq!(delete_empty_folder(&path(name)).unwrap(), removed, "{name}");
        }
        delete_file(&path("a/file")).unwrap();
        delete_file(&path("a/file")).unwrap();
        assert!(delete_file(&path("a")).is_err());
        delete_folder(&path("a")).unwrap();
        delete_folder(&path("a")).unwrap();
        assert!(!path("a").exists());
    }
}
