//! The worktree registry: which task has which branch and worktree, and the anchor of each task.

mod conflict;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use conflict::{Claim, Conflict, Thing, find_conflict};

/// What the registry holds of a task. Paths are absolute. Fields that another program left out are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskEntry {
    /// Its worktree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree_path: Option<String>,
    /// Its branch, a short name. Stage branches add `-s<N>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// What it grew from, a full ref name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_ref: Option<String>,
    /// The common git folder of the clone that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_common_dir: Option<String>,
    /// The anchor: the commit from which independent stages start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implementation_base_commit: Option<String>,
    /// The branch that it had before it was closed: the next run makes it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_branch: Option<String>,
    /// Its stages, by number.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stages: BTreeMap<u32, StageEntry>,
    /// What `stage integrate` made, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub integrations: Vec<Integration>,
}

/// What the registry holds of a stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageEntry {
    /// Its worktree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree_path: Option<String>,
    /// Its branch, a short name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit that it started from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_ref: Option<String>,
    /// The run that works on it now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved_by: Option<Holder>,
    /// Since when, RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved_at: Option<String>,
}

/// Who works on a stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The run, as in `implementation-001`.
    pub run: String,
    /// The machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The process, where one holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// When that process was started, which tells it from a later one of the same id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process_start: Option<String>,
}

/// A merge of stages into the task branch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Integration {
    /// The commit that it ended at.
    pub commit: String,
    /// The stages that it merged.
    #[serde(default)]
    pub stages: Vec<u32>,
    /// When, RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

impl TaskEntry {
    /// The stages that the run `run` has reserved, ascending.
    pub fn reserved_by(&self, run: &str) -> Vec<u32> {
        let holds = |stage: &StageEntry| stage.reserved_by.as_ref().is_some_and(|holder| holder.run == run);
        self.stages.iter().filter(|(_, stage)| holds(stage)).map(|(number, _)| *number).collect()
    }

    /// Whether neither it nor one of its stages has a branch or a worktree.
    pub fn has_no_place(&self) -> bool {
        let stages = self.stages.values().map(|stage| (&stage.branch, &stage.worktree_path));
        let mut places = std::iter::once((&self.branch, &self.worktree_path)).chain(stages);
        places.all(|(branch, worktree)| branch.is_none() && worktree.is_none())
    }

    /// The branch of a stage: the registered one, else the task's branch with `-s<N>`.
    pub fn stage_branch(&self, stage: u32) -> Option<String> {
        let registered = self.stages.get(&stage).and_then(|entry| entry.branch.clone());
        registered.or_else(|| Some(format!("{}-s{stage}", self.branch.as_ref()?)))
    }
}
