//! The timeline of a task: one line for each thing that happened to it, for people.

use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Error, json, lines};
use crate::context::Context;
use crate::domain::moment::Moment;
use crate::domain::sharing::missing;

/// One line, in the order in which its fields are written.
#[derive(Serialize)]
struct Line<'a> {
    at: Moment,
    event: &'a str,
    #[serde(flatten)]
    fields: &'a Map<String, Value>,
}

/// Adds the line `{"at": now, "event": event, …fields}` to the timeline `path`, under its lock.
///
/// # Errors
/// [`Error::Fs`]; nothing of the line is then there.
pub fn append(path: &Path, context: &Context, event: &str, fields: &Map<String, Value>) -> Result<(), Error> {
    let line = json::to_line(&Line { at: context.clock().moment(), event, fields }, path)?;
    let alone = lines::lock(path, context)?;
    lines::append(&alone, path, &line).map(drop)
}

/// The events of the timeline `path`, oldest first; none where there is no such file. Of a torn line, which is left
/// out, `context` is warned.
///
/// # Errors
/// [`Error::Fs`], and [`Error::BadLine`] for the first line that is no JSON object.
pub fn read(path: &Path, context: &Context) -> Result<Vec<Map<String, Value>>, Error> {
    let text = lines::read(path)?;
    each(context, path, &text).map(|line| Ok(line?.1)).collect()
}

/// The lines of a timeline that holds `bytes`, as they stand there; `path` is named in errors only.
///
/// # Errors
/// As [`read`].
pub fn parse(path: &Path, context: &Context, bytes: Vec<u8>) -> Result<Vec<String>, Error> {
    let text = lines::text_of(path, bytes)?;
    each(context, path, &text).map(|line| Ok(line?.0.trim().to_owned())).collect()
}

/// Adds to the timeline `path` those lines of another clone's that it lacks, under its lock, all in one write.
///
/// # Errors
/// As [`read`]; nothing is then added.
pub fn take_over(path: &Path, context: &Context, theirs: &[String]) -> Result<(), Error> {
    let alone = lines::lock(path, context)?;
    let text = lines::read(path)?;
    let ours = each(context, path, &text).map(|line| Ok(line?.0)).collect::<Result<Vec<_>, Error>>()?;
    let theirs: Vec<&str> = theirs.iter().map(String::as_str).collect();
    let new: Vec<&str> = missing(&ours, &theirs).into_iter().map(|place| theirs[place]).collect();
    lines::append_all(&alone, path, &new)
}

/// Each line that counts, with the event that it tells.
fn each<'a>(
    context: &'a Context,
    path: &'a Path,
    text: &'a str,
) -> impl Iterator<Item = Result<(&'a str, Map<String, Value>), Error>> {
    let event = |line: lines::Line<'a>| match serde_json::from_str(line.text) {
        Ok(event) => Ok((line.text, event)),
        Err(error) => Err(Error::BadLine {
            path: path.to_owned(),
            line: line.number,
            expected: "a JSON object",
            source: Some((&error).into()),
        }),
    };
    lines::each(text, |number| lines::warn_of_torn(context, path, number)).map(event)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::{Clock, Environment};

    #[test]
    fn events_follow_one_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tasks/g/t/timeline.jsonl");
        let clock = Clock::Fixed(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_767_225_600));
        let context = Context::new(folder.path(), Environment::default()).with_clock(clock);
        let fields = [("run".to_owned(), Value::from("implementation-001"))].into_iter().collect();
        append(&path, &context, "prepared", &fields).unwrap();
        append(&path, &context, "finished", &Map::new()).unwrap();
        let text = crate::fs::read_text(&path).unwrap();
        let first = r#"{"at":"2026-01-01T00:00:00Z","event":"prepared","run":"implementation-001"}"#;
        assert_eq!(text, format!("{first}\n{{\"at\":\"2026-01-01T00:00:00Z\",\"event\":\"finished\"}}\n"));
        assert_eq!(read(&path, &context).unwrap().len(), 2);
        assert!(read(&folder.path().join("none"), &context).unwrap().is_empty());
        // What another clone tells is added once, as it stands there.
        let theirs = parse(Path::new("theirs"), &context, format!("{first}\n{{ \"event\": \"x\" }}\n").into()).unwrap();
        for _ in 0..2 {
            take_over(&path, &context, &theirs).unwrap();
            assert_eq!(crate::fs::read_text(&path).unwrap(), format!("{text}{{ \"event\": \"x\" }}\n"));
        }
        assert!(matches!(parse(Path::new("t"), &context, b"{}\n1\n".to_vec()), Err(Error::BadLine { line: 2, .. })));
    }
}
