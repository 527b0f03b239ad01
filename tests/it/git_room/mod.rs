//! The git room on real repositories: of every kind, in every state that git can be left in.

mod keep;
mod mirror;
mod operation;
mod reach;
mod refs;
mod upstream;
mod worktrees;

use std::fs;
use std::path::{Path, PathBuf};

use okstra::context::{Context, Environment};
use okstra::domain::ids::CommitId;
use okstra::git::Repository;

use crate::common::{Run, Sandbox};

/// How a repository stores what it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Files,
    Packed,
    Sha256,
    Reftable,
}

const KINDS: [Kind; 4] = [Kind::Files, Kind::Packed, Kind::Sha256, Kind::Reftable];

/// A repository `repo` with two commits on `main`, an annotated tag `v1`, and a linked worktree `linked tree` on the
/// branch `side` with one commit more.
struct World {
    sandbox: Sandbox,
    repo: PathBuf,
    linked: PathBuf,
    first: CommitId,
    main: CommitId,
    side: CommitId,
}

impl World {
    /// `None`, with the reason on stderr, where git cannot make such a repository.
    #[expect(clippy::disallowed_macros, reason = "a test that does not run says so")]
    fn new(kind: Kind) -> Option<Self> {
        let sandbox = Sandbox::new();
        let (repo, linked) = (sandbox.path().join("repo"), sandbox.path().join("linked tree"));
        let format = match kind {
            Kind::Files | Kind::Packed => "--object-format=sha1",
            Kind::Sha256 => "--object-format=sha256",
            Kind::Reftable => "--ref-format=reftable",
        };
        let made = sandbox.command("git").args(["init", "-q", "-b", "main", format, "repo"]).ran();
        if made.code != Some(0) {
            eprintln!("not tried: this git makes no {kind:?} repository: {}", made.stderr);
            return None;
        }
        let first = id(&sandbox.commit(&repo, "file", "one\n", "first"));
        let main = id(&sandbox.commit(&repo, "file", "two\n", "second"));
        sandbox.git(&repo, &["tag", "-a", "v1", "-m", "v1"]);
        sandbox.git(&repo, &["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
        let side = id(&sandbox.commit(&linked, "other", "side\n", "side"));
        if kind == Kind::Packed {
            sandbox.git(&repo, &["pack-refs", "--all", "--prune"]);
        }
        Some(Self { sandbox, repo, linked, first, main, side })
    }

    /// One of each kind that git can make.
    fn each() -> impl Iterator<Item = (Kind, Self)> {
        KINDS.into_iter().filter_map(|kind| Some((kind, Self::new(kind)?)))
    }

    fn context(&self) -> Context {
        context(&self.sandbox)
    }

    fn open(&self) -> Repository {
        Repository::discover(&self.repo).unwrap()
    }

    /// A folder of hooks that all fail.
    fn failing_hooks(&self) -> PathBuf {
        let hooks = self.sandbox.path().join("hooks");
        fs::create_dir(&hooks).unwrap();
        for name in ["reference-transaction", "pre-commit", "commit-msg", "post-commit"] {
            let hook = hooks.join(name);
            fs::write(&hook, "#!/bin/sh\necho a hook was run >&2\nexit 1\n").unwrap();
            #[cfg(unix)]
            fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        hooks
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.sandbox.git(&self.repo, arguments)
    }
}

/// The machine of the sandbox, for what runs in this process.
fn context(sandbox: &Sandbox) -> Context {
    let command = sandbox.command("git");
    let variables = command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
    Context::new(sandbox.path(), variables.collect::<Environment>())
}

fn id(text: &str) -> CommitId {
    CommitId(text.parse().unwrap())
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap()
}
