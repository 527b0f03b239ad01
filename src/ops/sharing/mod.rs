//! Carrying a task to another clone and back: git is the transport, and the mirror is what is carried.

mod error;
pub mod fetch;
pub mod share;

use crate::context::Context;
use crate::domain::names::TaskName;
use crate::git::{Head, Repository};
use crate::ops::Error;

pub use error::SharingError;

/// Below it lies what was fetched, in a folder for each remote.
const REMOTES: &str = "refs/okstra/remotes/";
/// How often it is decided anew when others were at work meanwhile.
const TRIES: usize = 5;

/// The remote that is `named`; by default that of the branch that is checked out, else the only one, else `origin`.
///
/// # Errors
/// [`SharingError::UnknownRemote`], and [`SharingError::NoRemote`] when none is named and none is meant.
fn remote(context: &Context, repository: &Repository, named: Option<&str>) -> Result<String, Error> {
    let known = repository.remotes();
    let path = repository.common_dir().to_owned();
    if let Some(name) = named {
        let is_known = known.iter().any(|remote| remote == name);
        let unknown = || SharingError::UnknownRemote { name: name.to_owned(), known: known.clone(), path };
        return is_known.then(|| name.to_owned()).ok_or_else(|| unknown().into());
    }
    let upstream = match repository.head(context, "HEAD") {
        Some(Head::Branch(branch)) => repository.remote_of(&branch).filter(|remote| known.contains(remote)),
        _ => None,
    };
    let only = (known.len() == 1).then(|| known[0].clone());
    let origin = || known.iter().find(|remote| *remote == "origin").cloned();
    let found = upstream.or(only).or_else(origin);
    found.ok_or_else(|| SharingError::NoRemote { known: known.clone(), path }.into())
}

/// The ref below which what was fetched of `remote` has the ref with this full name of okstra's.
fn fetched(remote: &str, name: &str) -> String {
    format!("{REMOTES}{remote}/{}", name.strip_prefix("refs/okstra/").unwrap_or(name))
}

/// The prefix of the keep refs of a task.
fn keep_prefix(task: &TaskName) -> String {
    format!("{}{task}/", crate::git::keep::PREFIX)
}
