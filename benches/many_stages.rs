//! How long one candidate takes for one stage, and for twenty: `many-stages DIR`, where DIR is a repository of the
//! bench's generator with the branches `base`, `main` and `stage-1` to `stage-20`. Prints the medians in milliseconds as
//! `{"oneMs": …, "twentyMs": …}`.

use std::path::Path;
use std::time::Instant;

use okstra::context::Context;
use okstra::domain::equivalence::Candidate;
use okstra::domain::revision::Purpose;
use okstra::git::{History, Limits, Repository, Span};
use okstra::ops::equivalence::ask_all;

/// How often each is measured, in turn.
const ROUNDS: usize = 7;

#[expect(clippy::disallowed_macros, reason = "a bench prints its figures")]
fn main() -> anyhow::Result<()> {
    let folder = std::env::args_os().nth(1).ok_or_else(|| anyhow::anyhow!("usage: many-stages DIR"))?;
    let (mut one, mut twenty) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        one.push(measure(Path::new(&folder), 1)?);
        twenty.push(measure(Path::new(&folder), 20)?);
    }
    println!("{{\"oneMs\": {:.2}, \"twentyMs\": {:.2}}}", median(one), median(twenty));
    Ok(())
}

/// Opens the repository anew, so that nothing is remembered, and asks for the first `count` stages.
#[expect(clippy::disallowed_methods, reason = "a bench measures time")]
fn measure(folder: &Path, count: usize) -> anyhow::Result<f64> {
    let context = Context::from_process();
    let start = Instant::now();
    let repository = Repository::discover(folder)?;
    let commit =
        |name: &str| -> anyhow::Result<_> { Ok(repository.commit_by_ref(&context, name, Purpose::Candidate)??.commit) };
    let candidate = Candidate { name: "refs/heads/main".to_owned(), commit: commit("main")? };
    let base = commit("base")?;
    let spans = (1..=count)
        .map(|number| Ok(Span { base, head: commit(&format!("stage-{number}"))? }))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let answers = ask_all(&context, &mut History::new(&repository), &candidate, &spans, Limits::default())?;
    anyhow::ensure!(answers.len() == count, "{} answers for {count} stages", answers.len());
    Ok(start.elapsed().as_secs_f64() * 1000.0)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
