//! Building histories batch by batch, asking about them, and making counterexamples small.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use okstra::domain::equivalence::ContentMerged;

use super::asking::{Asker, Opened};
use super::judge::Fault;
use super::recipe::Recipe;
use super::repository::{Histories, Storage};
use super::script::script;
use super::statistics::Statistics;
use super::truth::Query;
use super::world::World;

/// Histories in one repository.
const BATCH: u64 = 100;
const STORAGES: [Storage; 4] = [Storage::Pack, Storage::Graph, Storage::Sha256, Storage::Loose];
/// Counterexamples of one kind that are made small and shown.
const SHOWN: usize = 2;

/// What came out.
#[derive(Default)]
pub(super) struct Report {
    /// The seeds with something wrong, by what it is.
    pub(super) faults: BTreeMap<Fault, Vec<u64>>,
    pub(super) statistics: Statistics,
}

/// A question, its answer, and what is wrong with it.
struct Wrong {
    fault: Fault,
    detail: String,
    query: Query,
    answer: ContentMerged,
}

impl Report {
    pub(super) fn of(first: u64, count: u64) -> Self {
        let (next, report) = (AtomicU64::new(first), Mutex::new(Self::default()));
        let work = || {
            loop {
                let start = next.fetch_add(BATCH, Ordering::Relaxed);
                if start >= first + count {
                    break;
                }
                let seeds: Vec<u64> = (start..(start + BATCH).min(first + count)).collect();
                let storage = STORAGES[usize::try_from(start / BATCH).unwrap_or_default() % STORAGES.len()];
                let part = Self::of_batch(&seeds, storage);
                report.lock().expect("no panic").add(part);
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
        report.into_inner().expect("no panic")
    }

    fn of_batch(seeds: &[u64], storage: Storage) -> Self {
        let recipes: Vec<Recipe> = seeds.iter().map(|&seed| Recipe::random(seed)).collect();
        let mut report = Self::default();
        for (recipe, wrong) in recipes.iter().zip(ask_all(&recipes, storage, &mut report.statistics)) {
            let mut faults: Vec<Fault> = wrong.iter().map(|wrong| wrong.fault).collect();
            faults.sort_unstable();
            faults.dedup();
            for fault in faults {
                report.faults.entry(fault).or_default().push(recipe.seed);
            }
        }
        report
    }

    fn add(&mut self, other: Self) {
        for (fault, seeds) in other.faults {
            self.faults.entry(fault).or_default().extend(seeds);
        }
        self.statistics.add(other.statistics);
    }

    /// How many of each fault, and the table.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (fault, seeds) in &self.faults {
            text += &format!("{fault:?}: {} {:?}\n", seeds.len(), &seeds[..seeds.len().min(20)]);
        }
        text + &self.statistics.table()
    }

    /// The first faults of each kind, made small, with scripts that rebuild them.
    pub(super) fn counterexamples(&self) -> String {
        let mut text = self.text();
        for (fault, seeds) in &self.faults {
            let mut seeds = seeds.clone();
            seeds.sort_unstable();
            for &seed in seeds.iter().take(SHOWN) {
                text += &counterexample(*fault, seed);
            }
        }
        text
    }
}

/// Builds the histories and asks all about them; what is wrong with each.
fn ask_all(recipes: &[Recipe], storage: Storage, statistics: &mut Statistics) -> Vec<Vec<Wrong>> {
    let scratch = tempfile::Builder::new().prefix("okstra-histories-").tempdir().expect("a temporary folder");
    let worlds: Vec<World> = recipes.iter().map(World::build).collect();
    let histories = Histories::write(scratch.path(), &worlds, storage);
    let opened = Opened::new(&histories);
    let mut asker = opened.asker(&histories);
    let mut all = Vec::new();
    for (number, recipe) in recipes.iter().enumerate() {
        let (asked, wrong) = about_one(&mut asker, &worlds[number], number, &histories);
        statistics.count(recipe, &worlds[number], &asked);
        all.push(wrong);
    }
    all
}

fn about_one(
    asker: &mut Asker<'_>,
    world: &World,
    number: usize,
    histories: &Histories,
) -> (Vec<(Query, ContentMerged)>, Vec<Wrong>) {
    let mut wrong = Vec::new();
    let mut asked = Vec::new();
    for query in world.queries() {
        let known = world.known(&query);
        let answer = asker.ask(world, number, &query);
        let mut faults = world.judge(&query, &answer, &known, &histories.ids[number]);
        if !world.is_common && query.carrier.is_none() {
            faults.extend(asker.compare_fingerprint(world, number, &query, &known));
        }
        let of = |(fault, detail)| Wrong { fault, detail, query: query.clone(), answer: answer.clone() };
        wrong.extend(faults.into_iter().map(of));
        asked.push((query, answer));
    }
    let faults = asker.ask_together(world, number, &asked);
    if let Some((query, answer)) = asked.first() {
        let of = |(fault, detail)| Wrong { fault, detail, query: query.clone(), answer: answer.clone() };
        wrong.extend(faults.into_iter().map(of));
    }
    (asked, wrong)
}

/// What is wrong with one recipe, in a repository of its own.
fn faults_of(recipe: &Recipe, fault: Fault, storage: Storage) -> Option<(World, Wrong)> {
    let wrong = ask_all(std::slice::from_ref(recipe), storage, &mut Statistics::default()).pop()?;
    let wrong = wrong.into_iter().find(|wrong| wrong.fault == fault)?;
    Some((World::build(recipe), wrong))
}

/// A smaller recipe with the same fault, with a script that rebuilds it.
fn counterexample(fault: Fault, seed: u64) -> String {
    let mut recipe = Recipe::random(seed);
    let Some(storage) = STORAGES.into_iter().find(|storage| faults_of(&recipe, fault, *storage).is_some()) else {
        return format!("\n{fault:?}, seed {seed}: not seen again in a repository of its own\n");
    };
    while let Some(smaller) = recipe.smaller().into_iter().find(|less| faults_of(less, fault, storage).is_some()) {
        recipe = smaller;
    }
    let Some((world, wrong)) = faults_of(&recipe, fault, storage) else { return String::new() };
    let (query, answer, detail) = (&wrong.query, &wrong.answer, &wrong.detail);
    let script = script(&world, query);
    format!(
        "\n=== {fault:?}, seed {seed}, {storage:?}\n{recipe:?}\n{query:?}\n{answer:?}\n{detail}\n--- script\n{script}"
    )
}
