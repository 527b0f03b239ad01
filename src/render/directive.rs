//! The stage directive: which stages an implementation run owns, as the lead and its workers are told.
//!
//! It is written here and not in a template, since a run depends on its every word being true.

use super::filters::{code, one_line};
use crate::domain::lifecycle::TaskType;
use crate::domain::run::{RunManifest, RunStage};

/// The variable `EFFECTIVE_STAGES`, as in `1,2`: the stages of the run, ascending. Empty outside implementation.
pub fn effective_stages(manifest: &RunManifest) -> String {
    batch(manifest).iter().map(|stage| stage.stage.to_string()).collect::<Vec<_>>().join(",")
}

/// The variable `STAGE_BATCH_DIRECTIVE`: an item of a list, without a line break at its end. Empty outside
/// implementation.
pub fn stage_batch_directive(manifest: &RunManifest) -> String {
    let stages = batch(manifest);
    if stages.is_empty() {
        return String::new();
    }
    let mut lines = vec![
        format!("- **Stage batch for this implementation run:** `{}`", effective_stages(manifest)),
        "  These stages, in this order, are the whole scope of the run. The runtime chose and reserved them: they are not"
            .to_owned(),
        "  to be computed again from the records, and no other stage is touched.".to_owned(),
    ];
    lines.extend(stages.into_iter().map(line));
    lines.join("\n")
}

/// The stages of an implementation run, ascending.
fn batch(manifest: &RunManifest) -> Vec<&RunStage> {
    let mut stages: Vec<_> =
        manifest.stages.iter().filter(|_| manifest.task_type == TaskType::Implementation).collect();
    stages.sort_by_key(|stage| stage.stage);
    stages
}

fn line(stage: &RunStage) -> String {
    let RunStage { stage, title, branch, worktree, base, .. } = stage;
    let (title, branch, worktree) = (one_line(title), code(branch), code(worktree));
    format!("  - Stage {stage}: {title}; branch {branch}, worktree {worktree}, base `{base}`")
}
