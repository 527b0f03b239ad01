//! A recipe: the list of operations from which a history is made. Each has a seed of its own, so that one can be left
//! out and the others stay nearly what they were.

use super::rng::Rng;

/// What makes one history.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    /// The seed that it was made from.
    pub(super) seed: u64,
    /// Clocks differ: dates do not follow history.
    pub(super) is_skewed: bool,
    /// Many lines look alike.
    pub(super) is_common: bool,
    pub(super) operations: Vec<Operation>,
}

/// One step of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// Main goes on, in lines of its own, or anywhere.
    Main { seed: u64, edits: usize, anywhere: bool },
    /// The stage goes on; its first commit starts it from main.
    Stage { seed: u64, edits: usize },
    /// A commit of the stage that changes nothing, or takes back the one before.
    Undo { whole: bool },
    /// Main is merged into the stage.
    MergeMain,
    /// The stage, or some of it, comes to main.
    Land { seed: u64, way: Way, via: Via },
    /// All of the stage, or a part, is taken back on main.
    Revert { seed: u64, part: bool },
    /// Lines that the stage brought are worked on.
    Evolve { seed: u64 },
    /// A file that the stage touches is renamed, or deleted, on main.
    Move { seed: u64, delete: bool },
    /// A sibling of the stage is merged with it, and maybe reviewed: an integration that may land instead of it.
    Integrate { seed: u64, review: bool, whole: bool },
}

/// How a stage lands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    Merge,
    MergeOurs,
    MergePart,
    FastForward,
    Rebase,
    Squash,
    /// Squashed with work in other files.
    Besides,
    /// Some neighbours among the commits become one.
    Fold,
    Reorder,
    SplitByFile,
    SplitByHunk,
    DropOne,
    PickCommits,
    PickHunks,
    AmendLine,
    AmendSpace,
    AmendNewline,
    AmendExtra,
    AmendPartOfHunk,
    Misplace,
    /// Conflicts are resolved with the stage's lines.
    Theirs,
    /// Conflicts are resolved with both sides' lines.
    Both,
    /// Main makes another edit of the very lines.
    Similar,
}

/// By which road it comes to main.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Via {
    Straight,
    /// A side branch from an older commit of main, merged later.
    Side,
    /// The merge commit of another branch.
    InsideMerge,
    /// On main and on a side branch, which is merged later.
    Twice,
}

const WAYS: [(Way, usize); 23] = [
    (Way::Merge, 5),
    (Way::MergeOurs, 2),
    (Way::MergePart, 3),
    (Way::FastForward, 3),
    (Way::Rebase, 12),
    (Way::Squash, 12),
    (Way::Besides, 5),
    (Way::Fold, 6),
    (Way::Reorder, 6),
    (Way::SplitByFile, 5),
    (Way::SplitByHunk, 5),
    (Way::DropOne, 4),
    (Way::PickCommits, 4),
    (Way::PickHunks, 4),
    (Way::AmendLine, 3),
    (Way::AmendSpace, 3),
    (Way::AmendNewline, 2),
    (Way::AmendExtra, 3),
    (Way::AmendPartOfHunk, 3),
    (Way::Misplace, 2),
    (Way::Theirs, 3),
    (Way::Both, 2),
    (Way::Similar, 3),
];

impl Recipe {
    pub(super) fn random(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let (is_skewed, is_common) = (rng.percent(10), rng.percent(10));
        let mut operations = Vec::new();
        for _ in 0..rng.below(3) {
            operations.push(main(&mut rng, 50));
        }
        // Where lines look alike, nobody could tell whose a line is that main takes away.
        let close = if rng.percent(30) && !is_common { 40 } else { 0 };
        for number in 0..rng.between(1, 5) {
            if rng.percent(20) {
                operations.push(main(&mut rng, close));
            }
            match rng.below(100) {
                0..8 if number > 0 => operations.push(Operation::MergeMain),
                8..12 => operations.push(Operation::Undo { whole: false }),
                12..16 if number > 0 => operations.push(Operation::Undo { whole: true }),
                _ => operations.push(Operation::Stage { seed: rng.next(), edits: rng.between(1, 4) }),
            }
        }
        mains(&mut rng, &mut operations, close);
        if rng.percent(6) {
            let (review, whole) = (rng.percent(60), rng.percent(60));
            operations.push(Operation::Integrate { seed: rng.next(), review, whole });
        } else {
            landings(&mut rng, &mut operations, close);
        }
        for _ in 0..[0, 0, 1, 1, 2][rng.below(5)] {
            operations.push(afterwards(&mut rng));
            mains(&mut rng, &mut operations, close / 2);
            if rng.percent(25) {
                operations.push(land(&mut rng));
            }
        }
        Self { seed, is_skewed, is_common, operations }
    }

    /// Smaller recipes, the smallest first.
    pub(super) fn smaller(&self) -> Vec<Self> {
        let mut smaller = Vec::new();
        for place in 0..self.operations.len() {
            let mut less = self.clone();
            less.operations.remove(place);
            smaller.push(less);
        }
        for place in 0..self.operations.len() {
            let mut less = self.clone();
            if let Operation::Main { edits, .. } | Operation::Stage { edits, .. } = &mut less.operations[place]
                && *edits > 1
            {
                *edits -= 1;
                smaller.push(less);
            }
        }
        for (is_skewed, is_common) in [(false, self.is_common), (self.is_skewed, false)] {
            if (is_skewed, is_common) != (self.is_skewed, self.is_common) {
                smaller.push(Self { is_skewed, is_common, ..self.clone() });
            }
        }
        smaller
    }

    /// Whether nobody gets in another's way, and the stage lands once and is left alone.
    pub(super) fn is_clean(&self) -> bool {
        let lands = |operation: &&Operation| matches!(operation, Operation::Land { .. });
        let disturbs = |operation: &Operation| match operation {
            Operation::Main { anywhere, .. } => *anywhere,
            Operation::Stage { .. } | Operation::MergeMain | Operation::Land { .. } => false,
            _ => true,
        };
        !self.is_common && !self.operations.iter().any(disturbs) && self.operations.iter().filter(lands).count() == 1
    }

    /// How the stage landed, in words for the statistics: the first landing, and what came after it.
    pub(super) fn kind(&self) -> String {
        let landing = self.operations.iter().find_map(|operation| match operation {
            Operation::Land { way, via: Via::Straight, .. } => Some(format!("{way:?}")),
            Operation::Land { way, via, .. } => Some(format!("{way:?}/{via:?}")),
            Operation::Integrate { .. } => Some("Integrate".to_owned()),
            _ => None,
        });
        landing.unwrap_or_else(|| "Never".to_owned())
    }
}

fn mains(rng: &mut Rng, operations: &mut Vec<Operation>, close: usize) {
    for _ in 0..[0, 0, 1, 1, 2, 3][rng.below(6)] {
        operations.push(main(rng, close));
    }
}

fn main(rng: &mut Rng, close: usize) -> Operation {
    Operation::Main { seed: rng.next(), edits: rng.between(1, 3), anywhere: rng.percent(close) }
}

fn landings(rng: &mut Rng, operations: &mut Vec<Operation>, close: usize) {
    if rng.percent(8) {
        operations.push(Operation::Move { seed: rng.next(), delete: rng.percent(20) });
    }
    for _ in 0..[0, 1, 1, 1, 1, 1, 1, 1, 2][rng.below(9)] {
        operations.push(land(rng));
        mains(rng, operations, close);
    }
}

fn land(rng: &mut Rng) -> Operation {
    let mut at = rng.below(WAYS.iter().map(|(_, weight)| weight).sum());
    let mut ways = WAYS.iter();
    let way = loop {
        match ways.next() {
            Some((_, weight)) if at >= *weight => at -= weight,
            Some((way, _)) => break *way,
            None => break Way::Squash,
        }
    };
    let via = match rng.below(100) {
        0..70 => Via::Straight,
        70..84 => Via::Side,
        84..92 => Via::InsideMerge,
        _ => Via::Twice,
    };
    Operation::Land { seed: rng.next(), way, via }
}

fn afterwards(rng: &mut Rng) -> Operation {
    let seed = rng.next();
    match rng.below(100) {
        0..25 => Operation::Revert { seed, part: false },
        25..45 => Operation::Revert { seed, part: true },
        45..75 => Operation::Evolve { seed },
        75..85 => Operation::Move { seed, delete: false },
        85..90 => Operation::Move { seed, delete: true },
        _ => Operation::Main { seed, edits: 3, anywhere: true },
    }
}
