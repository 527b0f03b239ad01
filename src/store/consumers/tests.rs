//! The log with what people, crashes and other programs leave in it.

use std::sync::{Arc, Mutex};

use serde_json::json;

use super::*;
use crate::context::{Environment, Event, EventSink};
use crate::domain::records::{Refusal, Status};
use crate::fs;

const KEY: &str = "p/g/t";

struct Scratch {
    _folder: tempfile::TempDir,
    log: PathBuf,
    context: Context,
    warnings: Arc<Mutex<Vec<String>>>,
}

impl Scratch {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("runs/consumers.jsonl");
        if !text.is_empty() {
            fs::create_folder(log.parent().unwrap()).unwrap();
            fs::replace(&log, text.as_bytes()).unwrap();
        }
        let warnings = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&warnings);
        let events = EventSink::new(move |event| match event {
            Event::Warning(text) => heard.lock().unwrap().push(text),
            other => panic!("{other:?}"),
        });
        let context = Context::new(folder.path(), Environment::default()).with_events(events);
        Self { _folder: folder, log, context, warnings }
    }

    fn lines(&self) -> Result<Vec<usize>, Error> {
        let text = LogText::read(&self.log)?;
        Ok(text.rows(&self.context)?.numbered().map(|(line, _)| line).collect())
    }

    fn append(&self, record: &Record) -> Append {
        append(&self.log, &self.context, record, Reappend::Never).unwrap()
    }

    fn done(&self) -> BTreeMap<u32, DoneStage> {
        read_done(&self.log, &self.context, &KEY.parse().unwrap(), None).unwrap()
    }

    fn text(&self) -> String {
        fs::read_text(&self.log).unwrap()
    }

    fn warned(&self) -> Vec<String> {
        std::mem::take(&mut self.warnings.lock().unwrap())
    }
}

fn done(stage: u32, head: &str) -> Record {
    Record::new(KEY, stage, Status::Done, head)
}

fn row(stage: u32) -> String {
    serde_json::to_string(&done(stage, "aa")).unwrap()
}

#[test]
fn a_row_is_appended_once_and_read_in_full() {
    let scratch = Scratch::new("");
    assert!(scratch.lines().unwrap().is_empty() && scratch.done().is_empty());
    let with_content = Record { content: Some(json!({"v": 1})), ..done(2, "bb") };
    assert_eq!(scratch.append(&done(1, "aa")), Append::Write);
    assert_eq!(scratch.append(&with_content), Append::Write);
    assert_eq!(scratch.append(&done(1, "cc")), Append::NoOp);
    assert_eq!(scratch.text().lines().count(), 2);
    let found = scratch.done();
    assert_eq!(found[&1].latest, done(1, "aa"));
    assert_eq!(found[&2], DoneStage { latest: with_content.clone(), witness: Some(with_content) });
    assert!(scratch.warned().is_empty());
}

#[test]
fn rows_are_appended_together_each_seeing_those_before_it() {
    let scratch = Scratch::new("");
    let guard = LogGuard::lock(&scratch.log, &scratch.context).unwrap();
    let rows = [done(1, "aa"), done(1, "bb"), done(2, "aa"), done(1, "bb")];
    let decided = guard.append_all(&rows, Reappend::Repair).unwrap();
    assert_eq!(decided, [Append::Write, Append::Write, Append::Write, Append::NoOp]);
    let refused = guard.append_all(&[done(3, "aa"), done(0, "aa")], Reappend::Never).unwrap_err();
    assert!(matches!(refused, Error::Refused { source: Refusal::Stage { stage: 0 }, .. }), "{refused}");
    assert_eq!(guard.read().unwrap().rows(&scratch.context).unwrap().records().unwrap(), rows[..3]);
}

#[test]
fn a_bad_line_is_named_and_nothing_is_changed() {
    let good = row(1);
    let cases = [
        ("", "a JSON object"),
        ("  ", "a JSON object"),
        ("{", "a JSON object"),
        (r#"{"a":1"#, "a JSON object"),
        ("{} {}", "a JSON object"),
        (r#"{"a":1}x"#, "a JSON object"),
        ("[]", "a JSON object"),
        (r#"["p/g/t",1,"done","aa"]"#, "a JSON object"),
        ("null", "a JSON object"),
        ("\"text\"", "a JSON object"),
        (r#"{"impl_task_key":1}"#, "a row of the log"),
        (r#"{"status":["done"]}"#, "a row of the log"),
        (r#"{"head_commit":1}"#, "a row of the log"),
        (r#"{"run":{}}"#, "a row of the log"),
        (r#"{"reconciled":"yes"}"#, "a row of the log"),
        (r#"{"stage":1,"stage_hash":1}"#, "a row of the log"),
        (r#"{"stage":1,"status":"done"}"#, "a done row, since it has no `head_commit`"),
        (r#"{"stage":1,"status":"done","head_commit":null}"#, "a done row, since it has no `head_commit`"),
    ];
    for (bad, what) in cases {
        let text = format!("{good}\n{bad}\n{good}\n");
        let scratch = Scratch::new(&text);
        let error = scratch.lines().unwrap_err();
        let Error::BadLine { line, expected, .. } = &error else { panic!("{bad}: {error}") };
        assert_eq!((*line, *expected), (2, what), "{bad}");
        assert!(error.to_string().contains("consumers.jsonl:2` is not "), "{error}");
        let appended = append(&scratch.log, &scratch.context, &done(9, "aa"), Reappend::Never);
        assert!(matches!(appended, Err(Error::BadLine { line: 2, .. })), "{bad}");
        assert_eq!(scratch.text(), text);
    }
}

#[test]
fn rows_of_other_programs_are_accepted() {
    let odd = [
        r#"{}"#,
        r#" {"x": {"y": [1]}, "stage" : "one", "status": "done"} "#,
        r#"{"stage":2.5,"status":"done"}"#,
        r#"{"stage":3,"status":"paused"}"#,
        r#"{"stage":4,"status":"started"}"#,
    ];
    let text = format!("\u{feff}{}\r\n{}", odd.join("\r\n"), row(5));
    let scratch = Scratch::new(&text);
    assert_eq!(scratch.lines().unwrap(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(scratch.done().into_keys().collect::<Vec<_>>(), [5]);
    assert!(scratch.warned().is_empty());
}

#[test]
fn a_last_line_cut_anywhere_loses_nothing_but_itself() {
    let long = Record { content: Some(json!({"v": 1, "paths": ["ä/é.rs"]})), ..done(2, "bb") };
    let whole = format!("{}\n{}", row(1), serde_json::to_string(&long).unwrap());
    let from = row(1).len() + 1;
    for cut in from..=whole.len() {
        let scratch = Scratch::new("");
        fs::create_folder(scratch.log.parent().unwrap()).unwrap();
        fs::replace(&scratch.log, &whole.as_bytes()[..cut]).unwrap();
        let (torn, stages) = (cut > from && cut < whole.len(), if cut == whole.len() { 2 } else { 1 });
        for _ in 0..2 {
            assert_eq!(scratch.done().len(), stages, "{cut}");
            assert_eq!(scratch.warned().len(), usize::from(torn), "{cut}");
        }
        assert_eq!(scratch.append(&done(3, "cc")), Append::Write);
        let warnings = scratch.warned();
        assert_eq!(warnings.len(), usize::from(torn), "{cut}");
        assert!(warnings.iter().all(|text| text.contains("consumers.jsonl:2`")), "{warnings:?}");
        assert_eq!(scratch.append(&long), if stages == 2 { Append::NoOp } else { Append::Write }, "{cut}");
        let found = scratch.done();
        assert_eq!(found.into_keys().collect::<Vec<_>>(), [1, 2, 3], "{cut}");
        let kept = fs::read(&scratch.log).unwrap();
        assert!(kept.starts_with(&whole.as_bytes()[..cut]) && kept.ends_with(b"\n"), "{cut}");
    }
}

#[test]
fn an_append_that_was_cut_anywhere_can_be_done_again() {
    // What one write adds to a torn log: seal, line break, row, line break.
    let torn = format!("{}\n{{\"impl_ta", row(1));
    let scratch = Scratch::new(&torn);
    scratch.append(&done(2, "bb"));
    let after = scratch.text();
    for cut in torn.len()..=after.len() {
        let scratch = Scratch::new(&after[..cut]);
        scratch.append(&done(2, "bb"));
        scratch.append(&done(3, "cc"));
        assert_eq!(scratch.done().into_keys().collect::<Vec<_>>(), [1, 2, 3], "{cut}");
        assert_eq!(scratch.text().matches("\"stage\":2").count(), 1 + usize::from(is_torn_row(&after[..cut])), "{cut}");
    }
}

/// Whether the text ends in a part of the second row in which its stage can be read, and which is no row yet.
fn is_torn_row(text: &str) -> bool {
    let last = text.lines().last().unwrap();
    !text.ends_with('\n') && last.contains("\"stage\":2") && !last.ends_with('}')
}

#[test]
fn many_rows_are_read_in_their_order_and_the_first_bad_one_is_named() {
    let count = 3 * WORTH_THREADS;
    let rows: Vec<_> = (1..=count).map(|stage| row(stage.try_into().unwrap())).collect();
    let scratch = Scratch::new(&rows.join("\n"));
    let text = LogText::read(&scratch.log).unwrap();
    let log = text.rows(&scratch.context).unwrap();
    assert!(log.rows().iter().zip(1..).all(|(row, stage)| row.stage == Some(stage)) && log.rows().len() == count);
    for bad in [1, count / 2, count / 2 + 1, count - 1] {
        let mut rows = rows.clone();
        rows[bad - 1] = "bad".to_owned();
        rows[count - 2] = "bad".to_owned();
        let scratch = Scratch::new(&rows.join("\n"));
        assert!(matches!(scratch.lines(), Err(Error::BadLine { line, .. }) if line == bad), "{bad}");
    }
}
