//! What the ladder of proofs asks, and what it is answered.

use super::change::{RepoPath, Sighting};
use super::effect::Probe;
use crate::domain::ids::CommitId;

/// Which change is meant: the whole stage, or its commit with this number, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// From base to head.
    Whole,
    /// One commit, by its place in [`Stage::commits`].
    Commit(usize),
}

/// From what a replay starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplayBase {
    /// The base of the stage, or the parent of the commit.
    Recorded,
    /// The natural merge base of the sighting's parent and the head; of several each must give the proof.
    Natural,
}

/// A fact that the ladder needs next. A place is an index into the sightings it was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// What is reachable from the candidate? Answer: [`Answer::Reach`].
    Reach,
    /// Which commits of the candidate, not of the base, touch the stage's paths? Answer: [`Answer::Sightings`].
    Sightings,
    /// What comes of replaying the change on the parent of the sighting? Answer: [`Answer::Replay`].
    Replay {
        /// The sighting.
        place: usize,
        /// The change.
        scope: Scope,
        /// From what it starts.
        base: ReplayBase,
    },
    /// Are these places really not in the history of the base? Answer: [`Answer::Beyond`].
    Beyond(Vec<usize>),
    /// Which of these places are in the history of which? Answer: [`Answer::Order`].
    Order(Vec<usize>),
    /// Is the base contained, and does every path end as in the stage? Answer: [`Answer::SameEnd`].
    SameEnd,
    /// Where did the carrier with this number land? Answer: [`Answer::Carrier`].
    Carrier(usize),
    /// What would putting the stage in and taking it out do to the candidate? Answer: [`Answer::Effect`].
    Effect,
    /// At which of these places is nothing of the stage there? Answer: [`Answer::Gone`].
    Gone(Vec<usize>),
    /// Is some of the change's content in the sighting? Answer: [`Answer::Trace`].
    Trace {
        /// The sighting.
        place: usize,
        /// The change.
        scope: Scope,
    },
    /// Which other paths does the sighting change? Answer: [`Answer::Others`].
    Others(usize),
}

/// A fact, as the answer to the [`Question`] of the same name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// See [`Reach`].
    Reach(Reach),
    /// The sightings, the nearest to the candidate first, and how much of the history was seen.
    Sightings(Vec<Sighting>, Coverage),
    /// What the replay gave.
    Replay(Replayed),
    /// For each place asked about whether the base does not reach it; `None` where that could not be told.
    Beyond(Vec<Option<bool>>),
    /// The pairs (a, b) in which place b is in the history of place a.
    Order(Vec<(usize, usize)>),
    /// Whether every path ends as in the stage; `None` when something is missing.
    SameEnd(Option<bool>),
    /// The commit with which the carrier landed, or `None`.
    Carrier(Option<CommitId>),
    /// What was probed at the candidate.
    Effect(Probes),
    /// Those of the places at which taking the whole stage out changes nothing.
    Gone(Vec<usize>),
    /// Whether some of the change's content is there; `None` when something is missing.
    Trace(Option<bool>),
    /// The paths outside the stage that the sighting changes.
    Others(Vec<RepoPath>),
}

/// What is reachable from the candidate; `None` where that could not be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// The head of the stage.
    pub head: Option<bool>,
    /// Its base.
    pub base: Option<bool>,
    /// Any commit that is also in the history of the head.
    pub common: Option<bool>,
    /// Whether the base is reachable from the head, as it should be.
    pub based: Option<bool>,
}

/// What was probed at the candidate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probes {
    /// With the stage's base.
    pub recorded: Probe,
    /// With each merge base of candidate and head that lies inside the stage, where there are any: a part of the stage
    /// was merged for real, and what the rest undoes of it is no change against the stage's base.
    pub inside: Vec<Probe>,
    /// Whether any of the stage's paths exists in the candidate; `None` where that could not be told.
    pub paths_exist: Option<bool>,
}

/// How much of the candidate's history was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// All of it.
    Whole,
    /// A part, for this reason (a clause: `the clone is shallow`).
    Part(String),
}

/// What a replay gave, compared with the sighting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// The sighting, object for object, on every path that the replay or the stage changes; at least one.
    Equal,
    /// Something else, in these paths.
    Differs(Vec<RepoPath>),
    /// A conflict.
    Conflict,
    /// This base is not to be had, or is the recorded one.
    NotApplicable,
    /// Something that is needed is missing.
    Unknown,
}
