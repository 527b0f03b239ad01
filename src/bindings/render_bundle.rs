//! `renderBundle`: prepare a run and start nothing.

use std::collections::HashMap;

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use okstra::cli::Failure;
use okstra::ops::prepare::{self, Brief, Options};

use crate::content_merged::whole;
use crate::job::{Cancel, Job, start};

/// What to prepare.
#[napi(object)]
pub struct RenderBundleOptions {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<String>,
    /// The task, `GROUP/ID`; by default that of the worktree that the current folder is in.
    pub task: Option<String>,
    /// The task type; by default what comes next.
    #[napi(js_name = "type")]
    pub task_type: Option<String>,
    /// The work category, needed while the task has none.
    pub category: Option<String>,
    /// A file that says what is asked for; it, or `briefText`, is needed while the task has no brief.
    pub brief: Option<String>,
    /// What is asked for, as text.
    pub brief_text: Option<String>,
    /// What is asked of this run besides.
    pub directive: Option<String>,
    /// The workers, with commas between them; by default those whose command is on PATH.
    pub workers: Option<String>,
    /// Models, as `WORKER=MODEL` with commas between them.
    pub model: Option<String>,
    /// `implementation`: `auto`, the default, or the number of a stage.
    pub stage: Option<String>,
    /// `implementation`: a run whose stages are taken over; it is abandoned.
    pub take_over: Option<String>,
    /// `implementation`: why failing `post` commands may be waived.
    pub qa_waiver: Option<String>,
    /// The most convergence rounds.
    pub max_rounds: Option<f64>,
    /// Whether verifiers try to break claims.
    pub adversarial: Option<bool>,
    /// `lightweight` or `full-reanalysis`.
    pub verification_mode: Option<String>,
    /// What the task branch grows from, when it is made.
    pub base: Option<String>,
    /// The name of the task branch, when it is made.
    pub branch: Option<String>,
    /// Whether a person agreed to `takeOver` and `qaWaiver`.
    pub yes: Option<bool>,
}

/// A run that was prepared.
#[napi(object, use_nullable = true)]
pub struct PreparedRun {
    /// The task, `GROUP/ID`.
    pub task: String,
    /// The run, as in `implementation-001`.
    pub run: String,
    /// Its manifest.
    pub manifest_path: String,
    /// The launch prompt.
    pub launch_prompt: String,
    /// The folder that the lead works in.
    pub folder: String,
    /// The stages that it owns.
    pub stages: Vec<PreparedRunStage>,
    /// The prompts, with their sizes.
    pub prompts: Vec<PreparedRunPrompt>,
    /// With how many bytes all workers' prompts begin alike.
    pub shared_prefix: u32,
    /// Whether all that look at the run are of one vendor.
    pub is_one_vendor: bool,
    /// The commit that it starts from.
    pub base_commit: String,
    /// The branch of the task, where there is one.
    pub task_branch: Option<String>,
    /// The worktree of the task, where there is one.
    pub task_worktree: Option<String>,
    /// What the task branch grows from, a full ref name; where there is such a branch.
    pub base: Option<String>,
    /// Where the run leaves what it must leave, by what it is.
    pub paths: HashMap<String, String>,
    /// The command that starts a lead on it.
    pub next: String,
}

/// A stage of the batch.
#[napi(object)]
pub struct PreparedRunStage {
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
#[napi(object)]
pub struct PreparedRunPrompt {
    /// The worker, or `lead`.
    pub worker: String,
    /// Its path.
    pub path: String,
    /// Its size.
    pub bytes: u32,
    /// An estimate of its tokens.
    pub tokens: u32,
}

/// Prepares a run and starts nothing.
#[napi(ts_return_type = "Promise<PreparedRun>")]
pub fn render_bundle(options: RenderBundleOptions, cancel: &Cancel) -> AsyncTask<Job<PreparedRun>> {
    start(cancel, |context| Ok(prepare::run(context, &options.try_into()?)?.into()))
}

impl TryFrom<RenderBundleOptions> for Options {
    type Error = Failure;

    fn try_from(options: RenderBundleOptions) -> Result<Self, Failure> {
        let brief = match (options.brief, options.brief_text) {
            (Some(_), Some(_)) => return Err(Failure::usage("`brief` does not go with `briefText`".to_owned(), None)),
            (Some(path), None) => Some(Brief::File(path.into())),
            (None, text) => text.map(Brief::Text),
        };
        let split = |text: String| text.split(',').map(str::to_owned).collect::<Vec<_>>();
        let max_rounds = options.max_rounds.map(|number| whole("maxRounds", number)).transpose()?;
        Ok(Self {
            project_root: options.project_root.map(Into::into),
            task: options.task,
            task_type: options.task_type,
            category: options.category,
            brief,
            directive: options.directive,
            workers: options.workers.map(split),
            models: options.model.map(split).unwrap_or_default(),
            stage: options.stage,
            take_over: options.take_over,
            qa_waiver: options.qa_waiver,
            max_rounds: max_rounds.map(|number| u32::try_from(number).unwrap_or(u32::MAX)),
            adversarial: options.adversarial,
            verification_mode: options.verification_mode,
            base: options.base,
            branch: options.branch,
            yes: options.yes.unwrap_or(false),
        })
    }
}

impl From<prepare::Prepared> for PreparedRun {
    fn from(prepared: prepare::Prepared) -> Self {
        let text = |path: std::path::PathBuf| path.to_string_lossy().into_owned();
        let size = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let stage = |stage: prepare::PreparedStage| PreparedRunStage {
            stage: stage.stage,
            title: stage.title,
            branch: stage.branch,
            worktree: stage.worktree,
            base: stage.base,
        };
        let prompt = |prompt: prepare::PreparedPrompt| PreparedRunPrompt {
            worker: prompt.worker,
            path: text(prompt.path),
            bytes: size(prompt.bytes),
            tokens: size(prompt.tokens),
        };
        Self {
            task: prepared.task,
            run: prepared.run,
            manifest_path: text(prepared.manifest_path),
            launch_prompt: text(prepared.launch_prompt),
            folder: text(prepared.folder),
            stages: prepared.stages.into_iter().map(stage).collect(),
            prompts: prepared.prompts.into_iter().map(prompt).collect(),
            shared_prefix: size(prepared.shared_prefix),
            is_one_vendor: prepared.is_one_vendor,
            base_commit: prepared.base_commit,
            task_branch: prepared.task_branch,
            task_worktree: prepared.task_worktree.map(text),
            base: prepared.base,
            paths: prepared.paths.into_iter().map(|(what, path)| (what, text(path))).collect(),
            next: prepared.next,
        }
    }
}
