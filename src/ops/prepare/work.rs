//! What a run of `implementation` or `final-verification` needs besides texts: plan, branches, worktrees, reservations.

use std::path::PathBuf;

use super::claim::Claim;
use super::input::Input;
use crate::context::Context;
use crate::domain::batch::BUDGET;
use crate::domain::equivalence::Candidate;
use crate::domain::ids::CommitId;
use crate::domain::lifecycle::{self, RunName, TaskType};
use crate::domain::plan::Plan;
use crate::domain::registry::Holder;
use crate::domain::revision::Purpose;
use crate::domain::run::RunStage;
use crate::domain::shell;
use crate::ops::Error;
use crate::ops::lifecycle::known::Known;
use crate::ops::reconcile::{auto_reconcile, check_whole};
use crate::ops::stages::{self, Provisioned, StageError, TaskPlace, Wanted};
use crate::ops::task::Task;
use crate::store::{self, plans, runs};

/// The remote's default branch, where it was cloned from.
const REMOTE_DEFAULT: &str = "refs/remotes/origin/HEAD";

/// What was provided. Dropped before [`Work::keep`], it is taken back.
pub(super) struct Work<'t> {
    pub(super) plan: Option<Plan>,
    pub(super) plan_excerpt: Option<String>,
    pub(super) carry_in: Option<String>,
    /// Branch and folder of the task worktree, where the task has one.
    pub(super) worktree: Option<(String, PathBuf)>,
    /// The commit that the run starts from.
    pub(super) base: CommitId,
    // Declared before the task's place, which stays while stages use it.
    stages: Option<Provisioned<'t>>,
    place: Option<TaskPlace<'t>>,
}

impl<'t> Work<'t> {
    /// Provides what the run needs.
    pub(super) fn provide(context: &Context, task: &'t Task, input: &Input, claim: &Claim<'_>) -> Result<Self, Error> {
        match input.task_type {
            TaskType::Implementation => Self::for_building(context, task, input, claim),
            TaskType::FinalVerification => Self::for_verifying(context, task, input, claim),
            _ => Self::for_looking(context, task),
        }
    }

    fn for_building(context: &Context, task: &'t Task, input: &Input, claim: &Claim<'_>) -> Result<Self, Error> {
        let plan = approved(task)?;
        let markdown = plans::approved_text(&task.plans(), &plan)?;
        stages::complete_from_carry(context, task)?;
        auto_reconcile(context, task)?;
        let (base, held) = (base(context, task, input)?, Some(claim.held()));
        // Only now: what is registered may have been left by a prepare that was killed.
        own_place(task, input, &base)?;
        let mut place = stages::task_worktree(context, task, &base, input.branch.as_deref(), held)?;
        let holder = stages::holder(context, &claim.run().to_string(), true);
        let reserved = stages::choose_and_reserve(context, task, &wanted((&plan, input), holder, held))?;
        place.unlock();
        let chosen = reserved.stages().to_vec();
        let bases = stages::bases(context, task, &plan, &chosen)?;
        let carry_in = stages::carry_in(context, task, &chosen)?;
        let provisioned = stages::provision(context, task, &plan, reserved, &bases)?;
        Ok(Self {
            plan_excerpt: Some(excerpt(&markdown, &plan, &chosen)),
            carry_in: Some(carry_in).filter(|text| !text.trim().is_empty()),
            worktree: Some((place.worktree.branch.clone(), place.worktree.path.clone())),
            base: place.worktree.head,
            stages: Some(provisioned),
            place: Some(place),
            plan: Some(plan),
        })
    }

    fn for_verifying(context: &Context, task: &'t Task, input: &Input, claim: &Claim<'_>) -> Result<Self, Error> {
        stages::complete_from_carry(context, task)?;
        auto_reconcile(context, task)?;
        let plan = built(task, context)?;
        // What is verified is the task's own branch, and never what happens to be checked out in the project.
        let mut place = match task.registry().read(&task.key)?.is_some_and(|entry| entry.branch.is_some()) {
            true => stages::task_again(context, task, Some(claim.held()))?,
            false => {
                let base = base(context, task, input)?;
                Some(stages::task_worktree(context, task, &base, None, Some(claim.held()))?)
            }
        };
        check_whole(context, task)?;
        if let Some(place) = &mut place {
            place.unlock();
        }
        let plan_excerpt = Some(plans::approved_text(&task.plans(), &plan)?);
        Ok(Self { plan_excerpt, plan: Some(plan), place, ..Self::for_looking(context, task)? })
    }

    fn for_looking(context: &Context, task: &'t Task) -> Result<Self, Error> {
        let entry = task.registry().read(&task.key)?.unwrap_or_default();
        let folder = entry.worktree_path.map(PathBuf::from).filter(|path| path.is_dir());
        let head = match (&folder, &entry.branch) {
            (Some(folder), _) => task.repository.head_of(context, folder)?.map(|head| head.commit),
            (None, Some(branch)) => task.repository.ref_commit(context, &format!("refs/heads/{branch}"))?,
            (None, None) => None,
        };
        // Where the task has nothing of its own, it is about the project as it stands.
        let head = match (head, &folder) {
            (None, None) => task.repository.ref_commit(context, "HEAD")?,
            (head, _) => head,
        };
        let no_commit = || Error::NoCommit { root: task.root.clone() };
        Ok(Self {
            plan: None,
            plan_excerpt: None,
            carry_in: None,
            worktree: entry.branch.zip(folder),
            base: head.ok_or_else(no_commit)?,
            stages: None,
            place: None,
        })
    }

    /// The stages, as the manifest has them.
    pub(super) fn stages(&self) -> Vec<RunStage> {
        self.stages.as_ref().map(|stages| stages.stages().to_vec()).unwrap_or_default()
    }

    /// The run exists: everything stays.
    pub(super) fn keep(self) {
        if let Some(stages) = self.stages {
            stages.keep();
        }
        if let Some(place) = self.place {
            place.keep();
        }
    }
}

/// What can be told to be missing before anything is written: a commit to start from, an approved plan to go by.
pub(super) fn check(context: &Context, task: &Task, input: &Input) -> Result<(), Error> {
    if task.repository.ref_commit(context, "HEAD")?.is_none() {
        return Err(Error::NoCommit { root: task.root.clone() });
    }
    match input.task_type {
        TaskType::Implementation => {
            let plan = approved(task)?;
            base(context, task, input)?;
            taken_over(task, input)?;
            let holder = stages::holder(context, "", true);
            stages::check_choice(context, task, &wanted((&plan, input), holder, None))?;
        }
        TaskType::FinalVerification => drop(approved(task)?),
        TaskType::ReleaseHandoff => verified(context, task, input)?,
        _ => {}
    }
    Ok(())
}

/// What is asked of the choice of stages.
fn wanted<'a>(
    (plan, input): (&'a Plan, &'a Input),
    holder: Holder,
    claim: Option<&'a store::claim::Claim>,
) -> Wanted<'a> {
    let take_over = input.take_over.as_deref();
    Wanted { plan, request: input.stage, budget: BUDGET, holder, take_over, claim }
}

/// Refuses another base or branch for a task that has its own: neither would have any effect.
fn own_place(task: &Task, input: &Input, base: &Candidate) -> Result<(), Error> {
    let Some(entry) = task.registry().read(&task.key)?.filter(|entry| entry.branch.is_some()) else { return Ok(()) };
    let own_base = entry.base_ref.filter(|own| input.base.is_some() && *own != base.name);
    let own_branch = entry.branch.filter(|own| input.branch.as_ref().is_some_and(|branch| branch != own));
    let (message, flag) = match (own_base, own_branch) {
        (Some(own), _) => (format!("the task grows from `{own}` already, and not from `{}`", base.name), "--base"),
        (None, Some(own)) => (format!("the task has the branch `{own}` already"), "--branch"),
        (None, None) => return Ok(()),
    };
    Err(Error::Request { message, hint: format!("leave {flag} out") })
}

/// Refuses to take over from a run that is not there, or has ended.
fn taken_over(task: &Task, input: &Input) -> Result<(), Error> {
    let (Some(text), Some(layout)) = (&input.take_over, &task.layout) else { return Ok(()) };
    let (run, all) = (text.parse::<RunName>()?, runs::read_all(layout, &task.key)?);
    let known = || all.iter().map(|run| run.name).collect();
    let unknown = || Error::UnknownRun { task: task.key.task.clone(), run, known: known() };
    let found = all.iter().find(|other| other.name == run).ok_or_else(unknown)?;
    match found.is_open() {
        true => Ok(()),
        false => Err(Error::RunEnded { task: task.key.task.clone(), run, status: found.state.status.as_str() }),
    }
}

/// No route and no hurry removes final-verification: what is handed off was verified after its last stage was built.
fn verified(context: &Context, task: &Task, input: &Input) -> Result<(), Error> {
    let is_verified = match (&task.layout, &input.new_task) {
        (Some(layout), None) => {
            let facts = Known::read(context, task, layout)?.facts(layout)?;
            lifecycle::is_done(&facts, TaskType::FinalVerification)
        }
        _ => false,
    };
    if is_verified {
        return Ok(());
    }
    let name = task.key.task.to_string();
    let command = shell::command(["okstra", "run", "--task", &name, "--type", TaskType::FinalVerification.as_str()]);
    let message = format!("task {name} is not verified as it is now, and only what is verified is handed off");
    Err(Error::Request { message, hint: format!("verify it first: {command}") })
}

fn approved(task: &Task) -> Result<Plan, Error> {
    let plan = plans::current(&task.plans(), &task.key)?;
    Ok(plan.ok_or_else(|| StageError::NoPlan { task: task.key.task.clone() })?)
}

/// The plan, all of whose stages must be done.
fn built(task: &Task, context: &Context) -> Result<Plan, Error> {
    let plan = approved(task)?;
    let done = crate::store::consumers::read_done(&task.log(), context, &task.key, Some(&plan))?;
    let missing: Vec<String> = plan
        .stages
        .iter()
        .filter(|stage| !done.contains_key(&stage.stage))
        .map(|stage| format!("stage {} is not done: {}", stage.stage, stage.title))
        .collect();
    if missing.is_empty() {
        return Ok(plan);
    }
    let hint = format!("build it first: okstra run --task {} --type implementation", task.key.task);
    Err(Error::Gate { message: missing.join("\n"), hint })
}

/// What the task branch grows from: what was named, what is registered, the remote's default branch, the checked-out one.
fn base(context: &Context, task: &Task, input: &Input) -> Result<Candidate, Error> {
    let registered = task.registry().read(&task.key)?.and_then(|entry| entry.base_ref);
    let named = input.base.clone().or(registered);
    let text = match &named {
        Some(text) => text.as_str(),
        None if task.repository.ref_commit(context, REMOTE_DEFAULT)?.is_some() => REMOTE_DEFAULT,
        None => "HEAD",
    };
    let resolved = task.repository.commit_by_ref(context, text, Purpose::Candidate)?;
    if let (Err(_), None, Some(name)) = (&resolved, &input.base, &named)
        && let Some(commit) = stages::anchor(task)?
    {
        // The base can be a branch of the clone that the records came from. Where the work stands is recorded.
        return Ok(Candidate { name: name.clone(), commit });
    }
    let resolved = resolved.map_err(|source| Error::UnresolvableRef { text: text.to_owned(), source })?;
    let name = match task.repository.head(context, &resolved.name) {
        Some(crate::git::Head::Branch(branch)) => branch,
        _ => resolved.name,
    };
    if !name.starts_with("refs/") {
        let what = named.map_or_else(|| "no branch is checked out".to_owned(), |text| format!("`{text}` is no ref"));
        return Err(Error::Request {
            message: format!("{what}, and a task grows from one, which it can follow"),
            hint: "name a branch: --base REF".to_owned(),
        });
    }
    Ok(Candidate { name, commit: resolved.commit })
}

/// The sections of the stages in the frozen Markdown.
fn excerpt(markdown: &str, plan: &Plan, stages: &[u32]) -> String {
    let lines: Vec<&str> = markdown.lines().collect();
    let sections = stages.iter().filter_map(|stage| plan.stage(*stage)).map(|stage| {
        let start = stage.section_line.saturating_sub(1);
        let end = lines.iter().skip(start + 1).position(|line| line.starts_with("## "));
        let end = end.map_or(lines.len(), |length| start + 1 + length);
        lines.get(start..end).unwrap_or_default().join("\n").trim().to_owned()
    });
    sections.collect::<Vec<_>>().join("\n\n")
}
