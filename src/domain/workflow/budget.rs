//! How long a text may be.

use super::front_matter::{self, description};
use super::{Document, Finding, Kind, Rule};

/// The most characters of all descriptions together: clients put them into every prompt.
const DESCRIPTIONS: usize = 8_000;

/// The most words of a text itself, without front matter and without what a template includes and is given.
fn most_words(kind: Kind<'_>) -> Option<usize> {
    match kind {
        Kind::Skill(_) | Kind::Agent(_) => Some(500),
        Kind::SkillReference => Some(800),
        Kind::Prompt("lead.md") => Some(900),
        Kind::Prompt("launch.md") => Some(350),
        Kind::Prompt(name) if name.starts_with("profiles/_") => Some(400),
        Kind::Prompt(name) if name.starts_with("workers/") => Some(300),
        Kind::Prompt(_) => Some(450),
        Kind::Other => None,
    }
}

/// Whether a text is longer than its reader bears.
pub(super) fn check(document: &Document) -> Option<Finding> {
    let (most, words) = (most_words(document.kind())?, words(&document.text));
    let message = format!("it has {words} words, and at most {most} are read well");
    (words > most).then(|| document.finding(1, Rule::Budget, message, "move tables to `references/`, or say less"))
}

/// Whether all descriptions together are longer than clients have room for.
pub(super) fn check_all(documents: &[Document]) -> Option<Finding> {
    let described: Vec<_> = documents.iter().filter_map(|one| Some((one, description(one)?.chars().count()))).collect();
    let total: usize = described.iter().map(|(_, length)| length).sum();
    let (longest, _) = described.into_iter().max_by_key(|(_, length)| *length)?;
    let message = format!("all descriptions have {total} characters, and clients have room for {DESCRIPTIONS}");
    (total > DESCRIPTIONS).then(|| longest.finding(1, Rule::Budget, message, "shorten this one, the longest"))
}

/// The words of a text: in a template a value counts as one, and a tag as none.
pub(super) fn words(text: &str) -> usize {
    let body: Vec<&str> = text.lines().skip(front_matter::length(text)).collect();
    let body = body.join("\n");
    without(&without(&body, "{%", "%}", ""), "{{", "}}", "x").split_whitespace().count()
}

/// `text` with `instead` for each piece from `open` to `close`.
fn without(text: &str, open: &str, close: &str, instead: &str) -> String {
    let mut pieces = text.split(open);
    let first = pieces.next().unwrap_or_default().to_owned();
    let rest = pieces.map(|piece| format!("{instead}{}", piece.split_once(close).map_or("", |(_, rest)| rest)));
    first + &rest.collect::<String>()
}
