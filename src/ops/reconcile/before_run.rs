//! Before a run is prepared: repair what is proved, as well as that goes, then let the gate decide.

use std::collections::BTreeMap;

use super::apply::{decide_and_write, nothing_under_way};
use super::draft::{Draft, Named, is_id, on_branch};
use super::gates::{Gate, WHOLE};
use super::scene::{Scene, lasting, short};
use super::{Repair, guidance};
use crate::context::Context;
use crate::domain::plan::PlanStage;
use crate::domain::reconcile::{Cause, HeldBy, Item, Kind, RefusedDependency, WayOut, with_content};
use crate::domain::records::Record;
use crate::ops::Error;
use crate::ops::reconcile::content::Base;
use crate::ops::task::Task;
use crate::store::consumers::DoneStage;

/// What was repaired before a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AutoReconciled {
    /// The repairs; each has been said as a notice.
    pub applied: Vec<Repair>,
    /// Why it could not be done; said as a notice too. The gate decides then.
    pub skipped: Option<String>,
}

/// Repairs what is proved, and completes old rows that lack fingerprints. Best effort: that it failed is no error.
///
/// # Errors
/// Only when the work was cancelled.
pub fn auto_reconcile(context: &Context, task: &Task) -> Result<AutoReconciled, Error> {
    let repaired = decide_and_write(context, task, |scene| {
        nothing_under_way(scene, Vec::new())?;
        let read = scene.done.clone();
        let completed = scene.complete_rows()?;
        let draft = Draft::of_request(scene, &Named { person: None, anchor: None, into: None })?;
        Ok(Draft { rows: completed.into_iter().chain(draft.rows).collect(), read, ..draft })
    });
    match repaired {
        Ok((applied, _)) => {
            let repairs: Vec<Repair> = applied.into_iter().filter(|repair| !is_same(repair)).collect();
            repairs.iter().filter_map(Repair::notice).for_each(|notice| context.notice(notice));
            Ok(AutoReconciled { applied: repairs, skipped: None })
        }
        Err(error @ Error::Cancelled(_)) => Err(error),
        Err(error) => {
            let why = error.to_string();
            context.notice(format!("git-reconcile skipped: {why}"));
            Ok(AutoReconciled { applied: Vec::new(), skipped: Some(why) })
        }
    }
}

/// Whether a row repeated another one, only to complete it.
fn is_same(repair: &Repair) -> bool {
    matches!(repair, Repair::Stage { new_commit, replaced, .. } if new_commit == replaced || replaced.is_empty())
}

/// Lets `stage` start, or says why it may not. A dependency that the task worktree is proved to hold by its content is
/// recorded so.
///
/// # Errors
/// [`Error::Gate`] with what holds the stage up and what helps.
pub fn check_gate(context: &Context, task: &Task, stage: u32) -> Result<Vec<Repair>, Error> {
    let (applied, _) = decide_and_write(context, task, |scene| scene.pass_gate(stage))?;
    applied.iter().filter_map(Repair::notice).for_each(|notice| context.notice(notice));
    Ok(applied)
}

/// Lets the task as a whole be verified, or says which of its stages the task worktree does not hold. A stage that it is
/// proved to hold by its content is recorded so.
///
/// # Errors
/// [`Error::Gate`] with what is missing, stage by stage, and what helps.
pub fn check_whole(context: &Context, task: &Task) -> Result<Vec<Repair>, Error> {
    let (applied, _) = decide_and_write(context, task, |scene| {
        if let Some(plan) = scene.plan.as_mut() {
            let depends_on = plan.stages.iter().map(|stage| stage.stage).collect();
            plan.stages.push(PlanStage { stage: WHOLE, depends_on, ..PlanStage::default() });
        }
        scene.pass_gate(WHOLE)
    })?;
    applied.iter().filter_map(Repair::notice).for_each(|notice| context.notice(notice));
    Ok(applied)
}

/// Refuses those of `stages` whose records no longer hold.
///
/// # Errors
/// [`Error::Gate`] with what is stale and what helps.
pub fn check_records(context: &Context, task: &Task, stages: &[u32]) -> Result<(), Error> {
    let mut scene = Scene::read(context, task)?;
    let mut stale = Vec::new();
    for stage in stages.iter().filter(|stage| scene.done.contains_key(stage)).copied().collect::<Vec<_>>() {
        stale.push(scene.finding(stage)?.item);
    }
    stale.retain(Item::is_confirm);
    if stale.is_empty() {
        return Ok(());
    }
    let message =
        |item: &Item| format!("the record of stage {} is stale: {}", item.stage.unwrap_or_default(), item.reason);
    let message = stale.iter().map(message).collect::<Vec<_>>().join("\n");
    let hint = guidance(task).text(&scene.ways_out(&stale)?);
    Err(Error::Gate { message, hint })
}

impl Scene<'_> {
    /// Rows for done stages that were recorded without fingerprints, while their commits still exist.
    fn complete_rows(&mut self) -> Result<Vec<Record>, Error> {
        let mut rows = Vec::new();
        for stage in self.done.keys().copied().collect::<Vec<_>>() {
            let latest = self.done[&stage].latest.clone();
            let is_witness = self.done[&stage].witness.as_ref() == Some(&latest);
            if latest.content.is_some() || !is_witness {
                continue;
            }
            let (head, Base::Known(base)) = (self.commit(&latest.head_commit)?, self.base(&latest)?) else { continue };
            let content = match head {
                Some(head) => self.fingerprints(base, head)?,
                None => None,
            };
            if let Some(content) = content {
                let row = with_content(&latest, &content);
                self.done.insert(stage, DoneStage { latest: row.clone(), witness: Some(row.clone()) });
                rows.push(row);
            }
        }
        Ok(rows)
    }

    /// The repair rows with which `stage` may start.
    fn pass_gate(&mut self, stage: u32) -> Result<Draft, Error> {
        let read = self.done.clone();
        let findings = self.findings()?;
        let gate = self.gate_of(stage, &findings.done)?;
        let refused: Vec<&(Item, Option<HeldBy>)> =
            gate.items.iter().filter(|(item, _)| item.cause.flatten().is_some()).collect();
        if !refused.is_empty() {
            return Err(self.refusal(stage, &gate, &refused)?);
        }
        let head = self.task_head()?;
        nothing_under_way(self, head.iter().map(|head| head.name.clone()).collect())?;
        let mut rows = BTreeMap::new();
        // What the repair before the gate could not write, since it was skipped.
        for stage in gate.left_behind(&findings.done) {
            let landed = on_branch(&findings.done[&stage]);
            rows.extend(landed.and_then(|(landed, on)| {
                let row = self.automatic_row(stage, landed, (on, findings.done[&stage].branch_tip))?;
                Some((stage, row))
            }));
        }
        for (item, held) in &gate.items {
            let (Some(predecessor), Some(HeldBy::Head { answer, .. })) = (item.predecessor, held) else { continue };
            if let Some(warning) = item.gone_again() {
                self.context.warn(warning);
            }
            let finding = &findings.done[&predecessor];
            let (Some(landed), Some(head)) = (answer.matched_commit, &head) else { continue };
            let is_recorded = match finding.effective {
                Some(recorded) => self.reaches(head.commit, recorded)?,
                None => false,
            };
            let on = lasting(self.context, self.task, head.name.clone(), head.commit);
            // What is on no branch would be left behind at once.
            if !is_recorded && !is_id(&on) {
                let row = self.automatic_row(predecessor, (landed, answer.proof), (&on, finding.branch_tip));
                rows.extend(row.map(|row| (predecessor, row)));
            }
        }
        let rows = rows.into_values().collect::<Vec<_>>();
        let mut tips = self.tips_of(&findings)?;
        tips.extend(head.map(|head| (head.name, Some(head.commit))));
        let keep = self.keep_refs(&rows)?;
        let (anchor, remaining, into, ways_out) = (None, Vec::new(), None, Vec::new());
        Ok(Draft { anchor, rows, keep, read, tips, remaining, into, ways_out })
    }

    fn refusal(&mut self, stage: u32, gate: &Gate, refused: &[&(Item, Option<HeldBy>)]) -> Result<Error, Error> {
        let worktree = self.entry.as_ref().and_then(|entry| entry.worktree_path.clone());
        let guidance = guidance(self.task);
        let (mut messages, mut hints, mut stale) = (Vec::new(), Vec::new(), Vec::new());
        for (item, held) in refused {
            let predecessor = item.predecessor.unwrap_or_default();
            let (head, landed_on) = match held {
                Some(HeldBy::Head { head, base, .. }) => {
                    (Some(head.short()), base.as_ref().map(|(name, _)| short(name).to_owned()))
                }
                _ => (None, None),
            };
            let dependency = RefusedDependency {
                stage,
                is_multiple: gate.is_multiple,
                branch: short(&self.stage_branch(predecessor)).to_owned(),
                item: item.clone(),
                head,
                worktree: worktree.clone(),
                landed_on,
            };
            messages.push(dependency.message());
            hints.extend(dependency.way_out(&self.task.key));
            if item.cause.flatten() == Some(Cause::Stale) {
                stale.push(Item { stage: Some(predecessor), kind: Kind::Done, ..item.clone() });
            }
        }
        let ways: Vec<WayOut> = self.ways_out(&stale)?;
        if !ways.is_empty() {
            hints.push(guidance.text(&ways));
        }
        Ok(Error::Gate { message: messages.join("\n"), hint: hints.join("\n") })
    }
}
