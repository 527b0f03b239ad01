//! Which stages the task branch lacks, and their merges, of which no ref knows yet.

use std::collections::BTreeMap;

use super::{Found, StageError, subject};
use crate::context::Context;
use crate::domain::equivalence::{Candidate, RepoPath, Verdict};
use crate::domain::ids::CommitId;
use crate::domain::plan::Plan;
use crate::git::{History, MergeCommit, Span};
use crate::ops::Error;
use crate::ops::reconcile::Work;
use crate::ops::task::Task;
use crate::store::consumers;

/// Looks for every done stage in the task branch, at `trunk`.
pub(super) fn find(context: &Context, task: &Task, plan: &Plan, trunk: CommitId) -> Result<Found, Error> {
    let done = consumers::read_done(&task.log(), context, &task.key, Some(plan))?;
    let (mut spans, mut missing, mut contained) = (BTreeMap::new(), Vec::new(), Vec::new());
    let candidate = Candidate { name: trunk.to_string(), commit: trunk };
    let mut work = Work::read(context, task)?;
    for (stage, done) in done.into_iter().filter(|(stage, _)| plan.stage(*stage).is_some()) {
        let head = task.repository.commit_by_id(&done.latest.head_commit)?;
        let base = done.latest.base_commit.map(|text| task.repository.commit_by_id(&text)).transpose()?;
        // A commit that is gone makes a record stale, which is said before anything is merged.
        let Ok(head) = head else {
            missing.push(stage);
            continue;
        };
        let base = base.and_then(Result::ok);
        spans.insert(stage, (base, head));
        let is_there =
            work.reaches(trunk, head)? == Some(true) || work.stage_in(stage, &candidate)?.verdict == Verdict::Contained;
        if is_there { contained.push(stage) } else { missing.push(stage) }
    }
    Ok(Found { spans, missing, contained })
}

/// Merges `stages` one after the other, from `trunk` on; gives the merge commit of each.
pub(super) fn make(
    context: &Context,
    task: &Task,
    (plan, found): (&Plan, &Found),
    (trunk, stages): (CommitId, &[u32]),
) -> Result<Vec<(u32, CommitId)>, Error> {
    let (mut at, mut merges) = (trunk, Vec::new());
    for &stage in stages {
        let Some((_, head)) = found.spans.get(&stage) else { continue };
        match task.repository.merge_as_commit(context, (at, *head), &subject(plan, stage))? {
            MergeCommit::Made(commit) => {
                merges.push((stage, commit));
                at = commit;
            }
            MergeCommit::Conflict(files) => return Err(conflict(task, found, (stage, &files))?.into()),
        }
    }
    Ok(merges)
}

/// A conflict, with the other stages that touched its files.
fn conflict(task: &Task, found: &Found, (stage, files): (u32, &[RepoPath])) -> Result<StageError, Error> {
    let (mut history, mut with) = (History::new(&task.repository), Vec::new());
    for (&other, (base, head)) in found.spans.iter().filter(|(other, _)| **other != stage) {
        let Some(base) = *base else { continue };
        let touched = history.stage(Span { base, head: *head })?;
        if touched.is_some_and(|(touched, ..)| touched.touched().any(|path| files.contains(path))) {
            with.push(other);
        }
    }
    let files = files.iter().map(ToString::to_string).collect();
    Ok(StageError::Conflict { stage, files, with, task: task.key.task.clone() })
}
