//! What stands at a path, links not followed.

use std::fs;
use std::io;
use std::path::Path;

use super::{Doing, Error};

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Nothing.
    Missing,
    /// A file.
    File {
        /// Its content.
        bytes: Vec<u8>,
        /// Whether it may be started; on Windows every file may.
        executable: bool,
    },
    /// A link, a device, a pipe.
    Other,
}

/// Looks at `path`.
///
/// # Errors
/// [`Error::IsAFolder`] for a folder, [`Error::NotAFolder`] where a part of the path is none, and when it cannot be read.
pub fn look(path: &Path) -> Result<Seen, Error> {
    let at = |source| Error::new(Doing::Read, path, source);
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Seen::Missing),
        Err(error) => return Err(at(error)),
    };
    if metadata.is_dir() {
        return Err(at(io::ErrorKind::IsADirectory.into()));
    }
    if !metadata.is_file() {
        return Ok(Seen::Other);
    }
    Ok(Seen::File { bytes: fs::read(path).map_err(at)?, executable: is_executable(&metadata) })
}

/// Whether a folder is at `path`; a link to one counts.
///
/// # Errors
/// When that cannot be told.
pub fn is_folder(path: &Path) -> Result<bool, Error> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(metadata.is_dir()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::new(Doing::Read, path, error)),
    }
}

#[cfg(unix)]
fn is_executable(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 == 0o111
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_looked_at_and_nothing_behind_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), "x").unwrap();
        assert!(matches!(look(&path("file")).unwrap(), Seen::File { bytes, .. } if bytes == b"x"));
        assert_eq!(look(&path("none/below")).unwrap(), Seen::Missing);
        assert!(matches!(look(folder.path()), Err(Error::IsAFolder { .. })));
        assert!(matches!(look(&path("file/below")), Err(Error::NotAFolder { .. })));
        assert!(is_folder(folder.path()).unwrap() && !is_folder(&path("file")).unwrap());
        #[cfg(unix)]
        {
            use std::os::unix::fs::{PermissionsExt, symlink};
            symlink("file", path("link")).unwrap();
            assert_eq!(look(&path("link")).unwrap(), Seen::Other);
            for (mode, expected) in [(0o755, true), (0o711, true), (0o644, false), (0o744, false)] {
                fs::set_permissions(path("file"), fs::Permissions::from_mode(mode)).unwrap();
                assert!(
                    matches!(look(&path("file")).unwrap(), Seen::File { executable, .. } if executable == expected)
                );
            }
        }
    }
}
