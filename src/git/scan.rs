//! Which of the walked commits touch the paths in question: found by several threads while the walk goes on.

use std::collections::HashMap;
use std::num::NonZero;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use super::Error;
use super::graph::{NodeIndex, Visit};
use super::objects::{Objects, Readers};
use super::paths::{Finder, PathSet, State};
use crate::context::Cancel;
use crate::domain::equivalence::Slot;

/// Commits handed to a thread at once: enough to make the handing over cheap, few enough to share the work well, and
/// neighbours in history, so that the bases of their deltas are read once.
const BATCH: usize = 512;
/// More threads than this only fight over the memory.
const MAX_THREADS: usize = 4;

/// A commit that touches some of the paths.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) node: NodeIndex,
    before: State,
    after: State,
}

/// What a tree has at some paths, in their order.
pub(super) type Slots = Arc<[Slot]>;

/// What was found.
pub(super) struct Scan {
    finder: Finder,
    /// In no particular order.
    pub(super) touches: Vec<Touch>,
}

impl Scan {
    /// What each of these touches found at these paths: before it, and after it. Equal findings are shared.
    pub(super) fn slots(&self, touches: &[Touch], paths: &[usize]) -> Vec<(Slots, Slots)> {
        let mut known: HashMap<State, Slots> = HashMap::new();
        let mut slots = |state: State| {
            let found = known.entry(state);
            Arc::clone(found.or_insert_with(|| self.finder.slots(state, paths.iter().copied()).into()))
        };
        touches.iter().map(|touch| (slots(touch.before), slots(touch.after))).collect()
    }
}

/// Looks at every commit that `feed` hands over.
pub(super) fn scan<T>(
    readers: &Readers<'_>,
    set: PathSet,
    cancel: &Cancel,
    feed: impl FnOnce(&mut dyn FnMut(Visit)) -> Result<T, Error>,
) -> Result<(Scan, T), Error> {
    let (sender, receiver) = channel();
    let receiver = Mutex::new(receiver);
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
    let finder = Finder::new(set);
    let work = || Worker::new(readers.objects(), finder.clone()).run(&receiver, cancel);
    let (fed, results) = std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let fed = hand_over(sender, feed);
        let mut results = vec![work()];
        results.extend(helpers.into_iter().map(|helper| match helper.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }));
        (fed, results)
    });
    let fed = fed?;
    let mut touches = Vec::new();
    for worker in results {
        touches.extend(worker?.touches);
    }
    Ok((Scan { finder, touches }, fed))
}

/// Passes on in batches what is fed; the channel closes at the end, so that the threads stop.
fn hand_over<T>(
    sender: Sender<Vec<Visit>>,
    feed: impl FnOnce(&mut dyn FnMut(Visit)) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut batch = Vec::with_capacity(BATCH);
    let fed = feed(&mut |visit| {
        batch.push(visit);
        if batch.len() == BATCH {
            // The receiver lives as long as the sender: both are dropped after the threads have ended.
            let _ = sender.send(std::mem::replace(&mut batch, Vec::with_capacity(BATCH)));
        }
    })?;
    let _ = sender.send(batch);
    Ok(fed)
}

struct Worker {
    objects: Objects,
    finder: Finder,
    touches: Vec<Touch>,
}

impl Worker {
    fn new(objects: Objects, finder: Finder) -> Self {
        Self { objects, finder, touches: Vec::new() }
    }

    fn run(mut self, receiver: &Mutex<Receiver<Vec<Visit>>>, cancel: &Cancel) -> Result<Self, Error> {
        loop {
            let batch = match receiver.lock() {
                Ok(receiver) => receiver.recv(),
                Err(poisoned) => poisoned.into_inner().recv(),
            };
            let Ok(batch) = batch else { return Ok(self) };
            cancel.check()?;
            for visit in batch {
                self.look(&visit)?;
            }
        }
    }

    fn look(&mut self, visit: &Visit) -> Result<(), Error> {
        let nothing = gix::ObjectId::empty_tree(self.objects.hash);
        let parent = visit.parent_tree.unwrap_or(nothing);
        if parent == visit.tree {
            return Ok(());
        }
        let after = self.finder.state(&self.objects, &visit.tree)?;
        let before = self.finder.state(&self.objects, &parent)?;
        if before != after {
            self.touches.push(Touch { node: visit.node, before, after });
        }
        Ok(())
    }
}
