//! What is known of one task: its records, and where its branches stand now.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::content::Base;
use crate::context::Context;
use crate::domain::equivalence::Candidate;
use crate::domain::ids::CommitId;
use crate::domain::names::TaskKey;
use crate::domain::plan::Plan;
use crate::domain::reconcile::{Item, Recorded, WayOut};
use crate::domain::registry::{Conflict, TaskEntry, Thing};
use crate::domain::revision::Purpose;
use crate::git::{Head, History, Limits, Repository, Resolved};
use crate::ops::task::{Task, is_same_folder};
use crate::ops::{Error, mirror};
use crate::store::consumers::DoneStage;
use crate::store::registry::Registry;
use crate::store::{self, consumers, plans};

/// What stands in a command where a person has to find the ref.
const PLACEHOLDER: &str = "REF";

/// The records of a task as they were read, perhaps with changes that are about to be made, and the history behind.
pub(super) struct Scene<'r> {
    pub(super) context: &'r Context,
    pub(super) task: &'r Task,
    pub(super) history: History<'r>,
    pub(super) entry: Option<TaskEntry>,
    pub(super) plan: Option<Plan>,
    pub(super) done: BTreeMap<u32, DoneStage>,
    tips: HashMap<String, Option<CommitId>>,
}

impl<'r> Scene<'r> {
    /// Reads everything that is recorded of `task`.
    pub(super) fn read(context: &'r Context, task: &'r Task) -> Result<Self, Error> {
        let entry = task.registry().read(&task.key)?;
        if let Some(entry) = &entry {
            is_of_this_clone(&task.key, (&task.repository, &task.registry()), entry)?;
        }
        mirror::refuse_lost_log(context, task)?;
        let plan = plans::current(&task.plans(), &task.key)?;
        let done = consumers::read_done(&task.log(), context, &task.key, plan.as_ref())?;
        let history = History::new(&task.repository);
        Ok(Self { context, task, history, entry, plan, done, tips: HashMap::new() })
    }

    /// The branch of the task, in full.
    pub(super) fn task_branch(&self) -> String {
        let registered = self.entry.as_ref().and_then(|entry| entry.branch.clone());
        let branch = registered.unwrap_or_else(|| format!("{}-{}", self.task.category, self.task.key.task.id));
        full_branch(&branch)
    }

    /// The branch of a stage, in full.
    pub(super) fn stage_branch(&self, stage: u32) -> String {
        let registered = self.entry.as_ref().and_then(|entry| entry.stage_branch(stage));
        registered.map_or_else(|| format!("{}-s{stage}", self.task_branch()), |branch| full_branch(&branch))
    }

    /// The ref that the task grew from, in full, where the registry names one that exists.
    pub(super) fn base_ref(&mut self) -> Result<Option<Candidate>, Error> {
        let Some(name) = self.entry.as_ref().and_then(|entry| entry.base_ref.clone()) else { return Ok(None) };
        if name.starts_with("refs/") {
            return Ok(self.tip(&name)?.map(|commit| Candidate { name, commit }));
        }
        let resolved = self.task.repository.commit_by_ref(self.context, &name, Purpose::Candidate)?;
        let Ok(Resolved { name, commit }) = resolved else { return Ok(None) };
        // It stands where it was first seen, also where it moves on meanwhile.
        let commit = *self.tips.entry(name.clone()).or_insert(Some(commit));
        Ok(commit.map(|commit| Candidate { name, commit }))
    }

    /// The base ref and its upstream, those of them that exist.
    pub(super) fn bases(&mut self) -> Result<Vec<Candidate>, Error> {
        let Some(base) = self.base_ref()? else { return Ok(Vec::new()) };
        let upstream = self.task.repository.upstream(&base.name);
        let mut bases = vec![base];
        if let Some(name) = upstream {
            bases.extend(self.tip(&name)?.map(|commit| Candidate { name, commit }));
        }
        Ok(bases)
    }

    /// The commit of the ref with this full name; `None` where there is none.
    pub(super) fn tip(&mut self, name: &str) -> Result<Option<CommitId>, Error> {
        if let Some(tip) = self.tips.get(name) {
            return Ok(*tip);
        }
        let tip = self.task.repository.ref_commit(self.context, name)?;
        self.tips.insert(name.to_owned(), tip);
        Ok(tip)
    }

    /// The ref with this full name, as a place to look in.
    pub(super) fn candidate(&mut self, name: String) -> Result<Option<Candidate>, Error> {
        Ok(self.tip(&name)?.map(|commit| Candidate { name, commit }))
    }

    /// What a recorded id is.
    pub(super) fn recorded(&self, text: &str) -> Result<Recorded, Error> {
        Ok(match self.task.repository.commit_by_id(text)? {
            Ok(commit) => Recorded::Exists(commit),
            Err(why) => Recorded::Gone(why.to_string()),
        })
    }

    /// The commit that a recorded id is, where it is one.
    pub(super) fn commit(&self, text: &str) -> Result<Option<CommitId>, Error> {
        Ok(match self.recorded(text)? {
            Recorded::Exists(commit) => Some(commit),
            Recorded::Gone(_) => None,
        })
    }

    /// The anchor, where it is recorded and exists.
    pub(super) fn anchor(&self) -> Result<Option<CommitId>, Error> {
        let recorded = self.entry.as_ref().and_then(|entry| entry.implementation_base_commit.clone());
        recorded.map_or(Ok(None), |text| self.commit(&text))
    }

    /// Whether `commit` is for sure in the history of `tip`.
    pub(super) fn reaches(&mut self, tip: CommitId, commit: CommitId) -> Result<bool, Error> {
        Ok(self.history.reaches(self.context, tip, commit, Limits::default())? == Some(true))
    }

    /// A ref to suggest for each stage of `items` that needs a person.
    pub(super) fn ways_out(&mut self, items: &[Item]) -> Result<Vec<WayOut>, Error> {
        let stale = items.iter().filter(|item| item.is_confirm() && item.kind == crate::domain::reconcile::Kind::Done);
        let stages: Vec<u32> = stale.filter_map(|item| item.stage).collect();
        stages.into_iter().map(|stage| self.way_out(stage)).collect()
    }

    /// The stage's branch; where that is gone the task's; where that is gone the base. A ref that has nothing beyond where
    /// the stage began is none to suggest: it would record the stage as done without its work.
    fn way_out(&mut self, stage: u32) -> Result<WayOut, Error> {
        let (own, task) = (self.stage_branch(stage), self.task_branch());
        let base = self.base_ref()?.map(|base| base.name);
        let began = self.began(stage)?;
        for name in [Some(own), Some(task), base].into_iter().flatten() {
            let Some(tip) = self.tip(&name)? else { continue };
            let is_behind = match began {
                Some(began) => self.reaches(began, tip)?,
                None => false,
            };
            if !is_behind {
                return Ok(WayOut { stage, suggested_ref: short(&name).to_owned() });
            }
        }
        Ok(WayOut { stage, suggested_ref: PLACEHOLDER.to_owned() })
    }

    /// Where the work of a stage began, as far as that is known.
    fn began(&self, stage: u32) -> Result<Option<CommitId>, Error> {
        let Some(witness) = self.done.get(&stage).and_then(|done| done.witness.as_ref()) else { return self.anchor() };
        match self.base(witness)? {
            Base::Known(base) => Ok(Some(base)),
            _ => self.anchor(),
        }
    }
}

/// Refuses an entry that another clone holds: its branches and commits are not those of this one. A clone that is no
/// longer there has been moved here, for all that is known.
pub(in crate::ops) fn is_of_this_clone(
    key: &TaskKey,
    (repository, registry): (&Repository, &Registry),
    entry: &TaskEntry,
) -> Result<(), Error> {
    let Some(held) = entry.git_common_dir.as_deref().map(Path::new) else { return Ok(()) };
    let here = repository.common_dir();
    if !held.is_dir() || is_same_folder(held, here) {
        return Ok(());
    }
    let conflict = Conflict::Own {
        claimant: format!("`{key}`"),
        thing: Thing::Clone,
        held: held.to_string_lossy().into_owned(),
        wanted: here.to_string_lossy().into_owned(),
    };
    Err(store::Error::conflict(registry.path(), conflict).into())
}

/// The ref that a person named as a place to look in.
pub(super) fn candidate(context: &Context, task: &Task, text: &str) -> Result<Candidate, Error> {
    resolve(context, task, text, Purpose::Candidate)
}

/// The ref that a person named for its commit.
pub(super) fn resolve(context: &Context, task: &Task, text: &str, purpose: Purpose) -> Result<Candidate, Error> {
    let resolved = task.repository.commit_by_ref(context, text, purpose)?;
    let resolved = resolved.map_err(|source| Error::UnresolvableRef { text: text.to_owned(), source })?;
    Ok(Candidate { name: lasting(context, task, resolved.name, resolved.commit), commit: resolved.commit })
}

/// The name under which a ref is recorded. What `HEAD` is changes with where one stands, and with what is checked out: it
/// is recorded as the branch that it is now, or as the commit.
pub(super) fn lasting(context: &Context, task: &Task, name: String, commit: CommitId) -> String {
    if name != "HEAD" && !name.ends_with("/HEAD") || name.starts_with("refs/") {
        return name;
    }
    match task.repository.head(context, &name) {
        Some(Head::Branch(branch)) => branch,
        _ => commit.to_string(),
    }
}

/// A branch by its full name, whether it was given so or not.
fn full_branch(branch: &str) -> String {
    if branch.starts_with("refs/") { branch.to_owned() } else { format!("refs/heads/{branch}") }
}

/// A full name as a person would type it.
pub(super) fn short(name: &str) -> &str {
    name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("refs/remotes/")).unwrap_or(name)
}
