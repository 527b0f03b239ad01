//! Keep refs: they hold the commits that okstra has recorded, so that git does not collect them when every branch has
//! left them behind.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use super::objects::{commit_id, gix_id};
use super::transaction::RefEdit;
use super::{Error, Repository};
use crate::context::Context;
use crate::domain::ids::CommitId;
use crate::domain::names::TaskName;

/// Below it lies every keep ref.
pub const PREFIX: &str = "refs/okstra/keep/";
/// How often a transaction is tried that others get in the way of.
const TRIES: u32 = 50;
/// The pause between two of them.
const PAUSE: Duration = Duration::from_millis(20);

/// The ref that keeps a commit which was recorded for a stage.
pub fn ref_name(task: &TaskName, stage: u32, commit: CommitId) -> String {
    format!("{PREFIX}{task}/s{stage}-{commit}")
}

/// The ref that keeps a commit at which an integration of the task ended.
pub fn integration_ref_name(task: &TaskName, commit: CommitId) -> String {
    format!("{PREFIX}{task}/task-{commit}")
}

/// The ref that keeps the anchor of the task, for clones that have it from nowhere else.
pub fn anchor_ref_name(task: &TaskName, commit: CommitId) -> String {
    format!("{PREFIX}{task}/anchor-{commit}")
}

/// What a keep ref keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The commit of a stage.
    Stage(u32),
    /// The commit of an integration.
    Integration,
    /// The anchor of the task.
    Anchor,
}

/// What a keep ref keeps whose name ends in `last`, and the commit that it is named for; `None` for a name that okstra
/// gives to none.
pub fn parse(last: &str) -> Option<(Kept, CommitId)> {
    let (of, id) = last.split_once('-')?;
    let kept = match of {
        "task" => Kept::Integration,
        "anchor" => Kept::Anchor,
        of => Kept::Stage(of.strip_prefix('s')?.parse().ok()?),
    };
    Some((kept, CommitId(id.parse().ok()?)))
}

impl Repository {
    /// Makes those of the refs that are missing, all of them or none; one that is there with its commit stays as it is.
    ///
    /// # Errors
    /// [`Error::RefChanged`] when a ref is there with another commit, [`Error::RefLocked`] when another process does
    /// not let go of one, and [`Error::GitCommand`] when git cannot make one.
    pub fn keep_commits(&self, context: &Context, refs: &[(String, CommitId)]) -> Result<(), Error> {
        let mut missing = self.missing(context, refs)?;
        for _ in 0..TRIES {
            if missing.is_empty() || self.move_refs(context, &missing)? {
                return Ok(());
            }
            thread::sleep(PAUSE);
            missing = self.missing(context, refs)?;
        }
        let name = missing.first().map(|edit| edit.name.clone()).unwrap_or_default();
        let message = "others made and removed refs all the time".to_owned();
        Err(Error::RefLocked { name, path: self.path.clone(), message })
    }

    /// Removes those of the refs that still are at their commits, all of them or none.
    ///
    /// # Errors
    /// [`Error::RefLocked`] when another process does not let go of one, and [`Error::GitCommand`] when git cannot remove one.
    pub fn let_go(&self, context: &Context, refs: &[(String, CommitId)]) -> Result<(), Error> {
        for _ in 0..TRIES {
            let mut there = Vec::new();
            for (name, commit) in refs {
                let old = self.place_of(context, name)?.filter(|id| commit_id(id) == *commit);
                there.extend(old.map(|old| RefEdit { name: name.clone(), old: Some(old), new: None }));
            }
            if there.is_empty() || self.move_refs(context, &there)? {
                return Ok(());
            }
            thread::sleep(PAUSE);
        }
        let name = refs.first().map(|(name, _)| name.clone()).unwrap_or_default();
        let message = "others made and removed refs all the time".to_owned();
        Err(Error::RefLocked { name, path: self.path.clone(), message })
    }

    /// The keep refs of a task, sorted by name.
    ///
    /// # Errors
    /// When the refs cannot be read.
    pub fn kept(&self, context: &Context, task: &TaskName) -> Result<Vec<(String, CommitId)>, Error> {
        self.refs_below(context, &format!("{PREFIX}{task}/"))
    }

    fn missing(&self, context: &Context, refs: &[(String, CommitId)]) -> Result<Vec<RefEdit>, Error> {
        let mut missing = BTreeMap::new();
        for (name, commit) in refs {
            let present = match missing.get(name) {
                Some(other) => Some(*other),
                None => self.place_of(context, name)?.map(|id| commit_id(&id)),
            };
            match present {
                None => drop(missing.insert(name, *commit)),
                Some(present) if present == *commit => {}
                Some(present) => {
                    let (name, path) = (name.clone(), self.path.clone());
                    let (expected, found) = (commit.to_string(), present.to_string());
                    return Err(Error::RefChanged { name, path, expected, found });
                }
            }
        }
        let edit = |(name, commit): (&String, CommitId)| RefEdit {
            name: name.clone(),
            old: None,
            new: Some(gix_id(commit.0)),
        };
        Ok(missing.into_iter().map(edit).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keep_ref_names_task_stage_and_commit_in_full() {
        let task: TaskName = "auth/fix-login".parse().unwrap();
        let commit = CommitId("0123456789abcdef0123456789abcdef01234567".parse().unwrap());
        let below = "refs/okstra/keep/auth/fix-login";
        assert_eq!(ref_name(&task, 12, commit), format!("{below}/s12-0123456789abcdef0123456789abcdef01234567"));
        assert_eq!(
            integration_ref_name(&task, commit),
            format!("{below}/task-0123456789abcdef0123456789abcdef01234567")
        );
        for (name, kept) in [
            (ref_name(&task, 12, commit), Some((Kept::Stage(12), commit))),
            (integration_ref_name(&task, commit), Some((Kept::Integration, commit))),
            (anchor_ref_name(&task, commit), Some((Kept::Anchor, commit))),
            (format!("{below}/s-{commit}"), None),
            (format!("{below}/x1-{commit}"), None),
            (format!("{below}/s1-0123"), None),
            (format!("{below}/s1"), None),
        ] {
            assert_eq!(parse(name.rsplit('/').next().unwrap()), kept, "{name}");
        }
    }
}
