//! Moving refs: all of them or none, and each only from where it was read to be.

use std::thread;
use std::time::Duration;

use super::resolve::Target;
use super::{Error, Git, Repository};
use crate::context::Context;

/// How often git is asked when it fails although no ref has moved: a lock, for which git itself waits half a second.
const TRIES: u32 = 3;
/// The pause after a failure.
const PAUSE: Duration = Duration::from_millis(20);

/// A ref to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RefEdit {
    /// Its full name.
    pub(super) name: String,
    /// Where it was read to be; `None` when there was none.
    pub(super) old: Option<gix::ObjectId>,
    /// Where it shall be; `None` when it shall be no more.
    pub(super) new: Option<gix::ObjectId>,
}

impl Repository {
    /// Moves the refs in one transaction. The answer is whether they were: no, when one of them was not, or no longer,
    /// where it should be.
    pub(super) fn move_refs(&self, context: &Context, edits: &[RefEdit]) -> Result<bool, Error> {
        let git = Git::plumbing(self);
        let hash = self.local().object_hash();
        let mut tries = 1;
        loop {
            let error = match git.write(context, &["update-ref", "--no-deref", "-z", "--stdin"], orders(edits, hash)) {
                Ok(()) => return Ok(true),
                Err(error @ Error::GitCommand { .. }) => error,
                Err(error) => return Err(error),
            };
            if self.any_moved(context, edits)? {
                return Ok(false);
            }
            if tries == TRIES {
                return Err(self.named(edits, error));
            }
            tries += 1;
            thread::sleep(PAUSE);
            context.cancel().check()?;
        }
    }

    /// Where a ref that okstra moves is.
    pub(super) fn place_of(&self, context: &Context, name: &str) -> Result<Option<gix::ObjectId>, Error> {
        Ok(match self.target(context, name)? {
            Some(Target::Object(id)) => Some(id),
            Some(Target::Unborn) | None => None,
        })
    }

    fn any_moved(&self, context: &Context, edits: &[RefEdit]) -> Result<bool, Error> {
        for edit in edits {
            if self.place_of(context, &edit.name)? != edit.old {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn named(&self, edits: &[RefEdit], error: Error) -> Error {
        match error {
            Error::GitCommand { message, .. } if is_locked(&message) => {
                let name = edits.first().map(|edit| edit.name.clone()).unwrap_or_default();
                Error::RefLocked { name, path: self.path.clone(), message: first_line(&message) }
            }
            error => error,
        }
    }
}

/// What `git update-ref -z --stdin` reads.
fn orders(edits: &[RefEdit], hash: gix::hash::Kind) -> Vec<u8> {
    let order = |edit: &RefEdit| {
        let old = edit.old.unwrap_or_else(|| hash.null());
        match edit.new {
            Some(new) => format!("update {}\0{new}\0{old}\0", edit.name),
            None => format!("delete {}\0{old}\0", edit.name),
        }
    };
    edits.iter().map(order).collect::<String>().into_bytes()
}

/// Whether git gave up on a lock file that was there, or on the one lock of a reftable.
fn is_locked(message: &str) -> bool {
    message.contains(".lock': File exists") || message.contains("data is locked") || message.contains("lock references")
}

fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().to_owned()
}
