//! The lines between two layers.
//!
//! What leads to the same slots from the same slots is one net: its lines come down from all of these, meet in a row of
//! its own, and go down to all of those. Each net has a column of its own at every box, so that no line means two
//! things; where two nets cross, the upright line passes over the other.

use std::collections::BTreeMap;

use super::place::Place;

/// The lines between two layers, as rows of characters.
pub(super) struct Channel {
    rows: Vec<Vec<char>>,
}

/// A net: the columns at which it begins and ends, and its row where it needs one.
struct Net {
    from: Vec<usize>,
    to: Vec<usize>,
    row: Option<usize>,
}

impl Channel {
    /// Draws `links` between the layer `above` and the layer `below`, and chooses the columns at which they begin and
    /// end. Nothing where there is no room for them.
    pub(super) fn between(above: &mut [Place], below: &mut [Place], links: &[(usize, usize)]) -> Option<Self> {
        let mut nets = nets(above, below, links)?;
        let rows = give_rows(&mut nets);
        let columns = nets.iter().flat_map(|net| net.from.iter().chain(&net.to)).max().map_or(0, |last| last + 1);
        let rows = (0..rows.max(1)).map(|row| (0..columns).map(|column| glyph(&nets, row, column)).collect());
        Some(Self { rows: rows.collect() })
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        self.rows.iter().map(|row| row.iter().collect::<String>().trim_end().to_owned())
    }
}

/// The nets, each with its columns.
fn nets(above: &mut [Place], below: &mut [Place], links: &[(usize, usize)]) -> Option<Vec<Net>> {
    let mut sources: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &(from, to) in links {
        sources.entry(to).or_default().push(from);
    }
    let mut targets: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
    for (to, from) in sources {
        targets.entry(from).or_default().push(to);
    }
    let mut groups: Vec<_> = targets.into_iter().collect();
    // From left to right by where they lead, so that few cross.
    groups.sort_by_key(|(_, to)| to.iter().map(|&to| below[to].middle()).sum::<usize>() / to.len().max(1));
    let mut nets: Vec<_> = groups.iter().map(|_| Net { from: Vec::new(), to: Vec::new(), row: None }).collect();
    for (source, place) in above.iter_mut().enumerate() {
        let own: Vec<_> = (0..groups.len()).filter(|&group| groups[group].0.contains(&source)).collect();
        let columns = leaving(place, own.len())?;
        for (group, column) in own.into_iter().zip(&columns) {
            nets[group].from.push(*column);
        }
        place.bottoms = columns;
    }
    for (group, (_, to)) in groups.iter().enumerate() {
        for &to in to {
            let column = meeting(&below[to], &nets, group)?;
            below[to].top = Some(column);
            nets[group].to.push(column);
        }
    }
    Some(nets)
}

/// `count` columns at which lines leave a box, around its middle and apart from one another.
fn leaving(place: &Place, count: usize) -> Option<Vec<usize>> {
    let span = 2 * count.saturating_sub(1);
    if span + 2 > place.width && count > 1 {
        return None;
    }
    // What passes by goes on where it came.
    let middle = place.top.filter(|_| place.width == super::PASSING).unwrap_or(place.middle());
    let first = middle - span / 2;
    Some((0..count).map(|index| first + 2 * index).collect())
}

/// The column at which a net meets a box below: straight below its beginning where that can be, and never where another
/// net comes down.
fn meeting(place: &Place, nets: &[Net], group: usize) -> Option<usize> {
    let others = || nets.iter().enumerate().filter(|(other, _)| *other != group).flat_map(|(_, net)| &net.from);
    let free = |column: &usize| !others().any(|other| other == column);
    let straight = match nets[group].from.as_slice() {
        [from] => place.ports().find(|column| column == from).filter(free),
        _ => None,
    };
    straight.or_else(|| {
        // On the way of what passes by there is no frame to keep clear of.
        let sides = [place.left, place.left + place.width - 1];
        let sides = sides.into_iter().filter(|_| place.width == super::PASSING);
        place.ports().chain(sides).find(free)
    })
}

/// Gives each net that is no straight line a row, several to one where they keep apart. Gives the number of rows.
fn give_rows(nets: &mut [Net]) -> usize {
    let mut rows: Vec<Vec<(usize, usize)>> = Vec::new();
    for net in nets.iter_mut() {
        if let ([from], [to]) = (net.from.as_slice(), net.to.as_slice())
            && from == to
        {
            continue;
        }
        let ends = net.from.iter().chain(&net.to);
        let (Some(&first), Some(&last)) = (ends.clone().min(), ends.max()) else { continue };
        let is_free = |row: &Vec<(usize, usize)>| row.iter().all(|&(from, to)| last + 1 < from || to + 1 < first);
        let row = rows.iter().position(is_free).unwrap_or_else(|| {
            rows.push(Vec::new());
            rows.len() - 1
        });
        rows[row].push((first, last));
        net.row = Some(row);
    }
    rows.len()
}

/// What stands at a place of the channel.
fn glyph(nets: &[Net], row: usize, column: usize) -> char {
    let upright = nets.iter().find_map(|net| {
        let from = net.from.contains(&column).then_some((true, net.row.is_none_or(|own| row < own)));
        let to = net.to.contains(&column).then_some((net.row.is_none_or(|own| row > own), true));
        let from = from.filter(|_| net.row.is_none_or(|own| row <= own));
        let to = to.filter(|_| net.row.is_none_or(|own| row >= own));
        match (from, to) {
            (None, None) => None,
            (from, to) => {
                let (up, down) =
                    (from.into_iter().chain(to)).fold((false, false), |(up, down), (u, d)| (up | u, down | d));
                Some((net, up, down))
            }
        }
    });
    let level = nets.iter().find_map(|net| {
        let ends = || net.from.iter().chain(&net.to);
        let (first, last) = (*ends().min()?, *ends().max()?);
        let is_on = net.row == Some(row) && (first..=last).contains(&column);
        is_on.then_some((net, column > first, column < last))
    });
    match (upright, level) {
        (None, None) => ' ',
        (Some((net, up, down)), Some((other, left, right))) if std::ptr::eq(net, other) => {
            corner(up, down, left, right)
        }
        (Some((_, up, down)), _) => corner(up, down, false, false),
        (None, Some(_)) => '─',
    }
}

fn corner(up: bool, down: bool, left: bool, right: bool) -> char {
    match (up, down, left, right) {
        (true, true, true, true) => '┼',
        (true, true, true, false) => '┤',
        (true, true, false, true) => '├',
        (true, false, true, true) => '┴',
        (false, true, true, true) => '┬',
        (true, false, false, true) => '└',
        (true, false, true, false) => '┘',
        (false, true, false, true) => '┌',
        (false, true, true, false) => '┐',
        (false, false, ..) => '─',
        (_, _, false, false) => '│',
    }
}
