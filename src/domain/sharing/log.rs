//! The rows of two logs of one task, put together. A log is only added to, and of a stage the last done row counts: so a
//! row from there may be added only where it is later than all that is here, or says nothing else.

use std::collections::{BTreeMap, BTreeSet};

use super::missing;
use crate::domain::records::Row;

/// A row with the line that it stands on.
#[derive(Clone, Copy, Debug)]
pub struct LogLine<'a> {
    /// The line.
    pub text: &'a str,
    /// What it says.
    pub row: &'a Row<'a>,
}

/// A stage that was done here and there, each time otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The stage.
    pub stage: u32,
    /// Its commit here.
    pub ours: String,
    /// Its commit there.
    pub theirs: String,
}

/// What the rows of a stage say: for each hash of its section that they name, and for all of them, the commit that counts
/// and that of the witness.
type Says = BTreeMap<Option<String>, (Option<String>, Option<String>)>;

/// Which rows of `theirs` have to be added to `ours`, in this order. What the log of the task `task` then says of a stage
/// is the same whichever of both is added to the other.
///
/// # Errors
/// The stages of which the two say something else, and neither has only added to what the other has.
pub fn fold_log(task: &str, ours: &[LogLine<'_>], theirs: &[LogLine<'_>]) -> Result<Vec<usize>, Vec<Split>> {
    let (here, there) = (by_stage(task, ours), by_stage(task, theirs));
    let stages: BTreeSet<u32> = here.keys().chain(there.keys()).copied().collect();
    let split = |stage: &u32| {
        let ours = here.get(stage).map_or(&[][..], Vec::as_slice);
        split_of(*stage, ours, there.get(stage).map_or(&[][..], Vec::as_slice))
    };
    let splits: Vec<Split> = stages.iter().filter_map(split).collect();
    if splits.is_empty() { Ok(missing(&texts(ours), &texts(theirs))) } else { Err(splits) }
}

/// The done rows of each stage of the task.
fn by_stage<'a>(task: &str, lines: &[LogLine<'a>]) -> BTreeMap<u32, Vec<LogLine<'a>>> {
    let mut stages = BTreeMap::<u32, Vec<LogLine<'a>>>::new();
    for line in lines.iter().filter(|line| line.row.is_done()) {
        let is_own = line.row.impl_task_key.as_deref().is_none_or(|key| key == task);
        if let Some(stage) = line.row.stage.filter(|_| is_own) {
            stages.entry(stage).or_default().push(*line);
        }
    }
    stages
}

fn split_of(stage: u32, ours: &[LogLine<'_>], theirs: &[LogLine<'_>]) -> Option<Split> {
    let same = ours.iter().zip(theirs).take_while(|(a, b)| a.text.trim() == b.text.trim()).count();
    if same == ours.len() || same == theirs.len() {
        return None;
    }
    // Both went on: that is one history only where both came to the same, whichever is added to the other.
    let added = |to: &[LogLine<'_>], from: &[LogLine<'_>]| -> Says {
        let places = missing(&texts(to), &texts(from));
        let all: Vec<&Row<'_>> =
            to.iter().map(|line| line.row).chain(places.iter().map(|place| from[*place].row)).collect();
        says(&all)
    };
    let (one, other) = (added(ours, theirs), added(theirs, ours));
    let (here, there) = (commit_of(ours), commit_of(theirs));
    let agree = here == there && one == other && one.get(&None).is_some_and(|(latest, _)| *latest == here);
    let text = |commit: Option<String>| commit.unwrap_or_default();
    (!agree).then(|| Split { stage, ours: text(here), theirs: text(there) })
}

fn says(rows: &[&Row<'_>]) -> Says {
    let hashes = rows.iter().map(|row| row.stage_hash.as_deref().map(str::to_owned));
    let each = hashes.chain([None]).collect::<BTreeSet<_>>();
    let of = |hash: &Option<String>| {
        let counts = |row: &&&Row<'_>| match (row.stage_hash.as_deref(), hash) {
            (Some(own), Some(hash)) => own == hash,
            _ => true,
        };
        let last = |is_wanted: fn(&Row<'_>) -> bool| {
            rows.iter().filter(counts).rfind(|row| is_wanted(row)).and_then(|row| id(row))
        };
        (last(|_| true), last(|row| !row.is_automatic()))
    };
    each.iter().map(|hash| (hash.clone(), of(hash))).collect()
}

/// The commit that the last of these rows names.
fn commit_of(lines: &[LogLine<'_>]) -> Option<String> {
    lines.last().and_then(|line| id(line.row))
}

fn id(row: &Row<'_>) -> Option<String> {
    row.head_commit.as_deref().map(|text| text.trim().to_ascii_lowercase())
}

fn texts<'a>(lines: &[LogLine<'a>]) -> Vec<&'a str> {
    lines.iter().map(|line| line.text).collect()
}

#[cfg(test)]
mod tests;
