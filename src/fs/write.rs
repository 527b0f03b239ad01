//! Writing whole files, and making folders.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use super::steps::step;
use super::{Doing, Error};

/// How the names of temporary files begin and end. One that a killed process left behind means nothing.
pub(super) const TEMPORARY: (&str, &str) = (".okstra-", ".tmp");

/// Makes the file `path` hold exactly `bytes`. Its folder must exist.
///
/// Every reader sees the old content or the new one, never a part, whatever happens meanwhile; when this returns, the
/// new one is on the disk. An existing file keeps its permissions. A symbolic link stays one: its target is replaced.
///
/// # Errors
/// [`Error`] with the path; the old content is then still there.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace_with(path, bytes, path, false)
}

/// As [`replace`], with the permissions of the file `like`: a copy is for nobody who may not read the original.
///
/// # Errors
/// As [`replace`].
pub fn replace_as(path: &Path, bytes: &[u8], like: &Path) -> Result<(), Error> {
    replace_with(path, bytes, like, false)
}

/// As [`replace`], and everybody may read and start the file.
///
/// # Errors
/// As [`replace`].
pub fn replace_executable(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace_with(path, bytes, path, true)
}

fn replace_with(path: &Path, bytes: &[u8], like: &Path, executable: bool) -> Result<(), Error> {
    let at = |source| Error::new(Doing::Write, path, source);
    let target = resolve_link(path).map_err(at)?;
    let folder = folder_of(&target);
    step(path);
    let mut temporary = temporary_in(folder, Some(like)).map_err(at)?;
    if executable {
        allow_to_start(temporary.as_file()).map_err(at)?;
    }
    temporary.write_all(bytes).and_then(|()| temporary.as_file().sync_all()).map_err(at)?;
    step(path);
    temporary.persist(&target).map_err(|error| at(error.error))?;
    sync_folder(folder).map_err(at)
}

#[cfg(unix)]
fn allow_to_start(file: &File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
}

#[cfg(not(unix))]
fn allow_to_start(_: &File) -> io::Result<()> {
    Ok(())
}

/// Makes the file `path` with `bytes` unless there is something of that name, which is then left as it is. Its folder
/// must exist. Answers whether it was made.
///
/// Of two that do this at once one makes the file, and a reader sees all of it or nothing.
///
/// # Errors
/// [`Error`] with the path; there is then no such file.
pub fn create_new(path: &Path, bytes: &[u8]) -> Result<bool, Error> {
    let at = |source| Error::new(Doing::Create, path, source);
    let folder = folder_of(path);
    step(path);
    let mut temporary = temporary_in(folder, None).map_err(at)?;
    temporary.write_all(bytes).and_then(|()| temporary.as_file().sync_all()).map_err(at)?;
    step(path);
    match temporary.persist_noclobber(path) {
        Ok(_) => sync_folder(folder).map(|()| true).map_err(at),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(at(error.error)),
    }
}

/// Removes the file `path`; what is not there is removed already. A symbolic link is removed itself.
///
/// # Errors
/// [`Error`] with the path, also where it is a folder.
pub fn remove(path: &Path) -> Result<(), Error> {
    step(path);
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::new(Doing::Remove, path, error)),
        _ => Ok(()),
    }
}

/// Creates the folder `path`, and those above it that are missing.
///
/// # Errors
/// [`Error`] with the path.
pub fn create_folder(path: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Ok(());
    }
    step(path);
    fs::create_dir_all(path).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => Error::NotAFolder { path: path.to_owned(), doing: Doing::Create, source },
        _ => Error::new(Doing::Create, path, source),
    })
}

/// Creates the folders of the relative path `below` in the folder `base`, those of them that are missing. None is reached
/// through a symbolic link, so all of them lie in `base`.
///
/// # Errors
/// [`Error`] with the path; [`Error::NotAFolder`] for one that is a file or a link, and for `..` and the like.
pub fn create_folders_in(base: &Path, below: &Path) -> Result<(), Error> {
    let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    let mut folder = base.to_owned();
    for part in below.components() {
        folder.push(part);
        let at = |source| Err(Error::new(Doing::Create, &folder, source));
        if !matches!(part, Component::Normal(_)) {
            return at(io::ErrorKind::NotADirectory.into());
        }
        if is_folder(&folder) {
            continue;
        }
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return at(error),
            // Another process may have been faster.
            Err(_) if !is_folder(&folder) => return at(io::ErrorKind::NotADirectory.into()),
            _ => {}
        }
    }
    Ok(())
}

/// The file behind a symbolic link; `path` itself where it is none, or where nothing is behind it.
fn resolve_link(path: &Path) -> io::Result<PathBuf> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => fs::canonicalize(path),
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        _ => Ok(path.to_owned()),
    }
}

/// A temporary file in `folder`, with the permissions that the new content shall have: those of `like`, if there is
/// such a file.
pub(super) fn temporary_in(folder: &Path, like: Option<&Path>) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY.0).suffix(TEMPORARY.1);
    #[cfg(unix)]
    let open_to_the_umask = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(open_to_the_umask);
    let temporary = builder.tempfile_in(folder)?;
    if let Some(metadata) = like.and_then(|like| fs::metadata(like).ok()) {
        temporary.as_file().set_permissions(metadata.permissions())?;
    }
    Ok(temporary)
}

pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Puts a new name in `folder` on the disk. Only Unix lets one open a folder for that.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_replaced_file_is_new_and_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a \"b\"\n é");
        replace(&file, b"one").unwrap();
        replace(&file, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(names(folder.path()).len(), 1);
    }

    #[test]
    fn a_failed_replace_leaves_nothing_and_names_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("folder");
        fs::create_dir(&below).unwrap();
        assert!(matches!(replace(&below, b""), Err(Error::IsAFolder { doing: Doing::Write, .. })));
        assert!(replace(&folder.path().join("none/file"), b"").unwrap_err().is_missing());
        assert_eq!(names(folder.path()), ["folder"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("file", &link).unwrap();
        replace(&link, b"new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let mode = || fs::metadata(&file).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(), 0o640);
        replace_executable(&file, b"program").unwrap();
        assert_eq!((fs::read(&file).unwrap().as_slice(), mode()), (b"program".as_slice(), 0o755));
        let secret = folder.path().join("secret");
        fs::write(&secret, "").unwrap();
        fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
        replace_as(&file, b"copy", &secret).unwrap();
        assert_eq!((fs::read(&file).unwrap().as_slice(), mode()), (b"copy".as_slice(), 0o600));
    }

    #[test]
    fn a_new_file_is_never_over_another() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        assert!(create_new(&file, b"one").unwrap());
        assert!(!create_new(&file, b"two").unwrap() && !create_new(folder.path(), b"").unwrap());
        assert_eq!(fs::read(&file).unwrap(), b"one");
        assert_eq!(names(folder.path()), ["file"]);
        assert!(create_new(&folder.path().join("none/file"), b"").unwrap_err().is_missing());
    }

    #[test]
    fn a_file_is_removed_once_and_a_folder_never() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        remove(&file).unwrap();
        remove(&file).unwrap();
        assert!(remove(folder.path()).is_err() && folder.path().exists());
    }

    #[test]
    fn folders_are_made_inside_only() {
        let folder = tempfile::tempdir().unwrap();
        let (base, outside) = (folder.path().join("base"), folder.path().join("outside"));
        fs::create_dir_all(base.join("a")).unwrap();
        fs::create_dir(&outside).unwrap();
        let create = |below: &str| create_folders_in(&base, Path::new(below));
        for good in ["", "a/b/c", "a/b"] {
            create(good).unwrap();
        }
        fs::write(base.join("file"), "").unwrap();
        for bad in ["../outside/x", "a/../b", "file", "file/x", "/x"] {
            assert!(matches!(create(bad), Err(Error::NotAFolder { .. })), "{bad}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../outside", base.join("link")).unwrap();
            std::os::unix::fs::symlink("nowhere", base.join("dangling")).unwrap();
            for bad in ["link", "link/x", "dangling/x"] {
                assert!(matches!(create(bad), Err(Error::NotAFolder { .. })), "{bad}");
            }
        }
        assert_eq!((names(&outside).len(), base.join("a/b/c").is_dir()), (0, true));
        assert!(create_folders_in(&folder.path().join("none"), Path::new("x")).unwrap_err().is_missing());
    }

    #[test]
    fn a_file_in_the_way_of_a_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        create_folder(&folder.path().join("a/b")).unwrap();
        for path in [file.clone(), file.join("below")] {
            assert!(matches!(create_folder(&path), Err(Error::NotAFolder { .. })), "{path:?}");
        }
    }
}
