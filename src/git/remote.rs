//! Remotes: which there are, what refs one has, and moving refs from and to it, with the git command as its user has it.
//!
//! Hooks have no part in it: okstra's refs are none of the user's branches. Whatever needs an answer from a person fails
//! instead of waiting for one.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use gix::bstr::ByteSlice;

use super::{Error, Git, Repository};
use crate::context::Context;
use crate::domain::ids::{CommitId, ObjectId};
use crate::process::Ending;

/// What git says of a remote that cannot take all refs or none.
const NOT_ATOMIC: &str = "does not support --atomic";
/// What git says when another process fetched the same meanwhile.
const RACED: &str = "cannot lock ref";
/// How often it is fetched when that happens.
const TRIES: u32 = 5;
/// The pause before each time but the first.
const PAUSE: Duration = Duration::from_millis(50);
/// What keeps a push or a fetch to what it was told.
const ALONE: &[&str] = &["-c", "submodule.recurse=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false"];

/// What became of a push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Push {
    /// The remote has all of it.
    Done,
    /// The remote has none of it, on account of this ref.
    Rejected {
        /// Its full name.
        name: String,
        /// What git said.
        reason: String,
    },
}

impl Repository {
    /// The names of the remotes that the repository's own configuration has, sorted.
    pub fn remotes(&self) -> Vec<String> {
        let local = self.local();
        let names = local.remote_names();
        names.iter().filter_map(|name| name.to_str().ok().map(str::to_owned)).collect()
    }

    /// The remote of the branch with this full name, where one is configured.
    pub fn remote_of(&self, branch: &str) -> Option<String> {
        let short = branch.strip_prefix("refs/heads/")?;
        let local = self.local();
        let remote = local.config_snapshot().plumbing().string_by("branch", short, "remote")?;
        remote.to_str().ok().filter(|remote| *remote != ".").map(str::to_owned)
    }

    /// The refs of `remote` that begin with one of `prefixes`, which end in a slash or are full names, sorted by name.
    ///
    /// # Errors
    /// [`Error::Remote`] when it cannot be reached or read, [`Error::NoGit`], [`Error::Cancelled`].
    pub fn refs_of_remote(
        &self,
        context: &Context,
        remote: &str,
        prefixes: &[String],
    ) -> Result<Vec<(String, CommitId)>, Error> {
        let patterns: Vec<_> = prefixes.iter().map(|prefix| format!("{prefix}{}", tail(prefix))).collect();
        let mut arguments = vec!["ls-remote", "--refs", "--quiet", "--", remote];
        arguments.extend(patterns.iter().map(String::as_str));
        let (ending, stdout, stderr) = self.outward(context)?.try_run(context, &arguments, |command| command)?;
        if ending != Ending::Code(0) {
            return Err(self.no_remote(remote, "read the refs of", &stderr));
        }
        let is_asked = |name: &str| {
            prefixes.iter().any(|prefix| name == prefix || (prefix.ends_with('/') && name.starts_with(prefix)))
        };
        let line = |line: &str| {
            let (id, name) = line.split_once('\t')?;
            is_asked(name).then_some((name.to_owned(), CommitId(id.parse::<ObjectId>().ok()?)))
        };
        let mut refs: Vec<_> = String::from_utf8_lossy(&stdout).lines().filter_map(line).collect();
        refs.sort();
        refs.dedup();
        Ok(refs)
    }

    /// Fetches from `remote` what `refspecs` say, and nothing else: no tags, no other refs, no submodules.
    ///
    /// # Errors
    /// As [`Repository::refs_of_remote`].
    pub fn fetch(&self, context: &Context, remote: &str, refspecs: &[String]) -> Result<(), Error> {
        let mut arguments = ALONE.to_vec();
        // What is configured to be fetched where must not move our own refs.
        arguments.extend(["fetch", "--quiet", "--refmap=", "--no-tags", "--no-prune", "--no-write-fetch-head"]);
        arguments.extend(["--recurse-submodules=no", "--", remote]);
        arguments.extend(refspecs.iter().map(String::as_str));
        let git = self.outward(context)?;
        let mut tries = 1;
        loop {
            let (ending, _, stderr) = git.try_run(context, &arguments, |command| command)?;
            let is_raced = String::from_utf8_lossy(&stderr).contains(RACED);
            match ending {
                Ending::Code(0) => return Ok(()),
                _ if is_raced && tries < TRIES => tries += 1,
                _ => return Err(self.no_remote(remote, "fetch from", &stderr)),
            }
            thread::sleep(PAUSE);
            context.cancel().check()?;
        }
    }

    /// Moves the refs of `remote` to these commits: all or none, each only forward, and from where the remote has it now.
    /// Of a remote that cannot do all or none the last ref is moved after all others.
    ///
    /// # Errors
    /// As [`Repository::refs_of_remote`].
    pub fn push(&self, context: &Context, remote: &str, refs: &[(String, CommitId)]) -> Result<Push, Error> {
        match self.try_push(context, remote, (refs, true)) {
            Err(Error::Remote { message, .. }) if message.contains(NOT_ATOMIC) => {
                let Some((last, others)) = refs.split_last() else { return Ok(Push::Done) };
                if !others.is_empty() {
                    let pushed = self.try_push(context, remote, (others, false))?;
                    if pushed != Push::Done {
                        return Ok(pushed);
                    }
                }
                self.try_push(context, remote, (std::slice::from_ref(last), false))
            }
            pushed => pushed,
        }
    }

    fn try_push(
        &self,
        context: &Context,
        remote: &str,
        (refs, is_atomic): (&[(String, CommitId)], bool),
    ) -> Result<Push, Error> {
        let specs: Vec<_> = refs.iter().map(|(name, commit)| format!("{commit}:{name}")).collect();
        let mut arguments = ALONE.to_vec();
        arguments.extend(["push", "--porcelain", "--quiet", "--no-verify", "--no-signed", "--no-follow-tags"]);
        arguments.push("--recurse-submodules=no");
        arguments.extend(is_atomic.then_some("--atomic"));
        arguments.extend(["--", remote]);
        arguments.extend(specs.iter().map(String::as_str));
        let (ending, stdout, stderr) = self.outward(context)?.try_run(context, &arguments, |command| command)?;
        match (ending, rejected(&String::from_utf8_lossy(&stdout))) {
            (Ending::Code(0), _) => Ok(Push::Done),
            (_, Some((name, reason))) => Ok(Push::Rejected { name, reason }),
            (_, None) => Err(self.no_remote(remote, "push to", &stderr)),
        }
    }

    /// The user's git in the main worktree, from which relative addresses of remotes go out.
    fn outward(&self, context: &Context) -> Result<Git, Error> {
        let folder: PathBuf = self.main_worktree()?.unwrap_or_else(|| self.common_dir().to_owned());
        Git::reaching_out(context, folder)
    }

    fn no_remote(&self, remote: &str, doing: &'static str, stderr: &[u8]) -> Error {
        let message = String::from_utf8_lossy(stderr).trim().to_owned();
        Error::Remote { remote: remote.to_owned(), doing, path: self.path.clone(), message }
    }
}

/// What makes a pattern for git of a prefix.
fn tail(prefix: &str) -> &'static str {
    if prefix.ends_with('/') { "*" } else { "" }
}

/// The ref on account of which a push was rejected, and why, from what `git push --porcelain` printed: not one that was
/// only left out because another was rejected.
fn rejected(printed: &str) -> Option<(String, String)> {
    let line = |line: &str| {
        let mut parts = line.strip_prefix("!\t")?.splitn(2, '\t');
        let (_, name) = parts.next()?.rsplit_once(':')?;
        Some((name.to_owned(), parts.next().unwrap_or_default().to_owned()))
    };
    let all: Vec<_> = printed.lines().filter_map(line).collect();
    let first = all.iter().find(|(_, reason)| !reason.contains("atomic")).or(all.first());
    first.cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ref_that_was_not_taken_is_named() {
        let state = "!\tabc:refs/okstra/state/g/t\t[rejected] (fetch first)\n";
        let keep = "!\tabc:refs/okstra/keep/g/t/s1-abc\t[rejected] (atomic push failed)\n";
        let cases = [
            ("To x\n*\tabc:refs/x\t[new reference]\nDone\n".to_owned(), None),
            (format!("To x\n{keep}{state}Done\n"), Some(("refs/okstra/state/g/t", "[rejected] (fetch first)"))),
            (format!("To x\n{keep}"), Some(("refs/okstra/keep/g/t/s1-abc", "[rejected] (atomic push failed)"))),
            (String::new(), None),
        ];
        for (printed, expected) in cases {
            let found = rejected(&printed);
            assert_eq!(found.as_ref().map(|(name, reason)| (name.as_str(), reason.as_str())), expected, "{printed}");
        }
    }
}
