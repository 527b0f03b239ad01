//! Reading objects: what is missing is told apart from what is broken.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use gix::objs::commit::ref_iter::Token;
use gix::objs::{CommitRefIter, Kind, Write as _};

use super::{Error, Repository};
use crate::domain::ids::{CommitId, ObjectId};

/// Memory for the bases of packed deltas, which history walks read again and again.
const PACK_CACHE_BYTES: usize = 4 * 1024 * 1024;
/// How often a tag may point to a tag.
const MAX_TAG_DEPTH: usize = 64;

/// The object store as gix hands it out; what is written to it stays in memory.
pub(super) type Store = gix::odb::memory::Proxy<gix::odb::Handle>;

/// A reader of objects with caches of its own; objects that it makes stay in memory.
pub(super) struct Objects {
    pub(super) store: Store,
    pub(super) hash: gix::hash::Kind,
    path: PathBuf,
    buffer: Vec<u8>,
    damage: Damage,
}

/// What a reader does about an object that is there and cannot be read.
#[derive(Clone, Debug)]
enum Damage {
    /// It fails.
    Fails,
    /// It takes it for missing, since a failed read is no evidence for anything, and remembers the first.
    Noted(Arc<OnceLock<String>>),
}

/// The first damaged object that a search met, shared by its readers.
#[derive(Clone, Debug, Default)]
pub(super) struct Damaged(Arc<OnceLock<String>>);

impl Damaged {
    /// Its id.
    pub(super) fn first(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}

/// What a history walk needs of a commit.
#[derive(Clone, Debug)]
pub(super) struct CommitFacts {
    pub(super) tree: gix::ObjectId,
    pub(super) parents: Vec<gix::ObjectId>,
    /// The committer's time, in seconds since 1970.
    pub(super) time: i64,
}

/// Makes the readers of one search: they share what they note of damage.
#[derive(Clone)]
pub(super) struct Readers<'r> {
    pub(super) repository: &'r Repository,
    pub(super) damaged: Damaged,
}

impl<'r> Readers<'r> {
    pub(super) fn new(repository: &'r Repository) -> Self {
        Self { repository, damaged: Damaged::default() }
    }

    /// One more reader, with caches of its own.
    pub(super) fn objects(&self) -> Objects {
        self.repository.objects().noting(&self.damaged)
    }
}

impl Objects {
    pub(super) fn new(repository: &Repository) -> Self {
        let local = repository.local();
        let hash = local.object_hash();
        let mut handle = repository.shared.objects.to_handle_arc();
        // Objects are what their ids say, whatever refs/replace holds.
        handle.ignore_replacements = true;
        let mut cache: gix::odb::Handle = gix::odb::Cache::from(handle);
        cache.set_pack_cache(|| Box::new(gix::odb::pack::cache::lru::MemoryCappedHashmap::new(PACK_CACHE_BYTES)));
        let store = Store::new(cache, hash);
        // git knows the empty tree without storing it. Memory takes whatever is written.
        let _ = store.write_buf(Kind::Tree, &[]);
        Self { store, hash, path: repository.path.clone(), buffer: Vec::new(), damage: Damage::Fails }
    }

    /// The same reader for a search: what is damaged is missing to it.
    pub(super) fn noting(self, damaged: &Damaged) -> Self {
        Self { damage: Damage::Noted(Arc::clone(&damaged.0)), ..self }
    }

    /// The same reader for commits, which are seldom stored as deltas: to remember bases would only cost time.
    pub(super) fn without_pack_cache(mut self) -> Self {
        self.store.unset_pack_cache();
        self
    }

    /// The object, or `None` when it is missing.
    pub(super) fn find<'b>(
        &self,
        id: &gix::oid,
        buffer: &'b mut Vec<u8>,
    ) -> Result<Option<gix::objs::Data<'b>>, Error> {
        gix::objs::Find::try_find(&self.store, id, buffer).or_else(|error| self.damaged(id, error))
    }

    /// What comes of an object that cannot be read: nothing, when damage is only noted.
    pub(super) fn damaged<T>(&self, id: &gix::oid, error: gix::Error) -> Result<Option<T>, Error> {
        match &self.damage {
            Damage::Noted(first) if !error.is_permission_denied() => {
                first.get_or_init(|| id.to_string());
                Ok(None)
            }
            _ => Err(self.broken(id, error)),
        }
    }

    /// The object, when it is there and of this kind.
    pub(super) fn find_kind<'b>(
        &self,
        id: &gix::oid,
        kind: Kind,
        buffer: &'b mut Vec<u8>,
    ) -> Result<Option<&'b [u8]>, Error> {
        match self.find(id, buffer)? {
            Some(data) if data.kind == kind => Ok(Some(data.data)),
            Some(data) => {
                let error = std::io::Error::other(format!("expected a {kind}, found a {}", data.kind));
                self.damaged(id, gix::Error::from_error(error))
            }
            None => Ok(None),
        }
    }

    /// The commit with this id, or `None` when it is missing.
    pub(super) fn commit(&mut self, id: &gix::oid) -> Result<Option<CommitFacts>, Error> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let facts = match self.find_kind(id, Kind::Commit, &mut buffer) {
            Ok(Some(data)) => self.parse_commit(data).map(Some).or_else(|error| self.damaged(id, error)),
            Ok(None) => Ok(None),
            Err(error) => Err(error),
        };
        self.buffer = buffer;
        facts
    }

    fn parse_commit(&self, data: &[u8]) -> Result<CommitFacts, gix::Error> {
        let tree = CommitRefIter::from_bytes(data, self.hash).tree_id()?;
        let mut parents = Vec::new();
        for token in CommitRefIter::from_bytes(data, self.hash) {
            match token? {
                Token::Tree { .. } => {}
                Token::Parent { id } => parents.push(id),
                _ => break,
            }
        }
        // A time that no one can read only changes the order in which commits are visited.
        let time = CommitRefIter::from_bytes(data, self.hash).committer().map_or(0, |who| who.seconds());
        Ok(CommitFacts { tree, parents, time })
    }

    /// Follows tags to what they mark. `None` when an object on the way is missing.
    pub(super) fn peel(&self, id: gix::ObjectId) -> Result<Option<(gix::ObjectId, Kind)>, Error> {
        let (mut id, mut buffer) = (id, Vec::new());
        for _ in 0..MAX_TAG_DEPTH {
            let Some(data) = self.find(&id, &mut buffer)? else { return Ok(None) };
            if data.kind != Kind::Tag {
                return Ok(Some((id, data.kind)));
            }
            id = gix::objs::TagRefIter::from_bytes(data.data, self.hash)
                .target_id()
                .map_err(|error| self.broken(&id, error))?;
        }
        let error = std::io::Error::other("tags that point to tags without an end");
        Err(self.broken(&id, gix::Error::from_error(error)))
    }

    pub(super) fn broken(&self, id: &gix::oid, source: gix::Error) -> Error {
        Error::object(id, &self.path, source)
    }
}

/// The domain's form of an id.
pub(super) fn domain_id(id: &gix::oid) -> ObjectId {
    // Both kinds that gix knows, 20 and 32 bytes, are kinds that the domain knows.
    ObjectId::from_bytes(id.as_bytes()).unwrap_or_else(|| unreachable!("an id of {} bytes", id.as_bytes().len()))
}

/// The domain's form of a commit's id.
pub(super) fn commit_id(id: &gix::oid) -> CommitId {
    CommitId(domain_id(id))
}

/// gix's form of an id.
pub(super) fn gix_id(id: ObjectId) -> gix::ObjectId {
    gix::ObjectId::from_bytes_or_panic(id.as_bytes())
}
