//! What may be appended to the log. Nothing in it is ever rewritten; doing something twice appends once.

use super::record::{Record, Status};
use super::row::Row;

/// Whether a row that is there already may be followed by another of the same task, stage and status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reappend {
    /// No: the row is there, or it is appended.
    Never,
    /// A repair: when it says something else than the last such row.
    Repair,
}

/// What to do with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Append {
    /// Write it.
    Write,
    /// It is there already.
    NoOp,
}

/// Why a row may not be written at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Stages are numbered from 1.
    #[error("stage {stage} is none: stages are numbered from 1")]
    Stage {
        /// What was given.
        stage: u32,
    },
    /// A row needs a task.
    #[error("the row names no task")]
    NoTask,
}

/// Decides on `row`, given all rows that are there.
///
/// # Errors
/// [`Refusal`] for a row that would be none.
pub fn decide_append<'a>(
    rows: impl IntoIterator<Item = &'a Row<'a>>,
    row: &Record,
    reappend: Reappend,
) -> Result<Append, Refusal> {
    if row.stage == 0 {
        return Err(Refusal::Stage { stage: row.stage });
    }
    let key = row.impl_task_key.as_deref().ok_or(Refusal::NoTask)?;
    let status = match row.status {
        Status::Started => "started",
        Status::Done => "done",
    };
    let alike = rows.into_iter().filter(|old| {
        old.stage == Some(row.stage)
            && old.status.as_deref() == Some(status)
            && old.impl_task_key.as_deref().is_none_or(|old| old == key)
    });
    let hash = row.stage_hash.as_deref();
    let write = match reappend {
        Reappend::Never => !alike.into_iter().any(|old| {
            old.stage_hash.as_deref() == hash
                && (row.status == Status::Done || old.run.as_deref() == row.run.as_deref())
        }),
        Reappend::Repair => {
            let of_this_stage =
                |old: &&Row<'_>| old.stage_hash.is_none() || hash.is_none() || old.stage_hash.as_deref() == hash;
            alike.filter(of_this_stage).last().is_none_or(|latest| says_more(row, latest))
        }
    };
    Ok(if write { Append::Write } else { Append::NoOp })
}

/// Whether the repair `row` says something that the last row does not.
fn says_more(row: &Record, latest: &Row<'_>) -> bool {
    let same_commit = latest.head_commit.as_deref() == Some(row.head_commit.as_str());
    let adds_content = row.content.is_some() && latest.content.is_none();
    let tip = row.branch_tip.as_ref().and_then(|tip| tip.as_deref());
    let other_tip = row.is_users() && (!latest.is_users() || latest.branch_tip.as_deref() != tip);
    !same_commit || adds_content || other_tip
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::records::Reason;

    fn decide(rows: &[Record], row: &Record, reappend: Reappend) -> Append {
        let texts: Vec<String> = rows.iter().map(|row| serde_json::to_string(row).unwrap()).collect();
        let rows: Vec<Row<'_>> = texts.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
        decide_append(&rows, row, reappend).unwrap()
    }

    fn done(head: &str) -> Record {
        Record::new("p/g/t", 1, Status::Done, head)
    }

    #[test]
    fn a_triple_is_written_once() {
        let started = |run: &str| Record { run: Some(run.to_owned()), ..Record::new("p/g/t", 1, Status::Started, "a") };
        let hashed = |hash: &str| Record { stage_hash: Some(hash.to_owned()), ..done("a") };
        let cases = [
            (vec![], done("a"), Append::Write),
            (vec![done("a")], done("a"), Append::NoOp),
            (vec![done("a")], done("b"), Append::NoOp),
            (vec![done("a")], Record::new("p/g/t", 2, Status::Done, "a"), Append::Write),
            (vec![done("a")], Record::new("p/g/u", 1, Status::Done, "a"), Append::Write),
            (vec![done("a")], started("r1"), Append::Write),
            (vec![started("r1")], started("r1"), Append::NoOp),
            (vec![started("r1")], started("r2"), Append::Write),
            (vec![hashed("h1")], hashed("h1"), Append::NoOp),
            (vec![hashed("h1")], hashed("h2"), Append::Write),
        ];
        for (rows, row, expected) in cases {
            assert_eq!(decide(&rows, &row, Reappend::Never), expected, "{rows:?} {row:?}");
        }
    }

    #[test]
    fn a_repair_says_something_new() {
        let users = |head: &str, tip: &str| Record {
            reconcile_reason: Some(Reason::UserRef),
            branch_tip: Some(Some(tip.to_owned())),
            ..done(head)
        };
        let with_content = |head: &str| Record { content: Some(serde_json::json!({"v": 1})), ..done(head) };
        let cases = [
            (vec![done("a")], done("b"), Append::Write),
            (vec![done("a")], done("a"), Append::NoOp),
            (vec![done("a"), done("b")], done("a"), Append::Write),
            (vec![done("a"), done("b"), done("a")], done("a"), Append::NoOp),
            (vec![done("a")], with_content("a"), Append::Write),
            (vec![with_content("a")], with_content("a"), Append::NoOp),
            (vec![users("a", "t1")], users("a", "t1"), Append::NoOp),
            (vec![users("a", "t1")], users("a", "t2"), Append::Write),
            (vec![done("a")], users("a", "t1"), Append::Write),
        ];
        for (rows, row, expected) in cases {
            assert_eq!(decide(&rows, &row, Reappend::Repair), expected, "{rows:?} {row:?}");
        }
    }

    #[test]
    fn a_row_that_would_be_none_is_refused() {
        let rows: [Row<'_>; 0] = [];
        let nowhere = Record { impl_task_key: None, ..done("a") };
        assert_eq!(decide_append(&rows, &nowhere, Reappend::Never), Err(Refusal::NoTask));
        let zero = Record { stage: 0, ..done("a") };
        assert_eq!(decide_append(&rows, &zero, Reappend::Never), Err(Refusal::Stage { stage: 0 }));
    }
}
