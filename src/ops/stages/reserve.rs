//! Choosing the stages of a run and reserving them: one step, under the lock of the registry.

use std::collections::{BTreeMap, BTreeSet};

use super::undo::Undo;
use super::{StageError, layout, runs, text};
use crate::context::Context;
use crate::domain::batch::{self, BatchError, Request};
use crate::domain::moment::Moment;
use crate::domain::plan::Plan;
use crate::domain::registry::{Holder, StageEntry, TaskEntry};
use crate::domain::stages::{RunFact, is_held};
use crate::ops::Error;
use crate::ops::task::Task;
use crate::process::Identity;
use crate::store::claim::{Claim, Made};
use crate::store::consumers;
use crate::store::registry::{RegistryGuard, StageWanted};

/// What a run asks for.
#[derive(Clone, Debug)]
pub struct Wanted<'a> {
    /// The frozen plan.
    pub plan: &'a Plan,
    /// Which stages.
    pub request: Request,
    /// How many steps a batch has at most.
    pub budget: u32,
    /// The run, and the process that holds its stages; see [`holder`].
    pub holder: Holder,
    /// A run whose stages are taken over. To abandon it is for the caller.
    pub take_over: Option<&'a str>,
    /// The claim that the run is prepared under, by which it can be cleared up after a crash.
    pub claim: Option<&'a Claim>,
}

/// Stages that were reserved; when this is dropped before it was provisioned or kept, the reservations are taken back.
pub struct Reserved<'t> {
    pub(super) stages: Vec<u32>,
    /// How each stage was registered before.
    pub(super) before: BTreeMap<u32, Option<StageEntry>>,
    pub(super) undo: Undo<'t>,
}

impl Reserved<'_> {
    /// The stages, ascending.
    pub fn stages(&self) -> &[u32] {
        &self.stages
    }

    /// The reservations stay, whatever comes.
    pub fn keep(self) -> Vec<u32> {
        self.undo.keep();
        self.stages
    }
}

/// Who holds stages for the run `run`: where `is_process`, this process holds them as long as it lives.
pub fn holder(context: &Context, run: &str, is_process: bool) -> Holder {
    let this = is_process.then(|| Identity::of_this(context));
    Holder {
        run: run.to_owned(),
        host: this.as_ref().map(|this| this.host.clone()),
        pid: this.as_ref().map(|this| this.pid),
        process_start: this.and_then(|this| this.start),
    }
}

/// Chooses the stages of a run and reserves them for it, under one lock: two runs at the same moment get different ones.
/// A stage that another open run has is not ready.
///
/// # Errors
/// [`StageError::Batch`], [`StageError::Reserved`] for a stage asked for by its number that another open run has, and when
/// records cannot be read or written.
pub fn choose_and_reserve<'t>(context: &Context, task: &'t Task, wanted: &Wanted<'_>) -> Result<Reserved<'t>, Error> {
    layout(task)?;
    // Declared before the lock, which has to be let go of before anything is taken back.
    let mut undo = Undo::new(context, task, wanted.claim);
    let mut registry = task.registry().lock(context)?;
    let entry = registry.read(&task.key)?.unwrap_or_default();
    let stages = choose(context, task, &entry, wanted)?;
    let before: BTreeMap<_, _> = stages.iter().map(|stage| (*stage, entry.stages.get(stage).cloned())).collect();
    let run = &wanted.holder.run;
    // A reservation of the same run was there before, and stays.
    let is_fresh = |before: &Option<StageEntry>| holder_of(before.as_ref()).is_none_or(|holder| holder.run != *run);
    for (&stage, before) in before.iter().filter(|(_, before)| is_fresh(before)) {
        undo.add(Made::Stage { stage, run: run.clone(), before: before.clone() })?;
    }
    reserve(context, task, (&mut registry, &entry), (&stages, wanted))?;
    Ok(Reserved { stages, before, undo })
}

/// Refuses a choice of stages that no repair can make right: what is not in the plan, done, or held by another open run.
/// Nothing is written.
///
/// # Errors
/// As [`choose_and_reserve`].
pub fn check_choice(context: &Context, task: &Task, wanted: &Wanted<'_>) -> Result<(), Error> {
    let entry = task.registry().read(&task.key)?.unwrap_or_default();
    match choose(context, task, &entry, wanted) {
        // What they wait for may be completed from carry files.
        Err(Error::Stage(error))
            if matches!(
                *error,
                StageError::Batch { error: BatchError::Waiting { .. } | BatchError::NothingReady { .. }, .. }
            ) =>
        {
            Ok(())
        }
        chosen => chosen.map(drop),
    }
}

fn choose(context: &Context, task: &Task, entry: &TaskEntry, wanted: &Wanted<'_>) -> Result<Vec<u32>, Error> {
    let done = consumers::read_done(&task.log(), context, &task.key, Some(wanted.plan))?;
    let done: BTreeSet<u32> = done.into_keys().collect();
    let reserved = reserved_by_others(context, task, entry, wanted)?;
    let chosen = batch::choose(wanted.plan, &done, &reserved, wanted.request, wanted.budget);
    chosen.map_err(|error| refusal(context, task, entry, error))
}

fn reserve(
    context: &Context,
    task: &Task,
    (registry, entry): (&mut RegistryGuard, &TaskEntry),
    (stages, wanted): (&[u32], &Wanted<'_>),
) -> Result<(), Error> {
    let at = context.clock().moment().to_string();
    let default = format!("{}-{}", task.category, task.key.task.id);
    let mut fresh = BTreeMap::new();
    for &stage in stages {
        let own = entry.stages.get(&stage);
        if let Some(holder) = holder_of(own).filter(|holder| holder.run != wanted.holder.run) {
            registry.release_stage(&task.key, stage, &holder.run)?;
        }
        let branch = entry.stage_branch(stage).unwrap_or_else(|| format!("{default}-s{stage}"));
        let standard = || text(&task.home.worktree(&task.key, Some(stage)));
        let worktree_path = own.and_then(|own| own.worktree_path.clone()).map_or_else(standard, Ok)?;
        let (reserved_by, reserved_at) = (Some(wanted.holder.clone()), Some(at.clone()));
        fresh.insert(stage, StageWanted { worktree_path, branch, base_ref: None, reserved_by, reserved_at });
    }
    registry.reserve_stages(&task.key, &fresh)?;
    Ok(())
}

/// The stages that other open runs have, each with its run.
fn reserved_by_others(
    context: &Context,
    task: &Task,
    entry: &TaskEntry,
    wanted: &Wanted<'_>,
) -> Result<BTreeMap<u32, String>, Error> {
    let mut reserved = BTreeMap::new();
    for (&stage, held) in &entry.stages {
        let Some(holder) = holder_of(Some(held)) else { continue };
        let is_others = holder.run != wanted.holder.run && Some(holder.run.as_str()) != wanted.take_over;
        if is_others && is_held(fact(task, &holder.run)?, process_of(holder).and_then(|its| its.is_alive(context))) {
            reserved.insert(stage, holder.run.clone());
        }
    }
    Ok(reserved)
}

/// How the run that reserved something stands.
pub(super) fn fact(task: &Task, run: &str) -> Result<RunFact, Error> {
    Ok(match runs::read(task, run)? {
        Some(run) if run.is_open() => RunFact::Open,
        Some(_) => RunFact::Ended,
        None => RunFact::Unprepared,
    })
}

/// The process that a holder names.
pub(super) fn process_of(holder: &Holder) -> Option<Identity> {
    Some(Identity { host: holder.host.clone()?, pid: holder.pid?, start: holder.process_start.clone() })
}

fn holder_of(entry: Option<&StageEntry>) -> Option<&Holder> {
    entry?.reserved_by.as_ref()
}

fn refusal(context: &Context, task: &Task, entry: &TaskEntry, error: BatchError) -> Error {
    let name = task.key.task.clone();
    let BatchError::Reserved { stage, by } = error else { return StageError::Batch { task: name, error }.into() };
    let held = entry.stages.get(&stage);
    let now = context.clock().moment();
    let since = held.and_then(|held| held.reserved_at.as_deref()?.parse::<Moment>().ok());
    let age = since.map(|since| format!("{since}, for {}", duration(since.seconds_until(now))));
    let alive = holder_of(held).and_then(process_of).and_then(|process| process.is_alive(context));
    StageError::Reserved { stage, task: name, run: by, age, alive }.into()
}

/// A time as people say it.
fn duration(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} seconds"),
        120..7200 => format!("{} minutes", seconds / 60),
        7200..172_800 => format!("{} hours", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}
