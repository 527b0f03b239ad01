//! Rows as short words: `1a` stage 1 is done at a, `1a!` a person said so, `1a~` okstra found it there, `1a/h` by the
//! section h, `1>r` the run r began it, `1a?` a row of another task. A number at the end tells rows apart.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::domain::records::latest_done_by_stage;

const TASK: &str = "p/g/t";

fn line(word: &str) -> String {
    let stage = &word[..1];
    let (what, more) = (&word[1..2], word.get(2..).unwrap_or(""));
    let key = if more.contains('?') { "p/g/u" } else { TASK };
    if what == ">" {
        return format!(r#"{{"impl_task_key":"{key}","stage":{stage},"status":"started","run":"{more}"}}"#);
    }
    let mut fields =
        format!(r#""impl_task_key":"{key}","stage":{stage},"status":"done","head_commit":"{what}","n":"{more}""#);
    if let Some((_, hash)) = more.split_once('/') {
        fields.push_str(&format!(r#","stage_hash":"{hash}""#));
    }
    if more.contains('!') {
        fields.push_str(r#","reconciled":true,"reconcile_reason":"user-ref""#);
    }
    if more.contains('~') {
        fields.push_str(r#","reconciled":true,"reconcile_reason":"auto-patch-id""#);
    }
    format!("{{{fields}}}")
}

fn fold_texts(ours: &[String], theirs: &[String]) -> Result<Vec<String>, Vec<Split>> {
    let rows = |texts: &[String]| -> Vec<Row<'static>> {
        texts.iter().map(|text| serde_json::from_str(Box::leak(text.clone().into_boxed_str())).unwrap()).collect()
    };
    let (a, b) = (rows(ours), rows(theirs));
    let lines = |texts: &[String], rows: &'static [Row<'static>]| -> Vec<LogLine<'static>> {
        let texts: Vec<&'static str> = texts.iter().map(|text| &*Box::leak(text.clone().into_boxed_str())).collect();
        texts.into_iter().zip(rows).map(|(text, row)| LogLine { text, row }).collect()
    };
    let (a, b) = (lines(ours, Vec::leak(a)), lines(theirs, Vec::leak(b)));
    let places = fold_log(TASK, &a, &b)?;
    Ok(ours.iter().cloned().chain(places.into_iter().map(|place| theirs[place].clone())).collect())
}

fn fold(ours: &str, theirs: &str) -> Result<Vec<String>, Vec<u32>> {
    let lines = |words: &str| words.split_whitespace().map(line).collect::<Vec<_>>();
    fold_texts(&lines(ours), &lines(theirs)).map_err(|splits| splits.into_iter().map(|split| split.stage).collect())
}

/// What the log says: of each stage the commit that counts and that of the witness.
fn told(lines: &[String]) -> BTreeMap<u32, (String, Option<String>)> {
    let rows: Vec<Row<'_>> = lines.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    let commit = |place: usize| rows[place].head_commit.as_deref().unwrap().to_owned();
    let done = latest_done_by_stage(&rows, &TASK.parse().unwrap(), None);
    done.into_iter().map(|(stage, at)| (stage, (commit(at.latest), at.witness.map(commit)))).collect()
}

#[test]
fn what_came_later_on_one_side_is_added() {
    let cases = [
        ("", "1a 2b", "1a 2b"),
        ("1a", "1a", "1a"),
        ("1a 2b", "1a", "1a 2b"),
        ("1a", "1a 1b~", "1a 1b~"),
        ("1a 1b~", "1a", "1a 1b~"),
        ("1a 1b~ 1a~2", "1a", "1a 1b~ 1a~2"),
        // Each has done another stage.
        ("1a 2b", "1a 3c", "1a 2b 3c"),
        ("1a 2b", "3c 1a", "1a 2b 3c"),
        // What a run began, and what is told of other tasks, says nothing of a stage's commit.
        ("1>r 1a", "1>s 1a", "1>r 1a 1>s"),
        ("1a?1", "1b?2", "1a?1 1b?2"),
        // Both came to the same by themselves.
        ("1a 1b~1", "1a 1b~2", "1a 1b~1 1b~2"),
        ("1a 1b!1", "1a 1b!2", "1a 1b!1 1b!2"),
        ("1a 1c~1 1b~2", "1a 1b~3", "1a 1c~1 1b~2 1b~3"),
        ("1a/h", "1a/h 1b/k", "1a/h 1b/k"),
    ];
    for (ours, theirs, expected) in cases {
        let lines: Vec<String> = expected.split_whitespace().map(line).collect();
        assert_eq!(fold(ours, theirs), Ok(lines), "{ours} + {theirs}");
    }
}

#[test]
fn two_ways_on_from_one_row_are_for_a_person() {
    let cases = [
        ("1a", "1b", vec![1]),
        ("1x 1a~", "1x 1b~", vec![1]),
        ("1x 1a!", "1x 1b~", vec![1]),
        ("1a 2b 3c", "1a 2d 3e", vec![2, 3]),
        // The same commit, but another witness: proofs would start from different rows.
        ("1x 1a!1", "1x 1y!2 1a~2", vec![1]),
        ("1a/h", "1b/k", vec![1]),
        // What is older there must not become the latest here.
        ("1x 1z", "1x 1y 1z", vec![1]),
    ];
    for (ours, theirs, stages) in cases {
        assert_eq!(fold(ours, theirs), Err(stages.clone()), "{ours} + {theirs}");
        assert_eq!(fold(theirs, ours), Err(stages), "{theirs} + {ours}");
    }
}

/// Rows of two stages with three commits, of which few are alike.
fn rows(length: usize) -> impl Strategy<Value = Vec<String>> {
    let word = (1..=2_u8, "[abc>]", "[!~]?", "(/[hk])?", 0..3_u8).prop_map(|(stage, what, by, hash, number)| {
        let more = if what == ">" { format!("r{number}") } else { format!("{by}{number}{hash}") };
        line(&format!("{stage}{what}{more}"))
    });
    prop::collection::vec(word, 0..=length)
}

/// Whether `all` holds every line of `part` as often.
fn holds(all: &[String], part: &[String]) -> bool {
    let count = |lines: &[String], line: &String| lines.iter().filter(|other| *other == line).count();
    part.iter().all(|line| count(all, line) >= count(part, line))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn it_says_the_same_both_ways_loses_nothing_and_ends(
        common in rows(3), ours in rows(3), theirs in rows(3),
    ) {
        let a: Vec<String> = common.iter().chain(&ours).cloned().collect();
        let b: Vec<String> = common.iter().chain(&theirs).cloned().collect();
        let (one, other) = (fold_texts(&a, &b), fold_texts(&b, &a));
        prop_assert_eq!(one.is_ok(), other.is_ok());
        if let (Ok(one), Ok(other)) = (one, other) {
            prop_assert_eq!(told(&one), told(&other));
            for log in [&one, &other] {
                prop_assert!(holds(log, &a) && holds(log, &b));
                // Again, and with what the other side has made of it, nothing is added.
                prop_assert_eq!(&fold_texts(log, &a).unwrap(), log);
                prop_assert_eq!(&fold_texts(log, &b).unwrap(), log);
                prop_assert_eq!(fold_texts(log, if log == &one { &other } else { &one }).unwrap(), log.clone());
            }
            prop_assert!(one.starts_with(&a) && other.starts_with(&b));
        }
    }

    #[test]
    fn whoever_only_added_is_followed(common in rows(4), more in rows(4)) {
        let longer: Vec<String> = common.iter().chain(&more).cloned().collect();
        prop_assert_eq!(&fold_texts(&common, &longer).unwrap(), &longer);
        prop_assert_eq!(&fold_texts(&longer, &common).unwrap(), &longer);
    }
}
