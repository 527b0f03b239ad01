//! `stage integrate`: merges done stages into the task branch, all of them or none.

mod merge;
pub(in crate::ops) mod record;

use std::path::PathBuf;

use serde::Serialize;

use super::trunk::{self, Trunk};
use super::{StageError, layout, runs, snapshots};
use crate::context::Context;
use crate::domain::ids::CommitId;
use crate::domain::plan::Plan;
use crate::git;
use crate::ops::lifecycle::known::Known;
use crate::ops::reconcile::{auto_reconcile, check_records};
use crate::ops::task::{Selector, Task};
use crate::ops::{Error, mirror};
use crate::store::plans;

/// What to integrate.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<PathBuf>,
    /// The task, `GROUP/ID`; by default that of the worktree one stands in.
    pub task: Option<String>,
}

/// What was integrated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The task, `PROJECT/GROUP/ID`.
    pub task: String,
    /// Its branch, a short name.
    pub branch: String,
    /// Where the branch was.
    pub before: String,
    /// Where it is now.
    pub commit: String,
    /// The stages that were merged, in this order.
    pub merged: Vec<Merged>,
    /// The done stages that were in it already.
    pub contained: Vec<u32>,
}

/// A stage that was merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Merged {
    /// The stage.
    pub stage: u32,
    /// Its title.
    pub title: String,
    /// Its commit.
    pub commit: String,
    /// The merge commit.
    pub merge_commit: String,
}

/// Merges the done stages of the open runs into the task branch, or all done stages where no run is open or where its
/// stages are in it already. Doing it again changes nothing.
///
/// # Errors
/// [`StageError::Conflict`] with files and stages, [`StageError::Dirty`], [`Error::OperationInProgress`], [`Error::Gate`]
/// for records that no longer hold; nothing has then changed.
pub fn run(context: &Context, options: &Options) -> Result<Outcome, Error> {
    let task = Task::find(context, options.project_root.as_deref(), &Selector::Project(options.task.clone()))?;
    layout(&task)?;
    let _alone = trunk::lock(context, &task)?;
    let missing = || StageError::NoPlan { task: task.key.task.clone() };
    let plan = plans::current(&task.plans(), &task.key)?.ok_or_else(missing)?;
    let trunk = Trunk::open_or_make(context, &task)?;
    let before = trunk.head;
    let trunk = trunk.follow(context, &task)?;
    auto_reconcile(context, &task)?;
    record::complete(context, &task, &plan, trunk.head)?;
    let found = merge::find(context, &task, &plan, trunk.head)?;
    let stages = choose(&task, &found.missing)?;
    check_records(context, &task, &stages)?;
    let merges = merge::make(context, &task, (&plan, &found), (trunk.head, &stages))?;
    let commit = merges.last().map_or(trunk.head, |(_, commit)| *commit);
    let mut noted = unnoted(context, &task, &found.contained)?;
    if !merges.is_empty() {
        noted.extend(&stages);
    }
    if !noted.is_empty() {
        record::pin(context, &task, commit)?;
        git::fast_forward(context, &trunk.folder, commit)?;
        record::write(context, &task, (commit, &noted))?;
    }
    for run in runs::open_implementations(&task)? {
        snapshots(context, &task, &run.manifest, commit, None)?.keep();
    }
    mirror::write_or_warn(context, &task)?;
    let merged = merges.into_iter().map(|(stage, merge)| Merged {
        stage,
        title: plan.stage(stage).map(|planned| planned.title.clone()).unwrap_or_default(),
        commit: found.head_of(stage),
        merge_commit: merge.to_string(),
    });
    Ok(Outcome {
        task: task.key.to_string(),
        branch: trunk.branch,
        before: before.to_string(),
        commit: commit.to_string(),
        merged: merged.collect(),
        contained: found.contained,
    })
}

/// The stages that are in the task branch by their content, squashed by hand for example, and of which nothing says so yet.
fn unnoted(context: &Context, task: &Task, contained: &[u32]) -> Result<Vec<u32>, Error> {
    let known = Known::read(context, task, layout(task)?)?;
    Ok(contained.iter().copied().filter(|stage| !known.integrated.contains(stage)).collect())
}

/// Those of the `missing` stages that are to be merged.
fn choose(task: &Task, missing: &[u32]) -> Result<Vec<u32>, Error> {
    let open = runs::open_implementations(task)?;
    let owned: Vec<u32> = open.iter().flat_map(|run| &run.manifest.stages).map(|stage| stage.stage).collect();
    let batch: Vec<u32> = missing.iter().copied().filter(|stage| owned.contains(stage)).collect();
    Ok(if batch.is_empty() { missing.to_vec() } else { batch })
}

/// The done stages of a plan and where they stand.
struct Found {
    /// Base and head of each done stage.
    spans: std::collections::BTreeMap<u32, (Option<CommitId>, CommitId)>,
    /// Those that the task branch lacks.
    missing: Vec<u32>,
    /// Those that it holds.
    contained: Vec<u32>,
}

impl Found {
    fn head_of(&self, stage: u32) -> String {
        self.spans.get(&stage).map(|(_, head)| head.to_string()).unwrap_or_default()
    }
}

/// The title of a stage, as it stands in a merge's message.
fn subject(plan: &Plan, stage: u32) -> String {
    let title = plan.stage(stage).map(|planned| planned.title.clone()).unwrap_or_default();
    format!("Merge stage {stage}: {title}")
}
