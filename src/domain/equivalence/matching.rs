//! Proof “per commit”: every commit of a stage landed, each on a commit of its own, and one of those reaches the rest.

/// Where each commit of a stage landed, and which landing holds them all.
///
/// `found[i]` are the places where commit `i` was found, by number, the nearest to the candidate first; `reaches(a, b)`
/// tells whether place `b` is in the history of place `a` (every place reaches itself). Answers the place nearest to
/// the candidate on which one commit landed while all the others landed on places of their own in its history. `None`
/// when there is no such place, and always when there is nothing to place: all of nothing is no proof.
pub(super) fn landing(found: &[Vec<usize>], reaches: impl Fn(usize, usize) -> bool) -> Option<usize> {
    if found.is_empty() || found.iter().any(Vec::is_empty) {
        return None;
    }
    let mut places: Vec<usize> = found.iter().flatten().copied().collect();
    places.sort_unstable();
    places.dedup();
    places.into_iter().find(|&top| {
        found.iter().enumerate().any(|(first, own)| {
            own.contains(&top) && all_placed(found, first, top, |place| place != top && reaches(top, place))
        })
    })
}

/// Whether every commit but `first`, which stands on `top`, finds an allowed place of its own (a bipartite matching,
/// by augmenting paths).
fn all_placed(found: &[Vec<usize>], first: usize, top: usize, allowed: impl Fn(usize) -> bool) -> bool {
    let mut taken: Vec<(usize, usize)> = vec![(top, first)];
    (0..found.len()).filter(|&commit| commit != first).all(|commit| {
        let mut tried = vec![top];
        place(found, commit, &allowed, &mut taken, &mut tried)
    })
}

fn place(
    found: &[Vec<usize>],
    commit: usize,
    allowed: &impl Fn(usize) -> bool,
    taken: &mut Vec<(usize, usize)>,
    tried: &mut Vec<usize>,
) -> bool {
    for &spot in found[commit].iter().filter(|&&spot| allowed(spot)) {
        if tried.contains(&spot) {
            continue;
        }
        tried.push(spot);
        match taken.iter().position(|(used, _)| *used == spot) {
            None => {
                taken.push((spot, commit));
                return true;
            }
            Some(index) => {
                let other = taken[index].1;
                if place(found, other, allowed, taken, tried) {
                    if let Some(slot) = taken.iter_mut().find(|(used, _)| *used == spot) {
                        slot.1 = commit;
                    }
                    return true;
                }
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tries every assignment: slow and obvious.
    fn oracle(found: &[Vec<usize>], reaches: &dyn Fn(usize, usize) -> bool) -> Option<usize> {
        fn assignments(found: &[Vec<usize>]) -> Vec<Vec<usize>> {
            let Some((first, rest)) = found.split_first() else { return vec![vec![]] };
            let tails = assignments(rest);
            let with = |spot: usize| tails.iter().filter(move |t| !t.contains(&spot)).map(move |t| (spot, t));
            first.iter().flat_map(|&spot| with(spot)).map(|(s, t)| [vec![s], t.clone()].concat()).collect()
        }
        let tops = assignments(found).into_iter().filter(|a| !a.is_empty());
        tops.filter_map(|a| a.iter().copied().find(|&top| a.iter().all(|&spot| reaches(top, spot)))).min()
    }

    #[test]
    fn equals_the_oracle_on_every_small_instance() {
        // Three commits, four places; a place's history: a line (place 0 is the newest), or two branches.
        let line = |a: usize, b: usize| a <= b;
        let branches = |a: usize, b: usize| a == b || (a == 0 && b == 2) || (a == 1 && b == 3);
        let sets: Vec<Vec<usize>> = (0..16).map(|bits| (0..4).filter(|i| bits >> i & 1 == 1).collect()).collect();
        for a in &sets {
            for b in &sets {
                for c in &sets {
                    let found = [a.clone(), b.clone(), c.clone()];
                    assert_eq!(landing(&found, line), oracle(&found, &line), "line {found:?}");
                    assert_eq!(landing(&found, branches), oracle(&found, &branches), "branches {found:?}");
                }
            }
        }
    }

    #[test]
    fn all_of_nothing_is_no_proof() {
        assert_eq!(landing(&[], |_, _| true), None);
        assert_eq!(landing(&[vec![]], |_, _| true), None);
    }
}
