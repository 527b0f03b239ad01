//! Who is reachable from whom: sets of commits as bits.

use super::world::World;

impl World {
    /// The commits in the history of `tip`, itself included.
    pub(super) fn history(&self, tip: usize) -> u128 {
        let mut seen = 0_u128;
        let mut stack = vec![tip];
        while let Some(commit) = stack.pop() {
            if seen >> commit & 1 == 0 {
                seen |= 1 << commit;
                stack.extend(&self.commits[commit].parents);
            }
        }
        seen
    }

    pub(super) fn reaches(&self, tip: usize, commit: usize) -> bool {
        self.history(tip) >> commit & 1 == 1
    }

    pub(super) fn members(&self, set: u128) -> impl Iterator<Item = usize> + use<> {
        (0..self.commits.len()).filter(move |commit| set >> commit & 1 == 1)
    }

    /// The commits of both histories that no other such commit reaches.
    pub(super) fn merge_bases(&self, a: usize, b: usize) -> Vec<usize> {
        let common = self.history(a) & self.history(b);
        let below = self.members(common).flat_map(|commit| &self.commits[commit].parents);
        let below = below.fold(0_u128, |set, parent| set | 1 << parent);
        self.members(common & !below).collect()
    }

    /// The commits from `tip` down along first parents, oldest first.
    pub(super) fn first_parents(&self, tip: usize) -> Vec<usize> {
        let mut line = vec![tip];
        while let Some(&parent) = line.last().and_then(|&commit| self.commits[commit].parents.first()) {
            line.push(parent);
        }
        line.reverse();
        line
    }
}
