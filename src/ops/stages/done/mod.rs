//! `stage done`: the only way to a done row. okstra looks at the commit itself, runs the plan's commands itself, and
//! believes no one.

mod checks;
mod facts;
mod ground;
mod held;
mod record;

use std::path::PathBuf;

use serde::Serialize;

use super::{StageError, layout};
use crate::context::Context;
use crate::domain::shell;
use crate::domain::stages::{AllowedPath, Check, Claims};
use crate::fs::{self, LOCK_WAIT, LockGuard};
use crate::ops::task::{Selector, Task};
use crate::ops::{Error, record_done};
use crate::store::carry;
pub(super) use facts::{Asked, Facts};
pub(in crate::ops) use ground::dirty;

/// What is done.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<PathBuf>,
    /// The task, `GROUP/ID`; by default that of the worktree one stands in.
    pub task: Option<String>,
    /// The stage.
    pub stage: u32,
    /// The ref whose commit is the stage's; by default the stage's branch.
    pub head: Option<String>,
    /// The file in which the agent says what it claims.
    pub carry: Option<PathBuf>,
    /// Paths outside of the stage's files that it may have touched.
    pub allow_outside: Vec<String>,
    /// Why they may.
    pub reason: Option<String>,
}

/// A stage that is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The task, `PROJECT/GROUP/ID`.
    pub task: String,
    /// The stage.
    pub stage: u32,
    /// The run that did it.
    pub run: String,
    /// The commit that it started from.
    pub base_commit: String,
    /// Its commit.
    pub head_commit: String,
    /// Whether that was news; no when it was recorded before.
    pub is_news: bool,
    /// Its carry file, from the project root.
    pub carry_path: Option<String>,
    /// The commands that were run.
    pub validation: Vec<Check>,
    /// The paths outside of its files.
    pub outside: Vec<AllowedPath>,
    /// Why commands that failed were waived.
    pub qa_waiver: Option<String>,
}

/// Checks a stage, and records it as done. Doing it again, also after it was killed, completes it.
///
/// # Errors
/// [`StageError`] with what is wrong; nothing is recorded then.
pub fn run(context: &Context, options: &Options) -> Result<Outcome, Error> {
    check(options)?;
    let task = Task::find(context, options.project_root.as_deref(), &Selector::Project(options.task.clone()))?;
    let _alone = lock(context, &task, options.stage)?;
    let claims = match &options.carry {
        Some(path) => carry::read_claims(&context.absolute(path))?,
        None => Claims::default(),
    };
    let asked = Asked {
        stage: options.stage,
        head: options.head.clone(),
        claims,
        allowed: options.allow_outside.clone(),
        reason: options.reason.clone(),
        run: None,
    };
    complete(context, &task, &asked)
}

/// Checks and records what was asked for; the lock of the stage is held.
pub(super) fn complete(context: &Context, task: &Task, asked: &Asked) -> Result<Outcome, Error> {
    let planned = facts::planned(task, asked)?;
    if let Some(recorded) = facts::recorded(context, task, &planned.0, asked.stage)? {
        facts::tell_if_reopened(context, task, &planned)?;
        let head = facts::head(context, task, asked)?;
        return record::again(context, task, (&recorded, head.commit));
    }
    let run = facts::must_run(task, asked)?;
    let head = facts::head(context, task, asked)?;
    let facts = Facts::read(context, task, asked, (planned, run, head))?;
    let outside = facts.check_scope(asked)?;
    let validation = facts.validate(context, task)?;
    record::write(context, task, (&facts, asked), (validation, outside))
}

/// Locks a stage: it is checked by one at a time.
pub(super) fn lock(context: &Context, task: &Task, stage: u32) -> Result<LockGuard, Error> {
    let folder = layout(task)?.carry(&task.key.task);
    fs::create_folder(&folder)?;
    let stop = || context.cancel().is_cancelled();
    Ok(LockGuard::acquire(&folder.join(format!("stage-{stage}.lock")), LOCK_WAIT, stop)?)
}

fn check(options: &Options) -> Result<(), Error> {
    let wrong = |message: &str, hint: &str| Err(Error::Request { message: message.to_owned(), hint: hint.to_owned() });
    let reason = options.reason.as_deref().map(str::trim);
    if !options.allow_outside.is_empty() && reason.is_none_or(str::is_empty) {
        return wrong("--allow-outside requires --reason", "say why: --allow-outside PATH --reason TEXT");
    }
    if options.allow_outside.is_empty() && reason.is_some() {
        return wrong("--reason requires --allow-outside", "name the path: --allow-outside PATH --reason TEXT");
    }
    if options.stage == 0 {
        let task = options.task.as_ref().map_or_else(String::new, |task| format!(" --task {}", shell::word(task)));
        return wrong(
            "stage 0 is none: stages are numbered from 1",
            &format!("see which there are: okstra stage list{task}"),
        );
    }
    Ok(())
}
