//! What is hostile to parsers: it may be refused, and must not take long.

use std::time::{Duration, Instant};

use okstra::domain::stage_map;

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
        let start = Instant::now();
        stage_map::check(&text);
        // An unoptimised build on a busy machine gets more; what grows with the square would take minutes.
        let allowed = Duration::from_secs(if cfg!(debug_assertions) { 8 } else { 1 });
        assert!(start.elapsed() < allowed, "{what}: {:?}", start.elapsed());
    }
}
