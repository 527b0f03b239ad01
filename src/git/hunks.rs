//! What a change of a file replaces by what, and cheap tests for whether another file can hold it.
//!
//! A merge of contents takes a thousand times as long as looking for a few lines. Where these tests say no, the merge
//! is spared; where they say maybe, it decides.

use std::collections::HashMap;
use std::rc::Rc;

use gix::bstr::ByteSlice;
use gix::diff::blob::{Algorithm, Diff, InternedInput};

use super::Error;
use super::changes::blob;
use super::objects::Objects;
use crate::domain::ids::ObjectId;

/// The lines that a place of a file had before and has after.
struct Hunk {
    before: Vec<u8>,
    after: Vec<u8>,
}

/// The hunks between pairs of files, and answers, remembered.
#[derive(Default)]
pub(super) struct Hunks {
    between: HashMap<(ObjectId, ObjectId), Rc<[Hunk]>>,
    results: HashMap<([ObjectId; 2], ObjectId), bool>,
}

impl Hunks {
    /// Whether `file` could be what comes of applying the change `old → new` to something: it then has the new lines of
    /// each place. `None` when something is missing.
    pub(super) fn may_result_in(
        &mut self,
        objects: &Objects,
        [old, new]: [ObjectId; 2],
        file: ObjectId,
    ) -> Result<Option<bool>, Error> {
        if let Some(&known) = self.results.get(&([old, new], file)) {
            return Ok(Some(known));
        }
        let (Some(hunks), Some(text)) = (self.between(objects, old, new)?, blob(objects, file)?) else {
            return Ok(None);
        };
        let answer = hunks.iter().all(|hunk| text.contains_str(&hunk.after));
        self.results.insert(([old, new], file), answer);
        Ok(Some(answer))
    }

    /// Whether taking the change `old → new` out of `file` could alter it: the file then has the new lines of some
    /// place, where there are any. `None` when something is missing.
    pub(super) fn may_be_held_by(
        &mut self,
        objects: &Objects,
        [old, new]: [ObjectId; 2],
        file: ObjectId,
    ) -> Result<Option<bool>, Error> {
        let (Some(hunks), Some(text)) = (self.between(objects, new, old)?, blob(objects, file)?) else {
            return Ok(None);
        };
        // Lines that the change only drops may stand elsewhere too: that they are there says nothing.
        Ok(Some(hunks.iter().any(|hunk| hunk.before.is_empty() || text.contains_str(&hunk.before))))
    }

    /// Whether `file` has the new lines of some place of the change `old → new`, which `old` has nowhere. `None` when
    /// something is missing.
    pub(super) fn has_new_lines(
        &mut self,
        objects: &Objects,
        [old, new]: [ObjectId; 2],
        file: ObjectId,
    ) -> Result<Option<bool>, Error> {
        let (Some(hunks), Some(text), Some(before)) =
            (self.between(objects, new, old)?, blob(objects, file)?, blob(objects, old)?)
        else {
            return Ok(None);
        };
        let is_new = |lines: &[u8]| !lines.is_empty() && text.contains_str(lines) && !before.contains_str(lines);
        Ok(Some(hunks.iter().any(|hunk| is_new(&hunk.before))))
    }

    /// Whether `file` has the old lines of some place of the change `old → new` back, and the new ones not: lines that
    /// `new` has nowhere. `None` when something is missing.
    pub(super) fn took_back(
        &mut self,
        objects: &Objects,
        [old, new]: [ObjectId; 2],
        file: ObjectId,
    ) -> Result<Option<bool>, Error> {
        let (Some(hunks), Some(text), Some(after)) =
            (self.between(objects, old, new)?, blob(objects, file)?, blob(objects, new)?)
        else {
            return Ok(None);
        };
        let back = |hunk: &Hunk| {
            let old_lines = !hunk.before.is_empty() && !after.contains_str(&hunk.before);
            old_lines && text.contains_str(&hunk.before) && (hunk.after.is_empty() || !text.contains_str(&hunk.after))
        };
        Ok(Some(hunks.iter().any(back)))
    }

    fn between(&mut self, objects: &Objects, from: ObjectId, to: ObjectId) -> Result<Option<Rc<[Hunk]>>, Error> {
        if let Some(known) = self.between.get(&(from, to)) {
            return Ok(Some(Rc::clone(known)));
        }
        let (Some(before), Some(after)) = (blob(objects, from)?, blob(objects, to)?) else { return Ok(None) };
        let hunks = diff(&before, &after);
        self.between.insert((from, to), Rc::clone(&hunks));
        Ok(Some(hunks))
    }
}

/// The hunks as the merge computes them, from the same sides and with the same algorithm.
fn diff(before: &[u8], after: &[u8]) -> Rc<[Hunk]> {
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let lines =
        |tokens: &[gix::diff::blob::Token]| tokens.iter().flat_map(|&token| input.interner[token]).copied().collect();
    let range = |range: &std::ops::Range<u32>| range.start as usize..range.end as usize;
    diff.hunks()
        .map(|hunk| Hunk {
            before: lines(&input.before[range(&hunk.before)]),
            after: lines(&input.after[range(&hunk.after)]),
        })
        .collect()
}
