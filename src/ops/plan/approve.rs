//! Binds a person's approval to the bytes of a plan: a frozen copy that implementation runs go by.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Fates, PlanStage, Source, Violation, newest_report, reports};
use crate::context::Context;
use crate::domain::plan::{Plan, approval_time};
use crate::domain::progress::fates;
use crate::git::Git;
use crate::ops::task::{NewTask, Task};
use crate::ops::{Error, mirror};
use crate::store::consumers::{LogGuard, LogText};
use crate::store::{plans, timeline};

/// The event of an approval in the timeline.
const EVENT: &str = "approved";

/// What to approve, and for which task.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<PathBuf>,
    /// The task, `GROUP/ID`; by default that of the worktree one stands in. Where there is none it is made.
    pub task: Option<String>,
    /// The plan, a Markdown file; by default the newest planning report of the task.
    pub plan: Option<PathBuf>,
    /// The work category, for a task that has none yet.
    pub category: Option<String>,
    /// Who approves; by default git's `user.name`, else the login name.
    pub by: Option<String>,
    /// Whether a person has agreed.
    pub yes: bool,
}

/// What an approval would do; nothing is written yet.
pub struct Proposal {
    task: Task,
    new_task: Option<NewTask>,
    source: Source,
    by: String,
    fates: Fates,
    /// The plan that holds now.
    current: Option<Plan>,
}

/// What an approval did, or would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Approval {
    /// The plan's file.
    pub plan: String,
    /// The task, `PROJECT/GROUP/ID`.
    pub task_key: String,
    /// The id of the frozen plan; nothing where it is not approved.
    pub id: Option<String>,
    /// Whether anything was changed: not when exactly this plan holds already, and not when it breaks a rule.
    pub changed: bool,
    /// Who approved it, and when.
    pub approved_by: Option<String>,
    /// When it was approved.
    pub approved_at: Option<String>,
    /// The SHA-256 of the plan.
    pub sha256: String,
    /// Its stages.
    pub stages: Vec<PlanStage>,
    /// What becomes of the stages that are done.
    #[serde(flatten)]
    pub fates: Fates,
    /// What is wrong with the plan; where anything is, it is not approved.
    pub violations: Vec<Violation>,
}

/// Approves a plan for a person who has agreed before.
///
/// # Errors
/// As [`propose`] and [`apply`], and [`Error::ConfirmationNeeded`] without [`Options::yes`].
pub fn run(context: &Context, options: &Options) -> Result<Approval, Error> {
    let proposal = propose(context, options)?;
    if !proposal.needs_a_person() {
        return proposal.unchanged(context);
    }
    if !options.yes {
        return Err(proposal.unconfirmed());
    }
    apply(context, proposal)
}

/// Reads everything that an approval depends on.
///
/// # Errors
/// When the project, the task or the plan cannot be found or read, when the plan was frozen for another task, and when
/// nobody is known who approves.
pub fn propose(context: &Context, options: &Options) -> Result<Proposal, Error> {
    let root = options.project_root.as_deref();
    let (task, new_task) = Task::find_or_plan(context, root, options.task.as_deref(), options.category.as_deref())?;
    let path = match &options.plan {
        Some(path) => path.clone(),
        None => newest_report(&task)?.ok_or_else(|| Error::NoPlan { folder: reports(&task) })?,
    };
    let owner = plans::frozen_for(&context.absolute(&path))?.filter(|owner| *owner != task.key.to_string());
    if let Some(owner) = owner {
        return Err(Error::OtherTasksPlan { path, owner, key: task.key });
    }
    let source = Source::read(context, &path)?;
    let by = approver(context, &task, options.by.as_deref())?;
    let current = plans::current(&task.plans(), &task.key)?;
    let new = Plan { stages: source.checked.stages.clone(), ..Plan::default() };
    let log = LogText::read(&task.log())?;
    let log = log.rows(context)?;
    let done = |plan| -> Result<BTreeSet<u32>, Error> { Ok(log.done(&task.key, plan)?.into_keys().collect()) };
    let fates = fates(&new.stages, &done(current.as_ref())?, &done(Some(&new))?);
    Ok(Proposal { task, new_task, source, by, fates, current })
}

/// Freezes the plan that was proposed, and records who approved it. The copy holds the very bytes that were shown,
/// whatever became of the file since.
///
/// # Errors
/// When something cannot be written. There is then no new plan, or all of it: approving it again completes what is
/// missing.
pub fn apply(context: &Context, proposal: Proposal) -> Result<Approval, Error> {
    let Proposal { task, new_task, source, .. } = &proposal;
    let log = LogGuard::lock(&task.log(), context)?;
    if let Some(new_task) = new_task {
        new_task.write(task, source.checked.title.as_deref())?;
    }
    let current = plans::current(&task.plans(), &task.key)?;
    if current.as_ref().is_some_and(|plan| plan.sha256 == source.checked.sha256) {
        drop(log);
        return Proposal { current, ..proposal }.unchanged(context);
    }
    let at = approval_time(context.clock().moment(), current.as_ref());
    let plan = plans::freeze(&log, &task.plans(), proposal.plan(context, &at.to_string()), source.text.as_bytes())?;
    drop(log);
    proposal.record(context, &plan)?;
    Ok(proposal.approval(Some(&plan), true))
}

/// Who approves.
fn approver(context: &Context, task: &Task, given: Option<&str>) -> Result<String, Error> {
    let known = |name: &str| Some(name.trim().to_owned()).filter(|name| !name.is_empty());
    if let Some(given) = given {
        return known(given).ok_or_else(|| Error::Request {
            message: "the name of who approves is empty".to_owned(),
            hint: "name a person, or leave --by out".to_owned(),
        });
    }
    let set = Git::at(&task.root).user_setting(context, "user.name")?;
    let login = || context.environment().login_name();
    set.or_else(login).as_deref().and_then(known).ok_or(Error::NoApprover)
}

impl Proposal {
    /// Whether there is something for a person to agree to.
    pub fn needs_a_person(&self) -> bool {
        self.is_sound() && !self.holds_already()
    }

    /// Whether the plan keeps all rules.
    pub fn is_sound(&self) -> bool {
        self.source.checked.violations.is_empty()
    }

    /// Whether exactly this plan is the one that holds.
    pub fn holds_already(&self) -> bool {
        self.current.as_ref().is_some_and(|plan| plan.sha256 == self.source.checked.sha256)
    }

    /// The task that it would be approved for.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Whether the task is made by it.
    pub fn makes_the_task(&self) -> bool {
        self.new_task.as_ref().is_some_and(NewTask::is_all_new)
    }

    /// Who approves.
    pub fn by(&self) -> &str {
        &self.by
    }

    /// The plan's first heading.
    pub fn title(&self) -> Option<&str> {
        self.source.checked.title.as_deref()
    }

    /// The id of the plan that holds now.
    pub fn replaces(&self) -> Option<&str> {
        self.current.as_ref().map(|plan| plan.id.as_str())
    }

    /// What would be approved, as a document.
    pub fn preview(&self) -> Approval {
        self.approval(None, false)
    }

    /// The error for a proposal that nobody agreed to.
    pub fn unconfirmed(&self) -> Error {
        let plan = self.source.path.display();
        Error::ConfirmationNeeded { what: format!("the approval of `{plan}` for {}", self.task.key.task) }
    }

    /// The outcome where there is nothing to approve: the plan breaks rules, or holds already.
    ///
    /// # Errors
    /// When what an earlier approval left undone cannot be completed.
    pub fn unchanged(&self, context: &Context) -> Result<Approval, Error> {
        let current = self.current.as_ref().filter(|_| self.is_sound() && self.holds_already());
        if let Some(plan) = current {
            self.record(context, plan)?;
        }
        Ok(self.approval(current, false))
    }

    /// The plan, about to be frozen.
    fn plan(&self, context: &Context, at: &str) -> Plan {
        let path = context.absolute(&self.source.path);
        let recorded = |layout: &crate::store::Layout| layout.recorded(&path);
        Plan {
            id: String::new(),
            task_key: self.task.key.to_string(),
            approved_by: self.by.clone(),
            approved_at: at.to_owned(),
            sha256: self.source.checked.sha256.clone(),
            title: self.source.checked.title.clone(),
            source: self.task.layout.as_ref().map(recorded),
            stages: self.source.checked.stages.clone(),
        }
    }

    /// Tells timeline and mirror of `plan`, unless they know.
    fn record(&self, context: &Context, plan: &Plan) -> Result<(), Error> {
        if let Some(layout) = &self.task.layout {
            let path = layout.timeline(&self.task.key.task);
            let is_told = |event: &Map<String, Value>| {
                let is = |field: &str, text: &str| event.get(field).and_then(Value::as_str) == Some(text);
                is("event", EVENT) && is("plan", &plan.id)
            };
            if !timeline::read(&path, context)?.iter().any(is_told) {
                timeline::append(&path, context, EVENT, &self.event(plan))?;
            }
        }
        mirror::write_or_warn(context, &self.task)
    }

    fn event(&self, plan: &Plan) -> Map<String, Value> {
        let fields: [(&str, Value); 6] = [
            ("plan", plan.id.clone().into()),
            ("by", plan.approved_by.clone().into()),
            ("sha256", plan.sha256.clone().into()),
            ("kept", self.fates.kept.clone().into()),
            ("reopened", self.fates.reopened.clone().into()),
            ("removed", self.fates.removed.clone().into()),
        ];
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn approval(&self, plan: Option<&Plan>, changed: bool) -> Approval {
        Approval {
            plan: self.source.path.to_string_lossy().into_owned(),
            task_key: self.task.key.to_string(),
            id: plan.map(|plan| plan.id.clone()),
            changed,
            approved_by: plan.map(|plan| plan.approved_by.clone()),
            approved_at: plan.map(|plan| plan.approved_at.clone()),
            sha256: self.source.checked.sha256.clone(),
            stages: self.source.checked.stages.clone(),
            fates: self.fates.clone(),
            violations: self.source.checked.violations.clone(),
        }
    }
}
