//! Everything that is asked for, checked before anything is written.

use super::{Brief, Options};
use crate::context::Context;
use crate::domain::batch::Request;
use crate::domain::digest::sha256;
use crate::domain::lifecycle::{Route, TaskBrief, TaskType};
use crate::domain::roster::{self, Chosen, Wanted};
use crate::domain::run::{ConvergenceSettings, RunOption, VerificationMode, WantedConvergence};
use crate::ops::agents::Agents;
use crate::ops::lifecycle::known::Known;
use crate::ops::lifecycle::{NewTask, layout_of};
use crate::ops::stages::StageError;
use crate::ops::task::Task;
use crate::ops::{Error, mirror, status};
use crate::store::{Layout, Manifest, Project, RunSettings};

/// The longest brief, in bytes. It is in every worker's prompt, and what is over 1 MiB is not mirrored.
const LONGEST_BRIEF: usize = 512 * 1024;
/// The most convergence rounds that can be asked for.
const MOST_ROUNDS: u32 = 100;

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
    if planned.is_some() {
        mirror::refuse_lost_task(context, &task)?;
    }
    let task_type = task_type(context, options, &task, planned.is_some())?;
    confirmed(options)?;
    let stage = options.stage.as_deref().unwrap_or("auto").parse::<Request>();
    let stage = stage.map_err(|error| Error::from(StageError::Batch { task: task.key.task.clone(), error }))?;
    check_options(task_type, options)?;
    if options.directive.as_ref().is_some_and(|text| text.trim().is_empty() || text.contains('\0')) {
        return Err(request("the directive says nothing", "leave --directive out, or say what is asked of this run"));
    }
    let brief = brief(context, options, &task, &layout)?;
    let brief_sha256 = sha256(&brief);
    let new_task = planned.map(|_| NewTask {
        key: task.key.clone(),
        title: title(&brief),
        category: task.category.clone(),
        brief: Some(TaskBrief { path: None, sha256: brief_sha256.clone() }),
    });
    let route = route(&task, &layout)?;
    let project = settings(&layout)?;
    let convergence = convergence(options)?.settings(task_type, project.convergence);
    let found = Agents::read(context, &task.home)?.found(context);
    let roster = roster::roster(task_type, route, &found, &wanted(options, project)?)?;
    let input = Input {
        task_type,
        new_task,
        brief,
        brief_sha256,
        directive: options.directive.clone(),
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
    let known = Known::read(context, task, layout_of(task)?)?;
    let next = status::next_run(task, &known, options.project_root.as_deref())?;
    next.task_type.filter(|_| next.step == "run").ok_or_else(|| {
        let hint = next.command.map_or_else(
            || "name the type of the run that opens it again, for example --type implementation".to_owned(),
            |command| format!("do that first: {command}"),
        );
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

/// Whether the task type has all that was given.
fn check_options(task_type: TaskType, options: &Options) -> Result<(), Error> {
    let given = [
        (RunOption::Stage, options.stage.is_some()),
        (RunOption::TakeOver, options.take_over.is_some()),
        (RunOption::QaWaiver, options.qa_waiver.is_some()),
        (RunOption::Base, options.base.is_some()),
        (RunOption::Branch, options.branch.is_some()),
        (RunOption::Workers, options.workers.is_some()),
        (RunOption::MaxRounds, options.max_rounds.is_some()),
        (RunOption::Adversarial, options.adversarial.is_some()),
        (RunOption::VerificationMode, options.verification_mode.is_some()),
    ];
    let given = given.into_iter().filter(|(_, is_given)| *is_given).map(|(option, _)| option);
    RunOption::check(task_type, given).map_err(|error| request(&error.to_string(), "leave it out"))
}

/// The brief: the one given, else the task's own, from the run that had it first.
fn brief(context: &Context, options: &Options, task: &Task, layout: &Layout) -> Result<String, Error> {
    let text = match &options.brief {
        Some(Brief::Text(text)) => text.clone(),
        Some(Brief::File(path)) => crate::fs::read_text_up_to(&context.absolute(path), LONGEST_BRIEF + 1)?,
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
    if text.len() > LONGEST_BRIEF {
        return Err(request(
            &format!("the brief is longer than {} KiB", LONGEST_BRIEF / 1024),
            "every worker reads all of it: say what matters, and name files for the rest",
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

/// What the project sets for all its runs.
fn settings(layout: &Layout) -> Result<RunSettings, Error> {
    let path = layout.project();
    let settings = Project::read(&path)?.map(|project| project.run_settings(&path)).transpose()?;
    Ok(settings.unwrap_or_default())
}

/// Who was asked for; what is typed wins over what the project sets.
fn wanted(options: &Options, project: RunSettings) -> Result<Wanted, Error> {
    let models = options.models.iter().map(|text| {
        let parts = text.split_once('=').filter(|(worker, model)| !worker.is_empty() && !model.is_empty());
        let parts = parts.map(|(worker, model)| (worker.to_owned(), model.to_owned()));
        parts.ok_or_else(|| request(&format!("`{text}` names no model"), "write it as --model WORKER=MODEL"))
    });
    Ok(Wanted {
        workers: options.workers.clone().or(project.workers),
        models: models.collect::<Result<_, _>>()?,
        project_models: project.models,
    })
}

fn convergence(options: &Options) -> Result<WantedConvergence, Error> {
    if options.max_rounds.is_some_and(|rounds| rounds > MOST_ROUNDS) {
        return Err(request("that many rounds make no sense", &format!("give a number from 0 to {MOST_ROUNDS}")));
    }
    let mode = options.verification_mode.as_deref().map(str::parse::<VerificationMode>).transpose();
    let mode = mode.map_err(|error| request(&error.to_string(), "name one with --verification-mode"))?;
    let (max_rounds, adversarial) = (options.max_rounds, options.adversarial);
    Ok(WantedConvergence { max_rounds, adversarial, verification_mode: mode })
}
