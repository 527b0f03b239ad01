//! A pack in memory: how new objects are handed to git, all at once and as the bytes that they are.

use std::collections::HashSet;
use std::io::Write;

use gix::objs::Kind;
use gix::odb::pack::data::entry::Header;
use gix::odb::pack::data::{Version, header};
use gix::zlib::Compression;
use gix::zlib::stream::deflate;

/// Objects that the repository has not got.
pub(super) struct Pack {
    hash: gix::hash::Kind,
    known: HashSet<gix::ObjectId>,
    entries: Vec<u8>,
    count: u32,
}

impl Pack {
    /// An empty pack for a repository that has the objects `known`.
    pub(super) fn new(hash: gix::hash::Kind, known: HashSet<gix::ObjectId>) -> Self {
        Self { hash, known, entries: Vec::new(), count: 0 }
    }

    /// The kind of its ids.
    pub(super) fn hash(&self) -> gix::hash::Kind {
        self.hash
    }

    /// The id of an object, which is now in the pack unless the repository has it.
    pub(super) fn add(&mut self, kind: Kind, data: &[u8]) -> Result<gix::ObjectId, gix::Error> {
        let id = gix::objs::compute_hash(self.hash, kind, data)?;
        if self.known.insert(id) {
            self.append(kind, data).map_err(gix::Error::from_error)?;
        }
        Ok(id)
    }

    fn append(&mut self, kind: Kind, data: &[u8]) -> std::io::Result<()> {
        let header = match kind {
            Kind::Blob => Header::Blob,
            Kind::Tree => Header::Tree,
            Kind::Commit => Header::Commit,
            Kind::Tag => Header::Tag,
        };
        header.write_to(data.len() as u64, &mut self.entries)?;
        // git compresses anew what it stores; this is for the way there.
        let mut compressed = deflate::Write::new(&mut self.entries, Compression::BEST_SPEED);
        compressed.write_all(data)?;
        compressed.flush()?;
        self.count += 1;
        Ok(())
    }

    /// Whether the repository has all that was added.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The pack as `git unpack-objects` reads it.
    pub(super) fn finish(self) -> Result<Vec<u8>, gix::Error> {
        let mut bytes = header::encode(Version::V2, self.count).to_vec();
        bytes.extend(self.entries);
        let mut hasher = gix::hash::hasher(self.hash);
        hasher.update(&bytes);
        bytes.extend(hasher.try_finalize()?.as_slice());
        Ok(bytes)
    }
}
