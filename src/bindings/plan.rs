//! `planCheck`, `planApprove`, `planShow`: plans, and a person's approval of them.

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use okstra::ops::plan::{self, approve, check, show};

use crate::content_merged::word;
use crate::job::{Cancel, Job, start};

/// Which plan to check.
#[napi(object)]
pub struct PlanCheckOptions {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<String>,
    /// The plan, a Markdown file. It needs no project.
    pub file: Option<String>,
    /// Without a file: the task, `GROUP/ID`, whose newest planning report is checked; by default that of the worktree that
    /// the current folder is in.
    pub task: Option<String>,
}

/// What a check found.
#[napi(object)]
pub struct PlanCheck {
    /// The plan's file.
    pub plan: String,
    /// Its stages, as far as they can be read.
    pub stages: Vec<PlanStage>,
    /// Everything that is wrong with it, by line and rule.
    pub violations: Vec<PlanViolation>,
}

/// One thing that is wrong with a plan.
#[napi(object)]
pub struct PlanViolation {
    /// The rule that it breaks.
    #[napi(ts_type = "'S1' | 'S2' | 'S3' | 'S4' | 'S5' | 'S6' | 'S7' | 'S8' | 'S9'")]
    pub rule: String,
    /// The line, counted from 1.
    pub line: u32,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub mend: String,
}

/// A stage of a plan.
#[napi(object)]
pub struct PlanStage {
    /// Its number, from 1.
    pub stage: u32,
    /// Its title.
    pub title: String,
    /// The stages that must be done before it.
    pub depends_on: Vec<u32>,
    /// How many steps it has.
    pub step_count: u32,
    /// The paths that it may touch, as globs.
    pub files: Vec<String>,
    /// The SHA-256 of its row and section: the same as long as the stage is the same.
    pub hash: String,
    /// The line of its section, from 1; 0 where it has none.
    pub section_line: u32,
    /// What each step says, as Markdown.
    pub steps: Vec<String>,
    /// The commands that must succeed before it begins.
    pub pre: Vec<String>,
    /// The commands that must succeed before it counts as done.
    pub post: Vec<String>,
    /// What must hold when it is done, an item each, as Markdown.
    pub exit_contract: Vec<String>,
    /// How it is taken back, as Markdown.
    pub rollback: String,
}

/// Checks a plan against every rule of the Stage Map.
#[napi(ts_return_type = "Promise<PlanCheck>")]
pub fn plan_check(options: PlanCheckOptions, cancel: &Cancel) -> AsyncTask<Job<PlanCheck>> {
    start(cancel, move |context| {
        let PlanCheckOptions { project_root, file, task } = options;
        let options = check::Options { project_root: project_root.map(Into::into), file: file.map(Into::into), task };
        Ok(check::run(context, &options)?.into())
    })
}

/// What to approve, and for which task.
#[napi(object)]
pub struct PlanApproveOptions {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<String>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in. Where there is none it is made.
    pub task: Option<String>,
    /// The plan, a Markdown file; by default the newest planning report of the task.
    pub plan: Option<String>,
    /// The work category, for a task that has none yet.
    pub category: Option<String>,
    /// Who approves; by default git's `user.name`, else the login name.
    pub by: Option<String>,
    /// That a person has agreed. Without it nothing is approved.
    pub yes: Option<bool>,
}

/// What an approval did.
#[napi(object, use_nullable = true)]
pub struct PlanApproval {
    /// The plan's file.
    pub plan: String,
    /// The task, `PROJECT/GROUP/ID`.
    pub task_key: String,
    /// The id of the frozen plan; null where it is not approved.
    pub id: Option<String>,
    /// Whether anything was changed: not when exactly this plan holds already, and not when it breaks a rule.
    pub changed: bool,
    /// Who approved it.
    pub approved_by: Option<String>,
    /// When, RFC 3339 in UTC.
    pub approved_at: Option<String>,
    /// The SHA-256 of the plan.
    pub sha256: String,
    /// Its stages.
    pub stages: Vec<PlanStage>,
    /// Stages that are done and stay so.
    pub kept: Vec<u32>,
    /// Stages that are done and are to be done again, since the plan changes them.
    pub reopened: Vec<u32>,
    /// Stages that are done and in this plan no longer.
    pub removed: Vec<u32>,
    /// What is wrong with the plan; where anything is, it is not approved.
    pub violations: Vec<PlanViolation>,
}

/// Approves a plan for a task and freezes it, for a person who has agreed.
#[napi(ts_return_type = "Promise<PlanApproval>")]
pub fn plan_approve(options: PlanApproveOptions, cancel: &Cancel) -> AsyncTask<Job<PlanApproval>> {
    start(cancel, move |context| {
        let PlanApproveOptions { project_root, task, plan, category, by, yes } = options;
        let (project_root, plan) = (project_root.map(Into::into), plan.map(Into::into));
        let options = approve::Options { project_root, task, plan, category, by, yes: yes.unwrap_or(false) };
        Ok(approve::run(context, &options)?.into())
    })
}

/// Which plan to show, and how.
#[napi(object)]
pub struct PlanShowOptions {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<String>,
    /// The plan, a Markdown file. It needs no project.
    pub file: Option<String>,
    /// Without a file: the task, `GROUP/ID`; by default that of the worktree that the current folder is in. It is the plan
    /// that it goes by, or else its newest planning report.
    pub task: Option<String>,
    /// Draw the graph in the language of Graphviz.
    pub dot: Option<bool>,
    /// Draw the graph in that of Mermaid.
    pub mermaid: Option<bool>,
}

/// A plan, to be shown.
#[napi(object, use_nullable = true)]
pub struct PlanShown {
    /// The plan's file; of an approved plan the frozen copy.
    pub plan: String,
    /// The id of the approved plan; null for one that is not approved.
    pub id: Option<String>,
    /// Its first heading.
    pub title: Option<String>,
    /// Its stages.
    pub stages: Vec<PlanStage>,
    /// Where they stand, in the same order; null where no task is named.
    pub states: Option<Vec<PlanStageState>>,
    /// What is wrong with a plan that is not approved.
    pub violations: Vec<PlanViolation>,
    /// The graph, where a language for it was asked for.
    pub graph: Option<String>,
}

/// Where a stage stands.
#[napi(object)]
pub struct PlanStageState {
    /// The stage.
    pub stage: u32,
    /// It is done; a run has started it; all that it waits for is done; something that it waits for is not.
    #[napi(ts_type = "'done' | 'started' | 'ready' | 'waiting'")]
    pub state: String,
}

/// Reads the stages of a plan, and where they stand.
#[napi(ts_return_type = "Promise<PlanShown>")]
pub fn plan_show(options: PlanShowOptions, cancel: &Cancel) -> AsyncTask<Job<PlanShown>> {
    start(cancel, move |context| {
        let PlanShowOptions { project_root, file, task, dot, mermaid } = options;
        let (dot, mermaid) = (dot.unwrap_or(false), mermaid.unwrap_or(false));
        let (project_root, file) = (project_root.map(Into::into), file.map(Into::into));
        Ok(show::run(context, &show::Options { project_root, file, task, dot, mermaid })?.into())
    })
}

impl From<check::Report> for PlanCheck {
    fn from(report: check::Report) -> Self {
        Self { plan: report.plan, stages: all(report.stages), violations: all(report.violations) }
    }
}

impl From<approve::Approval> for PlanApproval {
    fn from(approval: approve::Approval) -> Self {
        Self {
            plan: approval.plan,
            task_key: approval.task_key,
            id: approval.id,
            changed: approval.changed,
            approved_by: approval.approved_by,
            approved_at: approval.approved_at,
            sha256: approval.sha256,
            stages: all(approval.stages),
            kept: approval.fates.kept,
            reopened: approval.fates.reopened,
            removed: approval.fates.removed,
            violations: all(approval.violations),
        }
    }
}

impl From<show::Shown> for PlanShown {
    fn from(shown: show::Shown) -> Self {
        Self {
            plan: shown.plan,
            id: shown.id,
            title: shown.title,
            stages: all(shown.stages),
            states: shown.states.map(all),
            violations: all(shown.violations),
            graph: shown.graph,
        }
    }
}

impl From<show::StandingStage> for PlanStageState {
    fn from(one: show::StandingStage) -> Self {
        Self { stage: one.stage, state: word(one.state) }
    }
}

impl From<plan::Violation> for PlanViolation {
    fn from(violation: plan::Violation) -> Self {
        let plan::Violation { rule, line, message, mend } = violation;
        Self { rule: word(rule), line: u32::try_from(line).unwrap_or(u32::MAX), message, mend }
    }
}

impl From<plan::PlanStage> for PlanStage {
    fn from(stage: plan::PlanStage) -> Self {
        Self {
            stage: stage.stage,
            title: stage.title,
            depends_on: stage.depends_on,
            step_count: stage.step_count,
            files: stage.files,
            hash: stage.hash,
            section_line: u32::try_from(stage.section_line).unwrap_or(u32::MAX),
            steps: stage.steps,
            pre: stage.pre,
            post: stage.post,
            exit_contract: stage.exit_contract,
            rollback: stage.rollback,
        }
    }
}

fn all<T: Into<U>, U>(values: Vec<T>) -> Vec<U> {
    values.into_iter().map(Into::into).collect()
}
