//! From what a person or a record wrote to a commit: ids through the object database, refs through the ref store.

use std::collections::HashSet;

use gix::hash::Prefix;
use gix::objs::Kind;

use super::objects::{Objects, commit_id};
use super::{Error, Git, Repository};
use crate::context::Context;
use crate::domain::ids::{CommitId, IdError, IdText};
use crate::domain::revision::{Purpose, Reading, choose, readings};

/// Why an id names no single commit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unresolvable {
    /// The text is no id.
    #[error(transparent)]
    NoId(#[from] IdError),
    /// No such object.
    #[error("there is no commit {digits}")]
    Missing {
        /// The digits looked for.
        digits: String,
    },
    /// It is an object of another kind.
    #[error("{digits} is a {kind}, not a commit")]
    NoCommit {
        /// The digits looked for.
        digits: String,
        /// What it is.
        kind: String,
    },
    /// Several commits begin with these digits.
    #[error("{digits} could be {}", .commits.join(" or "))]
    Several {
        /// The digits looked for.
        digits: String,
        /// The commits, in full.
        commits: Vec<String>,
    },
    /// The ref names no commit.
    #[error("{0}")]
    Ref(String),
}

/// A ref that names a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The full name, or the full id where an id was given.
    pub name: String,
    /// The commit, tags followed.
    pub commit: CommitId,
}

impl Repository {
    /// The commit that `text` names as an id: trimmed, lower case, an abbreviation completed in the object database,
    /// tags followed; never through a ref.
    ///
    /// # Errors
    /// When the repository cannot be read. That there is no such commit, or several, is an answer.
    pub fn commit_by_id(&self, text: &str) -> Result<Result<CommitId, Unresolvable>, Error> {
        let text = match IdText::parse(text) {
            Ok(text) => text,
            Err(error) => return Ok(Err(error.into())),
        };
        self.complete(&self.objects(), &text)
    }

    fn complete(&self, objects: &Objects, text: &IdText) -> Result<Result<CommitId, Unresolvable>, Error> {
        let digits = text.digits().to_owned();
        let Some(prefix) = prefix(&digits, objects.hash) else { return Ok(Err(Unresolvable::Missing { digits })) };
        let mut ids = HashSet::new();
        let lookup = objects.store.lookup_prefix(prefix, Some(&mut ids));
        lookup.map_err(|error| objects.broken(prefix.as_oid(), error))?;
        let (mut commits, mut others) = (Vec::new(), Vec::new());
        for id in ids {
            match objects.peel(id)? {
                Some((id, Kind::Commit)) => commits.push(commit_id(&id)),
                Some((_, kind)) => others.push(kind.to_string()),
                None => {}
            }
        }
        commits.sort_unstable();
        commits.dedup();
        Ok(match (commits.as_slice(), others.pop()) {
            ([commit], _) => Ok(*commit),
            ([], None) => Err(Unresolvable::Missing { digits }),
            ([], Some(kind)) => Err(Unresolvable::NoCommit { digits, kind }),
            (several, _) => {
                let commits = several.iter().map(ToString::to_string).collect();
                Err(Unresolvable::Several { digits, commits })
            }
        })
    }

    /// The commit that `text` names as a ref: a full name, a branch, a remote branch, a tag, or an id.
    ///
    /// # Errors
    /// When the repository cannot be read. That it names no commit, or several, is an answer.
    pub fn commit_by_ref(
        &self,
        context: &Context,
        text: &str,
        purpose: Purpose,
    ) -> Result<Result<Resolved, Unresolvable>, Error> {
        let readings = match readings(text) {
            Ok(readings) => readings,
            Err(error) => return Ok(Err(Unresolvable::Ref(error.to_string()))),
        };
        let objects = self.objects();
        let reftable = self.has_reftable();
        let mut existing = Vec::new();
        for reading in readings {
            match reading {
                Reading::Ref(name) => {
                    let target = if reftable { self.ask_git(context, &name)? } else { self.read_ref(&name)? };
                    existing.extend(target.map(|target| (name, target)));
                }
                Reading::Id(id) => match self.complete(&objects, &id)? {
                    Ok(commit) => existing.push((commit.to_string(), Target::Object(super::objects::gix_id(commit.0)))),
                    Err(Unresolvable::Several { commits, .. }) => {
                        existing.extend(commits.into_iter().map(|commit| (commit, Target::Unborn)));
                    }
                    Err(_) => {}
                },
            }
        }
        let (name, target) = match choose(text, purpose, existing) {
            Ok(chosen) => chosen,
            Err(error) => return Ok(Err(Unresolvable::Ref(error.to_string()))),
        };
        let Target::Object(id) = target else {
            return Ok(Err(Unresolvable::Ref(format!("`{name}` has no commit yet"))));
        };
        Ok(match objects.peel(id)? {
            Some((id, Kind::Commit)) => Ok(Resolved { name, commit: commit_id(&id) }),
            Some((_, kind)) => Err(Unresolvable::Ref(format!("`{name}` is a {kind}, not a commit"))),
            None => Err(Unresolvable::Ref(format!("the commit of `{name}` is missing ({id})"))),
        })
    }

    /// What the ref with this full name points to, symbolic refs followed; `None` when there is no such ref.
    pub(super) fn target(&self, context: &Context, name: &str) -> Result<Option<Target>, Error> {
        // git would look for a short name, which must not happen here.
        let is_full = gix::refs::FullName::try_from(name).is_ok();
        if is_full && self.has_reftable() { self.ask_git(context, name) } else { self.read_ref(name) }
    }

    fn read_ref(&self, name: &str) -> Result<Option<Target>, Error> {
        let local = self.local();
        let broken = |error| Error::reference(name, &self.path, error);
        let Ok(full_name) = gix::refs::FullName::try_from(name) else { return Ok(None) };
        let find = || local.refs.try_find(full_name.as_ref()).map_err(broken);
        // The packed refs are read before the loose one: a ref that git packs meanwhile is there at the second look.
        let Some(mut reference) = find()?.map_or_else(find, |found| Ok(Some(found)))? else { return Ok(None) };
        for _ in 0..super::MAX_SYMREF_DEPTH {
            match reference.target {
                gix::refs::Target::Object(id) => return Ok(Some(Target::Object(id))),
                gix::refs::Target::Symbolic(next) => match local.refs.try_find(next.as_ref()).map_err(broken)? {
                    Some(next) => reference = next,
                    None => return Ok(Some(Target::Unborn)),
                },
            }
        }
        Err(broken(gix::Error::from_error(std::io::Error::other("symbolic refs that point in a circle"))))
    }

    /// The same from the git command, for ref stores that gix cannot read.
    fn ask_git(&self, context: &Context, name: &str) -> Result<Option<Target>, Error> {
        let git = Git::at(&self.path);
        let output = git.ask(context, &["rev-parse", "--verify", "--quiet", "--end-of-options", name])?;
        if let Some(id) = output.filter(|id| !id.is_empty()) {
            let id = gix::ObjectId::from_hex(id.trim_ascii());
            return Ok(id.ok().map(Target::Object));
        }
        let symbolic = git.ask(context, &["symbolic-ref", "--quiet", name])?;
        Ok(symbolic.map(|_| Target::Unborn))
    }
}

/// The digits as the beginning of an id of this kind: 40 digits are an abbreviation in a SHA-256 repository.
fn prefix(digits: &str, hash: gix::hash::Kind) -> Option<Prefix> {
    let padded = format!("{digits:0<width$}", width = hash.len_in_hex());
    Prefix::new(&gix::ObjectId::from_hex(padded.as_bytes()).ok()?, digits.len()).ok()
}

/// What a ref points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// This object, tags not followed.
    Object(gix::ObjectId),
    /// A ref that does not exist.
    Unborn,
}
