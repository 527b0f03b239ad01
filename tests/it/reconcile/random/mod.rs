//! Random tasks whose truth is known by construction: stages are recorded, people do what people do to branches, and
//! git-reconcile is asked and let act in between. Every line that a stage writes has a mark of its own, so that what a ref
//! holds of a stage is plain to see.
//!
//! `OKSTRA_STORIES=N` tells N of them, `OKSTRA_STORIES_FROM=SEED` starts elsewhere, `OKSTRA_STORIES_TABLE=FILE` writes what
//! was found.

mod acts;
mod marks;
mod people;
mod tale;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use okstra::context::Context;

use tale::Tale;

/// So many by default.
const STORIES: u64 = 30;

#[test]
fn no_story_ends_against_the_truth() {
    let (first, count) = (number("OKSTRA_STORIES_FROM", 0), number("OKSTRA_STORIES", STORIES));
    let next = AtomicU64::new(first);
    let wrong = Mutex::new(Vec::new());
    let counted = Mutex::new(BTreeMap::<String, usize>::new());
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + count {
                break;
            }
            match tell(seed) {
                Ok(counts) => counts.into_iter().for_each(|(what, times)| {
                    *counted.lock().unwrap().entry(what).or_default() += times;
                }),
                Err(why) => wrong.lock().unwrap().push((seed, why)),
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    let counted = counted.into_inner().unwrap();
    let table: String = counted.iter().map(|(what, times)| format!("{times:8} {what}\n")).collect();
    let seeds: Vec<u64> = wrong.iter().map(|(seed, _)| *seed).collect();
    let shown: String = wrong.iter().take(10).map(|(seed, why)| format!("== seed {seed}\n{why}\n")).collect();
    let text = format!("{} of {count} stories: {seeds:?}\n{table}\n{shown}", wrong.len());
    if let Some(file) = Context::from_process().environment().get("OKSTRA_STORIES_TABLE") {
        okstra::fs::replace(std::path::Path::new(file), text.as_bytes()).expect("the table");
    }
    assert!(wrong.is_empty(), "{text}");
}

/// Tells one story; what was counted in it, or what went wrong.
fn tell(seed: u64) -> Result<BTreeMap<String, usize>, String> {
    let mut tale = Tale::new(seed);
    let told = catch_unwind(AssertUnwindSafe(|| tale.tell()));
    match told {
        Ok(Ok(())) => Ok(tale.counted),
        Ok(Err(why)) => Err(format!("{why}\n{}", tale.log())),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
            Err(format!("panic: {}\n{}", text.unwrap_or_default(), tale.log()))
        }
    }
}

fn number(variable: &str, default: u64) -> u64 {
    let machine = Context::from_process();
    let set = machine.environment().get(variable).map(|value| value.to_string_lossy().into_owned());
    set.map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{variable} is no number: {value}")))
}
