//! The worktree registry, `$OKSTRA_HOME/worktrees/registry.json`: which task has which branch and worktree, and who is at
//! work on which stage.
//!
//! A change replaces the bytes of one task's entry; every other byte of the file stays, whoever wrote it. Only the
//! guard of the lock can write, and each change is on the disk when its function returns.

mod changes;
mod edit;
mod text;
mod top;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use self::edit::{Edited, merge_missing};
use self::text::RegistryText;
use super::Error;
use super::json::SchemaVersion;
use super::lines::lock_of;
use crate::context::Context;
use crate::domain::names::TaskKey;
use crate::domain::registry::{Claim, Holder, Integration, StageEntry, TaskEntry, find_conflict};
use crate::fs::{self, LOCK_WAIT, LockGuard};

/// The newest schema that is understood. 1.0: `tasks`, each a [`TaskEntry`].
const SCHEMA: SchemaVersion = SchemaVersion { major: 1, minor: 0 };

/// The registry file, to be read without a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registry {
    path: PathBuf,
}

/// What a task asks for. The paths are absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskWanted {
    /// Its worktree.
    pub worktree_path: String,
    /// Its branch, a short name.
    pub branch: String,
    /// What the branch grows from, a full ref name.
    pub base_ref: String,
    /// The common git folder of the clone.
    pub git_common_dir: String,
}

/// What a run asks for, for one stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageWanted {
    /// Its worktree.
    pub worktree_path: String,
    /// Its branch, a short name.
    pub branch: String,
    /// The commit that it starts from, once that is known.
    pub base_ref: Option<String>,
    /// The run that will work on it; `None` only registers where the stage is.
    pub reserved_by: Option<Holder>,
    /// Since when, RFC 3339 in UTC.
    pub reserved_at: Option<String>,
}

impl Registry {
    /// The registry in the file `path`, which need not be there.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is held for the task `key`; `None` where nothing is.
    ///
    /// # Errors
    /// [`Error::Fs`], [`Error::NotJson`], [`Error::WrongShape`] and [`Error::NewerSchema`], with the path, and
    /// [`Error::CaseCollision`] for a key that differs only in case from one that is there.
    pub fn read(&self, key: &TaskKey) -> Result<Option<TaskEntry>, Error> {
        let registry = RegistryText::read(&self.path)?;
        registry.check_case(key)?;
        registry.entry(&key.to_string())
    }

    /// Every entry, by task key.
    ///
    /// # Errors
    /// As [`Registry::read`].
    pub fn read_all(&self) -> Result<BTreeMap<String, TaskEntry>, Error> {
        RegistryText::read(&self.path)?.entries()
    }

    /// Locks the registry and reads it. Its folder is created if it is not there.
    ///
    /// # Errors
    /// As [`Registry::read`], and [`Error::Fs`] when another process holds the lock for long too.
    pub fn lock(&self, context: &Context) -> Result<RegistryGuard, Error> {
        if let Some(folder) = self.path.parent() {
            fs::create_folder(folder)?;
        }
        let stop = || context.cancel().is_cancelled();
        let alone = LockGuard::acquire(&lock_of(&self.path), LOCK_WAIT, stop)?;
        let held = RegistryText::read(&self.path)?;
        Ok(RegistryGuard { path: self.path.clone(), held, _alone: alone })
    }
}

/// The registry, locked: only who has this can write it.
#[derive(Debug)]
pub struct RegistryGuard {
    path: PathBuf,
    /// What the file holds: nobody else writes it.
    held: RegistryText,
    _alone: LockGuard,
}

impl RegistryGuard {
    /// What is held for the task `key`; `None` where nothing is.
    ///
    /// # Errors
    /// As [`Registry::read`].
    pub fn read(&self, key: &TaskKey) -> Result<Option<TaskEntry>, Error> {
        self.held.entry(&key.to_string())
    }

    /// Every entry, by task key.
    ///
    /// # Errors
    /// As [`Registry::read`].
    pub fn read_all(&self) -> Result<BTreeMap<String, TaskEntry>, Error> {
        self.held.entries()
    }

    /// Holds `wanted` for the task `key`, or finds that it is held already; gives the entry as it stands. What stands
    /// there is never changed, what is missing is filled in.
    ///
    /// # Errors
    /// [`Error::Conflict`] when the task is held for something else, or something of it by another;
    /// [`Error::CaseCollision`] for a key that differs only in case from one that is there; those of reading and writing.
    pub fn reserve_task(&mut self, key: &TaskKey, wanted: &TaskWanted) -> Result<TaskEntry, Error> {
        let name = key.to_string();
        let claim = Claim {
            key: &name,
            stage: None,
            worktree_path: Some(&wanted.worktree_path),
            branch: Some(&wanted.branch),
            git_common_dir: Some(&wanted.git_common_dir),
        };
        self.held.check_case(key)?;
        self.check(&[claim])?;
        let fresh = TaskEntry {
            worktree_path: Some(wanted.worktree_path.clone()),
            branch: Some(wanted.branch.clone()),
            base_ref: Some(wanted.base_ref.clone()),
            git_common_dir: Some(wanted.git_common_dir.clone()),
            ..TaskEntry::default()
        };
        let mut entry = self.held.edit(&name)?.unwrap_or_else(|| Edited::new(&name, &self.path));
        merge_missing(entry.fields(), &edit::fields_of(&fresh, &self.path)?);
        self.put(entry)
    }

    /// Holds `wanted` for one stage of the task `key`; gives the stage's entry as it stands. See
    /// [`RegistryGuard::reserve_stages`].
    ///
    /// # Errors
    /// As [`RegistryGuard::reserve_stages`].
    pub fn reserve_stage(&mut self, key: &TaskKey, stage: u32, wanted: &StageWanted) -> Result<StageEntry, Error> {
        let mut entry = self.reserve_stages(key, &BTreeMap::from([(stage, wanted.clone())]))?;
        Ok(entry.stages.remove(&stage).unwrap_or_default())
    }

    /// Holds what is wanted for stages of the task `key`, for all of them or for none; gives the task's entry as it
    /// stands. Where and what a stage is stays as it is, what is missing is filled in; a reservation of the same run is
    /// renewed, so that its process is the one that holds it now.
    ///
    /// # Errors
    /// [`Error::NoEntry`] for a task that holds nothing, [`Error::StageReserved`] with the holder for a stage on which
    /// another run is at work, [`Error::Conflict`] as for tasks, and those of reading and writing.
    pub fn reserve_stages(&mut self, key: &TaskKey, wanted: &BTreeMap<u32, StageWanted>) -> Result<TaskEntry, Error> {
        let name = key.to_string();
        let mut edited = self.must(key)?;
        let entry = edited.entry()?;
        for (&stage, wanted) in wanted {
            self.check_reservation(&name, &entry, stage, wanted)?;
        }
        let claims: Vec<_> = wanted.iter().map(|(&stage, wanted)| wanted.claim(&name, stage, &entry)).collect();
        self.check(&claims)?;
        for (stage, wanted) in wanted {
            let fresh = StageEntry {
                worktree_path: Some(wanted.worktree_path.clone()),
                branch: Some(wanted.branch.clone()),
                base_ref: wanted.base_ref.clone(),
                ..StageEntry::default()
            };
            let fields = edited.stage(*stage)?;
            merge_missing(fields, &edit::fields_of(&fresh, &self.path)?);
            if let Some(holder) = &wanted.reserved_by {
                fields.insert("reserved_by".to_owned(), edit::value_of(holder, &self.path)?);
                fields.insert("reserved_at".to_owned(), wanted.reserved_at.clone().into());
            }
        }
        self.put(edited)
    }

    /// Lets go of a stage that the run `run` has reserved; where the stage is stays known. Answers whether that run had
    /// it.
    ///
    /// # Errors
    /// [`Error::NoEntry`], and those of reading and writing.
    pub fn release_stage(&mut self, key: &TaskKey, stage: u32, run: &str) -> Result<bool, Error> {
        let mut edited = self.must(key)?;
        let entry = edited.entry()?;
        let holder = entry.stages.get(&stage).and_then(|stage| stage.reserved_by.as_ref());
        if holder.is_none_or(|holder| holder.run != run) {
            return Ok(false);
        }
        let fields = edited.stage(stage)?;
        fields.shift_remove("reserved_by");
        fields.shift_remove("reserved_at");
        self.put(edited).map(|_| true)
    }

    /// Sets the anchor of the task `key` where there is none; gives the one that stands.
    ///
    /// # Errors
    /// [`Error::NoEntry`], and those of reading and writing.
    pub fn set_implementation_base(&mut self, key: &TaskKey, commit: &str) -> Result<String, Error> {
        let edited = self.must(key)?;
        if let Some(anchor) = edited.entry()?.implementation_base_commit {
            return Ok(anchor);
        }
        self.put_anchor(edited, commit)?;
        Ok(commit.to_owned())
    }

    /// Moves the anchor of the task `key` to `commit`, if it is still the one that was `seen`.
    ///
    /// # Errors
    /// [`Error::NoEntry`], [`Error::AnchorMoved`] when it is another one, and those of reading and writing.
    pub fn reset_implementation_base(&mut self, key: &TaskKey, seen: Option<&str>, commit: &str) -> Result<(), Error> {
        let edited = self.must(key)?;
        let found = edited.entry()?.implementation_base_commit;
        if found.as_deref() != seen {
            let (path, key, expected) = (self.path.clone(), key.to_string(), seen.map(str::to_owned));
            return Err(Error::AnchorMoved { path, key, expected, found });
        }
        self.put_anchor(edited, commit)
    }

    /// Adds an integration to the task `key`, unless its commit is one already.
    ///
    /// # Errors
    /// [`Error::NoEntry`], and those of reading and writing.
    pub fn add_integration(&mut self, key: &TaskKey, integration: &Integration) -> Result<TaskEntry, Error> {
        let mut edited = self.must(key)?;
        let entry = edited.entry()?;
        if entry.integrations.iter().any(|made| made.commit == integration.commit) {
            return Ok(entry);
        }
        edited.integrations()?.push(edit::value_of(integration, &self.path)?);
        self.put(edited)
    }

    /// Puts back an entry that was lost; one that is there stays as it is. Answers whether it was put back.
    ///
    /// # Errors
    /// [`Error::Conflict`] when another holds something of it, [`Error::CaseCollision`], and those of reading and
    /// writing.
    pub fn insert_restored(&mut self, key: &TaskKey, entry: &TaskEntry) -> Result<bool, Error> {
        let name = key.to_string();
        if self.held.entry(&name)?.is_some() {
            return Ok(false);
        }
        self.held.check_case(key)?;
        self.check(&entry.claims(&name).collect::<Vec<_>>())?;
        let mut edited = Edited::new(&name, &self.path);
        merge_missing(edited.fields(), &edit::fields_of(entry, &self.path)?);
        self.put(edited).map(|_| true)
    }

    fn must(&self, key: &TaskKey) -> Result<Edited, Error> {
        let missing = || Error::NoEntry { path: self.path.clone(), key: key.to_string() };
        self.held.edit(&key.to_string())?.ok_or_else(missing)
    }

    /// Refuses `wanted` when it cannot be granted, or when two of them ask for the same.
    fn check(&self, wanted: &[Claim<'_>]) -> Result<(), Error> {
        let held = self.held.entries_with(wanted)?;
        for (place, claim) in wanted.iter().enumerate() {
            let claims = held.iter().flat_map(|(key, entry)| entry.claims(key));
            if let Some(conflict) = find_conflict(claim, claims.chain(wanted[..place].iter().copied())) {
                return Err(Error::conflict(&self.path, conflict));
            }
        }
        Ok(())
    }

    fn check_reservation(&self, key: &str, entry: &TaskEntry, stage: u32, wanted: &StageWanted) -> Result<(), Error> {
        let Some(held) = entry.stages.get(&stage) else { return Ok(()) };
        match (&held.reserved_by, &wanted.reserved_by) {
            (Some(holder), Some(asking)) if holder.run != asking.run => Err(Error::StageReserved {
                path: self.path.clone(),
                key: key.to_owned(),
                stage,
                holder: Box::new(holder.clone()),
                since: held.reserved_at.clone(),
            }),
            _ => Ok(()),
        }
    }

    fn put_anchor(&mut self, mut edited: Edited, commit: &str) -> Result<(), Error> {
        edited.fields().insert("implementation_base_commit".to_owned(), commit.into());
        self.put(edited).map(drop)
    }

    /// Writes an entry into the file, unless it is there so already.
    fn put(&mut self, edited: Edited) -> Result<TaskEntry, Error> {
        let entry = edited.entry()?;
        if let Some(new) = self.held.with(&edited)? {
            fs::replace(&self.path, new.as_str().as_bytes())?;
            self.held = new;
        }
        Ok(entry)
    }
}

impl StageWanted {
    /// What is asked for, as a claim of the stage of the task that has `entry`.
    fn claim<'a>(&'a self, key: &'a str, stage: u32, entry: &'a TaskEntry) -> Claim<'a> {
        Claim {
            key,
            stage: Some(stage),
            worktree_path: Some(&self.worktree_path),
            branch: Some(&self.branch),
            git_common_dir: entry.git_common_dir.as_deref(),
        }
    }
}

#[cfg(test)]
mod tests;
