//! The stages in layers: each below all that it waits for, and beside those that it has nothing to do with.

use std::collections::HashMap;

use crate::domain::plan::PlanStage;

/// More slots than this in all layers are not put in order.
const MOST_SLOTS: usize = 200;

/// A place in a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// A stage, by its place among the stages.
    Stage(usize),
    /// Where what leads from one stage to one that is more than a layer below passes by.
    Passing {
        /// The stage above, by its place.
        from: usize,
        /// The stage below, by its place.
        to: usize,
    },
}

/// Layers, the topmost first, each from left to right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// What stands in each layer.
    pub slots: Vec<Vec<Slot>>,
    /// For each layer what leads from it to the next: pairs of places in the one and in the other.
    pub links: Vec<Vec<(usize, usize)>>,
}

/// Puts `stages` into layers. Dependencies on stages that are not there, and on ones that are waited for by others
/// anyway, are left out. Nothing where stages wait for one another, or there are too many.
pub fn layers(stages: &[PlanStage]) -> Option<Layers> {
    let waits_for = dependencies(stages);
    let depths = depths(&waits_for)?;
    let waits_for = needed(&waits_for, &depths)?;
    let height = depths.iter().max().map_or(0, |depth| depth + 1);
    let mut slots: Vec<Vec<Slot>> = vec![Vec::new(); height];
    for (stage, &depth) in depths.iter().enumerate() {
        slots[depth].push(Slot::Stage(stage));
    }
    for (to, others) in waits_for.iter().enumerate() {
        for &from in others {
            for layer in &mut slots[depths[from] + 1..depths[to]] {
                layer.push(Slot::Passing { from, to });
            }
        }
    }
    if slots.iter().map(Vec::len).sum::<usize>() > MOST_SLOTS {
        return None;
    }
    let above = |slot: &Slot, depth: usize| match *slot {
        Slot::Stage(stage) => waits_for[stage].iter().map(|&from| last_of(&depths, from, stage, depth)).collect(),
        Slot::Passing { from, to } => vec![last_of(&depths, from, to, depth)],
    };
    let mut links = Vec::new();
    for depth in 1..height {
        let places: HashMap<Slot, usize> =
            slots[depth - 1].iter().enumerate().map(|(place, slot)| (*slot, place)).collect();
        let from = |slot: &Slot| -> Vec<usize> {
            above(slot, depth).iter().filter_map(|slot| places.get(slot).copied()).collect()
        };
        let layer = in_order(std::mem::take(&mut slots[depth]), &from);
        links.push(
            layer
                .iter()
                .enumerate()
                .flat_map(|(place, slot)| from(slot).into_iter().map(move |above| (above, place)))
                .collect(),
        );
        slots[depth] = layer;
    }
    Some(Layers { slots, links })
}

/// What stands right above the layer `depth` on the way from one stage to another.
fn last_of(depths: &[usize], from: usize, to: usize, depth: usize) -> Slot {
    if depths[from] + 1 == depth { Slot::Stage(from) } else { Slot::Passing { from, to } }
}

/// A layer in the order in which little crosses: each slot below the middle of what leads to it.
fn in_order(layer: Vec<Slot>, from: &dyn Fn(&Slot) -> Vec<usize>) -> Vec<Slot> {
    let mut layer: Vec<_> = layer
        .into_iter()
        .enumerate()
        .map(|(place, slot)| {
            let above = from(&slot);
            // In sixtieths, which divides evenly by every small number of places.
            let middle = above.iter().sum::<usize>() * 60 / above.len().max(1);
            ((middle, place), slot)
        })
        .collect();
    layer.sort_by_key(|(key, _)| *key);
    layer.into_iter().map(|(_, slot)| slot).collect()
}

/// The places of the stages that each waits for, each once.
fn dependencies(stages: &[PlanStage]) -> Vec<Vec<usize>> {
    let mut places = HashMap::new();
    for (place, stage) in stages.iter().enumerate() {
        places.entry(stage.stage).or_insert(place);
    }
    let of = |stage: &PlanStage| {
        let mut others: Vec<_> = stage.depends_on.iter().filter_map(|other| places.get(other).copied()).collect();
        others.sort_unstable();
        others.dedup();
        others
    };
    stages.iter().map(of).collect()
}

/// How many stages stand above each at least; nothing where some wait for one another.
fn depths(waits_for: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut waited_by = vec![Vec::new(); waits_for.len()];
    for (place, others) in waits_for.iter().enumerate() {
        others.iter().for_each(|&other| waited_by[other].push(place));
    }
    let mut open: Vec<_> = waits_for.iter().map(Vec::len).collect();
    let mut ready: Vec<_> = (0..open.len()).filter(|&place| open[place] == 0).collect();
    let (mut depths, mut seen) = (vec![0; open.len()], 0);
    while let Some(place) = ready.pop() {
        seen += 1;
        for &next in &waited_by[place] {
            depths[next] = depths[next].max(depths[place] + 1);
            open[next] -= 1;
            if open[next] == 0 {
                ready.push(next);
            }
        }
    }
    (seen == open.len()).then_some(depths)
}

/// `waits_for` without what follows from the rest: where 3 waits for 2 and 2 for 1, that 3 waits for 1.
fn needed(waits_for: &[Vec<usize>], depths: &[usize]) -> Option<Vec<Vec<usize>>> {
    if waits_for.len() > MOST_SLOTS {
        return None;
    }
    let mut order: Vec<_> = (0..waits_for.len()).collect();
    order.sort_by_key(|&place| depths[place]);
    let mut all = vec![vec![false; waits_for.len()]; waits_for.len()];
    for place in order {
        for &other in &waits_for[place] {
            let mut above = all[other].clone();
            above[other] = true;
            all[place].iter_mut().zip(above).for_each(|(own, others)| *own |= others);
        }
    }
    let follows = |place: usize, other: usize| waits_for[place].iter().any(|&by| by != other && all[by][other]);
    let kept = |(place, others): (usize, &Vec<usize>)| {
        others.iter().copied().filter(|&other| !follows(place, other)).collect()
    };
    Some(waits_for.iter().enumerate().map(kept).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stages(depends_on: &[&[u32]]) -> Vec<PlanStage> {
        let numbered = (1..).zip(depends_on);
        numbered
            .map(|(stage, depends_on)| PlanStage { stage, depends_on: depends_on.to_vec(), ..PlanStage::default() })
            .collect()
    }

    /// The layers in short: `1`, or `1>4` for what passes by.
    fn short(depends_on: &[&[u32]]) -> Option<String> {
        let word = |slot: &Slot| match slot {
            Slot::Stage(stage) => format!("{}", stage + 1),
            Slot::Passing { from, to } => format!("{}>{}", from + 1, to + 1),
        };
        let layers = layers(&stages(depends_on))?;
        let line = |layer: &Vec<Slot>| layer.iter().map(word).collect::<Vec<_>>().join(" ");
        Some(layers.slots.iter().map(line).collect::<Vec<_>>().join(" / "))
    }

    #[test]
    fn each_stage_is_below_all_that_it_waits_for() {
        let cases: [(&[&[u32]], Option<&str>); 10] = [
            (&[], Some("")),
            (&[&[]], Some("1")),
            (&[&[], &[], &[1, 2], &[3]], Some("1 2 / 3 / 4")),
            (&[&[], &[1], &[1, 2]], Some("1 / 2 / 3")),
            (&[&[], &[1], &[2], &[1], &[3, 4]], Some("1 / 2 4 / 3 4>5 / 5")),
            (&[&[], &[], &[2], &[1]], Some("1 2 / 4 3")),
            (&[&[], &[9], &[1]], Some("1 2 / 3")),
            (&[&[2], &[1]], None),
            (&[&[1]], None),
            (&[&[], &[1], &[1], &[1], &[2, 3, 4]], Some("1 / 2 3 4 / 5")),
        ];
        for (depends_on, expected) in cases {
            assert_eq!(short(depends_on).as_deref(), expected, "{depends_on:?}");
        }
    }

    #[test]
    fn links_lead_from_one_layer_to_the_next() {
        let layers = layers(&stages(&[&[], &[], &[2], &[1], &[3]])).unwrap();
        assert_eq!(layers.links, [vec![(0, 0), (1, 1)], vec![(1, 0)]]);
    }

    #[test]
    fn too_many_are_not_drawn() {
        let many: Vec<&[u32]> = vec![&[]; 201];
        assert_eq!(layers(&stages(&many)), None);
    }
}
