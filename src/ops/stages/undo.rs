//! Takes back what was made when it did not come to its end: at once, or, after a crash, by the next prepare.

use std::collections::BTreeSet;
use std::path::Path;

use super::{include, lock_worktrees};
use crate::context::{Cancel, Context};
use crate::domain::ids::CommitId;
use crate::domain::registry::TaskEntry;
use crate::git::{Head, Worktree};
use crate::ops::Error;
use crate::ops::task::{Task, is_same_folder};
use crate::store::claim::{Claim, Made};

/// What was made, to be taken back in the opposite order when this is dropped; unless it was kept.
pub(super) struct Undo<'t> {
    context: Context,
    task: &'t Task,
    claim: Option<Claim>,
    made: Vec<Made>,
}

impl<'t> Undo<'t> {
    /// Nothing was made yet. What is made for a claim is also written down there.
    pub(super) fn new(context: &Context, task: &'t Task, claim: Option<&Claim>) -> Self {
        // That the work was cancelled is a reason to take it back.
        let context = context.clone().with_cancel(Cancel::default());
        Self { context, task, claim: claim.cloned(), made: Vec::new() }
    }

    /// Something is about to be made.
    ///
    /// # Errors
    /// When that cannot be written down.
    pub(super) fn add(&mut self, made: Made) -> Result<(), Error> {
        if let Some(claim) = &self.claim {
            claim.write_down(&made)?;
        }
        self.made.push(made);
        Ok(())
    }

    /// It came to its end: all stays.
    pub(super) fn keep(mut self) {
        self.made.clear();
    }

    fn take_back(&self, made: &Made) -> Result<(), Error> {
        let (context, task) = (&self.context, self.task);
        match made {
            Made::Worktree { path, .. } => {
                let _alone = lock_worktrees(context, task)?;
                if is_in_use(&entry(task)?, made) {
                    return Ok(());
                }
                // git takes back itself what it could not make at all.
                if find(context, task, path)?.is_some() {
                    task.repository.remove_worktree(context, path)?;
                }
                Ok(())
            }
            Made::Stage { stage, run, before } => {
                Ok(task.registry().lock(context)?.take_back_stage(&task.key, *stage, run, before.as_ref())?)
            }
            Made::Branch { .. } | Made::Task { .. } => clear_one(context, task, made),
        }
    }
}

impl Drop for Undo<'_> {
    fn drop(&mut self) {
        while let Some(made) = self.made.pop() {
            if let Err(error) = self.take_back(&made) {
                self.context.warn(format!("not everything that was made could be taken back: {error}"));
            }
        }
    }
}

/// Takes back what a prepare that was killed had made, and wrote down in `claim`. What holds anything of anybody's stays:
/// a branch or a worktree that has moved on, a worktree with files in it that neither the commit nor the project's list
/// has, and what another run uses.
///
/// # Errors
/// When it cannot be told or done; doing it again goes on.
pub fn clear(context: &Context, task: &Task, claim: &Claim) -> Result<(), Error> {
    let mut used = BTreeSet::new();
    for made in claim.read()?.iter().rev() {
        match made {
            // Whatever is checked out there now, the branch is known to belong to it.
            Made::Worktree { branch, .. } if !clear_worktree(context, task, made)? => used.extend(branch.clone()),
            Made::Branch { name, .. } if used.contains(name) => {}
            made => clear_one(context, task, made)?,
        }
    }
    Ok(claim.forget()?)
}

/// Removes a worktree as it was made; answers whether it is gone.
fn clear_worktree(context: &Context, task: &Task, made: &Made) -> Result<bool, Error> {
    let Made::Worktree { path, branch, commit } = made else { return Ok(true) };
    let _alone = lock_worktrees(context, task)?;
    let Some(worktree) = find(context, task, path)? else { return Ok(true) };
    if is_in_use(&entry(task)?, made) {
        return Ok(false);
    }
    let why = kept_by(context, task, &worktree, (branch.as_deref(), commit))?;
    match &why {
        None => task.repository.remove_worktree(context, path)?,
        Some(why) => context.warn(format!("`{path}`, which a prepare that was stopped had made, stays: {why}")),
    }
    Ok(why.is_none())
}

fn clear_one(context: &Context, task: &Task, made: &Made) -> Result<(), Error> {
    let entry = entry(task)?;
    match made {
        Made::Worktree { .. } => drop(clear_worktree(context, task, made)?),
        Made::Branch { name, commit } => {
            let full = format!("refs/heads/{name}");
            let is_out = |worktree: &Worktree| matches!(&worktree.head, Some(Head::Branch(head)) if *head == full);
            let at = task.repository.ref_commit(context, &full)?;
            let unmoved = at.filter(|at| at.to_string() == *commit && !is_in_use(&entry, made));
            if let Some(at) = unmoved
                && !task.repository.worktrees(context)?.iter().any(is_out)
            {
                task.repository.delete_branch(context, name, at)?;
            }
        }
        Made::Task { anchor } => {
            if entry.branch.is_some() && !is_there(context, task, (&entry.branch, &entry.worktree_path))? {
                task.registry().lock(context)?.release_task(&task.key, anchor.as_deref())?;
            }
        }
        Made::Stage { stage, run, before } => {
            let Some(now) = entry.stages.get(stage) else { return Ok(()) };
            let was_own = before.as_ref().is_some_and(|before| before.base_ref.is_some());
            // A place that was made for it and stays must stay known as its own.
            let stays =
                !was_own && now.base_ref.is_some() && is_there(context, task, (&now.branch, &now.worktree_path))?;
            let mut registry = task.registry().lock(context)?;
            match stays {
                true => drop(registry.release_stage(&task.key, *stage, run)?),
                false => registry.take_back_stage(&task.key, *stage, run, before.as_ref())?,
            }
        }
    }
    Ok(())
}

/// Whether the branch, or anything in the folder, is there.
fn is_there(
    context: &Context,
    task: &Task,
    (branch, folder): (&Option<String>, &Option<String>),
) -> Result<bool, Error> {
    let branch = branch.as_ref().map(|name| task.repository.ref_commit(context, &format!("refs/heads/{name}")));
    let folder = folder.as_ref().map(|path| find(context, task, path));
    Ok(branch.transpose()?.flatten().is_some() || folder.transpose()?.flatten().is_some())
}

/// What is registered of the task.
fn entry(task: &Task) -> Result<TaskEntry, Error> {
    Ok(task.registry().read(&task.key)?.unwrap_or_default())
}

/// Whether it is the task's own place, and the task has stages: others work with it then.
fn is_in_use(entry: &TaskEntry, made: &Made) -> bool {
    let is_tasks = match made {
        Made::Worktree { path, .. } => entry.worktree_path.as_ref() == Some(path),
        Made::Branch { name, .. } => entry.branch.as_ref() == Some(name),
        Made::Task { .. } | Made::Stage { .. } => false,
    };
    is_tasks && (!entry.stages.is_empty() || !entry.integrations.is_empty())
}

/// The worktree with this folder, as git has it.
fn find(context: &Context, task: &Task, path: &str) -> Result<Option<Worktree>, Error> {
    let worktrees = task.repository.worktrees(context)?;
    Ok(worktrees.into_iter().find(|worktree| is_same_folder(&worktree.path, Path::new(path))))
}

/// Why a worktree holds something that may be somebody's; `None` where it is as it was made.
fn kept_by(
    context: &Context,
    task: &Task,
    worktree: &Worktree,
    (branch, commit): (Option<&str>, &str),
) -> Result<Option<String>, Error> {
    if task.repository.is_half_made(&worktree.git_dir) || !worktree.path.exists() {
        return Ok(None);
    }
    let is_commit = |id: &CommitId| id.to_string() == commit;
    let as_made = match (&worktree.head, branch) {
        (Some(Head::Detached(at)), None) => is_commit(at),
        (Some(Head::Branch(name)), Some(branch)) => {
            *name == format!("refs/heads/{branch}")
                && task.repository.ref_commit(context, name)?.is_some_and(|at| is_commit(&at))
        }
        _ => false,
    };
    if !as_made {
        return Ok(Some("something else is checked out in it".to_owned()));
    }
    if let Some(operation) = task.repository.operation_in_progress(context, &worktree.head_name)? {
        return Ok(Some(format!("a {} is under way in it", operation.kind)));
    }
    if worktree.git_dir.join("modules").exists() {
        return Ok(Some("it has submodules".to_owned()));
    }
    let added = include::added(context, task, &worktree.path)?;
    Ok(added.first().map(|path| format!("it holds `{path}`")))
}
