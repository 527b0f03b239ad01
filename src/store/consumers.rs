//! The log of who consumed which stage, `consumers.jsonl`: never rewritten, only added to.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

use super::lines::{self, Line};
use super::{Error, JsonFault};
use crate::context::Context;
use crate::domain::names::TaskKey;
use crate::domain::plan::Plan;
use crate::domain::records::{Append, Reappend, Record, Row, decide_append, latest_done_by_stage};
use crate::fs::LockGuard;
use crate::store::json;

/// With fewer rows than this a thread costs more than it saves.
const WORTH_THREADS: usize = 5_000;
/// More threads than this gain nothing, since reading the file is what then takes the time.
const MAX_THREADS: usize = 4;

/// What a log file holds, as text; [`LogText::rows`] makes sense of it.
#[derive(Clone, Debug)]
pub struct LogText {
    path: PathBuf,
    text: String,
}

/// A log that was read: its rows, borrowed from its text.
#[derive(Debug)]
pub struct Log<'a> {
    path: &'a Path,
    lines: Vec<Line<'a>>,
    rows: Vec<Row<'a>>,
}

/// What the log says of a stage that is done.
#[derive(Clone, Debug, PartialEq)]
pub struct DoneStage {
    /// The last done row: it says what the stage's commit is.
    pub latest: Record,
    /// The last done row that `stage done` or a person wrote, from which every proof starts.
    pub witness: Option<Record>,
}

/// The done stages of `task` in the log `path`, by number; none where there is no log. See [`Log::done`].
///
/// # Errors
/// As [`LogText::read`], [`LogText::rows`] and [`Log::done`].
pub fn read_done(
    path: &Path,
    context: &Context,
    task: &TaskKey,
    plan: Option<&Plan>,
) -> Result<BTreeMap<u32, DoneStage>, Error> {
    LogText::read(path)?.rows(context)?.done(task, plan)
}

/// Adds one row to the log `path` unless [`decide_append`] says that it is there, under the log's lock.
///
/// # Errors
/// As [`LogGuard::lock`] and [`LogGuard::append`].
pub fn append(path: &Path, context: &Context, record: &Record, reappend: Reappend) -> Result<Append, Error> {
    LogGuard::lock(path, context)?.append(record, reappend)
}

impl LogText {
    /// Reads the log `path` without a lock; where there is no such file it is empty.
    ///
    /// # Errors
    /// [`Error::Fs`], with the line of what is not UTF-8.
    pub fn read(path: &Path) -> Result<Self, Error> {
        Ok(Self { path: path.to_owned(), text: lines::read(path)? })
    }

    /// The same for a log that holds `bytes`; `path` is named in errors only.
    ///
    /// # Errors
    /// As [`LogText::read`].
    pub fn parse(path: &Path, bytes: Vec<u8>) -> Result<Self, Error> {
        Ok(Self { path: path.to_owned(), text: lines::text_of(path, bytes)? })
    }

    /// The rows. Of a torn line, which is left out, `context` is warned.
    ///
    /// # Errors
    /// [`Error::BadLine`] for the first line that is no row.
    pub fn rows(&self, context: &Context) -> Result<Log<'_>, Error> {
        let torn = |number| lines::warn_of_torn(context, &self.path, number);
        let lines: Vec<_> = lines::each(&self.text, torn).collect();
        let rows = parse_all(&self.path, &lines)?;
        Ok(Log { path: &self.path, lines, rows })
    }
}

impl<'a> Log<'a> {
    /// The rows, oldest first.
    pub fn rows(&self) -> &[Row<'a>] {
        &self.rows
    }

    /// The rows with the numbers of their lines.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, &Row<'a>)> {
        self.lines.iter().map(|line| line.number).zip(&self.rows)
    }

    /// The rows with their lines, which are as they were written but for their ends.
    pub fn lines(&self) -> impl Iterator<Item = (&'a str, &Row<'a>)> {
        self.lines.iter().map(|line| line.text).zip(&self.rows)
    }

    /// Every row in full, oldest first.
    ///
    /// # Errors
    /// [`Error::BadLine`] for the first row that okstra would not write.
    pub fn records(&self) -> Result<Vec<Record>, Error> {
        (0..self.rows.len()).map(|place| self.record(place)).collect()
    }

    /// The done stages of `task`, by number, as [`latest_done_by_stage`] sees them.
    ///
    /// # Errors
    /// [`Error::BadLine`] when a row that counts has a field of a wrong type, [`Error::CaseCollision`] when a row is about
    /// a task whose key differs only in case.
    pub fn done(&self, task: &TaskKey, plan: Option<&Plan>) -> Result<BTreeMap<u32, DoneStage>, Error> {
        let given = task.to_string();
        let keys = self.rows.iter().filter_map(|row| row.impl_task_key.as_deref());
        let similar = |key: &&str| key.len() == given.len() && **key != *given && key.eq_ignore_ascii_case(&given);
        if let Some(existing) = keys.into_iter().find(similar) {
            let (existing, path) = (existing.to_owned(), self.path.to_owned());
            return Err(Error::CaseCollision { given, existing, path });
        }
        let places = latest_done_by_stage(&self.rows, task, plan).into_iter();
        let stage = |(stage, places): (u32, crate::domain::records::Places)| {
            let latest = self.record(places.latest)?;
            let witness = places.witness.map(|place| self.record(place)).transpose()?;
            Ok((stage, DoneStage { latest, witness }))
        };
        places.map(stage).collect()
    }

    fn record(&self, place: usize) -> Result<Record, Error> {
        let line = self.lines[place];
        serde_json::from_str(line.text).map_err(|error| bad_row(self.path, line, &error))
    }
}

/// The log, locked: only who has this can write it.
#[derive(Debug)]
pub struct LogGuard<'c> {
    path: PathBuf,
    context: &'c Context,
    alone: LockGuard,
}

impl<'c> LogGuard<'c> {
    /// Locks the log `path`; its folder is created if it is not there. What was read before may be out of date: read it
    /// again, and check that what was decided still holds.
    ///
    /// # Errors
    /// [`Error::Fs`], when another process holds the lock for long too.
    pub fn lock(path: &Path, context: &'c Context) -> Result<Self, Error> {
        Ok(Self { path: path.to_owned(), context, alone: lines::lock(path, context)? })
    }

    /// The log.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the log as it is now.
    ///
    /// # Errors
    /// As [`LogText::read`].
    pub fn read(&self) -> Result<LogText, Error> {
        LogText::read(&self.path)
    }

    /// Adds one row unless [`decide_append`] says that it is there.
    ///
    /// # Errors
    /// As [`LogGuard::append_all`].
    pub fn append(&self, record: &Record, reappend: Reappend) -> Result<Append, Error> {
        Ok(self.append_all(std::slice::from_ref(record), reappend)?[0])
    }

    /// Adds rows of another clone's log as they stand there, all in one write. That they belong here was decided on what
    /// [`LogGuard::read`] says.
    ///
    /// # Errors
    /// [`Error::BadLine`] for a line that is no row, and [`Error::Fs`]; nothing is written then.
    pub fn take_over(&self, lines: &[&str]) -> Result<(), Error> {
        let whole: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
        for text in &whole {
            parse(&self.path, Line { number: 0, text })?;
        }
        lines::append_all(&self.alone, &self.path, &whole)
    }

    /// Adds rows, each unless [`decide_append`] says that it is there, and answers for each. The log is read once.
    ///
    /// # Errors
    /// Those of reading, [`Error::Refused`] for a row that would be none (nothing is written then), and [`Error::Fs`]
    /// when a row cannot be written (those before it are).
    pub fn append_all(&self, records: &[Record], reappend: Reappend) -> Result<Vec<Append>, Error> {
        let new = records.iter().map(|record| json::to_line(record, &self.path)).collect::<Result<Vec<_>, _>>()?;
        let text = self.read()?;
        let mut rows = text.rows(self.context)?.rows;
        let mut decided = Vec::new();
        for (record, line) in records.iter().zip(&new) {
            let decision = decide_append(&rows, record, reappend)
                .map_err(|source| Error::Refused { path: self.path.clone(), source })?;
            if decision == Append::Write {
                rows.push(parse(&self.path, Line { number: 0, text: line })?);
            }
            decided.push(decision);
        }
        for (line, _) in new.iter().zip(&decided).filter(|(_, decision)| **decision == Append::Write) {
            lines::append(&self.alone, &self.path, line)?;
        }
        Ok(decided)
    }
}

/// Reads all lines as rows, with several threads where there are many.
fn parse_all<'a>(path: &Path, lines: &[Line<'a>]) -> Result<Vec<Row<'a>>, Error> {
    let parse_each = |lines: &[Line<'a>]| lines.iter().map(|line| parse(path, *line)).collect::<Result<Vec<_>, _>>();
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
    if threads == 1 || lines.len() < WORTH_THREADS {
        return parse_each(lines);
    }
    let (mine, theirs) = lines.split_at(lines.len().div_ceil(threads));
    thread::scope(|scope| {
        let parts = theirs.chunks(mine.len()).map(|part| scope.spawn(move || parse_each(part))).collect::<Vec<_>>();
        let mut rows = parse_each(mine)?;
        for part in parts {
            rows.extend(part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        Ok(rows)
    })
}

/// Reads one line as a row.
fn parse<'a>(path: &Path, line: Line<'a>) -> Result<Row<'a>, Error> {
    let bad = |expected| Error::BadLine { path: path.to_owned(), line: line.number, expected, source: None };
    if !lines::is_object(line.text) {
        return Err(bad("a JSON object"));
    }
    let row: Row<'a> = serde_json::from_str(line.text).map_err(|error| bad_row(path, line, &error))?;
    if row.is_done() && row.stage.is_some() && row.head_commit.is_none() {
        return Err(bad("a done row, since it has no `head_commit`"));
    }
    Ok(row)
}

fn bad_row(path: &Path, line: Line<'_>, error: &serde_json::Error) -> Error {
    let expected = if error.is_data() { "a row of the log" } else { "a JSON object" };
    Error::BadLine { path: path.to_owned(), line: line.number, expected, source: Some(JsonFault::from(error)) }
}

#[cfg(test)]
mod tests;
