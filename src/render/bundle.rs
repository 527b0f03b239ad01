//! A run's bundle: the instruction set, the launch prompt, and a prompt for each worker.

use std::path::Path;

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use super::engine::Engine;
use super::variables::{Variables, Worker};
use super::{Error, Overrides};
use crate::domain::digest::sha256;
use crate::domain::lifecycle::RunName;
use crate::domain::run::{Instruction, Override, RunManifest, RunWorker, WorkerRole};

/// The name under which the launch prompt is listed.
pub const LEAD: &str = "lead";
/// The launch prompt, in the instruction set.
const LAUNCH: &str = "claude-execution-prompt.md";
/// What is rendered into the instruction set: the file, and its template.
const INSTRUCTIONS: [(&str, &str); 5] = [
    ("analysis-profile.md", "instruction-set/analysis-profile.md"),
    ("analysis-material.md", "instruction-set/analysis-material.md"),
    ("reference-expectations.md", "instruction-set/reference-expectations.md"),
    ("final-report-template.md", "reports/final-report-template.md"),
    (LAUNCH, "launch.md"),
];

/// What a bundle is made from.
#[derive(Clone, Copy, Debug)]
pub struct BundleInput<'a> {
    /// The manifest, complete but for `instructionSet` and `overrides`, which come from the [`Bundle`].
    pub manifest: &'a RunManifest,
    /// The project's main worktree, an absolute path: what relative paths of the manifest start from.
    pub project_root: &'a Path,
    /// The brief, byte for byte.
    pub brief: &'a str,
    /// What the user asked for this run besides.
    pub directive: Option<&'a str>,
    /// What the run needs of the frozen plan: rows and sections of its stages.
    pub plan_excerpt: Option<&'a str>,
    /// What the stages before hand on.
    pub carry_in: Option<&'a str>,
}

/// The texts of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// The files, in the order of their paths.
    pub files: Vec<Rendered>,
    /// The templates that the project replaced.
    pub overrides: Vec<Override>,
    /// The prompts: the lead's, then the workers', in the order of the roster.
    pub prompts: Vec<Prompt>,
    /// With how many bytes all workers' prompts begin alike; 0 with fewer than two of them.
    pub shared_prefix: usize,
}

/// A file of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// Its path from the run root, with `/`.
    pub path: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// How long a prompt is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The worker, or [`LEAD`].
    pub worker: String,
    /// Its path from the run root, with `/`.
    pub path: String,
    /// Its bytes.
    pub bytes: usize,
    /// About how many tokens these are: [`estimated_tokens`].
    pub tokens: usize,
}

/// The folder of a run's instruction set, from the run root.
pub fn instruction_folder(run: RunName) -> String {
    format!("instruction-set/{}", run.seq())
}

/// The file of a worker's prompt, from the run root.
pub fn prompt_path(worker: &str, run: RunName) -> String {
    format!("prompts/{worker}-{run}.md")
}

/// About how many tokens a text has: a quarter of its ASCII characters, rounded up, and one for each other character.
pub fn estimated_tokens(text: &str) -> usize {
    let others = text.chars().filter(|c| !c.is_ascii()).count();
    text.bytes().filter(u8::is_ascii).count().div_ceil(4) + others
}

/// Renders everything that the agents of a run read.
///
/// # Errors
/// [`Error::Undefined`] and [`Error::Template`] with their place, [`Error::Lost`] when a template of the project leaves
/// out what the run depends on, and [`Error::Run`] when the manifest's `run` is none.
pub fn bundle(input: &BundleInput, overrides: &Overrides) -> Result<Bundle, Error> {
    let run: RunName = input.manifest.run.parse()?;
    let engine = Engine::new(overrides)?;
    let variables = Variables::new(input, run);
    let (directive, values) = (variables.directive_of_stages(), Value::from(Serde(&variables)));
    let mut files = given(input, run);
    let mut texts = Vec::new();
    for (file, template) in INSTRUCTIONS {
        let text = engine.render(template, &values)?;
        let path = format!("{}/{file}", instruction_folder(run));
        if file == LAUNCH {
            engine.keeps(&text, directive, "STAGE_BATCH_DIRECTIVE", &[template])?;
            texts.push((LEAD, path, text));
        } else {
            files.push(Rendered { path, bytes: text.into_bytes() });
        }
    }
    for worker in &input.manifest.workers {
        texts.push((&worker.name, prompt_path(&worker.name, run), worker_prompt(&engine, input, worker, &values)?));
    }
    Ok(collect(files, texts, overrides))
}

/// What templates may name in the bundle of `input`, and besides as `worker` what concerns that one of the roster.
///
/// # Errors
/// [`Error::Run`] when the manifest's `run` is none.
pub fn variables<'a>(input: &BundleInput<'a>, worker: Option<&str>) -> Result<impl Serialize + use<'a>, Error> {
    #[derive(Serialize)]
    struct All<'a> {
        #[serde(flatten)]
        variables: Variables<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        worker: Option<Worker<'a>>,
    }
    let worker = input.manifest.workers.iter().find(|each| Some(each.name.as_str()) == worker);
    let worker = worker.map(|worker| Worker::new(worker, input.project_root));
    Ok(All { variables: Variables::new(input, input.manifest.run.parse()?), worker })
}

/// The files that people and earlier runs wrote, as they are.
fn given(input: &BundleInput, run: RunName) -> Vec<Rendered> {
    let texts =
        [("task-brief.md", Some(input.brief)), ("directive.md", input.directive), ("carry-in.md", input.carry_in)];
    let file = |(name, text): (&str, Option<&str>)| {
        Some(Rendered { path: format!("{}/{name}", instruction_folder(run)), bytes: text?.as_bytes().to_owned() })
    };
    texts.into_iter().filter_map(file).collect()
}

fn worker_prompt(engine: &Engine, input: &BundleInput, worker: &RunWorker, values: &Value) -> Result<String, Error> {
    let template = match worker.role {
        WorkerRole::Analyst => "workers/analyst.md",
        WorkerRole::Executor => "workers/executor.md",
        WorkerRole::Verifier => "workers/verifier.md",
        WorkerRole::ReportWriter => "workers/report-writer.md",
    };
    let worker = Worker::new(worker, input.project_root);
    let result_line = worker.result_line();
    let text = engine.render(template, &context! { worker => Serde(&worker), ..values.clone() })?;
    let templates = [template, "workers/_assignment.md"];
    engine.keeps(&text, &result_line, "the worker's line `**Result Path:**`", &templates)?;
    Ok(text)
}

fn collect(mut files: Vec<Rendered>, texts: Vec<(&str, String, String)>, overrides: &Overrides) -> Bundle {
    let measure = |(worker, path, text): &(&str, String, String)| Prompt {
        worker: (*worker).to_owned(),
        path: path.clone(),
        bytes: text.len(),
        tokens: estimated_tokens(text),
    };
    let prompts = texts.iter().map(measure).collect();
    let of_workers: Vec<_> = texts.iter().skip(1).map(|(_, _, text)| text.as_str()).collect();
    let shared_prefix = shared_prefix(&of_workers);
    files.extend(texts.into_iter().map(|(_, path, text)| Rendered { path, bytes: text.into_bytes() }));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Bundle { files, overrides: overrides.list(), prompts, shared_prefix }
}

/// With how many bytes all of `texts` begin alike; 0 with fewer than two.
fn shared_prefix(texts: &[&str]) -> usize {
    let Some((first, others)) = texts.split_first().filter(|(_, others)| !others.is_empty()) else { return 0 };
    let alike = |other: &&str| first.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    others.iter().map(alike).min().unwrap_or_default()
}

impl Bundle {
    /// What the manifest lists as `instructionSet`: every file that no worker is given as its prompt, with the paths that
    /// they have in `run_root`.
    pub fn instructions(&self, run_root: &str) -> Vec<Instruction> {
        let listed = self.files.iter().filter(|file| file.path.starts_with("instruction-set/"));
        let entry = |file: &Rendered| Instruction {
            path: format!("{run_root}/{}", file.path),
            sha256: sha256(&file.bytes),
            bytes: file.bytes.len() as u64,
        };
        listed.map(entry).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_estimated() {
        assert_eq!(["", "abc", "abcde", "äbcd", "日本"].map(estimated_tokens), [0, 1, 2, 2, 2]);
    }

    #[test]
    fn what_all_prompts_begin_with_is_counted() {
        assert_eq!(shared_prefix(&[]), 0);
        assert_eq!(shared_prefix(&["abc"]), 0);
        assert_eq!(shared_prefix(&["abc", "abd", "ab"]), 2);
    }
}
