//! What is known of the runs of a task.

use super::layout;
use crate::domain::lifecycle::{RunName, TaskType};
use crate::ops::Error;
use crate::ops::task::Task;
use crate::store::runs::{self, Run};

/// The run with this name; `None` where it does not exist, or is no run's name.
pub(super) fn read(task: &Task, name: &str) -> Result<Option<Run>, Error> {
    match name.parse::<RunName>() {
        Ok(name) => Ok(runs::read(layout(task)?, &task.key, name)?),
        Err(_) => Ok(None),
    }
}

/// The open runs that build stages, oldest first.
pub(super) fn open_implementations(task: &Task) -> Result<Vec<Run>, Error> {
    let runs = runs::read_all(layout(task)?, &task.key)?;
    let builds = |run: &Run| run.name.task_type == TaskType::Implementation && run.is_open();
    Ok(runs.into_iter().filter(builds).collect())
}
