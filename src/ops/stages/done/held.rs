//! Whose the stage is at the moment in which it is recorded.

use super::super::layout;
use super::{Asked, Facts, StageError};
use crate::context::Context;
use crate::domain::lifecycle::RunName;
use crate::ops::Error;
use crate::ops::task::Task;
use crate::store::registry::RegistryGuard;
use crate::store::runs::StateGuard;

/// While this lives the stage can be taken from no run, and its run cannot end: the registry is locked, then the state of
/// the run. Nobody who holds the latter waits for the former.
pub(super) struct Held {
    _run: Option<StateGuard>,
    _registry: RegistryGuard,
}

impl Held {
    /// Looks again whether the run has the stage: commands take their time, and it can have been given up meanwhile. A run
    /// that is known from its carry need not be open, but nobody else may have the stage.
    ///
    /// # Errors
    /// [`StageError::Lost`], with who has the stage now.
    pub(super) fn take(context: &Context, task: &Task, (facts, asked): (&Facts, &Asked)) -> Result<Self, Error> {
        let registry = task.registry().lock(context)?;
        let entry = registry.read(&task.key)?.unwrap_or_default();
        let holder = entry.stages.get(&asked.stage).and_then(|stage| stage.reserved_by.as_ref());
        let holder = holder.map(|holder| holder.run.clone());
        let lost = |status: Option<&'static str>| {
            let (stage, task, run) = (asked.stage, task.key.task.clone(), facts.run.clone());
            let holder = holder.clone().filter(|holder| *holder != run);
            Err(StageError::Lost { stage, task, run, status, holder }.into())
        };
        let run = match (asked.run.is_some(), facts.run.parse::<RunName>()) {
            (false, Ok(name)) => Some(StateGuard::lock(context, layout(task)?, &task.key, name)?),
            _ => None,
        };
        let status = run.as_ref().map(StateGuard::read).transpose()?.map(|state| state.status);
        let ended = status.filter(|status| status.is_final()).map(|status| status.as_str());
        let is_its = match &holder {
            Some(holder) => *holder == facts.run,
            None => asked.run.is_some(),
        };
        if !is_its || ended.is_some() {
            return lost(ended);
        }
        Ok(Self { _run: run, _registry: registry })
    }
}
