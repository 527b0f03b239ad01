//! What a remote is to be given.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::domain::ids::CommitId;

/// What is here and what the remote has of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareFacts {
    /// The full name of the ref with the records.
    pub state: String,
    /// Where it is here.
    pub ours: CommitId,
    /// Where it is there.
    pub theirs: Option<CommitId>,
    /// Whether what is there is contained in what is here.
    pub is_contained: bool,
    /// The refs that keep commits here.
    pub kept: Vec<(String, CommitId)>,
    /// Those of the remote.
    pub kept_there: Vec<(String, CommitId)>,
}

/// A ref that is moved on a remote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PushedRef {
    /// Its full name.
    #[serde(rename = "ref")]
    pub name: String,
    /// Where the remote has it; null where it has it not.
    pub old: Option<CommitId>,
    /// Where it shall be.
    pub new: CommitId,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SharePlan {
    /// These refs are pushed; the last is that of the records, so that they never name what the remote lacks. None where
    /// the remote has all of it.
    Push(Vec<PushedRef>),
    /// The remote has records that are not here: they are fetched first.
    FetchFirst,
}

/// Decides what the remote is given. Nothing is taken away there, and no ref is moved but forward.
pub fn plan_share(facts: &ShareFacts) -> SharePlan {
    if facts.theirs.is_some_and(|theirs| theirs != facts.ours) && !facts.is_contained {
        return SharePlan::FetchFirst;
    }
    let there: BTreeMap<&str, CommitId> = facts.kept_there.iter().map(|(name, id)| (name.as_str(), *id)).collect();
    let kept = facts.kept.iter().map(|(name, new)| PushedRef {
        name: name.clone(),
        old: there.get(name.as_str()).copied(),
        new: *new,
    });
    let state = PushedRef { name: facts.state.clone(), old: facts.theirs, new: facts.ours };
    SharePlan::Push(kept.chain([state]).filter(|pushed| pushed.old != Some(pushed.new)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_is_given_what_it_lacks_and_the_records_last() {
        let id = |digit: char| CommitId(digit.to_string().repeat(40).parse().unwrap());
        let kept = |names: &str| names.split_whitespace().map(|name| (name.to_owned(), id('b'))).collect::<Vec<_>>();
        let cases = [
            (None, false, "", "k1 k2 state"),
            (Some('c'), true, "k1", "k2 state"),
            (Some('a'), false, "k1", "k2"),
            (Some('a'), true, "k1 k2 k3", ""),
            (Some('c'), false, "k1", "fetch first"),
            (Some('c'), true, "k1 k2 k3", "state"),
        ];
        for (theirs, is_contained, there, expected) in cases {
            let facts = ShareFacts {
                state: "state".to_owned(),
                ours: id('a'),
                theirs: theirs.map(id),
                is_contained,
                kept: kept("k1 k2"),
                kept_there: kept(there),
            };
            let told = match plan_share(&facts) {
                SharePlan::Push(refs) => refs.into_iter().map(|pushed| pushed.name).collect::<Vec<_>>().join(" "),
                SharePlan::FetchFirst => "fetch first".to_owned(),
            };
            assert_eq!(told, expected, "{facts:?}");
        }
    }
}
