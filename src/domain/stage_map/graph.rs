//! What stages wait for one another, as the rows of a Stage Map say.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use super::rows::MapRow;

/// The rows that each row waits for, by their places.
pub(super) struct Graph {
    waits_for: Vec<Vec<usize>>,
}

impl Graph {
    /// What names no other row is left out: another rule refuses it.
    pub(super) fn of(rows: &[MapRow]) -> Self {
        let mut places = HashMap::new();
        for (place, row) in rows.iter().enumerate() {
            if let Ok(stage) = row.stage {
                places.entry(stage).or_insert(place);
            }
        }
        let place_of = |stage: &u32| places.get(stage).copied();
        let waits_for = rows.iter().enumerate().map(|(own, row)| {
            let named = row.depends_on.iter().flatten().filter_map(place_of);
            named.filter(|&place| place != own).collect()
        });
        Self { waits_for: waits_for.collect() }
    }

    /// A shortest cycle through each row that is on one, unless it is in a cycle that was given already. Each begins
    /// and ends with its first row.
    pub(super) fn cycles(&self) -> Vec<Vec<usize>> {
        let components = self.components();
        let mut seen = vec![false; self.waits_for.len()];
        let mut cycles = Vec::new();
        for start in 0..self.waits_for.len() {
            if std::mem::replace(&mut seen[components[start]], true) {
                continue;
            }
            cycles.extend(self.cycle_through(start, &components));
        }
        cycles
    }

    /// Whether one of two rows waits for the other, directly or through others, for all pairs of rows.
    pub(super) fn orders(&self) -> Vec<Vec<bool>> {
        (0..self.waits_for.len()).map(|start| self.all_waited_for(start)).collect()
    }

    fn all_waited_for(&self, start: usize) -> Vec<bool> {
        let mut found = vec![false; self.waits_for.len()];
        let mut left = vec![start];
        while let Some(place) = left.pop() {
            for &next in &self.waits_for[place] {
                if !std::mem::replace(&mut found[next], true) {
                    left.push(next);
                }
            }
        }
        found
    }

    /// For each row one row of its strongly connected component, the same for all of them: its first.
    fn components(&self) -> Vec<usize> {
        let mut waited_by = vec![Vec::new(); self.waits_for.len()];
        for (place, others) in self.waits_for.iter().enumerate() {
            others.iter().for_each(|&other| waited_by[other].push(place));
        }
        let mut component = vec![usize::MAX; self.waits_for.len()];
        for start in self.finished().into_iter().rev() {
            let (mut members, mut left) = (Vec::new(), vec![start]);
            while let Some(place) = left.pop() {
                if component[place] == usize::MAX {
                    component[place] = start;
                    members.push(place);
                    left.extend(&waited_by[place]);
                }
            }
            let first = members.iter().min().copied().unwrap_or(start);
            members.into_iter().for_each(|place| component[place] = first);
        }
        component
    }

    /// The rows in the order in which a search, depth first, is done with them.
    fn finished(&self) -> Vec<usize> {
        let (mut seen, mut finished) = (vec![false; self.waits_for.len()], Vec::new());
        for start in 0..self.waits_for.len() {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            let mut path = vec![(start, 0)];
            while let Some((place, next)) = path.last_mut() {
                match self.waits_for[*place].get(*next) {
                    Some(&other) => {
                        *next += 1;
                        if !std::mem::replace(&mut seen[other], true) {
                            path.push((other, 0));
                        }
                    }
                    None => {
                        finished.push(*place);
                        path.pop();
                    }
                }
            }
        }
        finished
    }

    fn cycle_through(&self, start: usize, components: &[usize]) -> Option<Vec<usize>> {
        let (mut from, mut left) = (HashMap::new(), VecDeque::from([start]));
        while let Some(place) = left.pop_front() {
            for &next in self.waits_for[place].iter().filter(|&&next| components[next] == components[start]) {
                if next == start {
                    let back = std::iter::successors(Some(place), |at| from.get(at).copied());
                    let mut cycle: Vec<_> = std::iter::once(start).chain(back).collect();
                    cycle.reverse();
                    return Some(cycle);
                }
                if let Entry::Vacant(entry) = from.entry(next) {
                    entry.insert(place);
                    left.push_back(next);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[&[usize]]) -> Graph {
        Graph { waits_for: edges.iter().map(|row| row.to_vec()).collect() }
    }

    #[test]
    fn each_knot_of_cycles_is_given_once() {
        type Rows<'a> = &'a [&'a [usize]];
        let cases: [(Rows<'_>, Rows<'_>); 6] = [
            (&[&[], &[0]], &[]),
            (&[&[1], &[0]], &[&[0, 1, 0]]),
            (&[&[], &[2], &[3], &[1], &[1]], &[&[1, 2, 3, 1]]),
            (&[&[1], &[0], &[3], &[2]], &[&[0, 1, 0], &[2, 3, 2]]),
            (&[&[1, 2], &[0], &[0]], &[&[0, 1, 0]]),
            (&[&[1], &[2], &[3, 0], &[]], &[&[0, 1, 2, 0]]),
        ];
        for (edges, cycles) in cases {
            assert_eq!(graph(edges).cycles(), cycles, "{edges:?}");
        }
    }

    #[test]
    fn every_graph_of_four_has_a_cycle_where_a_walk_comes_back() {
        for bits in 0..1_u32 << 12 {
            let edge = |from: usize, to: usize| from != to && bits >> (from * 3 + to - usize::from(to > from)) & 1 == 1;
            let edges: Vec<Vec<_>> = (0..4).map(|from| (0..4).filter(|&to| edge(from, to)).collect()).collect();
            let graph = Graph { waits_for: edges };
            let orders = graph.orders();
            let on_cycle: Vec<_> = (0..4).filter(|&row| orders[row][row]).collect();
            let cycles = graph.cycles();
            for cycle in &cycles {
                assert!(cycle.windows(2).all(|pair| edge(pair[0], pair[1])), "{bits}: {cycle:?}");
                assert_eq!(cycle.first(), cycle.last());
            }
            // Each row on a cycle waits for a row of a cycle that was given, and is waited for by it.
            let told = |row: usize| {
                cycles.iter().any(|cycle| cycle[0] == row || orders[row][cycle[0]] && orders[cycle[0]][row])
            };
            assert!(on_cycle.iter().all(|&row| told(row)), "{bits}: {cycles:?}");
            assert!(on_cycle.is_empty() == cycles.is_empty(), "{bits}");
        }
    }
}
