//! Copying files, and removing what was made for a while.

use std::fs;
use std::path::Path;

use super::steps::step;
use super::write::folder_of;
use super::{Doing, Error, create_folders_in};

/// Copies the file `below` of the folder `from` to the same place in the folder `to`, with its permissions, unless there
/// is something of that name already. A symbolic link is copied as one. No folder on the way is reached through a link.
/// Answers whether it was copied.
///
/// # Errors
/// [`Error`] with the path.
pub fn take_copy(from: &Path, to: &Path, below: &Path) -> Result<bool, Error> {
    let (source, target) = (from.join(below), to.join(below));
    let metadata = fs::symlink_metadata(&source).map_err(|error| Error::new(Doing::Read, &source, error))?;
    create_folders_in(to, below.parent().unwrap_or(Path::new("")))?;
    if fs::symlink_metadata(&target).is_ok() {
        return Ok(false);
    }
    let at = |error| Error::new(Doing::Create, &target, error);
    step(&target);
    if metadata.is_symlink() {
        return copy_link(&source, &target).map(|()| true).map_err(at);
    }
    if !metadata.is_file() {
        return Ok(false);
    }
    let mut temporary = super::write::temporary_in(folder_of(&target), Some(&source)).map_err(at)?;
    let mut file = fs::File::open(&source).map_err(|error| Error::new(Doing::Read, &source, error))?;
    std::io::copy(&mut file, temporary.as_file_mut()).map_err(at)?;
    match temporary.persist_noclobber(&target) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(at(error.error)),
    }
}

#[cfg(unix)]
fn copy_link(source: &Path, target: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(fs::read_link(source)?, target)
}

#[cfg(not(unix))]
fn copy_link(_: &Path, _: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Whether both paths are files of the same bytes, or symbolic links to the same target. What cannot be read is the same
/// as nothing.
pub fn is_same_content(one: &Path, other: &Path) -> bool {
    let kind = |path: &Path| fs::symlink_metadata(path).map(|metadata| (metadata.file_type(), metadata.len()));
    match (kind(one), kind(other)) {
        (Ok((a, _)), Ok((b, _))) if a.is_symlink() && b.is_symlink() => {
            matches!((fs::read_link(one), fs::read_link(other)), (Ok(a), Ok(b)) if a == b)
        }
        (Ok((a, length)), Ok((b, other_length))) if a.is_file() && b.is_file() && length == other_length => {
            matches!((fs::read(one), fs::read(other)), (Ok(a), Ok(b)) if a == b)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_same_by_its_bytes_and_a_link_by_its_target() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for (name, text) in [("a", "x"), ("b", "x"), ("c", "y"), ("d", "xx")] {
            fs::write(path(name), text).unwrap();
        }
        let same = |one: &str, other: &str| is_same_content(&path(one), &path(other));
        assert!(same("a", "b") && !same("a", "c") && !same("a", "d") && !same("a", "none") && !same("none", "none"));
        assert!(!is_same_content(folder.path(), folder.path()));
        #[cfg(unix)]
        {
            for (name, target) in [("e", "a"), ("f", "a"), ("g", "b")] {
                std::os::unix::fs::symlink(target, path(name)).unwrap();
            }
            assert!(same("e", "f") && !same("e", "g") && !same("e", "a"));
        }
    }

    #[test]
    fn a_copy_is_never_over_anything_and_never_outside() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to, outside) = (folder.path().join("from"), folder.path().join("to"), folder.path().join("out"));
        for folder in [&from.join("a"), &to, &outside] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(from.join("a/.env"), "secret").unwrap();
        let copy = |below: &str| take_copy(&from, &to, Path::new(below));
        assert!(copy("a/.env").unwrap() && !copy("a/.env").unwrap());
        assert_eq!(fs::read(to.join("a/.env")).unwrap(), b"secret");
        assert!(!copy("a").unwrap() && copy("none").unwrap_err().is_missing());
        #[cfg(unix)]
        {
            use std::os::unix::fs::{PermissionsExt, symlink};
            fs::set_permissions(from.join("a/.env"), fs::Permissions::from_mode(0o600)).unwrap();
            fs::create_dir(from.join("b")).unwrap();
            fs::rename(from.join("a/.env"), from.join("b/.env")).unwrap();
            symlink("../out", to.join("b")).unwrap();
            assert!(matches!(copy("b/.env"), Err(Error::NotAFolder { .. })));
            symlink("nowhere", from.join("link")).unwrap();
            assert!(copy("link").unwrap() && to.join("link").symlink_metadata().unwrap().is_symlink());
            fs::remove_file(to.join("b")).unwrap();
            assert!(copy("b/.env").unwrap());
            assert_eq!(fs::metadata(to.join("b/.env")).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    }
}
