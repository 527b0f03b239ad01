//! What the registry holds of a task here and there.

use std::collections::BTreeMap;

use super::Difference;
use crate::domain::registry::{Integration, StageEntry, TaskEntry};

/// What has to be written into the registry's entry here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryChanges {
    /// The anchor: as it is, and as it shall be.
    pub anchor: Option<(Option<String>, String)>,
    /// The stages that it lacks.
    pub stages: BTreeMap<u32, StageEntry>,
    /// The commits that stages start from, where there are others now.
    pub bases: BTreeMap<u32, String>,
    /// The integrations that it lacks, oldest first.
    pub integrations: Vec<Integration>,
}

impl EntryChanges {
    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What `ours` lacks of `theirs`, which has neither paths nor reservations, given what both had in `common`. Where the work
/// is, and what it grew from, stays as it is here.
///
/// # Errors
/// An anchor or a branch that both have set otherwise.
pub fn fold_entry(ours: &TaskEntry, theirs: &TaskEntry, common: &[TaskEntry]) -> Result<EntryChanges, Vec<Difference>> {
    let (mut changes, mut split) = (EntryChanges::default(), Vec::new());
    split.extend(difference("branch".to_owned(), &ours.branch, &theirs.branch));
    match fold_anchor(ours, theirs, common) {
        Ok(anchor) => changes.anchor = anchor,
        Err(difference) => split.push(difference),
    }
    for (&number, there) in &theirs.stages {
        let Some(here) = ours.stages.get(&number) else {
            changes.stages.insert(number, there.clone());
            continue;
        };
        split.extend(difference(format!("branch of stage {number}"), &here.branch, &there.branch));
        let base_in = |entry: &TaskEntry| entry.stages.get(&number).and_then(|stage| stage.base_ref.clone());
        let is_unchanged = here.base_ref.is_none() || common.iter().any(|common| base_in(common) == here.base_ref);
        let base = there.base_ref.clone().filter(|base| is_unchanged && Some(base) != here.base_ref.as_ref());
        changes.bases.extend(base.map(|base| (number, base)));
    }
    let is_there = |made: &&Integration| ours.integrations.iter().any(|own| own.commit == made.commit);
    changes.integrations = theirs.integrations.iter().filter(|made| !is_there(made)).cloned().collect();
    if split.is_empty() { Ok(changes) } else { Err(split) }
}

/// The anchor as it is and as it shall be, where it is to be moved.
fn fold_anchor(
    ours: &TaskEntry,
    theirs: &TaskEntry,
    common: &[TaskEntry],
) -> Result<Option<(Option<String>, String)>, Difference> {
    let anchor = |entry: &TaskEntry| entry.implementation_base_commit.clone();
    let Some(there) = anchor(theirs) else { return Ok(None) };
    let Some(here) = anchor(ours) else { return Ok(Some((None, there))) };
    let was = |id: &String| common.iter().any(|common| anchor(common).as_ref() == Some(id));
    match (here == there, was(&here), was(&there)) {
        (true, ..) | (false, false, true) => Ok(None),
        (false, true, false) => Ok(Some((Some(here), there))),
        _ => Err(Difference { of: "anchor".to_owned(), ours: here, theirs: there }),
    }
}

/// That both name something else.
fn difference(of: String, ours: &Option<String>, theirs: &Option<String>) -> Option<Difference> {
    let (ours, theirs) = ours.clone().zip(theirs.clone())?;
    (ours != theirs).then_some(Difference { of, ours, theirs })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn entry(value: Value) -> TaskEntry {
        serde_json::from_value(value).unwrap()
    }

    fn changes(ours: Value, theirs: Value, common: Vec<Value>) -> Result<EntryChanges, Vec<String>> {
        let common: Vec<_> = common.into_iter().map(entry).collect();
        let found = fold_entry(&entry(ours), &entry(theirs), &common);
        found.map_err(|split| split.into_iter().map(|split| split.of).collect())
    }

    fn anchor(id: &str) -> Value {
        json!({"implementation_base_commit": id})
    }

    #[test]
    fn an_anchor_follows_who_moved_it() {
        let moved = |from: Option<&str>, to: &str| {
            Ok(EntryChanges { anchor: Some((from.map(str::to_owned), to.to_owned())), ..EntryChanges::default() })
        };
        let none = || Ok(EntryChanges::default());
        let cases = [
            (json!({}), anchor("a"), vec![], moved(None, "a")),
            (anchor("a"), json!({}), vec![], none()),
            (anchor("a"), anchor("a"), vec![], none()),
            (anchor("a"), anchor("b"), vec![anchor("a")], moved(Some("a"), "b")),
            (anchor("b"), anchor("a"), vec![anchor("a")], none()),
            (anchor("b"), anchor("c"), vec![anchor("a")], Err(vec!["anchor".to_owned()])),
            (anchor("b"), anchor("c"), vec![], Err(vec!["anchor".to_owned()])),
        ];
        for (ours, theirs, common, expected) in cases {
            assert_eq!(changes(ours.clone(), theirs.clone(), common), expected, "{ours} {theirs}");
        }
    }

    #[test]
    fn branches_stay_and_stages_and_integrations_are_added() {
        let stage = |base: &str| json!({"branch": "b-s1", "base_ref": base});
        let with = |stage: Value| json!({"branch": "b", "stages": {"1": stage}});
        let found = changes(json!({"branch": "b"}), with(stage("x")), vec![]).unwrap();
        assert_eq!(found.stages[&1].base_ref.as_deref(), Some("x"));
        let bases = |ours: &str, theirs: &str, common: Vec<Value>| {
            changes(with(stage(ours)), with(stage(theirs)), common).unwrap().bases.into_values().collect::<Vec<_>>()
        };
        assert!(bases("x", "y", vec![]).is_empty() && bases("y", "x", vec![with(stage("x"))]).is_empty());
        assert_eq!(bases("x", "y", vec![with(stage("x"))]), ["y"]);
        let other = json!({"branch": "c", "stages": {"1": {"branch": "c-s1"}}});
        let refused = changes(with(stage("x")), other, vec![]).unwrap_err();
        assert_eq!(refused, ["branch", "branch of stage 1"]);
        let made = |commits: &[&str]| {
            let all: Vec<Value> = commits.iter().map(|commit| json!({"commit": commit, "stages": []})).collect();
            json!({"integrations": all, "base_ref": "refs/heads/x"})
        };
        let found = changes(made(&["a", "b"]), made(&["a", "c", "d"]), vec![]).unwrap();
        assert_eq!(found.integrations.iter().map(|made| made.commit.as_str()).collect::<Vec<_>>(), ["c", "d"]);
        assert!(changes(made(&["a"]), made(&["a"]), vec![]).unwrap().is_empty());
    }
}
