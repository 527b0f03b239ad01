//! Everything that is asked for, checked before anything is written.

use sha2::{Digest as _, Sha256};

use super::{Brief, Options};
use crate::context::Context;
use crate::domain::batch::Request;
use crate::domain::lifecycle::{Route, TaskBrief, TaskType};
use crate::domain::roster::{self, Chosen, Wanted};
use crate::domain::run::{ConvergenceSettings, Vendor, VerificationMode};
use crate::ops::lifecycle::NewTask;
use crate::ops::stages::StageError;
use crate::ops::task::Task;
use crate::ops::{Error, status};
use crate::store::{Layout, Manifest};

/// A run as it is asked for.
pub(super) struct Input {
    pub(super) task_type: TaskType,
    pub(super) new_task: Option<NewTask>,
    pub(super) brief: String,
    pub(super) brief_sha256: String,
    pub(super) directive: Option<String>,
    pub(super) roster: Vec<Chosen>,
    pub(super) convergence: ConvergenceSettings,
    pub(super) stage: Request,
    pub(super) take_over: Option<String>,
    pub(super) qa_waiver: Option<String>,
    pub(super) base: Option<String>,
    pub(super) branch: Option<String>,
}

/// Finds the task and reads the request.
pub(super) fn read(context: &Context, options: &Options) -> Result<(Task, Input), Error> {
    let root = options.project_root.as_deref();
    let category = options.category.as_deref();
    let (task, planned) = Task::find_or_plan(context, root, options.task.as_deref(), category)?;
    let layout = task.layout.clone().ok_or_else(|| Error::NoProject { root: task.root.clone() })?;
    let task_type = task_type(context, options, &task, planned.is_some())?;
    confirmed(options)?;
    let stage = options.stage.as_deref().unwrap_or("auto").parse::<Request>();
    let stage = stage.map_err(|error| Error::from(StageError::Batch(error)))?;
    only_for(task_type, options)?;
    let brief = brief(context, options, &task, &layout)?;
    let brief_sha256 = Sha256::digest(brief.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let new_task = planned.map(|_| NewTask {
        key: task.key.clone(),
        title: title(&brief),
        category: task.category.clone(),
        brief: Some(TaskBrief { path: None, sha256: brief_sha256.clone() }),
    });
    let route = route(&task, &layout)?;
    let roster = roster::roster(task_type, route, &found(context), &wanted(options)?)?;
    let convergence = convergence(task_type, options)?;
    let input = Input {
        task_type,
        new_task,
        brief,
        brief_sha256,
        directive: options.directive.clone().filter(|text| !text.trim().is_empty()),
        roster,
        convergence,
        stage,
        take_over: options.take_over.clone(),
        qa_waiver: options.qa_waiver.clone(),
        base: options.base.clone(),
        branch: options.branch.clone(),
    };
    Ok((task, input))
}

fn request(message: &str, hint: &str) -> Error {
    Error::Request { message: message.to_owned(), hint: hint.to_owned() }
}

fn task_type(context: &Context, options: &Options, task: &Task, is_new: bool) -> Result<TaskType, Error> {
    if let Some(text) = &options.task_type {
        return text.parse().map_err(|error: crate::domain::lifecycle::TaskTypeError| {
            request(&error.to_string(), "name one with --type")
        });
    }
    if is_new {
        return Ok(TaskType::RequirementsDiscovery);
    }
    let (project_root, name) = (Some(task.root.clone()), Some(task.key.task.to_string()));
    let next = status::run(context, &status::Options { project_root, task: name })?.next;
    next.task_type.filter(|_| next.step == "run").ok_or_else(|| {
        let hint = next
            .command
            .map_or_else(|| "name a type with --type".to_owned(), |command| format!("do that first: {command}"));
        request(&format!("no run comes next: {}", next.reason), &hint)
    })
}

/// What a person decides needs a person's word.
fn confirmed(options: &Options) -> Result<(), Error> {
    let asked = [(&options.take_over, "taking over the stages of"), (&options.qa_waiver, "waiving failing checks:")];
    match asked.into_iter().find_map(|(value, what)| Some((value.as_ref()?, what))) {
        Some((value, what)) if !options.yes => Err(Error::ConfirmationNeeded { what: format!("{what} {value}") }),
        _ => Ok(()),
    }
}

fn only_for(task_type: TaskType, options: &Options) -> Result<(), Error> {
    let given = [
        ("--stage", options.stage.is_some()),
        ("--take-over", options.take_over.is_some()),
        ("--qa-waiver", options.qa_waiver.is_some()),
        ("--base", options.base.is_some()),
        ("--branch", options.branch.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given && !task_type.edits_source()) {
        Some((flag, _)) => {
            Err(request(&format!("{flag} is for implementation, and not for {task_type}"), "leave it out"))
        }
        None => Ok(()),
    }
}

/// The brief: the one given, else the task's own, from the run that had it first.
fn brief(context: &Context, options: &Options, task: &Task, layout: &Layout) -> Result<String, Error> {
    let text = match &options.brief {
        Some(Brief::Text(text)) => text.clone(),
        Some(Brief::File(path)) => crate::fs::read_text(&context.absolute(path))?,
        None => own_brief(task, layout)?.ok_or_else(|| {
            request(
                &format!("task {} has no brief yet", task.key.task),
                "say what is asked for: --brief FILE, or --brief - for the standard input",
            )
        })?,
    };
    if text.trim().is_empty() {
        return Err(request(
            "the brief is empty",
            "say what is asked for: --brief FILE, or --brief - for the standard input",
        ));
    }
    if text.contains('\0') {
        return Err(request("the brief is no text: it holds a NUL byte", "name a text file"));
    }
    Ok(text)
}

/// The brief of the latest run that is there.
fn own_brief(task: &Task, layout: &Layout) -> Result<Option<String>, Error> {
    let runs = crate::store::runs::read_all(layout, &task.key)?;
    let latest = runs.into_iter().max_by(|a, b| a.manifest.created_at.cmp(&b.manifest.created_at));
    latest.map(|run| Ok(crate::fs::read_text(&layout.file(&run.manifest.brief.path))?)).transpose()
}

/// The first heading of the brief, or its first line.
fn title(brief: &str) -> Option<String> {
    let line = brief.lines().map(|line| line.trim_start_matches('#').trim()).find(|line| !line.is_empty())?;
    Some(line.chars().take(80).collect())
}

fn route(task: &Task, layout: &Layout) -> Result<Route, Error> {
    let path = layout.manifest(&task.key.task);
    let manifest = Manifest::read(&path)?;
    let lifecycle = manifest.map(|manifest| manifest.lifecycle(&path)).transpose()?;
    Ok(lifecycle.and_then(|lifecycle| lifecycle.route).unwrap_or_default())
}

fn wanted(options: &Options) -> Result<Wanted, Error> {
    let models = options.models.iter().map(|text| {
        let parts = text.split_once('=').filter(|(worker, model)| !worker.is_empty() && !model.is_empty());
        let parts = parts.map(|(worker, model)| (worker.to_owned(), model.to_owned()));
        parts.ok_or_else(|| request(&format!("`{text}` names no model"), "write it as --model WORKER=MODEL"))
    });
    Ok(Wanted { workers: options.workers.clone(), models: models.collect::<Result<_, _>>()? })
}

/// The vendors whose CLI is on PATH.
fn found(context: &Context) -> Vec<Vendor> {
    let folders: Vec<_> =
        context.environment().path().map(|path| std::env::split_paths(path).collect()).unwrap_or_default();
    let is_there = |name: &str| folders.iter().any(|folder: &std::path::PathBuf| folder.join(name).is_file());
    Vendor::ALL.into_iter().filter(|vendor| is_there(vendor.as_str())).collect()
}

fn convergence(task_type: TaskType, options: &Options) -> Result<ConvergenceSettings, Error> {
    let default = task_type.convergence();
    let mode = match options.verification_mode.as_deref() {
        None if default.is_some_and(|default| default.full_reanalysis) => VerificationMode::FullReanalysis,
        None | Some("lightweight") => VerificationMode::Lightweight,
        Some("full-reanalysis") => VerificationMode::FullReanalysis,
        Some(text) => {
            return Err(request(
                &format!("`{text}` is no verification mode"),
                "there are lightweight and full-reanalysis",
            ));
        }
    };
    Ok(ConvergenceSettings {
        enabled: default.is_some(),
        max_rounds: options.max_rounds.or(default.map(|default| default.max_rounds)).unwrap_or_default(),
        adversarial: options.adversarial.or(default.map(|default| default.adversarial)).unwrap_or_default(),
        verification_mode: mode,
    })
}
