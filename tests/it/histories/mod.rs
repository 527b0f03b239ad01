//! Random histories whose truth is known by construction: thousands of stages that are merged, rebased, squashed, split,
//! amended, picked in part, reverted and worked on, written as real objects and asked about.
//!
//! `OKSTRA_HISTORIES=N` makes N of them, `OKSTRA_HISTORIES_FROM=SEED` starts elsewhere, and
//! `OKSTRA_HISTORIES_TABLE=FILE` writes what was found for each kind of landing.

mod afterwards;
mod altered;
mod asking;
mod compare;
mod edit;
mod graph;
mod judge;
mod landing;
mod merge;
mod model;
mod oracle;
mod random_edits;
mod recipe;
mod repository;
mod rng;
mod run;
mod script;
mod statistics;
mod truth;
mod world;

use okstra::context::Context;

use judge::Fault;
use run::Report;

/// So many by default.
const HISTORIES: u64 = 3000;
/// Faults that are known and wait to be mended; they are counted in the table and fail nothing.
const TOLERATED: [Fault; 0] = [];

#[test]
fn no_history_is_answered_against_the_truth() {
    let mut report = Report::of(number("OKSTRA_HISTORIES_FROM", 0), number("OKSTRA_HISTORIES", HISTORIES));
    let machine = Context::from_process();
    if let Some(file) = machine.environment().get("OKSTRA_HISTORIES_TABLE") {
        okstra::fs::replace(std::path::Path::new(file), report.text().as_bytes()).expect("the table");
    }
    report.faults.retain(|fault, _| !TOLERATED.contains(fault));
    assert!(report.faults.is_empty(), "{}", report.counterexamples());
    report.statistics.check_floors();
}

fn number(variable: &str, default: u64) -> u64 {
    let machine = Context::from_process();
    let set = machine.environment().get(variable).map(|value| value.to_string_lossy().into_owned());
    set.map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{variable} is no number: {value}")))
}
