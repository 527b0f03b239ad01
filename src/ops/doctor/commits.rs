//! Recorded commits: whether they exist, and whether a ref keeps each of them; and refs that keep what nothing records.

use std::collections::BTreeSet;

use super::check::{Examined, OnDisk};
use super::restore::told;
use crate::domain::doctor::{Fact, Fault, Sound};
use crate::domain::hint::Hint;
use crate::domain::ids::CommitId;
use crate::domain::names::TaskName;
use crate::git::keep::Kept;
use crate::git::{self, History, Limits, keep};
use crate::ops::Error;

impl Examined<'_> {
    /// Looks at anchors, recorded commits and keep refs.
    pub(super) fn check_commits(&mut self) -> Result<(), Error> {
        let kept = match self.repository.refs_below(self.context, keep::PREFIX) {
            Ok(kept) => kept,
            Err(git::Error::Cancelled(cancelled)) => return Err(cancelled.into()),
            Err(error) => {
                let fault = Fault { error: told(&error), hint: error.hint(), mirrored: None };
                self.facts.push(Fact::Repository(fault));
                return Ok(());
            }
        };
        let names: BTreeSet<&str> = kept.iter().map(|(name, _)| name.as_str()).collect();
        let (mut found, mut count) = (Vec::new(), 0);
        for (task, on_disk) in &self.tasks {
            found.extend(self.anchor_of(task));
            let (facts, fine) = self.commits_of(task, on_disk, &names);
            found.extend(facts);
            count += fine;
        }
        let strays = kept.iter().filter(|(name, commit)| self.is_stray(name, *commit));
        found.extend(strays.map(|(name, commit)| Fact::KeepStray { name: name.clone(), commit: *commit }));
        if found.is_empty() && count > 0 {
            found.push(Fact::Sound(Sound::Commits, count));
        }
        self.facts.extend(found);
        Ok(())
    }

    fn anchor_of(&self, task: &TaskName) -> Option<Fact> {
        let anchor = self.entry(task)?.implementation_base_commit.as_ref()?;
        let why = self.commit(anchor).err()?;
        Some(Fact::CommitGone { task: task.clone(), stage: None, why })
    }

    /// What is wrong with the recorded commits of a task, and how many are right.
    fn commits_of(&self, task: &TaskName, on_disk: &OnDisk, kept: &BTreeSet<&str>) -> (Vec<Fact>, usize) {
        let (mut facts, mut fine) = (Vec::new(), BTreeSet::new());
        for (&stage, done) in &on_disk.done {
            // A witness that is gone has left its fingerprints, and is no loss.
            let witness = done.witness.iter().filter_map(|row| self.commit(&row.head_commit).ok());
            let latest = match self.commit(&done.latest.head_commit) {
                Ok(commit) => Some(commit),
                Err(why) => {
                    facts.push(Fact::CommitGone { task: task.clone(), stage: Some(stage), why });
                    None
                }
            };
            // What the base holds needs nothing else to keep it; where it landed is known without the witness.
            let is_on_base = latest.is_some_and(|commit| self.is_on_base(task, commit));
            for commit in latest.into_iter().chain(witness).collect::<BTreeSet<_>>() {
                match is_on_base || kept.contains(keep::ref_name(task, stage, commit).as_str()) {
                    true => drop(fine.insert(commit)),
                    false => facts.push(Fact::NotKept { task: task.clone(), stage, commit }),
                }
            }
        }
        (facts, fine.len())
    }

    /// Whether the base of a task, or its upstream, is sure to hold a commit.
    fn is_on_base(&self, task: &TaskName, commit: CommitId) -> bool {
        let base = self.entry(task).and_then(|entry| entry.base_ref.clone());
        let upstream = base.as_ref().and_then(|base| self.repository.upstream(base));
        let mut history = History::new(self.repository);
        base.into_iter().chain(upstream).any(|name| {
            let tip = self.repository.ref_commit(self.context, &name).ok().flatten();
            let reaches = tip.map(|tip| history.reaches(self.context, tip, commit, Limits::default()));
            matches!(reaches, Some(Ok(Some(true))))
        })
    }

    /// The commit that a recorded id is, or why it is none.
    fn commit(&self, text: &str) -> Result<CommitId, String> {
        match self.repository.commit_by_id(text) {
            Ok(found) => found.map_err(|why| why.to_string()),
            Err(error) => Err(told(&error)),
        }
    }

    /// Whether it is sure that nothing recorded names what a ref keeps.
    fn is_stray(&self, name: &str, commit: CommitId) -> bool {
        let Some((task, kept)) = parse(name) else { return true };
        let Some(on_disk) = self.tasks.get(&task) else {
            // What is mirrored and lost may name it.
            return !self.mirrors.contains_key(&task);
        };
        match (kept, &on_disk.heads) {
            (Kept::Stage(stage), Some(heads)) => !heads.iter().any(|(of, text)| *of == stage && is_id(text, commit)),
            (Kept::Integration, _) => {
                let made = self.entry(&task).map(|entry| &entry.integrations);
                made.is_some_and(|made| !made.iter().any(|made| is_id(&made.commit, commit)))
            }
            (Kept::Anchor, _) => {
                let anchor = self.entry(&task).map(|entry| &entry.implementation_base_commit);
                anchor.is_some_and(|anchor| !anchor.as_ref().is_some_and(|text| is_id(text, commit)))
            }
            // Without a log nothing is sure.
            (Kept::Stage(_), None) => false,
        }
    }
}

/// Whose the keep ref with this name is, and what it keeps.
fn parse(name: &str) -> Option<(TaskName, Kept)> {
    let (task, own) = name.strip_prefix(keep::PREFIX)?.rsplit_once('/')?;
    Some((task.parse().ok()?, keep::parse(own)?.0))
}

/// Whether a recorded text is the id of `commit`, perhaps shortened.
fn is_id(text: &str, commit: CommitId) -> bool {
    let text = text.trim().to_ascii_lowercase();
    text.len() >= 7 && commit.to_string().starts_with(&text)
}
