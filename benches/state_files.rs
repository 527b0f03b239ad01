//! How long the state files take when they have grown: `state-files DIR`, where DIR is an empty folder. Reads a log of
//! 100,000 rows, adds a row to it and to a short one, and reserves a task among 10,000 in the registry. Prints the
//! medians in milliseconds as `{"readMs": …, "appendMs": …, "shortAppendMs": …, "reserveMs": …, "logBytes": …,
//! "registryBytes": …}`.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use okstra::context::{Context, Environment};
use okstra::domain::names::TaskKey;
use okstra::domain::records::{Append, Reappend, Record, Status};
use okstra::fs;
use okstra::store::consumers::{self, LogText};
use okstra::store::registry::{Registry, TaskWanted};

const ROWS: usize = 100_000;
const SHORT: usize = 10;
const TASKS: usize = 10_000;
const STAGES: usize = 3;
/// How often each is measured.
const ROUNDS: usize = 7;

#[expect(clippy::disallowed_macros, reason = "a bench prints its figures")]
fn main() -> anyhow::Result<()> {
    let folder = std::env::args_os().nth(1).ok_or_else(|| anyhow::anyhow!("usage: state-files DIR"))?;
    let folder = Path::new(&folder);
    let context = Context::new(folder, Environment::default());
    let [long, short, registry] = ["long.jsonl", "short.jsonl", "registry.json"].map(|name| folder.join(name));
    fs::replace(&long, log(ROWS).as_bytes())?;
    fs::replace(&short, log(SHORT).as_bytes())?;
    fs::replace(&registry, tasks().as_bytes())?;
    let sizes = [fs::read(&long)?.len(), fs::read(&registry)?.len()];
    let registry = Registry::new(registry);
    let read = median(|_| read(&long, &context))?;
    let append = median(|round| add(&long, &context, round))?;
    let short_append = median(|round| add(&short, &context, round))?;
    let reserve = median(|round| reserve(&registry, &context, round))?;
    println!(
        "{{\"readMs\": {read:.2}, \"appendMs\": {append:.2}, \"shortAppendMs\": {short_append:.2}, \
         \"reserveMs\": {reserve:.2}, \"logBytes\": {}, \"registryBytes\": {}}}",
        sizes[0], sizes[1]
    );
    Ok(())
}

fn read(log: &Path, context: &Context) -> anyhow::Result<()> {
    let text = LogText::read(log)?;
    let rows = text.rows(context)?.rows().len();
    anyhow::ensure!(rows == ROWS, "{rows} rows");
    Ok(())
}

fn add(log: &Path, context: &Context, round: usize) -> anyhow::Result<()> {
    let record = Record::new(&format!("shop/new/task-{round}"), 1, Status::Done, &hash("new", round));
    let appended = consumers::append(log, context, &record, Reappend::Never)?;
    anyhow::ensure!(appended == Append::Write, "the row was there");
    Ok(())
}

fn reserve(registry: &Registry, context: &Context, round: usize) -> anyhow::Result<()> {
    let key: TaskKey = format!("shop/new/task-{round}").parse()?;
    let wanted = TaskWanted {
        worktree_path: format!("/home/ann/.okstra/worktrees/{key}"),
        branch: format!("feat-task-{round}"),
        base_ref: "refs/heads/main".to_owned(),
        git_common_dir: "/home/ann/src/shop/.git".to_owned(),
    };
    let entry = registry.lock(context)?.reserve_task(&key, &wanted)?;
    anyhow::ensure!(entry.branch.as_ref() == Some(&wanted.branch), "another branch");
    Ok(())
}

/// A log of the rows that runs and stages write: one in three is done, with the fingerprints of two commits and paths.
fn log(rows: usize) -> String {
    let mut text = String::new();
    for number in 0..rows {
        let (task, stage) = (number / 40, number / 3 % 13 + 1);
        let key = format!("\"impl_task_key\":\"shop/group-{}/task-{task}\",\"stage\":{stage}", task % 7);
        let [head, one, two] = ["head", "one", "two"].map(|what| hash(what, number));
        let (at, run) = ("2026-11-30T20:03:00Z", format!("\"run\":\"implementation-{:03}\"", number % 900 + 1));
        let _ = if number % 3 == 2 {
            write!(
                text,
                "{{{key},\"status\":\"done\",\"head_commit\":\"{head}\",\"completed_at\":\"{at}\",{run},\
                 \"base_commit\":\"{one}\",\"content\":{{\"v\":1,\"base_tree\":\"{one}\",\"head_tree\":\"{two}\",\
                 \"paths\":[\"src/checkout/cart.rs\",\"src/checkout/price.rs\"],\"change\":\"{}\",\
                 \"commits\":[{{\"id\":\"{two}\",\"change\":\"{}\"}},{{\"id\":\"{head}\",\"change\":\"{}\"}}]}}}}",
                digest(&one),
                digest(&two),
                digest(&head)
            )
        } else {
            let status = format!("\"status\":\"started\",\"head_commit\":\"{head}\",\"started_at\":\"{at}\"");
            write!(text, "{{{key},{status},{run}}}")
        };
        text.push('\n');
    }
    text
}

/// A registry as okstra writes it.
fn tasks() -> String {
    let mut text = "{\n  \"schemaVersion\": \"1.0\",\n  \"tasks\": {".to_owned();
    for task in 0..TASKS {
        let key = format!("shop/group-{}/task-{task}", task % 7);
        let comma = if task == 0 { "" } else { "," };
        let path = format!("/home/ann/.okstra/worktrees/{key}");
        let mut stages = Vec::new();
        for stage in 1..=STAGES {
            let base = hash("base", task * STAGES + stage);
            stages.push(format!(
                "        \"{stage}\": {{\n          \"worktree_path\": \"{path}-s{stage}\",\n          \"branch\": \
                 \"fix-task-{task}-s{stage}\",\n          \"base_ref\": \"{base}\"\n        }}"
            ));
        }
        let _ = write!(
            text,
            "{comma}\n    \"{key}\": {{\n      \"worktree_path\": \"{path}\",\n      \"branch\": \"fix-task-{task}\",\n      \
             \"base_ref\": \"refs/heads/main\",\n      \"git_common_dir\": \"/home/ann/src/shop/.git\",\n      \
             \"implementation_base_commit\": \"{}\",\n      \"stages\": {{\n{}\n      }}\n    }}",
            hash("anchor", task),
            stages.join(",\n")
        );
    }
    text.push_str("\n  }\n}\n");
    text
}

/// Forty digits that look like an id.
fn hash(what: &str, number: usize) -> String {
    let mut state = what.bytes().fold(number as u64 + 1, |state, byte| state.wrapping_mul(31) + u64::from(byte));
    (0..5).fold(String::new(), |text, _| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{text}{:08x}", state >> 32)
    })
}

/// Sixty-four digits that look like a SHA-256.
fn digest(hash: &str) -> String {
    format!("{hash}{}", &hash[..24])
}

#[expect(clippy::disallowed_methods, reason = "a bench measures time")]
fn median(measured: impl Fn(usize) -> anyhow::Result<()>) -> anyhow::Result<f64> {
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        let start = Instant::now();
        measured(round)?;
        times.push(start.elapsed().as_secs_f64() * 1000.0);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[ROUNDS / 2])
}
