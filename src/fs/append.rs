//! Lines at the end of a file.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::steps::step;
use super::write::{folder_of, sync_folder};
use super::{Doing, Error, LockGuard};

/// How much of a file is read at once when its last line is looked for.
const CHUNK: u64 = 8192;

/// What becomes of a last line that has no end, left so by a crash.
#[derive(Clone, Copy, Debug)]
pub struct Unfinished {
    /// Whether all of the line is there, but for its end. It is then ended and nothing else.
    pub is_whole: fn(&[u8]) -> bool,
    /// What a line that is not whole is ended with, so that it can be told from a bad one later on.
    pub seal: &'static str,
}

/// What [`append_line`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// The file was whole.
    Clean,
    /// The last line was whole but for its end, which it was given before the new line.
    Ended,
    /// The last line was torn; it was sealed before the new line.
    Sealed,
}

/// Adds `line` and a line break at the end of the file `path`, which is created if it is not there. When this returns,
/// the line is on the disk; when it fails, nothing of it is in the file.
///
/// A last line without end is dealt with as `unfinished` says, in the same write. The lock guard shows that the caller
/// is alone; without that, looking for such a line would be a race.
///
/// # Errors
/// [`Error`] with the path, and [`Error::NotALine`] when `line` holds a line break.
pub fn append_line(alone: &LockGuard, path: &Path, line: &str, unfinished: Unfinished) -> Result<Appended, Error> {
    append_lines(alone, path, &[line], unfinished)
}

/// As [`append_line`], for several lines in one write; there must be one at least.
///
/// # Errors
/// As [`append_line`]; nothing of any of them is then in the file.
pub fn append_lines(
    _alone: &LockGuard,
    path: &Path,
    lines: &[&str],
    unfinished: Unfinished,
) -> Result<Appended, Error> {
    if lines.iter().any(|line| line.contains('\n')) {
        return Err(Error::NotALine { path: path.to_owned() });
    }
    let at = |source| Error::new(Doing::Write, path, source);
    let new = !path.exists();
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(at)?;
    let before = file.metadata().map_err(at)?.len();
    let last = last_line(&mut file, before).map_err(at)?;
    let (end, found) = match last {
        None => ("", Appended::Clean),
        Some(last) if (unfinished.is_whole)(&last) => ("\n", Appended::Ended),
        Some(_) => ("\n", Appended::Sealed),
    };
    let seal = if found == Appended::Sealed { unfinished.seal } else { "" };
    step(path);
    let written = write_through(&mut file, &format!("{seal}{end}{}\n", lines.join("\n")));
    if let Err(source) = written.and_then(|()| if new { sync_folder(folder_of(path)) } else { Ok(()) }) {
        // What was written goes out again; where that fails too, the next append seals it.
        let _ = file.set_len(before);
        return Err(at(source));
    }
    Ok(found)
}

fn write_through(file: &mut File, text: &str) -> io::Result<()> {
    file.write_all(text.as_bytes())?;
    file.sync_data()
}

/// The last line of a file of `length` bytes, where it has no end.
fn last_line(file: &mut File, length: u64) -> io::Result<Option<Vec<u8>>> {
    let (mut from, mut found) = (length, Vec::new());
    while from > 0 {
        let to = from;
        from = to.saturating_sub(CHUNK);
        let mut chunk = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        Read::by_ref(file).take(to - from).read_to_end(&mut chunk)?;
        if let Some(end) = chunk.iter().rposition(|&byte| byte == b'\n') {
            chunk.drain(..=end);
            from = 0;
        }
        chunk.append(&mut found);
        found = chunk;
    }
    Ok(Some(found).filter(|line| !line.is_empty()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::fs::LOCK_WAIT;

    const UNFINISHED: Unfinished = Unfinished { is_whole: |line| line.ends_with(b"."), seal: " #" };

    #[test]
    fn lines_follow_one_another_and_an_unfinished_one_is_ended_or_sealed() {
        let folder = tempfile::tempdir().unwrap();
        let guard = LockGuard::acquire(&folder.path().join("log.lock"), LOCK_WAIT, || false).unwrap();
        let log = folder.path().join("log");
        let append = |line: &str| append_line(&guard, &log, line, UNFINISHED);
        assert_eq!(append("one").unwrap(), Appended::Clean);
        let long = "x".repeat(20_000);
        let cases = [
            ("", Appended::Clean, ""),
            ("one\n", Appended::Clean, "one\n"),
            ("one\n\n", Appended::Clean, "one\n\n"),
            ("one\nto", Appended::Sealed, "one\nto #\n"),
            ("to", Appended::Sealed, "to #\n"),
            ("one\nall.", Appended::Ended, "one\nall.\n"),
            ("one\nto #\nall.", Appended::Ended, "one\nto #\nall.\n"),
            (&format!("one\n{long}"), Appended::Sealed, &format!("one\n{long} #\n")),
            (&format!("one\n{long}."), Appended::Ended, &format!("one\n{long}.\n")),
        ];
        for (before, found, after) in cases {
            fs::write(&log, before).unwrap();
            assert_eq!(append("new").unwrap(), found, "{before}");
            assert_eq!(fs::read_to_string(&log).unwrap(), format!("{after}new\n"), "{before}");
        }
        assert!(matches!(append("a\nb"), Err(Error::NotALine { .. })));
    }
}
