//! Exclusive access: an advisory lock on a file beside the data.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{io, thread};

use super::{Doing, Error};
use crate::domain::moment::Moment;

/// How long a lock is waited for, unless there is a reason for something else.
pub const LOCK_WAIT: Duration = Duration::from_secs(10);
/// The longest pause between two tries. The first are shorter, since locks are held for moments.
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// Whoever has one is alone, until it is dropped. The system lets go of the lock when the process dies.
///
/// The lock file itself stays, since removing it would let two processes lock two files of one name. While the lock
/// is held the file holds the holder's process id, for the error of those who wait in vain; the file's time tells since
/// when.
#[derive(Debug)]
pub struct LockGuard {
    file: File,
    path: PathBuf,
}

impl LockGuard {
    /// Locks the file `path`, which is created if it is not there; waits for at most `wait`, and only until `stop`
    /// says so.
    ///
    /// # Errors
    /// [`Error::Locked`] with the holder when the wait was in vain, [`Error::Stopped`] when `stop` said so,
    /// [`Error::NotAFile`] for a symbolic link and the like, and any other [`Error`] when the file cannot be created or
    /// locked.
    pub fn acquire(path: &Path, wait: Duration, stop: impl Fn() -> bool) -> Result<Self, Error> {
        let at = |source| Error::new(Doing::Lock, path, source);
        let (mut waited, mut pause) = (Duration::ZERO, Duration::from_micros(500));
        let mut file = open(path)?;
        loop {
            match file.try_lock() {
                Ok(()) if is_still(&file, path) => break,
                // The file was removed while it was waited for: the next who comes would lock another one.
                Ok(()) => file = open_anew(path)?,
                Err(TryLockError::Error(source)) => return Err(at(source)),
                Err(TryLockError::WouldBlock) if stop() => return Err(Error::Stopped { path: path.to_owned() }),
                Err(TryLockError::WouldBlock) if waited >= wait => return Err(locked(path, waited)),
                Err(TryLockError::WouldBlock) => thread::sleep(pause),
            }
            waited += pause;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        let guard = Self { file, path: path.to_owned() };
        // On a full disk the lock holds as well; only who holds it is not known then.
        match guard.sign() {
            Err(error) if error.kind() == std::io::ErrorKind::StorageFull => {}
            signed => signed.map_err(at)?,
        }
        Ok(guard)
    }

    /// Whether somebody holds the lock `path` now; `None` where there is no such file, or it cannot be opened.
    pub fn is_held(path: &Path) -> Option<bool> {
        let file = std::fs::File::open(path).ok()?;
        match file.try_lock_shared() {
            Ok(()) => Some(false),
            Err(TryLockError::WouldBlock) => Some(true),
            Err(TryLockError::Error(_)) => None,
        }
    }

    /// The lock file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn sign(&self) -> io::Result<()> {
        self.file.set_len(0)?;
        (&self.file).write_all(format!("{}\n", std::process::id()).as_bytes())
    }
}

impl Drop for LockGuard {
    fn drop(&mut self) {
        // Closing the file unlocks it; an id that stays behind is read only while somebody holds the lock.
        let _ = self.file.set_len(0);
    }
}

/// Opens the lock file, never through a symbolic link: it is written to.
fn open(path: &Path) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    let no_file = || Error::NotAFile { path: path.to_owned(), doing: Doing::Lock };
    if fs::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return Err(no_file());
    }
    options.open(path).map_err(|source| Error::new(Doing::Lock, path, source))
}

/// Opens the lock file again that its holder removed; the folder may have gone with it.
fn open_anew(path: &Path) -> Result<File, Error> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|source| Error::new(Doing::Lock, path, source))?;
    }
    open(path)
}

/// Whether `path` still names the open `file`.
fn is_still(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let same = |a: &fs::Metadata, b: &fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
        matches!((file.metadata(), fs::symlink_metadata(path)), (Ok(open), Ok(named)) if same(&open, &named))
    }
    // An open file cannot be removed there.
    #[cfg(not(unix))]
    {
        let _ = (file, path);
        true
    }
}

/// The error that says who holds the lock: the holder wrote its id into the file, which was never written to since.
fn locked(path: &Path, waited: Duration) -> Error {
    let holder = fs::read_to_string(path).ok().and_then(|text| text.trim().parse().ok());
    let written = fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let since = written.filter(|_| holder.is_some()).and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    let since = since.and_then(|since| i64::try_from(since.as_secs()).ok()).map(Moment::from_seconds);
    Error::Locked { path: path.to_owned(), holder, since, waited }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn the_second_waits_in_vain_and_learns_who_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let guard = LockGuard::acquire(&path, LOCK_WAIT, || false).unwrap();
        let error = LockGuard::acquire(&path, Duration::from_millis(30), || false).unwrap_err();
        let Error::Locked { holder, since, waited, .. } = &error else { panic!("{error}") };
        assert_eq!(*holder, Some(std::process::id()));
        let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
        assert!(now.abs_diff(since.unwrap().seconds().cast_unsigned()) < 60, "{error}");
        let id = std::process::id();
        assert!(error.to_string().contains(&format!("is locked by process {id} since {}; waited", since.unwrap())));
        assert!(*waited >= Duration::from_millis(30));
        drop(guard);
        LockGuard::acquire(&path, Duration::ZERO, || false).unwrap();
    }

    #[test]
    fn a_wait_can_be_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let _guard = LockGuard::acquire(&path, LOCK_WAIT, || false).unwrap();
        let asked = Cell::new(0);
        let stop = || asked.replace(asked.get() + 1) == 2;
        assert!(matches!(LockGuard::acquire(&path, LOCK_WAIT, stop), Err(Error::Stopped { .. })));
        assert_eq!(asked.get(), 3);
    }

    #[test]
    fn what_is_no_file_is_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        let lock = |name: &str| LockGuard::acquire(&folder.path().join(name), Duration::ZERO, || false);
        fs::create_dir(folder.path().join("folder")).unwrap();
        assert!(matches!(lock("folder"), Err(Error::IsAFolder { .. } | Error::Forbidden { .. })));
        assert!(lock("none/lock").unwrap_err().is_missing());
        fs::write(folder.path().join("file"), "precious").unwrap();
        assert!(matches!(lock("file/lock"), Err(Error::NotAFolder { .. })));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("file", folder.path().join("link")).unwrap();
            assert!(matches!(lock("link"), Err(Error::NotAFile { .. })));
            assert_eq!(fs::read_to_string(folder.path().join("file")).unwrap(), "precious");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_file_that_was_removed_locks_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = LockGuard::acquire(&path, LOCK_WAIT, || false).unwrap();
        let waiting = std::thread::scope(|scope| {
            let waiter = scope.spawn(|| LockGuard::acquire(&path, LOCK_WAIT, || false).unwrap());
            thread::sleep(Duration::from_millis(30));
            fs::remove_file(&path).unwrap();
            drop(first);
            waiter.join().unwrap()
        });
        assert!(matches!(LockGuard::acquire(&path, Duration::ZERO, || false), Err(Error::Locked { .. })));
        drop(waiting);
    }
}
