//! What is in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::write::TEMPORARY;
use super::{Doing, Error};

/// The files below a folder, each as its path from that folder, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The regular files.
    pub files: Vec<PathBuf>,
    /// What is neither a regular file nor a folder: symbolic links, pipes, devices. None of them was looked into.
    pub others: Vec<PathBuf>,
}

/// Every file below `folder`; none where there is no such folder. Symbolic links are never followed. The temporary
/// files of [`super::replace`] are left out: they are nothing but leftovers of processes that were killed.
///
/// # Errors
/// [`Error`] with the path of what cannot be read, and [`Error::NotAFile`] when `folder` itself is a symbolic link.
pub fn list_files(folder: &Path) -> Result<Listing, Error> {
    if fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(Error::NotAFile { path: folder.to_owned(), doing: Doing::Read });
    }
    let (mut listing, mut left) = (Listing::default(), vec![PathBuf::new()]);
    while let Some(below) = left.pop() {
        for (name, kind) in entries(&folder.join(&below))? {
            let path = below.join(&name);
            if kind.is_dir() {
                left.push(path);
            } else if !kind.is_file() {
                listing.others.push(path);
            } else if !is_temporary(&name) {
                listing.files.push(path);
            }
        }
    }
    listing.files.sort();
    listing.others.sort();
    Ok(listing)
}

/// The names of everything in `folder` itself, sorted; none where there is no such folder. What is not UTF-8 in a name
/// is replaced.
///
/// # Errors
/// [`Error`] with the path of the folder.
pub fn names_in(folder: &Path) -> Result<Vec<String>, Error> {
    let mut names: Vec<_> = entries(folder)?.into_iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

fn entries(folder: &Path) -> Result<Vec<(PathBuf, fs::FileType)>, Error> {
    let at = |source| Error::new(Doing::Read, folder, source);
    let found = match fs::read_dir(folder).map_err(at) {
        Err(error) if error.is_missing() => return Ok(Vec::new()),
        found => found?,
    };
    let entry = |entry: fs::DirEntry| Ok((PathBuf::from(entry.file_name()), entry.file_type()?));
    found.map(|found| found.and_then(entry).map_err(at)).collect()
}

pub(super) fn is_temporary(name: &Path) -> bool {
    let name = name.to_string_lossy();
    name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_at_any_depth_and_a_missing_folder_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["b/c/d", "a", "b/a", ".hidden", ".okstra-x.tmp"] {
            fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
            fs::write(folder.path().join(path), "").unwrap();
        }
        let listing = list_files(folder.path()).unwrap();
        assert_eq!(listing.files, [".hidden", "a", "b/a", "b/c/d"].map(PathBuf::from));
        assert_eq!(list_files(&folder.path().join("none")).unwrap(), Listing::default());
        assert_eq!(names_in(&folder.path().join("b")).unwrap(), ["a", "c"]);
        assert!(names_in(&folder.path().join("none")).unwrap().is_empty());
        assert!(matches!(list_files(&folder.path().join("a")), Err(Error::NotAFolder { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_reported_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("in/below")).unwrap();
        fs::write(folder.path().join("in/below/file"), "").unwrap();
        for (target, name) in [("..", "in/up"), ("below/file", "in/link"), ("nowhere", "in/dangling")] {
            std::os::unix::fs::symlink(target, folder.path().join(name)).unwrap();
        }
        std::os::unix::fs::symlink("in", folder.path().join("root")).unwrap();
        let listing = list_files(&folder.path().join("in")).unwrap();
        assert_eq!(listing.files, [PathBuf::from("below/file")]);
        assert_eq!(listing.others, ["dangling", "link", "up"].map(PathBuf::from));
        assert!(matches!(list_files(&folder.path().join("root")), Err(Error::NotAFile { .. })));
    }
}
