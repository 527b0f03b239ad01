//! Stages that were recorded one on the other: squashed together, each of them is carried by the whole.

use std::collections::{BTreeMap, BTreeSet};

/// A run of stages, each of which starts at the head of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Chain {
    /// Its base is the base of this stage.
    pub first: u32,
    /// Its head is the head of this stage.
    pub last: u32,
}

/// The runs of at least two stages that hold `stage`, the longest first. `ends` has base and head of every done stage.
pub fn chains<T: PartialEq + Copy>(stage: u32, ends: &BTreeMap<u32, (T, T)>) -> Vec<Chain> {
    let down = |at: u32| {
        let base = ends.get(&at).map(|(base, _)| *base);
        ends.iter().filter(move |(_, (_, head))| Some(*head) == base).map(|(stage, _)| *stage)
    };
    let up = |at: u32| {
        let head = ends.get(&at).map(|(_, head)| *head);
        ends.iter().filter(move |(_, (base, _))| Some(*base) == head).map(|(stage, _)| *stage)
    };
    let mut found: Vec<(usize, Chain)> = Vec::new();
    let (firsts, lasts) = (reached(stage, down), reached(stage, up));
    for &(below, first) in &firsts {
        for &(above, last) in &lasts {
            if below + above > 0 {
                found.push((below + above, Chain { first, last }));
            }
        }
    }
    found.sort_by_key(|(length, chain)| (std::cmp::Reverse(*length), *chain));
    found.into_iter().map(|(_, chain)| chain).collect()
}

/// What `next` leads to from `start`, with the number of steps.
fn reached<I: Iterator<Item = u32>>(start: u32, next: impl Fn(u32) -> I) -> Vec<(usize, u32)> {
    let (mut found, mut seen, mut at) = (vec![(0, start)], BTreeSet::from([start]), 0);
    while let Some(&(steps, stage)) = found.get(at) {
        found.extend(next(stage).filter(|&stage| seen.insert(stage)).map(|stage| (steps + 1, stage)));
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runs_that_hold_a_stage() {
        let ends =
            BTreeMap::from([(1, ('a', 'b')), (2, ('b', 'c')), (3, ('c', 'd')), (4, ('a', 'e')), (5, ('x', 'x'))]);
        let runs = |stage| chains(stage, &ends).into_iter().map(|chain| (chain.first, chain.last)).collect::<Vec<_>>();
        assert_eq!(runs(1), [(1, 3), (1, 2)]);
        assert_eq!(runs(2), [(1, 3), (1, 2), (2, 3)]);
        assert_eq!(runs(4), []);
        assert_eq!((runs(5), runs(9)), (vec![], vec![]));
    }
}
