//! Takes back what was made when it did not come to its end.

use std::collections::BTreeMap;

use super::lock_worktrees;
use crate::context::{Cancel, Context};
use crate::domain::ids::CommitId;
use crate::domain::registry::StageEntry;
use crate::ops::Error;
use crate::ops::task::{Task, is_same_folder};

/// What was made, to be taken back in the opposite order when this is dropped; unless it was kept.
pub(super) struct Undo<'t> {
    context: Context,
    task: &'t Task,
    made: Vec<Made>,
}

/// Something that was made.
pub(super) enum Made {
    /// A worktree.
    Worktree(String),
    /// A branch, and where it was made.
    Branch(String, CommitId),
    /// The task's reservation.
    Task,
    /// Reservations of stages by a run, with how the stages were before.
    Stages(String, BTreeMap<u32, Option<StageEntry>>),
}

impl<'t> Undo<'t> {
    /// Nothing was made yet.
    pub(super) fn new(context: &Context, task: &'t Task) -> Self {
        // That the work was cancelled is a reason to take it back.
        Self { context: context.clone().with_cancel(Cancel::default()), task, made: Vec::new() }
    }

    /// Something was made.
    pub(super) fn add(&mut self, made: Made) {
        self.made.push(made);
    }

    /// It came to its end: all stays.
    pub(super) fn keep(mut self) {
        self.made.clear();
    }

    fn take_back(&self, made: Made) -> Result<(), Error> {
        let (context, task) = (&self.context, self.task);
        match made {
            Made::Worktree(path) => {
                let _alone = lock_worktrees(context, task)?;
                let worktrees = task.repository.worktrees(context)?;
                // git takes back itself what it could not make at all.
                if worktrees.iter().any(|worktree| is_same_folder(&worktree.path, path.as_ref())) {
                    task.repository.remove_worktree(context, &path)?;
                }
            }
            Made::Branch(name, at) => {
                if task.repository.ref_commit(context, &format!("refs/heads/{name}"))? == Some(at) {
                    task.repository.delete_branch(context, &name, at)?;
                }
            }
            Made::Task => task.registry().lock(context)?.release_task(&task.key)?,
            Made::Stages(run, before) => {
                let mut registry = task.registry().lock(context)?;
                for (stage, before) in before {
                    registry.take_back_stage(&task.key, stage, &run, before.as_ref())?;
                }
            }
        }
        Ok(())
    }
}

impl Drop for Undo<'_> {
    fn drop(&mut self) {
        while let Some(made) = self.made.pop() {
            if let Err(error) = self.take_back(made) {
                self.context.warn(format!("not everything that was made could be taken back: {error}"));
            }
        }
    }
}
