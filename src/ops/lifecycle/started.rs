//! Started rows: which run began which stage. History only, since the registry alone reserves.

use crate::context::Context;
use crate::domain::records::{Reappend, Record, Status};
use crate::domain::run::RunManifest;
use crate::ops::Error;
use crate::ops::task::Task;
use crate::store::consumers::LogGuard;

/// Appends a started row for each stage that the run owns, unless it is there.
///
/// # Errors
/// When the log cannot be read or written.
pub(super) fn append_started(context: &Context, task: &Task, manifest: &RunManifest) -> Result<(), Error> {
    if manifest.stages.is_empty() {
        return Ok(());
    }
    let key = task.key.to_string();
    let rows: Vec<_> = manifest
        .stages
        .iter()
        .map(|stage| Record {
            started_at: Some(manifest.created_at.clone()),
            run: Some(manifest.run.clone()),
            base_commit: Some(stage.base.clone()).filter(|base| !base.is_empty()),
            plan: manifest.plan.as_ref().map(|plan| plan.id.clone()),
            stage_hash: Some(stage.hash.clone()),
            ..Record::new(&key, stage.stage, Status::Started, &manifest.base_commit)
        })
        .collect();
    LogGuard::lock(&task.log(), context)?.append_all(&rows, Reappend::Never)?;
    Ok(())
}
