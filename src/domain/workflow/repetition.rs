//! What stands in two places: sooner or later one of them is changed and the other is not.

use std::collections::HashMap;

use super::{Document, Finding, Rule, front_matter};

/// A sentence with fewer words may stand twice.
const FEWEST_WORDS: usize = 9;

/// Each sentence that stood before, in this text or in another.
pub(super) fn check(documents: &[Document]) -> Vec<Finding> {
    let mut first: HashMap<String, (&str, usize)> = HashMap::new();
    let mut findings = Vec::new();
    for document in documents {
        for (line, sentence) in sentences(&document.text) {
            match first.get(&sentence) {
                Some((path, before)) => {
                    let message = format!("“{sentence}” stands in {path}:{before} too");
                    let mend = "keep it in one place, and point to that from the other";
                    findings.push(document.finding(line, Rule::Repetition, message, mend));
                }
                None => drop(first.insert(sentence, (&document.path, line))),
            }
        }
    }
    findings
}

/// The sentences of running text, without markup, with the line that each ends on. Tables, code blocks and headings are no
/// sentences.
fn sentences(text: &str) -> Vec<(usize, String)> {
    let (mut found, mut open, mut in_block) = (Vec::new(), Vec::<&str>::new(), false);
    for (index, line) in text.lines().enumerate().skip(front_matter::length(text)) {
        let line = line.trim();
        if line.starts_with("```") {
            in_block = !in_block;
        }
        let is_text = !in_block && !line.starts_with(['|', '#', '`', '{', '<']);
        // A blank line and an item of a list end what was open.
        if !is_text || line.is_empty() || line.starts_with(['-', '*']) || line.starts_with(|c: char| c.is_ascii_digit())
        {
            end(&mut open, index, &mut found);
        }
        for word in line.split_whitespace().filter(|_| is_text) {
            open.push(word);
            if word.ends_with(['.', '!', '?']) {
                end(&mut open, index + 1, &mut found);
            }
        }
    }
    end(&mut open, text.lines().count(), &mut found);
    found
}

fn end(open: &mut Vec<&str>, line: usize, found: &mut Vec<(usize, String)>) {
    let plain = |word: &&str| word.trim_matches(['*', '`', '-', '.', ',', ':', ';', '“', '”', '(', ')']).to_lowercase();
    let words: Vec<String> = open.iter().map(plain).filter(|word| !word.is_empty()).collect();
    open.clear();
    if words.len() >= FEWEST_WORDS {
        found.push((line, words.join(" ")));
    }
}
