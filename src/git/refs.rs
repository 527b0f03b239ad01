//! Refs by their full names: the commit of one, and all below a prefix.

use gix::bstr::ByteSlice;
use gix::objs::Kind;

use super::objects::commit_id;
use super::resolve::Target;
use super::{Error, Git, Repository};
use crate::context::Context;
use crate::domain::ids::{CommitId, ObjectId};

impl Repository {
    /// The commit of the ref with this full name (`HEAD` and `worktrees/<name>/HEAD` are such), tags followed; `None`
    /// when there is no such ref, or no commit on it yet.
    ///
    /// # Errors
    /// [`Error::BrokenRef`] when the ref cannot be read, or what it names is missing or no commit.
    pub fn ref_commit(&self, context: &Context, full_name: &str) -> Result<Option<CommitId>, Error> {
        let Some(Target::Object(id)) = self.target(context, full_name)? else { return Ok(None) };
        let broken = |why| {
            let error = std::io::Error::other(why);
            Err(Error::reference(full_name, &self.path, gix::Error::from_error(error)))
        };
        match self.objects().peel(id)? {
            Some((id, Kind::Commit)) => Ok(Some(commit_id(&id))),
            Some((id, kind)) => broken(format!("{id} is a {kind}, not a commit")),
            None => broken(format!("the commit {id} is missing")),
        }
    }

    /// Every ref whose full name begins with `prefix`, which ends in a slash, with what it points to, sorted by name.
    /// Symbolic refs are left out.
    ///
    /// # Errors
    /// When the refs cannot be read.
    pub fn refs_below(&self, context: &Context, prefix: &str) -> Result<Vec<(String, CommitId)>, Error> {
        // Both sort as they list.
        if self.has_reftable() { self.ask_git_below(context, prefix) } else { self.read_below(prefix) }
    }

    fn read_below(&self, prefix: &str) -> Result<Vec<(String, CommitId)>, Error> {
        let broken = |error| Error::reference(prefix, &self.path, error);
        let io_broken = |error| broken(gix::Error::from_error(error));
        let local = self.local();
        let platform = local.refs.iter().map_err(broken)?;
        let below = platform.prefixed(prefix.try_into().map_err(broken)?).map_err(io_broken)?;
        let mut refs = Vec::new();
        for found in below {
            let found = found.map_err(broken)?;
            if let (Ok(name), Some(id)) = (found.name.as_bstr().to_str(), found.target.try_id()) {
                refs.push((name.to_owned(), commit_id(id)));
            }
        }
        Ok(refs)
    }

    /// The same from the git command, for ref stores that gix cannot read.
    fn ask_git_below(&self, context: &Context, prefix: &str) -> Result<Vec<(String, CommitId)>, Error> {
        let format = "--format=%(objectname) %(symref) %(refname)";
        let output = Git::at(&self.path).run(context, &["for-each-ref", format, prefix])?;
        let lines = String::from_utf8_lossy(&output).into_owned();
        let parse = |line: &str| {
            // A symbolic ref fills the gap between the two blanks.
            let (id, name) = line.split_once("  ")?;
            Some((name.to_owned(), CommitId(id.parse::<ObjectId>().ok()?)))
        };
        Ok(lines.lines().filter_map(parse).collect())
    }
}
