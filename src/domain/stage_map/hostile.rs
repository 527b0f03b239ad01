//! Whatever the bytes: no panic, nothing that takes long, and no line that is not there.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::context::Clock;

/// Pieces of which a text is likely to be nearly a plan.
const PIECES: &[&str] = &[
    "## Stage Map\n",
    "## Stage 1: A\n",
    "## Stage 2: B\n",
    "Stage 1: A\n---\n",
    "### Steps\n",
    "### Rollback\n",
    "\n",
    "\r\n",
    "\r",
    "| stage | title | depends-on | step-count | files |\n",
    "|-|-|-|-|-|\n",
    "| 1 | A | (none) | 1 | `a/**` |\n",
    "| 2 | B | 1 | 1 | `b`, `**/x` |\n",
    "1. step\n",
    "- post: `x`\n",
    "- ",
    "1) ",
    "> ",
    "    ",
    "\t",
    "```\n",
    "<!--",
    "-->",
    "<div>\n",
    "`",
    "``",
    "\\",
    "|",
    "\\|",
    "*",
    "**",
    "[",
    "](",
    "![",
    "&amp;",
    "\u{feff}",
    "\u{0}",
    "é",
    "日本",
    "### Stage Exit Contract\n",
    "# x\n",
];

fn sound(text: &str) {
    let checked = check(text);
    let lines = text.replace("\r\n", "\n").replace('\r', "\n").split('\n').count();
    for violation in &checked.violations {
        assert!((1..=lines).contains(&violation.line), "{violation:?} of {lines} lines");
    }
    assert!(checked.stages.iter().all(|stage| stage.section_line <= lines));
    assert_eq!(check(text), checked);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        sound(&text);
    }

    #[test]
    fn anything_like_a_plan_is_read(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        sound(&pieces.concat());
    }
}

#[test]
fn a_plan_cut_off_anywhere_is_read() {
    let text = include_str!("../../../tests/fixtures/plans/good/login.md");
    assert_eq!(check(text).violations, []);
    let ends = (0..text.len()).filter(|&end| text.is_char_boundary(end)).step_by(7);
    ends.for_each(|end| sound(&text[..end]));
}

/// A megabyte of `piece`, after `head`.
fn much(head: &str, piece: &str) -> String {
    head.to_owned() + &piece.repeat(1_000_000 / piece.len())
}

/// About a megabyte each, of what makes parsers slow.
fn hostile() -> Vec<(&'static str, String)> {
    let map = "## Stage Map\n\n| stage | title | depends-on | step-count | files |\n|-|-|-|-|-|\n";
    let numbered = |row: &dyn Fn(usize) -> String, count: usize| (1..=count).map(row).collect::<String>();
    let wide = "|a".repeat(100_000) + "|\n" + &"|-".repeat(100_000) + "|\n" + &"x\n".repeat(200_000);
    vec![
        ("rows again and again", much(map, "| 1 | A | 1 | 1 | `a` |\n")),
        ("rows", map.to_owned() + &numbered(&|n| format!("| {n} | A | {} | 1 | `a{n}` |\n", n - 1), 25_000)),
        ("a cycle", map.to_owned() + &numbered(&|n| format!("| {n} | A | {} | 1 | `a` |\n", n % 25_000 + 1), 25_000)),
        (
            "all wait for all",
            map.to_owned()
                + &numbered(
                    &|n| format!("| {n} | A | {} | 1 | `a` |\n", numbered(&|n| format!("{n},"), 280) + "1"),
                    280,
                ),
        ),
        (
            "200 stages with many globs",
            map.to_owned()
                + &numbered(&|n| format!("| {n} | A | (none) | 1 | {} |\n", vec!["`**a**b**c*`"; 300].join(",")), 200),
        ),
        (
            "long globs",
            map.to_owned() + &numbered(&|n| format!("| {n} | A | (none) | 1 | `{}` |\n", "*a".repeat(450)), 200),
        ),
        ("sections", much("", "## Stage 1: A\n")),
        ("different sections", numbered(&|n| format!("## Stage {n}: A\n\n### Steps\n"), 35_000)),
        (
            "sections without rows",
            map.to_owned()
                + &numbered(&|n| format!("| {n} | A | (none) | 1 | `a` |\n"), 20_000)
                + &numbered(&|n| format!("### Stage {n}: A\n"), 20_000),
        ),
        ("maps", much("", "## Stage Map\n\n|a|\n|-|\n\n")),
        ("steps", much("## Stage 1: A\n\n### Steps\n\n", "1. a\n")),
        ("checks", much("## Stage 1: A\n\n### Stage Validation\n\n", "- post: `a`\n")),
        ("quotations in quotations", much("", ">")),
        ("lists in lists", much("", "- ")),
        ("numbers in numbers", much("", "1. ")),
        ("brackets", much("", "[")),
        ("images", much("", "![](")),
        ("emphasis", much("", "*a _b ")),
        ("backticks", (1..1400).map(|n| "`".repeat(n) + " ").collect()),
        ("angles", much("", "<a ")),
        ("comments", much("", "<!-- ")),
        ("entities", much("", "&amp;&")),
        ("pipes", much("## Stage Map\n\n", "|")),
        ("a wide table", format!("## Stage Map\n\n{wide}")),
        ("backslashes", much("", "\\")),
        ("tabs", much("- a\n", "\t")),
        ("nothing", much("", "\0")),
        ("references", much("", "[a]: b\n")),
        ("references to one", much("[a]: b\n\n", "[a] ")),
        ("carriage returns", much("", "\r")),
        ("underlines", much("a\n", "-\n")),
    ]
}

#[test]
fn a_megabyte_takes_less_than_a_second_whatever_is_in_it() {
    for (what, text) in hostile() {
        let clock = Clock::System.start();
        check(&text);
        // An unoptimised build on a busy machine gets more; what grows with the square would take minutes.
        let allowed = Duration::from_secs(if cfg!(debug_assertions) { 8 } else { 1 });
        assert!(clock.elapsed() < allowed, "{what}: {:?}", clock.elapsed());
    }
}
