//! What doctor looks at on every machine: okstra, git, okstra's own folder.

use std::path::Path;
use std::time::Duration;

use super::restore::told;
use crate::context::Context;
use crate::domain::doctor::{Fact, Fault};
use crate::domain::hint::Hint;
use crate::fs::{self, LockGuard, ScratchFolder};
use crate::git::{self, Git};
use crate::ops::Error;
use crate::store::{self, Home};

/// This okstra, git, and okstra's own folder.
pub(super) fn facts(context: &Context, home: &Result<Home, store::Error>) -> Result<Vec<Fact>, Error> {
    let mut facts = vec![Fact::Okstra(env!("CARGO_PKG_VERSION").to_owned()), git(context)?];
    match home {
        Ok(home) => facts.extend(own_folder(home.folder())),
        Err(error) => facts.push(Fact::NoHome(fault(error))),
    }
    Ok(facts)
}

fn git(context: &Context) -> Result<Fact, Error> {
    match Git::at(context.environment().temp_folder()).run(context, &["--version"]) {
        Ok(output) => Ok(Fact::Git(Some(String::from_utf8_lossy(output.trim_ascii()).into_owned()))),
        Err(git::Error::NoGit { .. }) => Ok(Fact::Git(None)),
        Err(git::Error::Cancelled(cancelled)) => Err(cancelled.into()),
        Err(error) => Ok(Fact::GitFails(told(&error))),
    }
}

/// Tries to write and to lock in the folder; where it is not there yet, in the one that it will be made in.
fn own_folder(folder: &Path) -> Vec<Fact> {
    let existing = folder.ancestors().find(|above| above.symlink_metadata().is_ok()).unwrap_or(folder);
    let home = |fault| Fact::Home { path: folder.to_string_lossy().into_owned(), is_there: existing == folder, fault };
    let tried = ScratchFolder::create_in(existing, ".okstra-doctor-").and_then(|scratch| {
        fs::replace(&scratch.path().join("file"), b"okstra\n")?;
        let locks = lock_twice(&scratch.path().join("lock"));
        scratch.remove().map(|()| locks)
    });
    match tried {
        Ok(locks) => vec![home(None), Fact::Locks(locks)],
        Err(error) => vec![home(Some(told(&error)))],
    }
}

/// Why locks do not work, if they do not: who comes second must be refused.
fn lock_twice(path: &Path) -> Option<String> {
    let lock = || LockGuard::acquire(path, Duration::ZERO, || false);
    match (lock(), lock()) {
        (Ok(_first), Err(fs::Error::Locked { .. })) => None,
        (Ok(_first), Ok(_second)) => Some("a second lock of the same file was granted".to_owned()),
        (Err(error), _) | (_, Err(error)) => Some(told(&error)),
    }
}

/// An error of the store as a fault without a mirrored copy.
pub(super) fn fault(error: &store::Error) -> Fault {
    Fault { error: told(error), hint: error.hint(), mirrored: None }
}
