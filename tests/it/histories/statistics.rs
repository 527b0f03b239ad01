//! How often a proof was found, for each kind of landing.

use std::collections::BTreeMap;

use okstra::domain::equivalence::{ContentMerged, Verdict};

use super::recipe::Recipe;
use super::truth::Query;
use super::world::World;

/// Percent of the whole stages of a clean landing that must be proved. Where every edit lands as it was made, nearly
/// always the last commit of a landing is the replay of the whole, or every commit has its own; a merge always is one.
/// The few others are asked about for a reason: edits that touch each other cannot be replayed one without the other,
/// so folded or reordered commits that share a place, and drifted, have no proof. Inside a merge commit the other
/// branch's edits of the same files come with them, which is no proof either: no floor there.
const FLOORS: [(&str, usize); 15] = [
    ("Merge", 100),
    ("MergeOurs", 100),
    ("FastForward", 100),
    ("Rebase", 95),
    ("Rebase/Side", 90),
    ("Rebase/Twice", 85),
    ("Squash", 98),
    ("Squash/Side", 90),
    ("Squash/Twice", 80),
    ("SplitByFile", 95),
    ("SplitByFile/Twice", 90),
    ("SplitByHunk", 90),
    ("Reorder", 85),
    ("Fold", 65),
    ("Theirs", 85),
];

/// What was answered, by kind.
#[derive(Default)]
pub(super) struct Statistics(BTreeMap<String, Row>);

#[derive(Default)]
struct Row {
    histories: usize,
    /// Of the questions of which the truth allows it: how many were answered so.
    contained: [usize; 2],
    absent: [usize; 2],
    proofs: BTreeMap<String, usize>,
    /// A history whose stage is all there and was not proved to be.
    missed: Option<u64>,
}

impl Statistics {
    pub(super) fn count(&mut self, recipe: &Recipe, world: &World, asked: &[(Query, ContentMerged)]) {
        let clean = if recipe.is_clean() && world.keeps_paths() { " clean" } else { "" };
        let row = self.0.entry(format!("{}{clean}", recipe.kind())).or_default();
        row.histories += 1;
        let whole =
            asked.iter().filter(|(query, _)| query.commits == (0..world.stage.len()) && query.carrier.is_none());
        for (query, answer) in whole {
            let truth = world.truth(query);
            for (may, verdict, count) in [
                (truth.may_be_contained, Verdict::Contained, &mut row.contained),
                (truth.may_be_absent, Verdict::Absent, &mut row.absent),
            ] {
                count[1] += usize::from(may);
                count[0] += usize::from(may && answer.verdict == verdict);
            }
            if truth.may_be_contained && answer.verdict != Verdict::Contained {
                row.missed = Some(recipe.seed);
            }
            let proof = answer.proof.map_or_else(|| format!("{:?}", answer.verdict), |proof| format!("{proof:?}"));
            *row.proofs.entry(proof).or_default() += 1;
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        for (kind, row) in other.0 {
            let mine = self.0.entry(kind).or_default();
            mine.histories += row.histories;
            for place in 0..2 {
                mine.contained[place] += row.contained[place];
                mine.absent[place] += row.absent[place];
            }
            mine.missed = mine.missed.or(row.missed);
            for (proof, count) in row.proofs {
                *mine.proofs.entry(proof).or_default() += count;
            }
        }
    }

    pub(super) fn table(&self) -> String {
        let line = |(kind, row): (&String, &Row)| {
            let [contained, may_be] = row.contained;
            let [absent, may_be_absent] = row.absent;
            format!(
                "{kind:26} {:6} contained {contained:6}/{may_be:6} absent {absent:6}/{may_be_absent:6} {:?} {:?}\n",
                row.histories, row.missed, row.proofs
            )
        };
        self.0.iter().map(line).collect()
    }

    /// The share of proofs for each kind of landing in which nobody got in another's way.
    pub(super) fn check_floors(&self) {
        for (kind, floor) in FLOORS {
            let Some(row) = self.0.get(&format!("{kind} clean")) else { continue };
            let [contained, may_be] = row.contained;
            let what = format!("{kind}: {contained} of {may_be} contained, seed {:?} is not", row.missed);
            assert!(contained * 100 >= may_be * floor, "{what}");
        }
    }
}
