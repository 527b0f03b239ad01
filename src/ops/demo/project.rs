//! The task of the story: its records as they are when a run is prepared, and its stages as they are built.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::script::{self, Act, PlannedStage};
use super::shop::Shop;
use crate::domain::ids::CommitId;
use crate::domain::names::{Name, TaskKey};
use crate::domain::plan::{Plan, PlanStage};
use crate::domain::registry::Integration;
use crate::git::keep;
use crate::ops::Error;
use crate::ops::record_done::{self, Done};
use crate::ops::task::{Selector, Task};
use crate::store::json::{Document, SchemaVersion};
use crate::store::registry::{RegistryGuard, StageWanted, TaskWanted};
use crate::store::{Layout, Manifest, Project};

/// The task, with its plan.
pub(super) struct Work {
    pub(super) task: Task,
    pub(super) plan: Plan,
}

/// Makes the project one of okstra's, with a task, its approved plan, its registry entry, branch and worktree.
pub(super) fn prepare(shop: &mut Shop<'_>) -> Result<Work, Error> {
    let root = shop.root();
    let (layout, project) = (Layout::new(&root), Name::parse("shop", "a project id")?);
    layout.ensure_ignored()?;
    Project::new(project.clone()).write(&layout.project())?;
    shop.act(&root, script::INIT)?;
    let machine = shop.machine(&root);
    let key = TaskKey { project, task: script::TASK.parse()? };
    let plan = plan(&key, &machine.clock().moment().to_string());
    write_task(&layout, &key, &plan)?;
    let task = Task::find(&machine, Some(&root), &Selector::Project(Some(script::TASK.to_owned())))?;
    let work = Work { task, plan };
    work.start(shop)?;
    let anchor = shop.commit("main")?.to_string();
    work.registry(shop)?.set_implementation_base(&work.task.key, &anchor)?;
    Ok(work)
}

/// Writes the manifest and the plan.
fn write_task(layout: &Layout, key: &TaskKey, plan: &Plan) -> Result<(), Error> {
    crate::fs::create_folder(&layout.plans(&key.task))?;
    let category = Name::parse(script::CATEGORY, "a work category")?;
    let manifest = Manifest::new(key.clone(), Some(script::TASK_TITLE.to_owned()), Some(category));
    manifest.write(&layout.manifest(&key.task))?;
    let mut document = Document::new(SchemaVersion::OLDEST);
    if let Ok(Value::Object(fields)) = serde_json::to_value(plan) {
        fields.into_iter().for_each(|(field, value)| document.set(&field, value));
    }
    document.write(&layout.plans(&key.task).join(format!("{}.json", plan.id)))?;
    Ok(())
}

/// The approved plan.
fn plan(key: &TaskKey, at: &str) -> Plan {
    let hash = |value: &Value| Sha256::digest(value.to_string()).iter().map(|byte| format!("{byte:02x}")).collect();
    let stage = |(number, planned): (u32, &PlannedStage)| {
        let stage = PlanStage {
            stage: number,
            title: planned.title.to_owned(),
            depends_on: planned.depends_on.to_vec(),
            step_count: 1,
            files: planned.files.iter().map(|file| (*file).to_owned()).collect(),
            hash: String::new(),
            ..PlanStage::default()
        };
        PlanStage { hash: hash(&serde_json::to_value(&stage).unwrap_or_default()), ..stage }
    };
    let stages: Vec<PlanStage> = (1..).zip(script::STAGES).map(stage).collect();
    let sha256 = hash(&serde_json::to_value(&stages).unwrap_or_default());
    Plan {
        id: "001".to_owned(),
        task_key: key.to_string(),
        approved_by: "Ada".to_owned(),
        approved_at: at.to_owned(),
        sha256,
        stages,
        ..Plan::default()
    }
}

impl Work {
    /// Makes the task's branch and worktree, at `main`.
    pub(super) fn start(&self, shop: &mut Shop<'_>) -> Result<(), Error> {
        let worktree = self.add_worktree(shop, None, script::TASK_BRANCH, "main")?;
        let git_common_dir = self.task.repository.common_dir().to_string_lossy().into_owned();
        let wanted = TaskWanted {
            worktree_path: worktree.to_string_lossy().into_owned(),
            branch: script::TASK_BRANCH.to_owned(),
            base_ref: "refs/heads/main".to_owned(),
            git_common_dir,
        };
        self.registry(shop)?.reserve_task(&self.task.key, &wanted)?;
        Ok(())
    }

    /// Builds a stage from `base` in a worktree of its own, and records it as done.
    pub(super) fn build(
        &self,
        shop: &mut Shop<'_>,
        stage: u32,
        base: CommitId,
        acts: &[Act],
    ) -> Result<CommitId, Error> {
        let branch = branch(stage);
        let worktree = self.add_worktree(shop, Some(stage), &branch, &base.to_string())?;
        let wanted = StageWanted {
            worktree_path: worktree.to_string_lossy().into_owned(),
            branch: branch.clone(),
            base_ref: Some(base.to_string()),
            reserved_by: None,
            reserved_at: None,
        };
        self.registry(shop)?.reserve_stages(&self.task.key, &BTreeMap::from([(stage, wanted)]))?;
        shop.act(&worktree, acts)?;
        let head = shop.commit(&branch)?;
        self.record(shop, stage, (base, head))?;
        Ok(head)
    }

    /// Records a stage as done, as its run would.
    fn record(&self, shop: &mut Shop<'_>, stage: u32, (base, head): (CommitId, CommitId)) -> Result<(), Error> {
        let root = shop.root();
        let hash = self.plan.stage(stage).map(|planned| planned.hash.clone()).unwrap_or_default();
        // Stages 1 and 2 are of one run.
        let run = script::RUNS[usize::from(stage > 2)].to_owned();
        let plan = Some((self.plan.id.clone(), hash));
        let done = Done { stage, head, base, run, plan, carry_path: None };
        record_done::run(&shop.machine(&root), &self.task, &done)?;
        Ok(())
    }

    /// Merges stages into the task branch, and records that.
    pub(super) fn integrate(&self, shop: &mut Shop<'_>, stages: &[u32]) -> Result<(), Error> {
        let worktree = shop.worktree(&self.task.key, None)?;
        for stage in stages {
            shop.git(&worktree, &["merge", "--quiet", "--no-ff", "--no-edit", &branch(*stage)])?;
        }
        let commit = shop.commit(script::TASK_BRANCH)?;
        let machine = shop.machine(&worktree);
        let pin = (keep::integration_ref_name(&self.task.key.task, commit), commit);
        self.task.repository.keep_commits(&machine, &[pin])?;
        let at = Some(machine.clock().moment().to_string());
        let made = Integration { commit: commit.to_string(), stages: stages.to_vec(), at };
        self.registry(shop)?.add_integration(&self.task.key, &made)?;
        Ok(())
    }

    /// Removes the worktrees of the task and of these stages; their branches stay.
    pub(super) fn remove_worktrees(&self, shop: &mut Shop<'_>, stages: &[u32]) -> Result<(), Error> {
        let root = shop.root();
        for stage in std::iter::once(None).chain(stages.iter().map(|stage| Some(*stage))) {
            let path = shop.worktree(&self.task.key, stage)?;
            shop.git(&root, &["worktree", "remove", &path.to_string_lossy()])?;
        }
        Ok(())
    }

    fn add_worktree(
        &self,
        shop: &mut Shop<'_>,
        stage: Option<u32>,
        branch: &str,
        start: &str,
    ) -> Result<PathBuf, Error> {
        let (root, path) = (shop.root(), shop.worktree(&self.task.key, stage)?);
        shop.git(&root, &["worktree", "add", "--quiet", "-b", branch, &path.to_string_lossy(), start])?;
        Ok(path)
    }

    fn registry(&self, shop: &mut Shop<'_>) -> Result<RegistryGuard, Error> {
        let root = shop.root();
        Ok(self.task.registry().lock(&shop.machine(&root))?)
    }
}

/// The branch of a stage.
pub(super) fn branch(stage: u32) -> String {
    format!("{}-s{stage}", script::TASK_BRANCH)
}
