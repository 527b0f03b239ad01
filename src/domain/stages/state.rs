//! How a stage stands, in one word.

use serde::Serialize;

/// How a stage stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StageState {
    /// What it depends on is not all done.
    Waiting,
    /// It can start.
    Ready,
    /// An open run works on it.
    Started,
    /// It is done, and not in the task branch yet.
    Done,
    /// It is done, and in the task branch.
    Integrated,
    /// It is done, and its record no longer holds: a person decides.
    Stale,
}

/// What that depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateFacts {
    /// Whether it has a done row that counts.
    pub is_done: bool,
    /// Whether a person has to decide on that.
    pub is_stale: bool,
    /// Whether the task branch holds it.
    pub is_integrated: bool,
    /// Whether an open run has reserved it.
    pub is_reserved: bool,
    /// Whether something that it depends on is not done.
    pub is_waiting: bool,
}

impl StageState {
    /// The state of a stage of which this is known.
    pub fn of(facts: StateFacts) -> Self {
        match facts {
            StateFacts { is_done: true, is_stale: true, .. } => Self::Stale,
            StateFacts { is_done: true, is_integrated: true, .. } => Self::Integrated,
            StateFacts { is_done: true, .. } => Self::Done,
            StateFacts { is_reserved: true, .. } => Self::Started,
            StateFacts { is_waiting: true, .. } => Self::Waiting,
            _ => Self::Ready,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recorded_weighs_more_than_what_is_reserved() {
        let states: Vec<StageState> = (0..32_u32)
            .map(|bits| {
                let bit = |at: u32| bits >> at & 1 == 1;
                let [is_done, is_stale, is_integrated, is_reserved, is_waiting] = [0, 1, 2, 3, 4].map(bit);
                StageState::of(StateFacts { is_done, is_stale, is_integrated, is_reserved, is_waiting })
            })
            .collect();
        let count = |state| states.iter().filter(|found| **found == state).count();
        assert_eq!(count(StageState::Stale), 8);
        assert_eq!(count(StageState::Integrated), 4);
        assert_eq!(count(StageState::Done), 4);
        assert_eq!(count(StageState::Started), 8);
        assert_eq!([count(StageState::Waiting), count(StageState::Ready)], [4, 4]);
    }
}
