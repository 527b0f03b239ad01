//! What the prompts are, as texts: how long, and without anything that only one place of work has.

use std::fs;
use std::path::Path;

use okstra::render::names;

use super::Context;

/// The most words that the text of a template itself may have, without what it includes and is given.
fn budget(template: &str) -> usize {
    match template {
        "launch.md" => 350,
        "lead.md" => 900,
        name if name.starts_with("profiles/_") => 400,
        name if name.starts_with("profiles/") => 450,
        name if name.starts_with("workers/") => 300,
        _ => 450,
    }
}

#[test]
fn no_prompt_is_longer_than_its_reader_bears() {
    let prompts = Path::new(env!("CARGO_MANIFEST_DIR")).join("prompts");
    let counted = names().map(|name| (name, words(&fs::read_to_string(prompts.join(name)).unwrap())));
    let wrong: Vec<_> = counted.filter(|(name, words)| *words > budget(name)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// The words of a template: a value counts as one, a tag as none.
fn words(text: &str) -> usize {
    without(&without(text, "{%", "%}", ""), "{{", "}}", "x").split_whitespace().count()
}

/// `text` with `instead` for each piece from `open` to `close`.
fn without(text: &str, open: &str, close: &str, instead: &str) -> String {
    let mut pieces = text.split(open);
    let first = pieces.next().unwrap_or_default().to_owned();
    let rest = pieces.map(|piece| format!("{instead}{}", piece.split_once(close).map_or("", |(_, rest)| rest)));
    first + &rest.collect::<String>()
}

#[test]
fn every_phase_of_the_lead_has_its_progress_line() {
    let lead = Context::read("implementation").file("claude-execution-prompt.md");
    let lines: Vec<_> = lead.lines().filter_map(|line| line.strip_prefix("`PROGRESS: ")?.strip_suffix('`')).collect();
    let phases: Vec<_> = lines.iter().filter_map(|line| line.strip_prefix("phase-")?.split('-').next()).collect();
    assert_eq!(phases, ["1", "2", "3", "4", "5", "5.5", "6", "7"]);
    for line in lines {
        let mut words = line.split(' ');
        assert!(words.next().unwrap().matches('-').count() == 2, "{line}");
        assert!(
            words.all(|word| word.split_once('=').is_some_and(|(key, value)| !key.is_empty() && !value.is_empty()))
        );
    }
}

#[test]
fn words_are_counted_without_tags() {
    assert_eq!(words("a {% if x %}b{% endif %} {{ c.d | e }}. f\n"), 4);
}
