//! Drawings, as they are seen; and that no drawing says what is not so.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::domain::plan::PlanStage;
use crate::domain::stage_graph::layers;

fn stages(depends_on: &[&[u32]]) -> Vec<PlanStage> {
    let numbered = (1..).zip(depends_on);
    numbered
        .map(|(stage, depends_on)| PlanStage { stage, depends_on: depends_on.to_vec(), ..PlanStage::default() })
        .collect()
}

fn drawn(depends_on: &[&[u32]], titles: &[&str], columns: usize) -> Option<Vec<String>> {
    let cards: Vec<_> = (1..)
        .zip(titles)
        .map(|(number, title)| Card { title: format!("{number}  {title}"), note: "2 steps".to_owned(), tone: None })
        .collect();
    draw(&layers(&stages(depends_on))?, &cards, columns, false)
}

#[track_caller]
fn check(depends_on: &[&[u32]], titles: &[&str], expected: &str) {
    let drawn = drawn(depends_on, titles, 80).unwrap().join("\n");
    assert_eq!(drawn.trim_end(), expected.trim_matches('\n'), "\n{drawn}\n");
}

#[test]
fn one_below_the_other() {
    check(
        &[&[], &[1]],
        &["Users", "Login"],
        "
┌───────────────┐
│ 1  Users      │
│ 2 steps       │
└───────┬───────┘
        │
┌───────┴───────┐
│ 2  Login      │
│ 2 steps       │
└───────────────┘",
    );
}

#[test]
fn two_side_by_side_that_meet() {
    check(
        &[&[], &[], &[1, 2]],
        &["Users", "Sessions that end by themselves after a while", "Login"],
        "
┌───────────────┐  ┌───────────────────────────┐
│ 1  Users      │  │ 2  Sessions that end by   │
│               │  │ themselves after a while  │
│ 2 steps       │  │ 2 steps                   │
└───────┬───────┘  └─────────────┬─────────────┘
        └───────────┬────────────┘
            ┌───────┴───────┐
            │ 3  Login      │
            │ 2 steps       │
            └───────────────┘",
    );
}

/// The frame of a box with a title of one line.
struct Frame {
    stage: u32,
    left: usize,
    /// The row of its upper border.
    top: usize,
}

impl Frame {
    const BELOW: usize = 3;
    const WIDTH: usize = 17;

    fn holds(&self, column: usize) -> bool {
        (self.left..self.left + Self::WIDTH).contains(&column)
    }
}

/// The boxes of a drawing, found by the numbers in them.
fn frames(grid: &[Vec<char>]) -> Vec<Frame> {
    let mut frames = Vec::new();
    for (row, line) in grid.iter().enumerate() {
        for (left, part) in line.windows(3).enumerate() {
            if let ['│', ' ', digit] = part
                && let Some(stage) = digit.to_digit(10)
                && line.get(left + 5) == Some(&'A')
            {
                frames.push(Frame { stage, left, top: row - 1 });
            }
        }
    }
    frames
}

/// What a drawing says: follows every line down from each box, as an eye does.
fn read(lines: &[String]) -> BTreeSet<(u32, u32)> {
    let grid: Vec<Vec<char>> = lines.iter().map(|line| line.chars().collect()).collect();
    let at = |row: usize, column: usize| grid.get(row).and_then(|line| line.get(column)).copied().unwrap_or(' ');
    let frames = frames(&grid);
    let mut found = BTreeSet::new();
    for from in &frames {
        let bottom = from.top + Frame::BELOW;
        let leaving = (from.left..from.left + Frame::WIDTH).filter(|&column| at(bottom, column) == '┬');
        let mut left: Vec<_> = leaving.map(|column| (bottom + 1, column, 'd')).collect();
        let mut seen = BTreeSet::new();
        while let Some((row, column, going)) = left.pop() {
            if !seen.insert((row, column, going)) {
                continue;
            }
            if let Some(to) = frames.iter().find(|to| to.top == row && to.holds(column)) {
                assert_eq!((going, at(row, column)), ('d', '┴'), "{}", lines.join("\n"));
                found.insert((from.stage, to.stage));
                continue;
            }
            // A line that is crossed goes on behind the upright one.
            let passes_behind = at(row, column) == '│' && matches!(going, 'l' | 'r');
            // No line leads up.
            let (_, down, to_left, to_right) = if passes_behind { arms('─') } else { arms(at(row, column)) };
            left.extend(down.then(|| (row + 1, column, 'd')));
            left.extend((to_left && going != 'r').then(|| (row, column - 1, 'l')));
            left.extend((to_right && going != 'l').then(|| (row, column + 1, 'r')));
        }
    }
    found
}

/// Up, down, left, right.
fn arms(glyph: char) -> (bool, bool, bool, bool) {
    match glyph {
        '│' => (true, true, false, false),
        '─' => (false, false, true, true),
        '└' => (true, false, false, true),
        '┘' => (true, false, true, false),
        '┌' => (false, true, false, true),
        '┐' => (false, true, true, false),
        '├' => (true, true, false, true),
        '┤' => (true, true, true, false),
        '┴' => (true, false, true, true),
        '┬' => (false, true, true, true),
        '┼' => (true, true, true, true),
        other => panic!("a line leads to {other:?}"),
    }
}

/// The dependencies that a drawing must show: those that do not follow from others.
fn needed(depends_on: &[Vec<u32>]) -> BTreeSet<(u32, u32)> {
    let reaches = |from: u32, to: u32| -> bool {
        let mut left = vec![to];
        while let Some(stage) = left.pop() {
            for &other in &depends_on[stage as usize - 1] {
                if other == from {
                    return true;
                }
                left.push(other);
            }
        }
        false
    };
    let all = (1..).zip(depends_on).flat_map(|(to, others)| others.iter().map(move |&from| (from, to)));
    all.filter(|&(from, to)| !depends_on[to as usize - 1].iter().any(|&by| by != from && reaches(from, by))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn a_drawing_fits_and_says_what_is_so(bits in any::<u64>(), count in 1_u32..9, columns in prop::sample::select(vec![60, 80, 120])) {
        let mut bit = 0;
        let depends_on: Vec<Vec<u32>> = (1..=count).map(|to| (1..to).filter(|_| { bit += 1; bits >> (bit * 2 % 64) & 3 == 0 }).collect()).collect();
        let slices: Vec<&[u32]> = depends_on.iter().map(Vec::as_slice).collect();
        let titles = vec!["A"; count as usize];
        if let Some(lines) = drawn(&slices, &titles, columns) {
            prop_assert!(lines.iter().all(|line| width(line) <= columns), "{}", lines.join("\n"));
            prop_assert_eq!(read(&lines), needed(&depends_on), "{}", lines.join("\n"));
        }
    }
}

#[test]
fn what_does_not_fit_is_not_drawn() {
    let side_by_side: Vec<&[u32]> = vec![&[]; 5];
    assert!(drawn(&side_by_side, &["A"; 5], 80).is_none());
    assert!(drawn(&side_by_side[..4], &["A"; 4], 80).is_some());
    assert!(drawn(&[&[]], &["A"], 16).is_none());
    assert!(drawn(&[&[]], &["A"], 17).is_some());
}

#[test]
fn wide_characters_and_hostile_ones_keep_the_frame() {
    let titles = ["日本語のとても長い題名はここで切られるはずです、そして続く", "a\u{1b}[31m\u{202e}b"];
    let lines = drawn(&[&[], &[1]], &titles, 40).unwrap();
    let framed: Vec<_> =
        lines.iter().filter(|line| line.starts_with(['│', '┌', '└'])).map(|line| width(line)).collect();
    assert!(framed[..5].iter().all(|&width| width == framed[0]), "{}", lines.join("\n"));
    assert!(!lines.concat().contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn the_note_has_the_colour_of_its_state() {
    let card = Card { title: "1  A".to_owned(), note: "done".to_owned(), tone: Some(Tone::Good) };
    let lines = draw(&layers(&stages(&[&[]])).unwrap(), &[card], 80, true).unwrap();
    assert_eq!(lines[2], "│ \u{1b}[1m\u{1b}[32mdone\u{1b}[0m          │");
}
