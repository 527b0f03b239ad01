//! How long the texts of a run take to be rendered: `render-bundle`. A plan with 20 stages, all of them in the run, and 3
//! workers and a report writer; the first bundle compiles the templates. Prints `{"firstMs": …, "eachMs": …,
//! "thousandMs": …, "bytes": …, "sharedBytes": …}`.

use std::path::Path;
use std::time::Instant;

use okstra::domain::run::{RunManifest, RunStage};
use okstra::render::{BundleInput, Overrides, bundle};

/// A run that the tests have as well.
const CONTEXT: &str = include_str!("../tests/fixtures/contexts/implementation.json");
const STAGES: u32 = 20;
const ROUNDS: u32 = 1_000;

#[expect(clippy::disallowed_macros, reason = "a bench prints its figures")]
fn main() -> anyhow::Result<()> {
    let context: serde_json::Value = serde_json::from_str(CONTEXT)?;
    let mut manifest: RunManifest = serde_json::from_value(context["manifest"].clone())?;
    let plan = context["planExcerpt"].as_str().unwrap_or_default().repeat(STAGES as usize / 2);
    let stage = manifest.stages.pop().unwrap_or_default();
    manifest.stages = (1..=STAGES).map(|number| RunStage { stage: number, ..stage.clone() }).collect();
    let input = BundleInput {
        manifest: &manifest,
        project_root: Path::new("/home/ann/shop"),
        brief: context["brief"].as_str().unwrap_or_default(),
        directive: None,
        plan_excerpt: Some(&plan),
        carry_in: context["carryIn"].as_str(),
    };
    let overrides = Overrides::none();
    let (first, rendered) = timed(|| bundle(&input, &overrides))?;
    let (all, ()) = timed(|| (0..ROUNDS).try_for_each(|_| bundle(&input, &overrides).map(|_| ())))?;
    let bytes: usize = rendered.files.iter().map(|file| file.bytes.len()).sum();
    println!(
        "{{\"firstMs\": {first:.2}, \"eachMs\": {:.3}, \"thousandMs\": {all:.1}, \"bytes\": {bytes}, \"sharedBytes\": {}}}",
        all / f64::from(ROUNDS),
        rendered.shared_prefix
    );
    Ok(())
}

/// What `work` gives, and how many milliseconds it took.
#[expect(clippy::disallowed_methods, reason = "a bench has a clock")]
fn timed<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(f64, T), E> {
    let start = Instant::now();
    let done = work()?;
    Ok((start.elapsed().as_secs_f64() * 1e3, done))
}
