//! Is this commit's content in that ref, and by which proof?

use std::path::PathBuf;
use std::time::Duration;

use super::{Error, equivalence};
use crate::context::Context;
use crate::domain::equivalence::{Candidate, unresolvable};
pub use crate::domain::equivalence::{ContentMerged, Effect, Proof, Status, Verdict};
use crate::domain::revision::Purpose;
use crate::git::{self, History, Repository, Span};

/// What to look for, and where.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A folder of the repository; the current folder by default.
    pub project_root: Option<PathBuf>,
    /// The id of the commit whose content is looked for; at least 7 digits.
    pub commit: String,
    /// The ref that should hold it: a full ref name, `HEAD`, `worktrees/<name>/HEAD`, a branch, a remote branch, a
    /// tag, or an id.
    pub candidate: String,
    /// The id of the commit that the work started from; by default the merge base of commit and candidate.
    pub base: Option<String>,
    /// Where to stop searching.
    pub limits: Limits,
}

/// Where a search stops early. A search that stopped says `unknown`, never “not contained”.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Look at no more than this many commits.
    pub max_commits: Option<u64>,
    /// Search for no longer than this many seconds.
    pub max_seconds: Option<u64>,
}

impl Limits {
    /// The limits, with the time running from now.
    fn start(&self, context: &Context) -> git::Limits {
        let max = self.max_seconds.map(Duration::from_secs);
        let deadline = max.map(|max| git::Deadline::starting_now(context, max));
        git::Limits { max_commits: self.max_commits, deadline }
    }
}

/// Answers whether the content of `options.commit` is in `options.candidate`.
///
/// # Errors
/// When there is no repository, or when it cannot be read. An id or a ref that names no commit, or several, is no
/// error: the answer's status is then [`Status::Unresolvable`].
pub fn run(context: &Context, options: &Options) -> Result<ContentMerged, Error> {
    let folder = match &options.project_root {
        Some(folder) => context.absolute(folder),
        None => context.cwd().ok_or(Error::NoCurrentFolder)?.to_owned(),
    };
    let repository = Repository::discover(&folder)?;
    let head = match repository.commit_by_id(&options.commit)? {
        Ok(commit) => commit,
        Err(why) => return Ok(unresolvable("commit", &why.to_string())),
    };
    let candidate = match repository.commit_by_ref(context, &options.candidate, Purpose::Candidate)? {
        Ok(resolved) => Candidate { name: resolved.name, commit: resolved.commit },
        Err(why) => return Ok(unresolvable("candidate", &why.to_string())),
    };
    let base = match options.base.as_deref().map(|base| repository.commit_by_id(base)).transpose()? {
        Some(Err(why)) => return Ok(unresolvable("base", &why.to_string())),
        Some(Ok(base)) => Some(base),
        None => None,
    };
    let mut history = History::new(&repository);
    let limits = options.limits.start(context);
    let question = match base {
        Some(base) => equivalence::Question::between(Span { base, head }, candidate),
        None => return equivalence::ask_from_merge_base(context, &mut history, (head, &candidate), &[], limits),
    };
    equivalence::ask(context, &mut history, &question, limits)
}
