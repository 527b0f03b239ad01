//! The specification's proofs, done slowly and obviously on the model: what okstra should find.

use super::merge::{Merged, merge};
use super::model::{Tree, differing, same};
use super::world::World;

/// How sure the oracle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    No,
    Maybe,
    Yes,
}

use Certainty::{Maybe, No, Yes};

/// Commits of the candidate that give a proof, and how surely.
pub(super) type Places = Vec<(usize, Certainty)>;

/// What there is to be found of the work between two commits.
#[derive(Clone, Debug)]
pub(super) struct Findings {
    pub(super) same_change: Places,
    pub(super) replay: Places,
    pub(super) per_commit: Places,
    pub(super) same_end: Certainty,
    pub(super) effects: Effects,
}

/// How surely the effect is one of these.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effects {
    pub(super) present: Certainty,
    pub(super) absent: Certainty,
    pub(super) evolved: Certainty,
}

impl Findings {
    /// Whether it landed as a change: proofs 2a to 2c.
    pub(super) fn landed(&self) -> Certainty {
        let all = self.same_change.iter().chain(&self.replay).chain(&self.per_commit);
        all.map(|(_, certainty)| *certainty).max().unwrap_or(No)
    }
}

impl Effects {
    /// Whether it is there, or its lines are worked on.
    pub(super) fn there(&self) -> Certainty {
        self.present.max(self.evolved)
    }
}

impl World {
    pub(super) fn findings(&self, base: usize, head: usize) -> Findings {
        let places = self.members(self.history(self.main) & !self.history(base));
        let touched = self.touched(base, head);
        let places: Vec<usize> = places.filter(|&place| self.touches(place, base, &touched)).collect();
        let found = |judge: &dyn Fn(usize) -> Certainty| -> Places {
            places.iter().map(|&place| (place, judge(place))).filter(|(_, certainty)| *certainty != No).collect()
        };
        let (from, to) = (&self.commits[base].tree, &self.commits[head].tree);
        if differing(from, to).is_empty() {
            let (same_change, replay, per_commit) = (Vec::new(), Vec::new(), Vec::new());
            let effects = Effects { present: No, absent: No, evolved: No };
            return Findings { same_change, replay, per_commit, same_end: No, effects };
        }
        let per_commit = self.line(base, head).map_or_else(Vec::new, |line| {
            let found = line.iter().map(|&(from, to)| {
                let (from, to) = (&self.commits[from].tree, &self.commits[to].tree);
                let others: Vec<&String> = touched.iter().filter(|path| same(from.get(*path), to.get(*path))).collect();
                found(&|place| match self.leaves(place, &others) {
                    true => self.makes(from, to, place).max(self.replays(from, to, place, &[])),
                    false => No,
                })
            });
            self.tops(&found.collect::<Vec<_>>())
        });
        Findings {
            same_change: found(&|place| self.makes(from, to, place)),
            replay: found(&|place| self.replays(from, to, place, &[]).max(self.replays_naturally(base, head, place))),
            per_commit,
            same_end: self.same_end(base, head),
            effects: self.effects(base, head),
        }
    }

    /// The paths that the work, or one of its commits where they are a line, touches.
    fn touched(&self, base: usize, head: usize) -> Vec<String> {
        let mut paths = differing(&self.commits[base].tree, &self.commits[head].tree);
        for (from, to) in self.line(base, head).into_iter().flatten() {
            paths.extend(differing(&self.commits[from].tree, &self.commits[to].tree));
        }
        paths
    }

    /// A commit that touches none of the paths, nor a file that was there, is no landing.
    fn touches(&self, place: usize, base: usize, paths: &[String]) -> bool {
        let Some(&parent) = self.commits[place].parents.first() else { return false };
        let files: Vec<u32> =
            paths.iter().filter_map(|path| self.commits[base].tree.get(path)).map(|file| file.who).collect();
        let (before, after) = (&self.commits[parent].tree, &self.commits[place].tree);
        differing(before, after).iter().any(|path| {
            let mut files_there = [before, after].into_iter().filter_map(|tree| tree.get(path));
            paths.contains(path) || files_there.any(|file| files.contains(&file.who))
        })
    }

    /// Whether a commit leaves these paths as they were.
    fn leaves(&self, place: usize, paths: &[&String]) -> bool {
        let (before, after) = (self.before(place), &self.commits[place].tree);
        paths.iter().all(|path| same(before.get(*path), after.get(*path)))
    }

    fn before(&self, place: usize) -> &Tree {
        &self.commits[self.commits[place].parents[0]].tree
    }

    fn makes(&self, from: &Tree, to: &Tree, place: usize) -> Certainty {
        let (before, after) = (self.before(place), &self.commits[place].tree);
        let made = |path: &String| same(before.get(path), from.get(path)) && same(after.get(path), to.get(path));
        let paths = differing(from, to);
        if !paths.is_empty() && paths.iter().all(made) { Yes } else { No }
    }

    /// Whether `merge(from; X^, to)` is X where it changes X^, and at the other paths.
    fn replays(&self, from: &Tree, to: &Tree, place: usize, others: &[String]) -> Certainty {
        let (before, after) = (self.before(place), &self.commits[place].tree);
        let (mut changes, mut certainty) = (No, Yes);
        let merged = merge(from, before, to);
        for (path, merged) in &merged {
            match merged {
                Merged::Conflict { .. } => return No,
                Merged::Unsure => (changes, certainty) = (changes.max(Maybe), Maybe),
                Merged::Clean(file) if !same(file.as_ref(), after.get(path)) => return No,
                Merged::Clean(file) if !same(file.as_ref(), before.get(path)) => changes = Yes,
                Merged::Clean(_) => {}
            }
        }
        let untouched = |path: &&String| !merged.iter().any(|(other, _)| other == *path);
        let kept = others.iter().filter(untouched).all(|path| same(before.get(path), after.get(path)));
        if kept || certainty == Maybe { changes.min(certainty) } else { No }
    }

    fn replays_naturally(&self, base: usize, head: usize, place: usize) -> Certainty {
        let bases = self.merge_bases(self.commits[place].parents[0], head);
        if bases == [base] || bases.is_empty() {
            return No;
        }
        let to = &self.commits[head].tree;
        let touched = differing(&self.commits[base].tree, to);
        bases.iter().map(|&from| self.replays(&self.commits[from].tree, to, place, &touched)).min().unwrap_or(No)
    }

    /// The commits that change something from base to head, each with its parent; none where there are merges.
    fn line(&self, base: usize, head: usize) -> Option<Vec<(usize, usize)>> {
        let (mut line, mut at) = (Vec::new(), head);
        while at != base {
            let &[parent] = self.commits[at].parents.as_slice() else { return None };
            if !differing(&self.commits[parent].tree, &self.commits[at].tree).is_empty() {
                line.push((parent, at));
            }
            at = parent;
        }
        (line.len() > 1).then_some(line)
    }

    /// The places that hold all the commits, each on a place of its own.
    fn tops(&self, found: &[Places]) -> Places {
        let mut all: Vec<usize> = found.iter().flatten().map(|(place, _)| *place).collect();
        all.sort_unstable();
        all.dedup();
        let certainty = |top: usize| {
            let history = self.history(top);
            [Yes, Maybe].into_iter().find(|least| {
                let allowed = |places: &Places| -> Vec<usize> {
                    let fits = |(place, sure): &&(usize, Certainty)| sure >= least && history >> place & 1 == 1;
                    places.iter().filter(fits).map(|(place, _)| *place).collect()
                };
                placed(&found.iter().map(allowed).collect::<Vec<_>>(), &mut Vec::new(), top)
            })
        };
        all.into_iter().filter_map(|top| certainty(top).map(|sure| (top, sure))).collect()
    }

    fn same_end(&self, base: usize, head: usize) -> Certainty {
        let (from, to, tip) = (&self.commits[base].tree, &self.commits[head].tree, &self.commits[self.main].tree);
        if !self.reaches(self.main, base) || differing(from, to).iter().any(|path| !same(to.get(path), tip.get(path))) {
            return No;
        }
        self.effects(base, head).present
    }

    /// The effect at the candidate, also of what the stage adds to a part that was merged for real.
    fn effects(&self, base: usize, head: usize) -> Effects {
        let mut effects = self.effects_from(base, head);
        let mut inside = self.merge_bases(self.main, head);
        let range = self.history(self.main) & !self.history(base);
        inside.retain(|&inner| inner != head && range >> inner & 1 == 1);
        if self.reaches(self.main, base) {
            for inner in inside {
                if differing(&self.commits[inner].tree, &self.commits[head].tree).is_empty() {
                    continue;
                }
                let there = self.effects_from(inner, head).there();
                effects.present = effects.present.min(there);
                effects.evolved = effects.evolved.min(there);
            }
        }
        effects
    }

    fn effects_from(&self, base: usize, head: usize) -> Effects {
        let (from, to, tip) = (&self.commits[base].tree, &self.commits[head].tree, &self.commits[self.main].tree);
        let put_in = merge(from, tip, to);
        let take_out = merge(to, tip, from);
        let is_same = |(path, merged): &(String, Merged)| match merged {
            Merged::Clean(file) if same(file.as_ref(), tip.get(path)) => Yes,
            Merged::Unsure => Maybe,
            _ => No,
        };
        let keeps = |(path, merged): &(String, Merged)| match merged {
            Merged::Conflict { keeps_ours: true } => Yes,
            _ => is_same(&(path.clone(), merged.clone())),
        };
        let least = |certainties: Vec<Certainty>| certainties.into_iter().min().unwrap_or(No);
        let present = least(put_in.iter().map(is_same).collect());
        let not = |certainty| match certainty {
            Yes => No,
            Maybe => Maybe,
            No => Yes,
        };
        let absent = least(take_out.iter().map(is_same).collect()).min(not(present));
        let evolved = least(put_in.iter().map(keeps).collect()).min(not(present)).min(not(absent));
        Effects { present, absent, evolved }
    }
}

/// Whether every list finds a place of its own, one of them `top`.
fn placed(lists: &[Vec<usize>], taken: &mut Vec<usize>, top: usize) -> bool {
    let Some((list, rest)) = lists.split_first() else { return taken.contains(&top) };
    list.iter().any(|&place| {
        if taken.contains(&place) {
            return false;
        }
        taken.push(place);
        let fits = placed(rest, taken, top);
        taken.pop();
        fits
    })
}
