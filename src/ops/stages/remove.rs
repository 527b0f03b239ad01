//! `stage remove`: lets a stage's worktree and branch go, when nothing is lost with them.

use std::path::PathBuf;

use serde::Serialize;

use super::reserve::fact;
use super::{StageError, done, include, layout, lock_worktrees, text};
use crate::context::Context;
use crate::domain::equivalence::{Candidate, Verdict};
use crate::domain::ids::CommitId;
use crate::domain::ids::short;
use crate::domain::registry::{StageEntry, TaskEntry};
use crate::domain::stages::{RemovalFacts, RunFact, Tip, may_go};
use crate::git::{Head, History, Limits, Span, Worktree};
use crate::ops::task::{Selector, Task, is_inside, is_same_folder};
use crate::ops::{Error, equivalence, mirror};
use crate::store::{consumers, plans, timeline};

/// What to remove.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<PathBuf>,
    /// The task, `GROUP/ID`; by default that of the worktree one stands in.
    pub task: Option<String>,
    /// The stage.
    pub stage: u32,
    /// A person has said yes.
    pub yes: bool,
}

/// What is removed, or would be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The task, `PROJECT/GROUP/ID`.
    pub task: String,
    /// The stage.
    pub stage: u32,
    /// Its worktree, where there is one.
    pub worktree: Option<String>,
    /// Its branch, a short name, where there is one.
    pub branch: Option<String>,
    /// Where that is.
    pub commit: Option<String>,
    /// Why nothing is lost with it.
    pub safe: Option<String>,
    /// The ignored files in the worktree, which go with it; of a folder in which all is ignored only the folder.
    pub ignored: Vec<String>,
    /// The folder that one stands in, where that goes.
    pub stood_in: Option<String>,
}

impl Plan {
    /// What it says to people, a clause.
    pub fn sentence(&self) -> String {
        let worktree = self.worktree.as_ref().map(|path| format!("the worktree `{path}`"));
        let branch = self.branch.as_ref().map(|branch| {
            let at = short(self.commit.as_deref().unwrap_or_default());
            format!("the branch `{branch}` at {at}")
        });
        let parts: Vec<_> = worktree.into_iter().chain(branch).collect();
        if parts.is_empty() { "nothing: it has neither worktree nor branch".to_owned() } else { parts.join(" and ") }
    }

    /// Whether something would go, so that a person has to say yes.
    pub fn needs_a_person(&self) -> bool {
        self.worktree.is_some() || self.branch.is_some()
    }

    /// The error for where nobody has said yes.
    pub fn unconfirmed(&self) -> Error {
        StageError::ConfirmationNeeded { stage: self.stage, what: self.sentence() }.into()
    }
}

/// What would be removed; nothing is.
///
/// # Errors
/// [`StageError::Kept`] with what would be lost.
pub fn propose(context: &Context, options: &Options) -> Result<Plan, Error> {
    let task = find(context, options)?;
    Ok(plan(context, &task, options.stage)?.0)
}

/// Removes worktree and branch of a stage. Doing it again, also after it was killed, completes it.
///
/// # Errors
/// [`StageError::Kept`] with what would be lost, [`StageError::ConfirmationNeeded`] with what would be removed where nobody
/// has said yes.
pub fn run(context: &Context, options: &Options) -> Result<Plan, Error> {
    let task = find(context, options)?;
    let _alone = done::lock(context, &task, options.stage)?;
    let (plan, place) = plan(context, &task, options.stage)?;
    if plan.needs_a_person() && !options.yes {
        return Err(plan.unconfirmed());
    }
    place.remove(context, &task)?;
    forget(context, &task, options.stage)?;
    Ok(plan)
}

fn find(context: &Context, options: &Options) -> Result<Task, Error> {
    let task = Task::find(context, options.project_root.as_deref(), &Selector::Project(options.task.clone()))?;
    layout(&task)?;
    task.of_main_worktree(context)
}

fn plan(context: &Context, task: &Task, stage: u32) -> Result<(Plan, Place), Error> {
    let entry = task.registry().read(&task.key)?.unwrap_or_default();
    let place = Place::find(context, task, &entry, stage)?;
    let facts = place.facts(context, task, &entry)?;
    may_go(&facts).map_err(|why| StageError::Kept {
        stage,
        task: task.key.task.clone(),
        why,
        path: place.folder_text(),
    })?;
    let folder = place.worktree.as_ref().map(|worktree| worktree.path.as_path());
    let plan = Plan {
        task: task.key.to_string(),
        stage,
        worktree: place.worktree.as_ref().map(|worktree| worktree.path.to_string_lossy().into_owned()),
        branch: place.tip.map(|_| place.branch.clone()),
        commit: place.tip.map(|tip| tip.to_string()),
        safe: facts.tips.first().and_then(|tip| tip.safe.clone()),
        ignored: include::ignored_in(context, &task.root, folder)?,
        stood_in: folder
            .zip(context.cwd())
            .filter(|(folder, cwd)| is_inside(cwd, folder))
            .and_then(|_| place.folder_text()),
    };
    Ok((plan, place))
}

/// Worktree and branch of a stage.
struct Place {
    stage: u32,
    branch: String,
    folder: Option<PathBuf>,
    tip: Option<CommitId>,
    /// As git has it.
    worktree: Option<Worktree>,
    others: Vec<Worktree>,
}

impl Place {
    fn find(context: &Context, task: &Task, entry: &TaskEntry, stage: u32) -> Result<Self, Error> {
        let registered = entry.stages.get(&stage).cloned().unwrap_or_default();
        let branch = registered.branch.unwrap_or_default();
        let folder = registered.worktree_path.map(PathBuf::from);
        let tip = match branch.is_empty() {
            // What the registry does not know as its own is not the stage's to remove.
            true => None,
            false => task.repository.ref_commit(context, &format!("refs/heads/{branch}"))?,
        };
        let is_own = |worktree: &Worktree| folder.as_ref().is_some_and(|own| is_same_folder(&worktree.path, own));
        let (own, others): (Vec<_>, Vec<_>) = task.repository.worktrees(context)?.into_iter().partition(is_own);
        Ok(Self { stage, branch, folder, tip, worktree: own.into_iter().next(), others })
    }

    fn folder_text(&self) -> Option<String> {
        self.folder.as_ref().filter(|folder| folder.exists()).map(|folder| folder.to_string_lossy().into_owned())
    }

    fn facts(&self, context: &Context, task: &Task, entry: &TaskEntry) -> Result<RemovalFacts, Error> {
        let held = entry.stages.get(&self.stage).and_then(|stage| stage.reserved_by.as_ref());
        let reserved_by = match held {
            Some(holder) if fact(task, &holder.run)? != RunFact::Ended => Some(holder.run.clone()),
            _ => None,
        };
        let metadata = self.folder.as_ref().and_then(|folder| folder.symlink_metadata().ok());
        let is_link = metadata.as_ref().is_some_and(|metadata| metadata.is_symlink());
        let mut facts = RemovalFacts {
            reserved_by,
            is_foreign: is_link || (metadata.is_some() && self.worktree.is_none()),
            tips: self.tips(context, task, entry)?,
            ..RemovalFacts::default()
        };
        if let Some(worktree) = self.worktree.as_ref().filter(|worktree| worktree.path.exists() && !is_link) {
            let operation = task.repository.operation_in_progress(context, &worktree.head_name)?;
            facts.under_way = operation.map(|operation| operation.kind.to_string());
            facts.has_submodules = worktree.git_dir.join("modules").exists();
            let dirt = include::dirt(context, task, &worktree.path)?;
            facts.dirt = dirt.iter().map(ToString::to_string).collect();
        }
        Ok(facts)
    }

    /// The commits that nothing would name any more: the tip of the branch, and where the worktree stands on none.
    fn tips(&self, context: &Context, task: &Task, entry: &TaskEntry) -> Result<Vec<Tip>, Error> {
        let detached = match self.worktree.as_ref().and_then(|worktree| worktree.head.clone()) {
            Some(Head::Detached(commit)) => Some(commit),
            _ => None,
        };
        let own = format!("refs/heads/{}", self.branch);
        let mut names: Vec<(String, CommitId)> = Vec::new();
        for prefix in ["refs/heads/", "refs/remotes/", "refs/tags/"] {
            names.extend(task.repository.refs_below(context, prefix)?.into_iter().filter(|(name, _)| *name != own));
        }
        for other in &self.others {
            if let Some(Head::Detached(commit)) = other.head {
                names.push((other.head_name.clone(), commit));
            }
        }
        let mut tips = Vec::new();
        for commit in self.tip.into_iter().chain(detached) {
            let safe = match reached(context, task, commit, &names)? {
                Some(name) => Some(format!("{name} reaches it")),
                None => landed(context, task, entry, (self.stage, commit))?,
            };
            tips.push(Tip { commit: commit.short(), safe });
        }
        Ok(tips)
    }

    fn remove(&self, context: &Context, task: &Task) -> Result<(), Error> {
        let _alone = lock_worktrees(context, task)?;
        if let Some(worktree) = &self.worktree {
            if worktree.path.exists() {
                // It may have been worked in meanwhile.
                let dirt = include::dirt(context, task, &worktree.path)?;
                if !dirt.is_empty() {
                    return Err(done::dirty(&format!("stage {}", self.stage), &worktree.path, &dirt));
                }
            }
            task.repository.remove_worktree(context, &text(&worktree.path)?)?;
        }
        if let Some(tip) = self.tip {
            let elsewhere = self.others.iter().find(|other| is_on(other, &self.branch));
            if let Some(other) = elsewhere {
                let what = format!("the branch `{}` is checked out in `{}`", self.branch, other.path.display());
                context.warn(format!("{what}, so it stays"));
                return Ok(());
            }
            task.repository.delete_branch(context, &self.branch, tip)?;
        }
        Ok(())
    }
}

fn is_on(worktree: &Worktree, branch: &str) -> bool {
    matches!(&worktree.head, Some(Head::Branch(name)) if name.strip_prefix("refs/heads/") == Some(branch))
}

/// The first of `names` that reaches `commit`. What lies below `refs/okstra/` reaches nothing: it is not where people work.
fn reached(
    context: &Context,
    task: &Task,
    commit: CommitId,
    names: &[(String, CommitId)],
) -> Result<Option<String>, Error> {
    let mut history = History::new(&task.repository);
    for (name, tip) in names {
        // A tag may name a tag, a tree or a blob.
        let Ok(Ok(tip)) = task.repository.commit_by_id(&tip.to_string()) else { continue };
        if history.reaches(context, tip, commit, Limits::default())? == Some(true) {
            return Ok(Some(name.clone()));
        }
    }
    Ok(None)
}

/// Where it is proved that what the stage did up to `commit` landed: the task branch, the base, its upstream.
fn landed(
    context: &Context,
    task: &Task,
    entry: &TaskEntry,
    (stage, commit): (u32, CommitId),
) -> Result<Option<String>, Error> {
    let registered = entry.stages.get(&stage).and_then(|stage| stage.base_ref.clone());
    let base = registered.map(|text| task.repository.commit_by_id(&text)).transpose()?.and_then(Result::ok);
    let branch = entry.branch.as_ref().map(|branch| format!("refs/heads/{branch}"));
    let upstream = entry.base_ref.as_ref().and_then(|base| task.repository.upstream(base));
    let mut history = History::new(&task.repository);
    for name in [branch, entry.base_ref.clone(), upstream].into_iter().flatten() {
        let (Some(there), Some(base)) = (task.repository.ref_commit(context, &name)?, base) else { continue };
        let candidate = Candidate { name: name.clone(), commit: there };
        let question = equivalence::Question::between(Span { base, head: commit }, candidate);
        let answer = equivalence::ask(context, &mut history, &question, Limits::default())?;
        if answer.verdict == Verdict::Contained {
            return Ok(Some(format!("it landed on {name}: {}", answer.reason)));
        }
    }
    Ok(None)
}

/// The registry no longer says where the stage is; where it started stays where its done row does not say it.
fn forget(context: &Context, task: &Task, stage: u32) -> Result<(), Error> {
    let plan = plans::current(&task.plans(), &task.key)?;
    let done = consumers::read_done(&task.log(), context, &task.key, plan.as_ref())?;
    let needs_base = done.get(&stage).is_some_and(|done| done.latest.base_commit.is_none());
    {
        let mut registry = task.registry().lock(context)?;
        let entry = registry.read(&task.key)?.unwrap_or_default();
        let Some(registered) = entry.stages.get(&stage) else { return Ok(()) };
        let base_ref = registered.base_ref.clone().filter(|_| needs_base);
        registry.forget_stage(&task.key, stage, &StageEntry { base_ref, ..StageEntry::default() })?;
    }
    let mut event = serde_json::Map::new();
    event.insert("stage".to_owned(), stage.into());
    timeline::append(&layout(task)?.timeline(&task.key.task), context, "removed", &event)?;
    mirror::write_or_warn(context, task)
}
