//! Where each box stands in its layer.

use super::GAP;
use crate::domain::stage_graph::Layers;

/// Where a slot of a layer stands, in columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) left: usize,
    pub(super) width: usize,
    /// Where the line from above meets it.
    pub(super) top: Option<usize>,
    /// Where lines leave it below.
    pub(super) bottoms: Vec<usize>,
}

impl Place {
    pub(super) fn middle(&self) -> usize {
        self.left + self.width / 2
    }

    /// The columns at which lines may meet or leave it, the middle first.
    pub(super) fn ports(&self) -> impl Iterator<Item = usize> {
        let (middle, reach) = (self.middle(), (self.width / 2).saturating_sub(1));
        std::iter::once(middle).chain((1..=reach).flat_map(move |off| [middle - off, middle + off]))
    }
}

/// Where all slots stand: each below the middle of what leads to it, as far as there is room, and all between the first
/// column and the last. Nothing where a layer is wider than that.
pub(super) fn places(layers: &Layers, widths: &[Vec<usize>], columns: usize) -> Option<Vec<Vec<Place>>> {
    let total = |layer: &Vec<usize>| layer.iter().sum::<usize>() + layer.len().saturating_sub(1) * GAP;
    if widths.iter().any(|layer| total(layer) > columns) {
        return None;
    }
    let drawn = below_one_another(layers, widths);
    let fits = drawn.iter().flatten().all(|place| place.left + place.width <= columns);
    if fits {
        return Some(drawn);
    }
    let widest = widths.iter().map(total).max().unwrap_or_default();
    Some(widths.iter().map(|layer| in_a_row(layer, (widest - total(layer)) / 2)).collect())
}

/// A layer packed from `left` on.
fn in_a_row(widths: &[usize], left: usize) -> Vec<Place> {
    let mut left = left;
    let place = |&width: &usize| {
        let place = Place { left, width, ..Place::default() };
        left += width + GAP;
        place
    };
    widths.iter().map(place).collect()
}

fn below_one_another(layers: &Layers, widths: &[Vec<usize>]) -> Vec<Vec<Place>> {
    let mut lefts: Vec<Vec<isize>> = Vec::new();
    for (depth, layer) in widths.iter().enumerate() {
        let wanted = (0..layer.len()).map(|place| match depth.checked_sub(1) {
            None => 0,
            Some(above) => {
                let links = layers.links[above].iter().filter(|(_, to)| *to == place);
                let middles: Vec<_> =
                    links.map(|&(from, _)| lefts[above][from] + signed(widths[above][from] / 2)).collect();
                mean(&middles) - signed(layer[place] / 2)
            }
        });
        let wanted: Vec<_> = wanted.collect();
        lefts.push(apart(&wanted, layer));
    }
    let first = lefts.iter().flatten().min().copied().unwrap_or_default();
    let place = |(left, &width): (&isize, &usize)| Place {
        left: usize::try_from(left - first).unwrap_or_default(),
        width,
        ..Place::default()
    };
    lefts.iter().zip(widths).map(|(lefts, widths)| lefts.iter().zip(widths).map(place).collect()).collect()
}

/// The places nearest to those that are wanted, in order and without overlap: neighbours that would overlap are put
/// side by side around the mean of what they want.
fn apart(wanted: &[isize], widths: &[usize]) -> Vec<isize> {
    let next = |offset: &mut isize, &width: &usize| {
        let own = *offset;
        *offset += signed(width + GAP);
        Some(own)
    };
    let offsets: Vec<isize> = widths.iter().scan(0, next).collect();
    // What each would be shifted by if all stood side by side; groups of one shift each.
    let mut groups: Vec<Vec<isize>> = Vec::new();
    for (wanted, offset) in wanted.iter().zip(&offsets) {
        let mut group = vec![wanted - offset];
        while let Some(before) = groups.pop_if(|before| mean(before) >= mean(&group)) {
            group = [before, group].concat();
        }
        groups.push(group);
    }
    let shifts = groups.iter().flat_map(|group| std::iter::repeat_n(mean(group), group.len()));
    shifts.zip(offsets).map(|(shift, offset)| shift + offset).collect()
}

fn mean(numbers: &[isize]) -> isize {
    numbers.iter().sum::<isize>().div_euclid(signed(numbers.len().max(1)))
}

fn signed(number: usize) -> isize {
    isize::try_from(number).unwrap_or(isize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_is_put_apart_around_its_mean() {
        let cases: [(&[isize], &[usize], &[isize]); 4] = [
            (&[0, 20], &[5, 5], &[0, 20]),
            (&[10, 10, 10], &[5, 5, 5], &[3, 10, 17]),
            (&[0, 3, 30], &[5, 5, 5], &[-2, 5, 30]),
            (&[], &[], &[]),
        ];
        for (wanted, widths, expected) in cases {
            assert_eq!(apart(wanted, widths), expected, "{wanted:?}");
        }
    }

    #[test]
    fn ports_lie_within_the_frame() {
        let place = Place { left: 10, width: 7, ..Place::default() };
        assert_eq!(place.ports().collect::<Vec<_>>(), [13, 12, 14, 11, 15]);
    }
}
