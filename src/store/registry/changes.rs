//! Changes of what is held already: where a stage starts from, and what is let go.

use super::edit::{Edited, merge_missing};
use super::{Error, RegistryGuard, edit};
use crate::domain::names::TaskKey;
use crate::domain::registry::{Integration, StageEntry, TaskEntry};
use crate::domain::sharing::EntryChanges;

/// What okstra writes of a stage.
const OF_A_STAGE: &[&str] = &["worktree_path", "branch", "base_ref", "reserved_by", "reserved_at"];
/// What okstra writes when it reserves a task.
const OF_A_TASK: &[&str] = &["worktree_path", "branch", "base_ref", "git_common_dir", "implementation_base_commit"];

impl RegistryGuard {
    /// Writes down the commit that a stage starts from, over another one.
    ///
    /// # Errors
    /// [`Error::NoEntry`], and those of reading and writing.
    pub fn set_stage_base(&mut self, key: &TaskKey, stage: u32, commit: &str) -> Result<(), Error> {
        let mut edited = self.must(key)?;
        edited.stage(stage)?.insert("base_ref".to_owned(), commit.into());
        self.put(edited).map(drop)
    }

    /// Takes back what the run `run` reserved of a stage: it is then as it was `before`. Where another run has it, nothing
    /// is changed. What other programs wrote stays.
    ///
    /// # Errors
    /// [`Error::NoEntry`], and those of reading and writing.
    pub fn take_back_stage(
        &mut self,
        key: &TaskKey,
        stage: u32,
        run: &str,
        before: Option<&StageEntry>,
    ) -> Result<(), Error> {
        let edited = self.must(key)?;
        let held = edited.entry()?.stages.get(&stage).and_then(|stage| stage.reserved_by.clone());
        if held.is_none_or(|holder| holder.run != run) {
            return Ok(());
        }
        self.put_stage(edited, stage, before.unwrap_or(&StageEntry::default()))
    }

    /// Forgets where a stage is, but for what `kept` says. Its reservation goes too.
    ///
    /// # Errors
    /// [`Error::NoEntry`], and those of reading and writing.
    pub fn forget_stage(&mut self, key: &TaskKey, stage: u32, kept: &StageEntry) -> Result<(), Error> {
        let edited = self.must(key)?;
        if !edited.entry()?.stages.contains_key(&stage) {
            return Ok(());
        }
        self.put_stage(edited, stage, kept)
    }

    /// Lets go of a task that has neither stages nor integrations, nor another anchor than `anchor`, which goes too: it
    /// then holds nothing.
    ///
    /// # Errors
    /// [`Error::NoEntry`], and those of reading and writing.
    pub fn release_task(&mut self, key: &TaskKey, anchor: Option<&str>) -> Result<(), Error> {
        let mut edited = self.must(key)?;
        let entry = edited.entry()?;
        let has_own_anchor = entry.implementation_base_commit.is_some_and(|own| Some(own.as_str()) != anchor);
        if has_own_anchor || !entry.stages.is_empty() || !entry.integrations.is_empty() {
            return Ok(());
        }
        let fields = edited.fields();
        OF_A_TASK.iter().for_each(|name| drop(fields.shift_remove(*name)));
        self.put(edited).map(drop)
    }

    /// Forgets where a task is: its worktree, and its branch, whose name stays known for when it is made again. Anchor, base and
    /// integrations stay.
    ///
    /// # Errors
    /// [`Error::NoEntry`], and those of reading and writing.
    pub fn forget_task(&mut self, key: &TaskKey) -> Result<(), Error> {
        let mut edited = self.must(key)?;
        let branch = edited.entry()?.branch;
        let fields = edited.fields();
        ["worktree_path", "branch"].iter().for_each(|name| drop(fields.shift_remove(*name)));
        if let Some(branch) = branch {
            fields.insert("last_branch".to_owned(), branch.into());
        }
        self.put(edited).map(drop)
    }

    /// Says that the task `key` lives in the clone `to`, if it is still said to live in `from`: the repository was moved.
    ///
    /// # Errors
    /// [`Error::NoEntry`], and those of reading and writing.
    pub fn move_clone(&mut self, key: &TaskKey, from: &str, to: &str) -> Result<(), Error> {
        let mut edited = self.must(key)?;
        if edited.entry()?.git_common_dir.as_deref() == Some(from) {
            edited.fields().insert("git_common_dir".to_owned(), to.into());
        }
        self.put(edited).map(drop)
    }

    /// Writes down what another clone has recorded of the task `key`: what it lacks of stages and integrations, and the
    /// anchor and the bases that were moved there. The worktree of a stage that it lacks is where `worktree` says.
    ///
    /// # Errors
    /// [`Error::NoEntry`], [`Error::AnchorMoved`] when the anchor is not the one that this was decided on,
    /// [`Error::Conflict`] when another holds something of it, and those of reading and writing. Nothing is then written.
    pub fn take_over(
        &mut self,
        key: &TaskKey,
        changes: &EntryChanges,
        worktree: impl Fn(u32) -> String,
    ) -> Result<(), Error> {
        let name = key.to_string();
        let mut edited = self.must(key)?;
        let entry = edited.entry()?;
        if let Some((seen, commit)) = &changes.anchor {
            let found = entry.implementation_base_commit.clone();
            if found != *seen {
                let (path, expected) = (self.path.clone(), seen.clone());
                return Err(Error::AnchorMoved { path, key: name, expected, found });
            }
            edited.fields().insert("implementation_base_commit".to_owned(), commit.clone().into());
        }
        let mut added = TaskEntry { git_common_dir: entry.git_common_dir.clone(), ..TaskEntry::default() };
        for (&number, stage) in changes.stages.iter().filter(|(number, _)| !entry.stages.contains_key(number)) {
            added.stages.insert(number, StageEntry { worktree_path: Some(worktree(number)), ..stage.clone() });
        }
        let claims: Vec<_> = added.claims(&name).filter(|claim| claim.stage.is_some()).collect();
        self.check(&claims)?;
        for (number, stage) in &added.stages {
            merge_missing(edited.stage(*number)?, &edit::fields_of(stage, &self.path)?);
        }
        for (number, base) in &changes.bases {
            edited.stage(*number)?.insert("base_ref".to_owned(), base.clone().into());
        }
        let is_new = |made: &&Integration| entry.integrations.iter().all(|own| own.commit != made.commit);
        for made in changes.integrations.iter().filter(is_new) {
            edited.integrations()?.push(edit::value_of(made, &self.path)?);
        }
        self.put(edited).map(drop)
    }

    fn put_stage(&mut self, mut edited: Edited, stage: u32, entry: &StageEntry) -> Result<(), Error> {
        let new = edit::fields_of(entry, &self.path)?;
        let fields = edited.stage(stage)?;
        OF_A_STAGE.iter().for_each(|name| drop(fields.shift_remove(*name)));
        merge_missing(fields, &new);
        if fields.is_empty() {
            edited.remove_stage(stage);
        }
        self.put(edited).map(drop)
    }
}
