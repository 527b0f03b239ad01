//! A plan in Markdown: its Stage Map, the sections of its stages, and the rules S1 to S9 that both must keep.
//!
//! Markdown is read as CommonMark with GitHub's tables and task items, by a parser and not by patterns: what stands in
//! a code block, an HTML block, a quotation or a list is no heading and no table of the plan. Names of headings and
//! columns, `pre` and `post` are compared as text, whatever their markup, their white space and their case; titles as
//! text with their case.

mod blocks;
mod graph;
mod hash;
mod outline;
mod overlap;
mod place;
mod rows;
mod rules;
mod section;
mod violation;

use super::plan::PlanStage;
use outline::Outline;
pub use violation::{Rule, Violation};

/// The most steps that a stage may have.
pub const MAX_STEPS: u32 = 6;

/// A plan that was read, with everything that is wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// The SHA-256 of all its bytes, lower-case hex.
    pub sha256: String,
    /// Its first heading.
    pub title: Option<String>,
    /// The stages of the Stage Map whose numbers can be read, in the order of its rows.
    pub stages: Vec<PlanStage>,
    /// What is wrong, by line and rule. Where nothing is, `stages` can be gone by.
    pub violations: Vec<Violation>,
}

/// Reads a plan and checks it against every rule.
///
/// Any text is read; the time that it takes grows with its length only, whatever is in it.
pub fn check(text: &str) -> Checked {
    let outline = Outline::read(text);
    let table = rows::find(&outline);
    let mut violations = rules::check(&outline, &table);
    violations.extend(overlap::check(table.rows()));
    violations.sort_by(|a, b| (a.line, a.rule, &a.message).cmp(&(b.line, b.rule, &b.message)));
    let stages = table.rows().iter().filter_map(|row| row.to_stage(&outline)).collect();
    Checked { sha256: hash::of_plan(text), title: outline.title.clone(), stages, violations }
}

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;
