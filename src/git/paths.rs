//! What trees hold at a fixed set of paths.
//!
//! A history search asks the same paths of thousands of trees that hardly differ. So what a folder holds of the paths
//! is remembered by the folder's id, and equal findings share one number: two commits touch none of the paths between
//! them exactly when their numbers are equal.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gix::objs::tree::EntryRef;
use gix::objs::{Kind, TreeRefIter};

use super::Error;
use super::objects::{Objects, domain_id};
use crate::domain::equivalence::{Entry, Mode, RepoPath, Slot};

/// A number for what a tree holds at all the paths.
pub(super) type State = u32;

/// The paths, as a tree of folders.
#[derive(Debug)]
pub(super) struct PathSet {
    folders: Vec<Folder>,
    /// For each path: the folder that it is in, and its place among that folder's leaves.
    places: Vec<(usize, usize)>,
}

#[derive(Debug, Default)]
struct Folder {
    /// The folder above, and the place among its subfolders.
    above: Option<(usize, usize)>,
    /// The names in question, sorted once all are known.
    names: Vec<Name>,
    leaves: usize,
    /// The folders below, by place.
    subfolders: Vec<usize>,
    /// Which first bytes occur among the names: most entries of a tree are passed over by it.
    first_bytes: [u64; 4],
}

#[derive(Debug)]
struct Name {
    bytes: Box<[u8]>,
    leaf: Option<usize>,
    /// The folder, and its place among the subfolders.
    subfolder: Option<(usize, usize)>,
}

impl PathSet {
    pub(super) fn new(paths: &[RepoPath]) -> Self {
        let mut set = Self { folders: vec![Folder::default()], places: Vec::with_capacity(paths.len()) };
        let mut index = HashMap::new();
        for path in paths {
            set.add(path.as_bytes(), &mut index);
        }
        for folder in &mut set.folders {
            folder.names.sort_unstable_by(|a, b| a.bytes.cmp(&b.bytes));
        }
        set
    }

    fn add<'p>(&mut self, path: &'p [u8], index: &mut HashMap<(usize, &'p [u8]), usize>) {
        let mut at = 0;
        let mut parts = path.split(|&byte| byte == b'/').peekable();
        while let Some(part) = parts.next() {
            let name = *index.entry((at, part)).or_insert_with(|| self.folders[at].add(part));
            if parts.peek().is_none() {
                let folder = &mut self.folders[at];
                let leaf = *folder.names[name].leaf.get_or_insert_with(|| {
                    folder.leaves += 1;
                    folder.leaves - 1
                });
                self.places.push((at, leaf));
            } else {
                at = self.subfolder(at, name);
            }
        }
    }

    fn subfolder(&mut self, at: usize, name: usize) -> usize {
        if let Some((folder, _)) = self.folders[at].names[name].subfolder {
            return folder;
        }
        let (new, place) = (self.folders.len(), self.folders[at].subfolders.len());
        self.folders[at].subfolders.push(new);
        self.folders[at].names[name].subfolder = Some((new, place));
        self.folders.push(Folder { above: Some((at, place)), ..Folder::default() });
        new
    }
}

impl Folder {
    fn add(&mut self, part: &[u8]) -> usize {
        let first = part.first().copied().unwrap_or(0);
        self.first_bytes[usize::from(first >> 6)] |= 1 << (first & 63);
        self.names.push(Name { bytes: part.into(), leaf: None, subfolder: None });
        self.names.len() - 1
    }

    /// Which of the names the entry has.
    fn name_of(&self, entry: &EntryRef<'_>) -> Option<usize> {
        let first = *entry.filename.first()?;
        if self.first_bytes[usize::from(first >> 6)] & (1 << (first & 63)) == 0 {
            return None;
        }
        self.names.binary_search_by(|name| (*name.bytes).cmp(entry.filename)).ok()
    }
}

/// What a folder holds of the paths.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Held {
    leaves: Box<[Slot]>,
    subfolders: Box<[State]>,
}

/// Findings for one [`PathSet`], remembered. Clones share what they remember, also between threads.
#[derive(Clone)]
pub(super) struct Finder {
    set: Arc<PathSet>,
    memory: Arc<Mutex<Memory>>,
}

#[derive(Default)]
struct Memory {
    known: HashMap<(usize, gix::ObjectId), State>,
    numbers: HashMap<Held, State>,
    held: Vec<Held>,
}

impl Memory {
    fn slot(&self, set: &PathSet, state: State, path: usize) -> Slot {
        let (folder, leaf) = set.places[path];
        self.held[self.below(set, state, folder) as usize].leaves[leaf]
    }

    /// What a tree of this state holds in a folder. Paths are as deep as people nest folders.
    fn below(&self, set: &PathSet, state: State, folder: usize) -> State {
        match set.folders[folder].above {
            Some((above, place)) => self.held[self.below(set, state, above) as usize].subfolders[place],
            None => state,
        }
    }
}

impl Finder {
    pub(super) fn new(set: PathSet) -> Self {
        Self { set: Arc::new(set), memory: Arc::default() }
    }

    /// What `tree` holds at all the paths; a missing tree is remembered as unknown.
    pub(super) fn state(&self, objects: &Objects, tree: &gix::oid) -> Result<State, Error> {
        self.folder_state(objects, 0, tree)
    }

    /// What a tree of this state holds at the path with this number.
    pub(super) fn slot(&self, state: State, path: usize) -> Slot {
        self.memory().slot(&self.set, state, path)
    }

    /// What a tree of this state holds at each of these paths.
    pub(super) fn slots(&self, state: State, paths: impl IntoIterator<Item = usize>) -> Vec<Slot> {
        let memory = self.memory();
        paths.into_iter().map(|path| memory.slot(&self.set, state, path)).collect()
    }

    /// Held only to look something up or to add it, so that a thread that panicked has left nothing half-done.
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn folder_state(&self, objects: &Objects, folder: usize, tree: &gix::oid) -> Result<State, Error> {
        let key = (folder, tree.to_owned());
        if let Some(&state) = self.memory().known.get(&key) {
            return Ok(state);
        }
        let mut buffer = Vec::new();
        let held = match objects.find_kind(tree, Kind::Tree, &mut buffer)? {
            Some(data) => self.read(objects, folder, tree, data)?,
            None => None,
        };
        let state = held.unwrap_or_else(|| self.filled(folder, Slot::Unknown(domain_id(tree))));
        self.memory().known.insert(key, state);
        Ok(state)
    }

    /// `None` for a tree that is damaged, where damage is only noted.
    fn read(&self, objects: &Objects, folder: usize, tree: &gix::oid, data: &[u8]) -> Result<Option<State>, Error> {
        let shape = &self.set.folders[folder];
        let mut leaves = vec![Slot::Absent; shape.leaves];
        let mut subfolders = vec![None; shape.subfolders.len()];
        let mut seen = vec![false; shape.names.len()];
        let mut open = shape.names.len();
        for entry in TreeRefIter::from_bytes(data, objects.hash) {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => return objects.damaged(tree, error),
            };
            let Some(number) = shape.name_of(&entry) else { continue };
            let name = &shape.names[number];
            if std::mem::replace(&mut seen[number], true) {
                let twice = std::io::Error::other(format!("a tree that has `{}` twice", entry.filename));
                return objects.damaged(tree, gix::Error::from_error(twice));
            }
            let found = Entry { mode: Mode(entry.mode.value()), id: domain_id(entry.oid) };
            if let Some(leaf) = name.leaf {
                leaves[leaf] = Slot::Entry(found);
            }
            if let Some((below, place)) = name.subfolder {
                subfolders[place] = Some(if entry.mode.is_tree() {
                    self.folder_state(objects, below, entry.oid)?
                } else {
                    self.filled(below, Slot::Blocked(found))
                });
            }
            open -= 1;
            if open == 0 {
                break;
            }
        }
        let below = shape.subfolders.iter().zip(subfolders);
        let subfolders =
            below.map(|(&below, found)| found.unwrap_or_else(|| self.filled(below, Slot::Absent))).collect();
        Ok(Some(self.number(Held { leaves: leaves.into(), subfolders })))
    }

    /// The state in which the same is to be found everywhere.
    fn filled(&self, folder: usize, slot: Slot) -> State {
        let shape = &self.set.folders[folder];
        let leaves = vec![slot; shape.leaves].into();
        let subfolders = shape.subfolders.iter().map(|&below| self.filled(below, slot)).collect();
        self.number(Held { leaves, subfolders })
    }

    fn number(&self, held: Held) -> State {
        let mut memory = self.memory();
        if let Some(&state) = memory.numbers.get(&held) {
            return state;
        }
        let state = State::try_from(memory.held.len()).unwrap_or(State::MAX);
        memory.held.push(held.clone());
        memory.numbers.insert(held, state);
        state
    }
}
