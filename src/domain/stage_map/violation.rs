//! What a plan breaks.

use serde::Serialize;

/// A rule of the Stage Map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Rule {
    /// There is one Stage Map, with one table that has these columns.
    S1,
    /// Stages are numbered 1, 2, 3 … in order.
    S2,
    /// Every row has its section, every section its row, and both one title.
    S3,
    /// Dependencies are `(none)` or numbers of other stages.
    S4,
    /// No stage waits for itself through others.
    S5,
    /// A stage has 1 to 6 steps.
    S6,
    /// A stage has as many steps as its row says.
    S7,
    /// A stage says how it is validated, when it is done, and how it is taken back.
    S8,
    /// Files are globs, and stages that could run side by side touch none in common.
    S9,
}

impl Rule {
    /// All of them, in order.
    pub const ALL: [Self; 9] =
        [Self::S1, Self::S2, Self::S3, Self::S4, Self::S5, Self::S6, Self::S7, Self::S8, Self::S9];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::S1 => "S1",
            Self::S2 => "S2",
            Self::S3 => "S3",
            Self::S4 => "S4",
            Self::S5 => "S5",
            Self::S6 => "S6",
            Self::S7 => "S7",
            Self::S8 => "S8",
            Self::S9 => "S9",
        }
    }
}

/// One thing that is wrong with a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The rule that it breaks.
    pub rule: Rule,
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong, a sentence without its full stop.
    pub message: String,
    /// What to do about it.
    pub mend: String,
}

impl Violation {
    pub(super) fn new(rule: Rule, line: usize, message: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { rule, line, message: message.into(), mend: mend.into() }
    }
}
