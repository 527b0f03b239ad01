//! Which stages a run owns.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use super::plan::Plan;

/// How many steps a batch has at most, unless its first stage alone has more.
pub const BUDGET: u32 = 8;

/// What was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Request {
    /// As many stages as are ready and fit.
    #[default]
    Auto,
    /// This stage alone.
    Stage(u32),
}

/// Why no batch can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// Neither `auto` nor a number.
    #[error("`{text}` is no stage: give `auto` or the number of one")]
    Request {
        /// The text as given.
        text: String,
    },
    /// The plan has no such stage.
    #[error("there is no stage {stage} in the plan: it has {}", list(.known))]
    Unknown {
        /// The stage asked for.
        stage: u32,
        /// The stages that there are.
        known: Vec<u32>,
    },
    /// The stage is done.
    #[error("stage {stage} is done already")]
    Done {
        /// The stage asked for.
        stage: u32,
    },
    /// The stage waits for others.
    #[error("stage {stage} waits for {}", stages(.missing))]
    Waiting {
        /// The stage asked for.
        stage: u32,
        /// What it depends on that is not done.
        missing: Vec<u32>,
    },
    /// Another open run works on it.
    #[error("stage {stage} is reserved by {by}")]
    Reserved {
        /// The stage asked for.
        stage: u32,
        /// The run that has it.
        by: String,
    },
    /// No stage can start now.
    #[error("no stage is ready: {}", waits(.waiting))]
    NothingReady {
        /// For each stage that is left, what it waits for.
        waiting: Vec<(u32, WaitsFor)>,
    },
    /// Every stage is done.
    #[error("all stages are done")]
    AllDone,
}

/// What a stage waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    /// These stages are not done.
    Stages(Vec<u32>),
    /// This run has reserved it.
    Run(String),
}

impl FromStr for Request {
    type Err = BatchError;

    fn from_str(text: &str) -> Result<Self, BatchError> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|&stage| is_number && stage > 0);
        number.map(Self::Stage).ok_or_else(|| BatchError::Request { text: text.to_owned() })
    }
}

/// Chooses the stages of a run, ascending: given the plan, the stages that are done, and the stages that other open runs
/// have reserved, each with its run.
///
/// `auto` takes ready stages in stage order while their steps stay within `budget`; the first is always taken, and at the
/// first that does not fit it stops, without looking for a smaller one behind it.
///
/// # Errors
/// [`BatchError`] when the request cannot be met.
pub fn choose(
    plan: &Plan,
    done: &BTreeSet<u32>,
    reserved: &BTreeMap<u32, String>,
    request: Request,
    budget: u32,
) -> Result<Vec<u32>, BatchError> {
    match request {
        Request::Auto => auto(plan, done, reserved, budget),
        Request::Stage(stage) => one(plan, done, reserved, stage).map(|stage| vec![stage]),
    }
}

fn one(plan: &Plan, done: &BTreeSet<u32>, reserved: &BTreeMap<u32, String>, stage: u32) -> Result<u32, BatchError> {
    if plan.stage(stage).is_none() {
        return Err(BatchError::Unknown { stage, known: plan.stages.iter().map(|stage| stage.stage).collect() });
    }
    if done.contains(&stage) {
        return Err(BatchError::Done { stage });
    }
    match waits_for(plan, done, reserved, stage) {
        None => Ok(stage),
        Some(WaitsFor::Stages(missing)) => Err(BatchError::Waiting { stage, missing }),
        Some(WaitsFor::Run(by)) => Err(BatchError::Reserved { stage, by }),
    }
}

fn auto(
    plan: &Plan,
    done: &BTreeSet<u32>,
    reserved: &BTreeMap<u32, String>,
    budget: u32,
) -> Result<Vec<u32>, BatchError> {
    let mut left: Vec<_> = plan.stages.iter().filter(|stage| !done.contains(&stage.stage)).collect();
    left.sort_by_key(|stage| stage.stage);
    if left.is_empty() {
        return Err(BatchError::AllDone);
    }
    let (mut batch, mut steps, mut waiting) = (Vec::new(), 0_u32, Vec::new());
    for stage in left {
        if let Some(waits) = waits_for(plan, done, reserved, stage.stage) {
            waiting.push((stage.stage, waits));
            continue;
        }
        steps = steps.saturating_add(stage.step_count);
        if !batch.is_empty() && steps > budget {
            break;
        }
        batch.push(stage.stage);
    }
    if batch.is_empty() { Err(BatchError::NothingReady { waiting }) } else { Ok(batch) }
}

/// What keeps a stage that is not done from starting; `None` when it is ready.
fn waits_for(plan: &Plan, done: &BTreeSet<u32>, reserved: &BTreeMap<u32, String>, stage: u32) -> Option<WaitsFor> {
    let depends_on = plan.stage(stage).map(|stage| stage.depends_on.as_slice()).unwrap_or_default();
    let missing: BTreeSet<u32> = depends_on.iter().copied().filter(|needed| !done.contains(needed)).collect();
    if !missing.is_empty() {
        return Some(WaitsFor::Stages(missing.into_iter().collect()));
    }
    reserved.get(&stage).map(|run| WaitsFor::Run(run.clone()))
}

fn list(stages: &[u32]) -> String {
    stages.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

fn stages(stages: &[u32]) -> String {
    match stages {
        [one] => format!("stage {one}, which is not done"),
        several => format!("stages {}, which are not done", list(several)),
    }
}

fn waits(waiting: &[(u32, WaitsFor)]) -> String {
    let one = |(stage, waits): &(u32, WaitsFor)| match waits {
        WaitsFor::Stages(missing) => format!("stage {stage} waits for {}", list(missing)),
        WaitsFor::Run(run) => format!("stage {stage} is reserved by {run}"),
    };
    waiting.iter().map(one).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests;
