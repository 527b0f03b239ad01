//! `gitReconcile`: find and repair recorded commits that outside history changes made stale.

use napi::bindgen_prelude::{AsyncTask, Either, Null};
use napi_derive::napi;
use okstra::cli::Failure;
use okstra::ops::reconcile::{self, Options, Outcome};

use crate::content_merged::{whole, word};
use crate::job::{Cancel, Job, start};

/// What to look at, and what to do about it.
#[napi(object)]
pub struct GitReconcileOptions {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<String>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in.
    pub task: Option<String>,
    /// The folder of the task's `consumers.jsonl`; with the next four instead of `task`, needs no `.okstra/`.
    pub plan_run_root: Option<String>,
    /// The project id.
    pub project_id: Option<String>,
    /// The task group.
    pub task_group: Option<String>,
    /// The task id.
    pub task_id: Option<String>,
    /// The work category.
    pub work_category: Option<String>,
    /// Ask of every done stage whether it is in this ref.
    pub into: Option<String>,
    /// Repair what is proved.
    pub apply: Option<bool>,
    /// The stage that `useRef` is for.
    pub stage: Option<f64>,
    /// Record the commit of this ref for `stage`, as a person's decision.
    pub use_ref: Option<String>,
    /// Move the anchor to the commit of this ref.
    pub reset_anchor: Option<String>,
    /// List also what holds.
    pub all: Option<bool>,
}

/// What was found. Items that hold are left out unless `all` was asked for.
#[napi(object)]
pub struct GitReconcileInspection {
    /// Anchor, done stages, gates of the stages to come.
    pub items: Vec<GitReconcileItem>,
    /// With `into`: every done stage.
    pub into: Option<Vec<GitReconcileInto>>,
}

/// What was repaired.
#[napi(object)]
pub struct GitReconcileApplied {
    /// What was changed; what was so already is not in it.
    pub applied: Vec<GitReconcileRepair>,
    /// What a person still has to decide.
    #[napi(js_name = "remaining_confirm")]
    pub remaining_confirm: Vec<GitReconcileItem>,
    /// With `into`: every done stage.
    pub into: Option<Vec<GitReconcileInto>>,
}

/// One thing that was looked at.
#[napi(object)]
pub struct GitReconcileItem {
    /// The anchor of the task, the recorded commit of a done stage, or a dependency of a stage to come.
    #[napi(ts_type = "'anchor' | 'done' | 'gate'")]
    pub kind: String,
    /// The stage; null for the anchor.
    pub stage: Either<u32, Null>,
    /// Gates only: the stage that it depends on.
    pub predecessor: Option<u32>,
    /// Gates only: what holds it up; null when nothing does.
    #[napi(ts_type = "'not-done' | 'not-integrated' | 'landed-elsewhere' | 'stale' | 'undecided' | null")]
    pub cause: Option<Either<String, Null>>,
    /// The commit as it is recorded.
    pub recorded: Either<String, Null>,
    /// It holds; it can be repaired from proof; a person decides; it comes by itself as the work goes on.
    #[napi(ts_type = "'ok' | 'auto' | 'confirm' | 'waiting'")]
    pub classification: String,
    /// Why, a sentence for people.
    pub reason: String,
    /// The commit that okstra would record instead.
    #[napi(js_name = "suggested_commit")]
    pub suggested_commit: Either<String, Null>,
    /// What proves where it landed; see `ContentMerged`.
    pub proof: Either<String, Null>,
    /// What became of its content there; null when that was not asked.
    pub effect: Either<String, Null>,
    /// Where it landed.
    #[napi(js_name = "matched_commit")]
    pub matched_commit: Either<String, Null>,
}

/// Where a done stage is in the ref of `into`.
#[napi(object)]
pub struct GitReconcileInto {
    /// The stage.
    pub stage: u32,
    /// The ref, in full.
    #[napi(js_name = "ref")]
    pub reference: String,
    /// Where it landed there.
    #[napi(js_name = "matched_commit")]
    pub matched_commit: Either<String, Null>,
    /// What proves it; see `ContentMerged`.
    pub proof: Either<String, Null>,
    /// What became of it there.
    pub effect: String,
    /// Whether it is contained, absent, or to be asked about.
    #[napi(ts_type = "'contained' | 'absent' | 'ask'")]
    pub verdict: String,
}

/// A change that was made: the anchor was moved, or a repair row was appended for a stage.
#[napi(object)]
pub struct GitReconcileRepair {
    /// The commit of the anchor now.
    pub anchor: Option<String>,
    /// The stage.
    pub stage: Option<u32>,
    /// The commit recorded now.
    #[napi(js_name = "new_commit")]
    pub new_commit: Option<String>,
    /// The one recorded before.
    pub replaced: Option<String>,
    /// By what right.
    #[napi(ts_type = "'auto-patch-id' | 'auto-fingerprint' | 'user-ref'")]
    pub reason: Option<String>,
}

/// Finds recorded commits that outside history changes made stale, and repairs them where that is asked for and proved.
#[napi(ts_return_type = "Promise<GitReconcileInspection | GitReconcileApplied>")]
pub fn git_reconcile(
    options: GitReconcileOptions,
    cancel: &Cancel,
) -> AsyncTask<Job<Either<GitReconcileInspection, GitReconcileApplied>>> {
    start(cancel, |context| Ok(document(reconcile::run(context, &options.try_into()?)?.outcome)))
}

impl TryFrom<GitReconcileOptions> for Options {
    type Error = Failure;

    fn try_from(options: GitReconcileOptions) -> Result<Self, Failure> {
        let GitReconcileOptions { project_root, task, plan_run_root, project_id, task_group, .. } = options;
        let GitReconcileOptions { task_id, work_category, into, apply, stage, use_ref, reset_anchor, all, .. } =
            options;
        Ok(Self {
            project_root: project_root.map(Into::into),
            task,
            plan_run_root: plan_run_root.map(Into::into),
            project_id,
            task_group,
            task_id,
            work_category,
            into,
            apply: apply.unwrap_or(false),
            stage: stage.map(stage_number).transpose()?,
            use_ref,
            reset_anchor,
            all: all.unwrap_or(false),
        })
    }
}

/// A stage number: from 1, as on the command line.
pub(crate) fn stage_number(number: f64) -> Result<u32, Failure> {
    let stage = whole("stage", number)?;
    let stage = u32::try_from(stage).ok().filter(|&stage| stage > 0);
    stage.ok_or_else(|| Failure::usage(format!("`stage` must be a number from 1, not {number}"), None))
}

/// The document of an outcome.
pub(crate) fn document(outcome: Outcome) -> Either<GitReconcileInspection, GitReconcileApplied> {
    match outcome {
        Outcome::Inspected(found) => Either::A(GitReconcileInspection {
            items: found.items.into_iter().map(Into::into).collect(),
            into: found.into.map(|into| into.into_iter().map(Into::into).collect()),
        }),
        Outcome::Applied(done) => Either::B(GitReconcileApplied {
            applied: done.applied.into_iter().map(Into::into).collect(),
            remaining_confirm: done.remaining_confirm.into_iter().map(Into::into).collect(),
            into: done.into.map(|into| into.into_iter().map(Into::into).collect()),
        }),
    }
}

impl From<reconcile::Item> for GitReconcileItem {
    fn from(item: reconcile::Item) -> Self {
        Self {
            kind: word(item.kind),
            stage: or_null(item.stage),
            predecessor: item.predecessor,
            cause: item.cause.map(|cause| or_null(cause.map(word))),
            recorded: or_null(item.recorded),
            classification: word(item.classification),
            reason: item.reason,
            suggested_commit: or_null(item.suggested_commit.map(|commit| commit.to_string())),
            proof: or_null(item.proof.map(word)),
            effect: or_null(item.effect.map(word)),
            matched_commit: or_null(item.matched_commit.map(|commit| commit.to_string())),
        }
    }
}

impl From<reconcile::Into> for GitReconcileInto {
    fn from(into: reconcile::Into) -> Self {
        Self {
            stage: into.stage,
            reference: into.reference,
            matched_commit: or_null(into.matched_commit.map(|commit| commit.to_string())),
            proof: or_null(into.proof.map(word)),
            effect: word(into.effect),
            verdict: word(into.verdict),
        }
    }
}

impl From<reconcile::Repair> for GitReconcileRepair {
    fn from(repair: reconcile::Repair) -> Self {
        let nothing = Self { anchor: None, stage: None, new_commit: None, replaced: None, reason: None };
        match repair {
            reconcile::Repair::Anchor { anchor } => Self { anchor: Some(anchor.to_string()), ..nothing },
            reconcile::Repair::Stage { stage, new_commit, replaced, reason } => Self {
                stage: Some(stage),
                new_commit: Some(new_commit),
                replaced: Some(replaced),
                reason: Some(word(reason)),
                ..nothing
            },
        }
    }
}

/// What is null in the document, and never left out.
pub(crate) fn or_null<T>(value: Option<T>) -> Either<T, Null> {
    value.map_or(Either::B(Null), Either::A)
}
