//! Logs of one JSON object a line: what a crash can leave at their end, and how that is told from damage.
//!
//! A crash can leave a last line without its end. When it is a whole object it counts. When it is not (a part of an
//! object is never an object) it is torn: readers leave it out, with a warning, and the next append ends it with
//! [`SEAL`], so that it can be told for ever from a line that was damaged otherwise, which is an error.

use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;

use super::Error;
use super::json::without_mark;
use crate::context::Context;
use crate::fs::{self, Appended, LOCK_WAIT, LockGuard, Unfinished};

/// What ends a line that a crash tore, on that same line. No JSON object ends so.
pub const SEAL: &str = " #torn";

/// How a log goes on after a crash.
const UNFINISHED: Unfinished = Unfinished { is_whole, seal: SEAL };

/// One line of a log that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Its number, from 1.
    pub(super) number: usize,
    /// What is on it.
    pub(super) text: &'a str,
}

/// The text of a log file; nothing where there is no such file.
///
/// # Errors
/// [`Error::Fs`], with the line of what is not UTF-8, unless that is a torn one.
pub(super) fn read(path: &Path) -> Result<String, Error> {
    match fs::read(path) {
        Err(error) if error.is_missing() => Ok(String::new()),
        bytes => text_of(path, bytes?),
    }
}

/// The text of a log file that holds `bytes`; `path` is named in errors only.
///
/// # Errors
/// As [`read`].
pub(super) fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, Error> {
    String::from_utf8(bytes).or_else(|error| {
        let bytes = error.as_bytes();
        let lines = bytes.split_inclusive(|&byte| byte == b'\n').enumerate();
        match lines.into_iter().find(|(_, line)| std::str::from_utf8(line).is_err() && !is_torn(line)) {
            Some((index, _)) => Err(fs::Error::NotUtf8 { path: path.to_owned(), line: index + 1 }.into()),
            None => Ok(String::from_utf8_lossy(bytes).into_owned()),
        }
    })
}

/// The lines of the log `path` that count. Torn ones are left out, and `torn` is told their numbers.
pub(super) fn each<'a>(text: &'a str, mut torn: impl FnMut(usize)) -> impl Iterator<Item = Line<'a>> {
    without_mark(text).split_inclusive('\n').zip(1..).filter_map(move |(text, number)| {
        if is_torn(text.as_bytes()) {
            torn(number);
            return None;
        }
        Some(Line { number, text: text.strip_suffix('\n').unwrap_or(text) })
    })
}

/// Tells whoever listens of a torn line.
pub(super) fn warn_of_torn(context: &Context, path: &Path, line: usize) {
    context.warn(format!("`{}:{line}` was torn by a crash and is left out", path.display()));
}

/// Locks a log, by the file of its name with `.lock` beside it; its folder is created if it is not there.
///
/// # Errors
/// [`Error::Fs`], when somebody else holds the lock for long too.
pub(super) fn lock(path: &Path, context: &Context) -> Result<LockGuard, Error> {
    if let Some(folder) = path.parent() {
        fs::create_folder(folder)?;
    }
    Ok(LockGuard::acquire(&lock_of(path), LOCK_WAIT, || context.cancel().is_cancelled())?)
}

/// Adds a line to the log that is locked.
///
/// # Errors
/// [`Error::Fs`]; nothing of the line is then there.
pub(super) fn append(alone: &LockGuard, path: &Path, line: &str) -> Result<Appended, Error> {
    Ok(fs::append_line(alone, path, line, UNFINISHED)?)
}

/// Adds lines to the log that is locked, all in one write; none is one, too.
///
/// # Errors
/// [`Error::Fs`]; nothing of any line is then there.
pub(super) fn append_all(alone: &LockGuard, path: &Path, lines: &[&str]) -> Result<(), Error> {
    if lines.is_empty() {
        return Ok(());
    }
    Ok(fs::append_lines(alone, path, lines, UNFINISHED).map(drop)?)
}

/// The lock file of the file `path`.
pub(super) fn lock_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

/// Whether a line, with its end if it has one, was left so by a crash.
fn is_torn(line: &[u8]) -> bool {
    match line.strip_suffix(b"\n") {
        Some(ended) => ended.strip_suffix(b"\r").unwrap_or(ended).ends_with(SEAL.as_bytes()),
        None => !is_whole(line),
    }
}

/// Whether `line` is one JSON object.
fn is_whole(line: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(line) else { return false };
    let text = without_mark(text);
    is_object(text) && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Whether `text`, if it is JSON, is an object.
pub(super) fn is_object(text: &str) -> bool {
    text.trim_start_matches([' ', '\t', '\r', '\n']).starts_with('{')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> (Vec<(usize, &str)>, Vec<usize>) {
        let mut torn = Vec::new();
        let lines = each(text, |number| torn.push(number)).map(|line| (line.number, line.text)).collect();
        (lines, torn)
    }

    #[test]
    fn torn_lines_are_told_from_others() {
        let cases = [
            ("", vec![], vec![]),
            ("{}\n", vec![(1, "{}")], vec![]),
            ("{}", vec![(1, "{}")], vec![]),
            ("\u{feff}{}", vec![(1, "{}")], vec![]),
            ("{}\r\n{}\r\n", vec![(1, "{}\r"), (2, "{}\r")], vec![]),
            ("{}\n{", vec![(1, "{}")], vec![2]),
            ("{}\n1", vec![(1, "{}")], vec![2]),
            ("{}\n{ #torn\n{}\n", vec![(1, "{}"), (3, "{}")], vec![2]),
            ("{}\n{ #torn\r\n{}\n", vec![(1, "{}"), (3, "{}")], vec![2]),
            ("{}\n{ #to", vec![(1, "{}")], vec![2]),
            ("{}\n{\n{}\n", vec![(1, "{}"), (2, "{"), (3, "{}")], vec![]),
            ("\n{}\n", vec![(1, ""), (2, "{}")], vec![]),
        ];
        for (text, expected, torn) in cases {
            assert_eq!(lines(text), (expected, torn), "{text:?}");
        }
    }

    #[test]
    fn no_part_of_an_object_is_whole() {
        let object = r#"{"a":{"b":"}é"},"c":[1,2]}"#;
        assert!(is_whole(object.as_bytes()));
        for end in 0..object.len() {
            assert!(!is_whole(&object.as_bytes()[..end]), "{end}");
        }
    }

    #[test]
    fn only_a_torn_line_may_be_no_utf8() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let cases: [(&[u8], Option<usize>); 4] = [
            (b"{}\n{\"\xc3", None),
            (b"{}\n{\"\xc3 #torn\n{}\n", None),
            (b"{}\n{\"\xc3\"}\n{}\n", Some(2)),
            (b"{\"\xc3", None),
        ];
        for (bytes, bad) in cases {
            fs::replace(&path, bytes).unwrap();
            match (read(&path), bad) {
                (Ok(text), None) => assert_eq!(lines(&text).1.len(), 1, "{text}"),
                (Err(Error::Fs(fs::Error::NotUtf8 { line, .. })), Some(bad)) => assert_eq!(line, bad),
                (read, _) => panic!("{read:?}"),
            }
        }
    }
}
