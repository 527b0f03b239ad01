//! What the templates may name. Every path is absolute, since agents stand in folders of their own.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::bundle::{BundleInput, instruction_folder};
use super::directive::{effective_stages, stage_batch_directive};
use super::filters;
use crate::domain::lifecycle::{RunName, TaskType};
use crate::domain::run::{ConvergenceSettings, RunManifest, RunStage, RunWorker, Vendor, VerificationMode, WorkerRole};

/// The variables of all templates; `worker` is there besides in what one worker gets.
#[derive(Serialize)]
pub(super) struct Variables<'a> {
    #[serde(rename = "EFFECTIVE_STAGES")]
    effective_stages: String,
    #[serde(rename = "STAGE_BATCH_DIRECTIVE")]
    stage_batch_directive: String,
    run: &'a str,
    task_key: &'a str,
    /// The task as `--task` takes it.
    task: &'a str,
    task_type: TaskType,
    category: &'a str,
    base_commit: &'a str,
    project_root: String,
    stages: Vec<&'a RunStage>,
    task_branch: Option<&'a str>,
    task_worktree: Option<String>,
    plan_id: Option<&'a str>,
    qa_waiver: Option<&'a str>,
    vendors: usize,
    lead_folder: String,
    workers: Vec<Worker<'a>>,
    convergence: Convergence,
    files: Files,
    paths: BTreeMap<&'a str, String>,
    brief: &'a str,
    directive: Option<&'a str>,
    plan: Option<&'a str>,
    carry_in: Option<&'a str>,
}

/// A worker, as templates see it.
#[derive(Serialize)]
pub(super) struct Worker<'a> {
    name: &'a str,
    vendor: Vendor,
    role: WorkerRole,
    model: Option<&'a str>,
    prompt_path: String,
    result_path: String,
    /// The result's path without its extension, for what lies beside it.
    result_stem: String,
    errors_path: String,
    worktree: Option<String>,
    deadline_minutes: u64,
}

/// How findings converge.
#[derive(Serialize)]
struct Convergence {
    enabled: bool,
    max_rounds: u32,
    adversarial: bool,
    verification_mode: VerificationMode,
}

/// The files of the instruction set, and the manifest.
#[derive(Serialize)]
struct Files {
    manifest: String,
    profile: String,
    material: String,
    brief: String,
    directive: Option<String>,
    carry_in: Option<String>,
    reference_expectations: String,
    report_template: String,
}

impl<'a> Variables<'a> {
    pub(super) fn new(input: &BundleInput<'a>, run: RunName) -> Self {
        let manifest = input.manifest;
        let absolute = |path: &str| absolute(input.project_root, path);
        let mut stages: Vec<_> = manifest.stages.iter().collect();
        stages.sort_by_key(|stage| stage.stage);
        Self {
            effective_stages: effective_stages(manifest),
            stage_batch_directive: stage_batch_directive(manifest),
            run: &manifest.run,
            task_key: &manifest.task_key,
            task: manifest.task_key.split_once('/').map_or(&manifest.task_key, |(_, task)| task),
            task_type: manifest.task_type,
            category: &manifest.category,
            base_commit: &manifest.base_commit,
            project_root: input.project_root.to_string_lossy().into_owned(),
            stages,
            task_branch: manifest.task_branch.as_deref(),
            task_worktree: manifest.task_worktree.as_deref().map(absolute),
            plan_id: manifest.plan.as_ref().map(|plan| plan.id.as_str()),
            qa_waiver: manifest.qa_waiver.as_deref(),
            vendors: vendors(manifest),
            lead_folder: absolute(&manifest.lead.folder),
            workers: manifest.workers.iter().map(|worker| Worker::new(worker, input.project_root)).collect(),
            convergence: manifest.convergence.into(),
            files: Files::new(input, run),
            paths: manifest.paths.iter().map(|(name, path)| (name.as_str(), absolute(path))).collect(),
            brief: input.brief,
            directive: input.directive,
            plan: input.plan_excerpt,
            carry_in: input.carry_in,
        }
    }

    /// `STAGE_BATCH_DIRECTIVE`.
    pub(super) fn directive_of_stages(&self) -> &str {
        &self.stage_batch_directive
    }
}

impl<'a> Worker<'a> {
    pub(super) fn new(worker: &'a RunWorker, project_root: &Path) -> Self {
        let absolute = |path: &str| absolute(project_root, path);
        let result_path = absolute(&worker.result_path);
        Self {
            name: &worker.name,
            vendor: worker.vendor,
            role: worker.role,
            model: worker.model.as_deref(),
            prompt_path: absolute(&worker.prompt_path),
            result_stem: result_path.strip_suffix(".md").unwrap_or(&result_path).to_owned(),
            result_path,
            errors_path: absolute(&worker.errors_path),
            worktree: worker.worktree.as_deref().map(absolute),
            deadline_minutes: worker.deadline_seconds.div_ceil(60),
        }
    }

    /// The line of a prompt that says where the result must be.
    pub(super) fn result_line(&self) -> String {
        format!("\n**Result Path:** {}\n", filters::path(&self.result_path))
    }
}

impl From<ConvergenceSettings> for Convergence {
    fn from(settings: ConvergenceSettings) -> Self {
        let ConvergenceSettings { enabled, max_rounds, adversarial, verification_mode } = settings;
        Self { enabled, max_rounds, adversarial, verification_mode }
    }
}

impl Files {
    fn new(input: &BundleInput, run: RunName) -> Self {
        let run_root = absolute(input.project_root, &input.manifest.run_root);
        let file = |name: &str| format!("{run_root}/{}/{name}", instruction_folder(run));
        Self {
            manifest: format!("{run_root}/manifests/run-manifest-{}-{}.json", run.task_type, run.seq()),
            profile: file("analysis-profile.md"),
            material: file("analysis-material.md"),
            brief: file("task-brief.md"),
            directive: input.directive.map(|_| file("directive.md")),
            carry_in: input.carry_in.map(|_| file("carry-in.md")),
            reference_expectations: file("reference-expectations.md"),
            report_template: file("final-report-template.md"),
        }
    }
}

/// How many vendors the workers come from that look at the work.
fn vendors(manifest: &RunManifest) -> usize {
    let looking = manifest.workers.iter().filter(|worker| worker.role != WorkerRole::ReportWriter);
    looking.map(|worker| worker.vendor).collect::<std::collections::BTreeSet<_>>().len()
}

/// A path of the manifest, from the root of the file system.
fn absolute(project_root: &Path, path: &str) -> String {
    project_root.join(path).to_string_lossy().into_owned()
}
