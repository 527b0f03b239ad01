//! The worktrees of an open run, made again where their folders were deleted and their branches are there.

use std::path::Path;

use super::place::Place;
use super::undo::Undo;
use super::{include, lock_worktrees, task_again};
use crate::context::Context;
use crate::domain::run::RunStage;
use crate::domain::stages::Placement;
use crate::ops::Error;
use crate::ops::task::Task;

/// Makes again what is gone of the task's worktree and of those of `stages`, and says so. A stage whose branch is gone stays
/// as it is: what was on it is for nobody to make up. What is made stays.
///
/// # Errors
/// [`super::StageError::Place`] when something else is in the way, and when git cannot make one.
pub fn run_again(context: &Context, task: &Task, stages: &[RunStage]) -> Result<(), Error> {
    let say = |branch: &str, path: &Path| {
        context.notice(format!("the worktree of `{branch}` was made again: {}", path.display()));
    };
    if let Some(place) = task_again(context, task, None)? {
        let made = place.keep();
        say(&made.branch, &made.path);
    }
    for stage in stages {
        let path = Path::new(&stage.worktree);
        let of = format!("stage {}", stage.stage);
        let place = Place { of, branch: &stage.branch, path, is_own: true, must_hold: &[] };
        let _alone = lock_worktrees(context, task)?;
        let Some(tip) = place.tip(context, task)?.filter(|_| !path.is_dir()) else { continue };
        let placement = place.decide(context, task)?;
        let mut undo = Undo::new(context, task, None);
        place.make(context, task, (&placement, tip), &mut undo)?;
        if placement != Placement::Reuse {
            include::copy(context, task, path)?;
        }
        undo.keep();
        say(&stage.branch, path);
    }
    Ok(())
}
