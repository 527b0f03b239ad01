//! Edits between two trees, file by file as they know who they are.

use std::rc::Rc;

use super::edit::Edit;
use super::model::{Body, File, Line, Tree, path_of};

/// The edits that make `new` of `old`.
pub(super) fn edits_between(old: &Tree, new: &Tree) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (path, file) in old {
        match path_of(new, file.who) {
            None => edits.push(Edit::Delete { path: path.clone(), file: Rc::clone(file) }),
            Some(to) => {
                if to != path {
                    edits.push(Edit::Rename { who: file.who, from: path.clone(), to: to.clone() });
                }
                edits.extend(edits_within(file, &new[to]));
            }
        }
    }
    let added = new.iter().filter(|(_, file)| path_of(old, file.who).is_none());
    edits.extend(added.map(|(path, file)| Edit::Add { path: path.clone(), file: Rc::clone(file) }));
    edits
}

fn edits_within(old: &Rc<File>, new: &Rc<File>) -> Vec<Edit> {
    let who = old.who;
    let mut edits = Vec::new();
    if Rc::ptr_eq(old, new) {
        return edits;
    }
    if old.executable != new.executable {
        edits.push(Edit::Executable { who, new: new.executable });
    }
    match (&old.body, &new.body) {
        (Body::Text(old, ended), Body::Text(new, ends)) => {
            edits.extend(hunks(old, new).into_iter().map(|hunk| hunk.into_edit(who, old, new)));
            if ended != ends && !old.is_empty() && !new.is_empty() {
                edits.push(Edit::Newline { who, new: *ends });
            }
        }
        (old, new) if old != new => edits.push(Edit::Body { who, old: old.clone(), new: new.clone() }),
        _ => {}
    }
    edits
}

/// Lines `old` that became lines `new`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) old: std::ops::Range<usize>,
    pub(super) new: std::ops::Range<usize>,
}

impl Hunk {
    fn into_edit(self, who: u32, old: &[Line], new: &[Line]) -> Edit {
        let before = self.old.start.checked_sub(1).map(|at| old[at]);
        let after = old.get(self.old.end).copied();
        Edit::Lines { who, before, old: old[self.old].to_vec(), new: new[self.new].to_vec(), after }
    }
}

/// How the lines of one text became those of another; what is common to both keeps its order.
pub(super) fn hunks<T: PartialEq>(old: &[T], new: &[T]) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let (mut from, mut to) = (0, 0);
    let mut push = |old: std::ops::Range<usize>, new: std::ops::Range<usize>| {
        if !old.is_empty() || !new.is_empty() {
            hunks.push(Hunk { old, new });
        }
    };
    for (in_old, in_new) in common(old, new) {
        push(from..in_old, to..in_new);
        (from, to) = (in_old + 1, in_new + 1);
    }
    push(from..old.len(), to..new.len());
    hunks
}

/// The longest run of pairs of equal lines in the same order on both sides; lines are unique on each side.
fn common<T: PartialEq>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let mut hint = 0;
    for (at, line) in old.iter().enumerate() {
        let found = if new.get(hint) == Some(line) { Some(hint) } else { new.iter().position(|other| other == line) };
        if let Some(found) = found {
            pairs.push((at, found));
            hint = found + 1;
        }
    }
    if pairs.is_sorted_by_key(|pair| pair.1) {
        return pairs;
    }
    let mut best: Vec<(usize, Option<usize>)> = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let below = (0..at).filter(|&other| pairs[other].1 < pair.1).max_by_key(|&other| best[other].0);
        best.push((below.map_or(0, |other| best[other].0) + 1, below));
    }
    let mut at = (0..best.len()).max_by_key(|&at| best[at].0);
    let mut longest = Vec::new();
    while let Some(here) = at {
        longest.push(pairs[here]);
        at = best[here].1;
    }
    longest.reverse();
    longest
}

/// Whether the lines that both sides have stand in another order.
pub(super) fn is_reordered<T: PartialEq>(old: &[T], new: &[T]) -> bool {
    let places = old.iter().filter_map(|line| new.iter().position(|other| other == line));
    !places.is_sorted()
}
