//! Writing: whole files, and one line at the end of a file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::{Doing, Error, LockGuard};

/// Makes the file `path` hold exactly `bytes`. Its folder must exist.
///
/// Every reader sees the old content or the new one, never a part, whatever happens meanwhile; when this returns, the
/// new one is on the disk. An existing file keeps its permissions. A symbolic link stays one: its target is replaced.
///
/// # Errors
/// [`Error`] with the path; the old content is then still there.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let at = |source| Error::new(Doing::Write, path, source);
    let target = resolve_link(path).map_err(at)?;
    let folder = folder_of(&target);
    let mut temporary = temporary_in(folder, &target).map_err(at)?;
    temporary.write_all(bytes).and_then(|()| temporary.as_file().sync_all()).map_err(at)?;
    temporary.persist(&target).map_err(|error| at(error.error))?;
    sync_folder(folder).map_err(at)
}

/// What [`append_line`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// The file was whole.
    Clean,
    /// The last line had no end, left so by a crash; it was given one before the new line.
    Sealed,
}

/// Adds `line` and a line break at the end of the file `path`, which is created if it is not there. When this returns,
/// the line is on the disk; when it fails, nothing of it is in the file.
///
/// The lock guard shows that the caller is alone; without that, looking for a torn line would be a race.
///
/// # Errors
/// [`Error`] with the path, and [`Error::NotALine`] when `line` holds a line break.
pub fn append_line(_alone: &LockGuard, path: &Path, line: &str) -> Result<Appended, Error> {
    if line.contains('\n') {
        return Err(Error::NotALine { path: path.to_owned() });
    }
    let at = |source| Error::new(Doing::Write, path, source);
    let new = !path.exists();
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(at)?;
    let before = file.metadata().map_err(at)?.len();
    let torn = before > 0 && last_byte(&mut file).map_err(at)? != b'\n';
    let row = format!("{}{line}\n", if torn { "\n" } else { "" });
    if let Err(source) = file.write_all(row.as_bytes()).and_then(|()| file.sync_data()) {
        // What was written of the line goes out again; where that fails too, the next append seals it.
        let _ = file.set_len(before);
        return Err(at(source));
    }
    if new {
        sync_folder(folder_of(path)).map_err(at)?;
    }
    Ok(if torn { Appended::Sealed } else { Appended::Clean })
}

/// Creates the folder `path`, and those above it that are missing.
///
/// # Errors
/// [`Error`] with the path.
pub fn create_folder(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => Error::NotAFolder { path: path.to_owned(), doing: Doing::Create, source },
        _ => Error::new(Doing::Create, path, source),
    })
}

/// The file behind a symbolic link; `path` itself where it is none, or where nothing is behind it.
fn resolve_link(path: &Path) -> io::Result<PathBuf> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => fs::canonicalize(path),
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        _ => Ok(path.to_owned()),
    }
}

/// A temporary file beside `target`, with the permissions that the new content shall have.
fn temporary_in(folder: &Path, target: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".okstra-").suffix(".tmp");
    #[cfg(unix)]
    let open_to_the_umask = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(open_to_the_umask);
    let temporary = builder.tempfile_in(folder)?;
    if let Ok(metadata) = fs::metadata(target) {
        temporary.as_file().set_permissions(metadata.permissions())?;
    }
    Ok(temporary)
}

fn last_byte(file: &mut File) -> io::Result<u8> {
    let mut byte = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut byte)?;
    Ok(byte[0])
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Puts a new name in `folder` on the disk. Only Unix lets one open a folder for that.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs::LOCK_WAIT;

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
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn lines_follow_one_another_and_a_torn_one_is_sealed() {
        let folder = tempfile::tempdir().unwrap();
        let guard = LockGuard::acquire(&folder.path().join("log.lock"), LOCK_WAIT, || false).unwrap();
        let log = folder.path().join("log");
        assert_eq!(append_line(&guard, &log, "one").unwrap(), Appended::Clean);
        fs::write(&log, "one\ntwo\nto").unwrap();
        assert_eq!(append_line(&guard, &log, "three").unwrap(), Appended::Sealed);
        assert_eq!(append_line(&guard, &log, "four").unwrap(), Appended::Clean);
        assert_eq!(fs::read_to_string(&log).unwrap(), "one\ntwo\nto\nthree\nfour\n");
        assert!(matches!(append_line(&guard, &log, "a\nb"), Err(Error::NotALine { .. })));
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
