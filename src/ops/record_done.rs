//! Records a stage as done: row, fingerprints, keep ref, mirror.

use serde_json::{Map, Value};

use super::task::Task;
use super::{Error, equivalence, mirror};
use crate::context::Context;
use crate::domain::ids::CommitId;
use crate::domain::records::{Append, Reappend, Record, Status};
use crate::git::{History, Span, keep};
use crate::store::consumers::LogGuard;
use crate::store::{consumers, plans, timeline};

/// What is recorded of a stage. That it may be recorded is for the caller to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The stage, from 1.
    pub stage: u32,
    /// Its commit.
    pub head: CommitId,
    /// The commit that it started from.
    pub base: CommitId,
    /// The run that did it, as in `implementation-001`.
    pub run: String,
    /// The frozen plan, and the hash of the stage in it.
    pub plan: Option<(String, String)>,
    /// Its carry file, relative to the project root.
    pub carry_path: Option<String>,
}

/// Records `done`; says whether that was news.
///
/// The commit is pinned before the row is written, so that a row never names what git may collect. Doing it again
/// changes nothing, and completes what a crash left undone.
///
/// # Errors
/// [`Error::DoneAlready`] when another commit is recorded for the stage, and when anything cannot be read or written.
pub fn run(context: &Context, task: &Task, done: &Done) -> Result<bool, Error> {
    let content = content(task, Span { base: done.base, head: done.head })?;
    let is_news = append(context, task, (done, content))?;
    complete(context, task, done)?;
    Ok(is_news)
}

/// The fingerprints of what lies in `span`, as they are recorded.
pub(super) fn content(task: &Task, span: Span) -> Result<Option<Value>, Error> {
    let content = equivalence::fingerprints(&mut History::new(&task.repository), span)?;
    Ok(content.and_then(|content| serde_json::to_value(content).ok()))
}

/// The part of [`run`] that counts: the commit is pinned and the row is written.
pub(super) fn append(context: &Context, task: &Task, (done, content): (&Done, Option<Value>)) -> Result<bool, Error> {
    let row = Record {
        completed_at: Some(context.clock().moment().to_string()),
        run: Some(done.run.clone()),
        carry_path: done.carry_path.clone(),
        base_commit: Some(done.base.to_string()),
        content,
        plan: done.plan.as_ref().map(|(plan, _)| plan.clone()),
        stage_hash: done.plan.as_ref().map(|(_, hash)| hash.clone()),
        ..Record::new(&task.key.to_string(), done.stage, Status::Done, &done.head.to_string())
    };
    mirror::refuse_lost_log(context, task)?;
    let log = LogGuard::lock(&task.log(), context)?;
    let plan = match &done.plan {
        Some((id, _)) => plans::read_plans(&task.plans(), &task.key)?.into_iter().find(|plan| plan.id == *id),
        None => plans::current(&task.plans(), &task.key)?,
    };
    let recorded = consumers::read_done(&task.log(), context, &task.key, plan.as_ref())?;
    if let Some(other) = recorded.get(&done.stage).filter(|recorded| recorded.latest.head_commit != row.head_commit) {
        let recorded = other.latest.head_commit.clone();
        return Err(Error::DoneAlready { task: task.key.task.clone(), stage: done.stage, recorded });
    }
    let pin = (keep::ref_name(&task.key.task, done.stage, done.head), done.head);
    task.repository.keep_commits(context, &[pin])?;
    Ok(!recorded.contains_key(&done.stage) && log.append(&row, Reappend::Never)? == Append::Write)
}

/// The part of [`run`] that follows the row: timeline and mirror.
pub(super) fn complete(context: &Context, task: &Task, done: &Done) -> Result<(), Error> {
    tell(context, task, (done.stage, &done.head.to_string(), &done.run))?;
    mirror::write_or_warn(context, task)?;
    Ok(())
}

/// Adds to the timeline that a stage was done at a commit, unless it is there: a crash after the row can have kept it from
/// knowing.
pub(super) fn tell(context: &Context, task: &Task, (stage, commit, run): (u32, &str, &str)) -> Result<(), Error> {
    let Some(layout) = &task.layout else { return Ok(()) };
    let path = layout.timeline(&task.key.task);
    let fields = [("stage", Value::from(stage)), ("commit", commit.into()), ("run", run.into())];
    let event: Map<_, _> = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let is_told = |told: &Map<String, Value>| {
        told.get("event").is_some_and(|name| name == "done")
            && ["stage", "commit", "run"].iter().all(|name| told.get(*name) == event.get(*name))
    };
    if timeline::read(&path, context)?.iter().any(is_told) {
        return Ok(());
    }
    Ok(timeline::append(&path, context, "done", &event)?)
}
