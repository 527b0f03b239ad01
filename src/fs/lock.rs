//! Exclusive access: an advisory lock on a file beside the data.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{io, thread};

use super::{Doing, Error};

/// How long a lock is waited for, unless there is a reason for something else.
pub const LOCK_WAIT: Duration = Duration::from_secs(10);
/// The longest pause between two tries. The first are shorter, since locks are held for moments.
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// Whoever has one is alone, until it is dropped. The system lets go of the lock when the process dies.
///
/// The lock file itself stays, since removing it would let two processes lock two files of one name. While the lock
/// is held the file holds the holder's process id, for the error of those who wait in vain.
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
    /// [`Error::Locked`] with the holder when the wait was in vain, [`Error::Stopped`] when `stop` said so, and any
    /// other [`Error`] when the file cannot be created or locked.
    pub fn acquire(path: &Path, wait: Duration, stop: impl Fn() -> bool) -> Result<Self, Error> {
        let at = |source| Error::new(Doing::Lock, path, source);
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path).map_err(at)?;
        let (mut waited, mut pause) = (Duration::ZERO, Duration::from_micros(500));
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(source)) => return Err(at(source)),
                Err(TryLockError::WouldBlock) if stop() => return Err(Error::Stopped { path: path.to_owned() }),
                Err(TryLockError::WouldBlock) if waited >= wait => {
                    return Err(Error::Locked { path: path.to_owned(), holder: holder(path), waited });
                }
                Err(TryLockError::WouldBlock) => thread::sleep(pause),
            }
            waited += pause;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        let guard = Self { file, path: path.to_owned() };
        guard.sign().map_err(at)?;
        Ok(guard)
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

/// The process that wrote its id into the lock file.
fn holder(path: &Path) -> Option<u32> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
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
        let Error::Locked { holder, waited, .. } = &error else { panic!("{error}") };
        assert_eq!(*holder, Some(std::process::id()));
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
}
