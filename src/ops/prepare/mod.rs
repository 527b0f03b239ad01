//! The one door to a run: checks what is asked for, chooses and reserves, renders, and lets the run exist.

mod claim;
mod input;
mod manifest;
mod number;
mod work;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::Error;
use super::task::Task;
use super::{abandon, lifecycle, stages};
use crate::context::Context;
use crate::domain::run::RunManifest;
use crate::domain::shell;
use crate::fs;
use crate::render::{self, BundleInput, Overrides};
use crate::store::{Layout, runs};
use claim::Claim;
use input::Input;
use work::Work;

/// Where the brief comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Brief {
    /// A file.
    File(PathBuf),
    /// The text itself.
    Text(String),
}

/// What to prepare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<PathBuf>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in.
    pub task: Option<String>,
    /// The task type; by default what comes next.
    pub task_type: Option<String>,
    /// The work category, needed while the task has none.
    pub category: Option<String>,
    /// What is asked for, needed while the task has no brief.
    pub brief: Option<Brief>,
    /// What is asked of this run besides.
    pub directive: Option<String>,
    /// The workers, by name; by default those whose CLI is there.
    pub workers: Option<Vec<String>>,
    /// Models, each as `WORKER=MODEL`.
    pub models: Vec<String>,
    /// `implementation`: `auto`, the default, or the number of a stage.
    pub stage: Option<String>,
    /// A run whose stages are taken over; it is abandoned.
    pub take_over: Option<String>,
    /// Why failing `post` commands may be waived.
    pub qa_waiver: Option<String>,
    /// The most convergence rounds.
    pub max_rounds: Option<u32>,
    /// Whether verifiers try to break claims.
    pub adversarial: Option<bool>,
    /// `lightweight` or `full-reanalysis`.
    pub verification_mode: Option<String>,
    /// What the task branch grows from, when it is made.
    pub base: Option<String>,
    /// The name of the task branch, when it is made.
    pub branch: Option<String>,
    /// Whether a person agreed to what a person decides: `take_over` and `qa_waiver`.
    pub yes: bool,
}

/// A run that was prepared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Prepared {
    /// The task, `GROUP/ID`.
    pub task: String,
    /// The run, as in `implementation-001`.
    pub run: String,
    /// Its manifest.
    pub manifest_path: PathBuf,
    /// The launch prompt.
    pub launch_prompt: PathBuf,
    /// The folder that the lead works in.
    pub folder: PathBuf,
    /// The stages that it owns.
    pub stages: Vec<PreparedStage>,
    /// The prompts, with their sizes.
    pub prompts: Vec<PreparedPrompt>,
    /// With how many bytes all workers' prompts begin alike.
    pub shared_prefix: usize,
    /// Whether all that look at the run are of one vendor.
    pub is_one_vendor: bool,
    /// The commit that it starts from.
    pub base_commit: String,
    /// The branch of the task, where there is one.
    pub task_branch: Option<String>,
    /// The worktree of the task, where there is one.
    pub task_worktree: Option<PathBuf>,
    /// What the task branch grows from, a full ref name; where there is such a branch.
    pub base: Option<String>,
    /// Where the run leaves what it must leave, by what it is.
    pub paths: BTreeMap<String, PathBuf>,
    /// The command that starts a lead on it.
    pub next: String,
}

/// A stage of the batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreparedStage {
    /// Its number.
    pub stage: u32,
    /// Its title.
    pub title: String,
    /// Its branch.
    pub branch: String,
    /// Its worktree.
    pub worktree: String,
    /// The commit that it starts from.
    pub base: String,
}

/// A prompt, and how long it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreparedPrompt {
    /// The worker, or `lead`.
    pub worker: String,
    /// Its path.
    pub path: PathBuf,
    /// Its size.
    pub bytes: usize,
    /// An estimate of its tokens.
    pub tokens: usize,
}

/// Prepares a run and starts nothing.
///
/// Everything that can be wrong is found before anything is written. The run exists once its manifest is there; what a
/// failure before that left is taken back, and what a crash left is cleared by the next prepare.
///
/// # Errors
/// When the request is wrong, the task is not ready for it, a template is wrong, or something cannot be written.
pub fn run(context: &Context, options: &Options) -> Result<Prepared, Error> {
    let (task, input) = input::read(context, options)?;
    let layout = task.layout.clone().ok_or_else(|| Error::NoProject { root: task.root.clone() })?;
    work::check(context, &task, &input)?;
    lifecycle::complete_registrations(context, &task.root)?;
    if let Some(new) = &input.new_task {
        lifecycle::create_task(context, &layout, new)?;
    }
    let claim = Claim::take(context, &task, &layout, input.task_type)?;
    let work = Work::provide(context, &task, &input, &claim)?;
    let manifest = manifest::draft(context, &task, &layout, (&input, &claim, &work))?;
    let snapshots = match input.task_type.edits_source() {
        true => None,
        false => Some(stages::snapshots(context, &task, &manifest, work.base, Some(claim.held()))?),
    };
    let (manifest, prompts, shared_prefix) = render_all(&task, &layout, (&input, &work), manifest)?;
    if !runs::write_manifest(&layout, &task.key, &manifest)? {
        return Err(Error::ChangedMeanwhile { log: layout.run_manifest(&task.key.task, claim.run()) });
    }
    work.keep();
    snapshots.into_iter().for_each(stages::Snapshots::keep);
    // Its manifest holds the number from now on.
    drop(claim);
    lifecycle::register_run(context, &task, &manifest)?;
    if let Some(run) = &options.take_over {
        let reason = format!("taken over by {}", manifest.run);
        let (project_root, task) = (Some(task.root.clone()), Some(task.key.task.to_string()));
        abandon::run(context, &abandon::Options { project_root, task, run: run.clone(), reason, yes: true })?;
    }
    let base = task.registry().read(&task.key)?.and_then(|entry| entry.base_ref);
    Ok(Prepared { base, ..prepared(&task, &layout, &input, (manifest, prompts, shared_prefix)) })
}

type Texts = (RunManifest, Vec<render::Prompt>, usize);

/// Renders and writes every text of the run, and completes the manifest with what it lists of them.
fn render_all(
    task: &Task,
    layout: &Layout,
    (input, work): (&Input, &Work<'_>),
    mut manifest: RunManifest,
) -> Result<Texts, Error> {
    let overrides = Overrides::read(&layout.prompts())?;
    let bundle = render::bundle(
        &BundleInput {
            manifest: &manifest,
            project_root: &task.root,
            brief: &input.brief,
            directive: input.directive.as_deref(),
            plan_excerpt: work.plan_excerpt.as_deref(),
            carry_in: work.carry_in.as_deref(),
        },
        &overrides,
    )?;
    let root = task.root.join(&manifest.run_root);
    for file in &bundle.files {
        let path = root.join(&file.path);
        fs::create_folder(path.parent().unwrap_or(&root))?;
        fs::replace(&path, &file.bytes)?;
    }
    manifest.instruction_set = bundle.instructions(&manifest.run_root);
    manifest.overrides.clone_from(&bundle.overrides);
    Ok((manifest, bundle.prompts, bundle.shared_prefix))
}

fn prepared(task: &Task, layout: &Layout, input: &Input, (manifest, prompts, shared_prefix): Texts) -> Prepared {
    let root = task.root.join(&manifest.run_root);
    let run = manifest.run.parse().map(|name| layout.run_manifest(&task.key.task, name));
    let stage = |stage: &crate::domain::run::RunStage| PreparedStage {
        stage: stage.stage,
        title: stage.title.clone(),
        branch: stage.branch.clone(),
        worktree: stage.worktree.clone(),
        base: stage.base.clone(),
    };
    let prompt = |prompt: render::Prompt| PreparedPrompt {
        worker: prompt.worker,
        path: root.join(prompt.path),
        bytes: prompt.bytes,
        tokens: prompt.tokens,
    };
    Prepared {
        task: task.key.task.to_string(),
        manifest_path: run.unwrap_or_else(|_| root.clone()),
        launch_prompt: task.root.join(&manifest.lead.prompt_path),
        folder: PathBuf::from(&manifest.lead.folder),
        stages: manifest.stages.iter().map(stage).collect(),
        prompts: prompts.into_iter().map(prompt).collect(),
        shared_prefix,
        is_one_vendor: crate::domain::roster::is_one_vendor(&input.roster),
        base_commit: manifest.base_commit,
        task_branch: manifest.task_branch.clone(),
        task_worktree: manifest.task_worktree.as_ref().map(PathBuf::from),
        base: None,
        paths: manifest.paths.iter().map(|(what, path)| (what.clone(), task.root.join(path))).collect(),
        next: shell::command(["okstra", "resume", &manifest.run, "--task", &task.key.task.to_string()]),
        run: manifest.run,
    }
}
