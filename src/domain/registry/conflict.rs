//! Who may hold what: a branch, a worktree and a task have one holder each.

use std::fmt;

use super::TaskEntry;
use crate::domain::hint::Hint;

/// What a task, or one of its stages, holds or asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim<'a> {
    /// The task key, `PROJECT/GROUP/ID`.
    pub key: &'a str,
    /// The stage; `None` for the task itself.
    pub stage: Option<u32>,
    /// The worktree.
    pub worktree_path: Option<&'a str>,
    /// The branch, a short name.
    pub branch: Option<&'a str>,
    /// The common git folder of the clone.
    pub git_common_dir: Option<&'a str>,
}

/// What two may not both have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// A worktree.
    Worktree,
    /// A branch.
    Branch,
    /// A clone: a task lives in one.
    Clone,
}

/// Why a claim cannot be granted; it shows both sides.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// The claimant itself is held for something else.
    #[error("{claimant} is held for the {thing} `{held}`, and not for `{wanted}`")]
    Own {
        /// Who asks, as people are told.
        claimant: String,
        /// What differs.
        thing: Thing,
        /// What it is held for.
        held: String,
        /// What was asked for.
        wanted: String,
    },
    /// Another holds what is asked for.
    #[error("the {thing} `{wanted}` that {claimant} asks for is held by {holder}")]
    Other {
        /// Who asks, as people are told.
        claimant: String,
        /// Who holds it.
        holder: String,
        /// What is asked for.
        thing: Thing,
        /// Its path or name.
        wanted: String,
    },
}

impl Conflict {
    /// The clone that holds what another one asked for.
    pub fn other_clone(&self) -> Option<&str> {
        match self {
            Self::Own { thing: Thing::Clone, held, .. } => Some(held),
            _ => None,
        }
    }
}

impl Hint for Conflict {
    fn hint(&self) -> Option<String> {
        let other = "go on in that clone; or give this one a folder of its own for okstra's files: OKSTRA_HOME=FOLDER";
        self.other_clone().map(|_| other.to_owned())
    }
}

impl Claim<'_> {
    /// Whether both are the same task, or the same stage of it.
    fn is_of(&self, other: &Claim<'_>) -> bool {
        (self.key, self.stage) == (other.key, other.stage)
    }

    /// Whether both may be in one clone. Where that is not known, those of one project are taken to be.
    fn shares_clone(&self, other: &Claim<'_>) -> bool {
        match (self.git_common_dir, other.git_common_dir) {
            (Some(mine), Some(theirs)) => mine == theirs,
            _ => self.key.split('/').next() == other.key.split('/').next(),
        }
    }
}

impl TaskEntry {
    /// What the task `key` and its stages hold by this entry.
    pub fn claims<'a>(&'a self, key: &'a str) -> impl Iterator<Item = Claim<'a>> {
        let git_common_dir = self.git_common_dir.as_deref();
        let own = Claim {
            key,
            stage: None,
            worktree_path: self.worktree_path.as_deref(),
            branch: self.branch.as_deref(),
            git_common_dir,
        };
        let stages = self.stages.iter().map(move |(&stage, entry)| Claim {
            key,
            stage: Some(stage),
            worktree_path: entry.worktree_path.as_deref(),
            branch: entry.branch.as_deref(),
            git_common_dir,
        });
        std::iter::once(own).chain(stages)
    }
}

/// The first thing that stands against granting `wanted`, given all that is held. What a claim leaves open does not.
pub fn find_conflict<'a>(wanted: &Claim<'_>, held: impl IntoIterator<Item = Claim<'a>>) -> Option<Conflict> {
    held.into_iter().find_map(|held| if held.is_of(wanted) { own(wanted, &held) } else { other(wanted, &held) })
}

fn own(wanted: &Claim<'_>, held: &Claim<'_>) -> Option<Conflict> {
    let pairs = [
        (Thing::Clone, held.git_common_dir, wanted.git_common_dir),
        (Thing::Worktree, held.worktree_path, wanted.worktree_path),
        (Thing::Branch, held.branch, wanted.branch),
    ];
    pairs.into_iter().find_map(|(thing, held, asked)| match (held, asked) {
        (Some(held), Some(asked)) if held != asked => {
            Some(Conflict::Own { claimant: wanted.to_string(), thing, held: held.to_owned(), wanted: asked.to_owned() })
        }
        _ => None,
    })
}

fn other(wanted: &Claim<'_>, held: &Claim<'_>) -> Option<Conflict> {
    let path = wanted.worktree_path.filter(|path| held.worktree_path == Some(path));
    let branch = wanted.branch.filter(|branch| held.branch == Some(branch) && held.shares_clone(wanted));
    let (thing, asked) = path.map(|path| (Thing::Worktree, path)).or(branch.map(|name| (Thing::Branch, name)))?;
    Some(Conflict::Other { claimant: wanted.to_string(), holder: held.to_string(), thing, wanted: asked.to_owned() })
}

impl fmt::Display for Claim<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stage {
            None => write!(f, "`{}`", self.key),
            Some(stage) => write!(f, "stage {stage} of `{}`", self.key),
        }
    }
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Worktree => "worktree",
            Self::Branch => "branch",
            Self::Clone => "clone",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim<'a>(key: &'a str, stage: Option<u32>, path: &'a str, branch: &'a str, clone: &'a str) -> Claim<'a> {
        let some = |text: &'a str| Some(text).filter(|text| !text.is_empty());
        Claim { key, stage, worktree_path: some(path), branch: some(branch), git_common_dir: some(clone) }
    }

    #[test]
    fn a_thing_has_one_holder() {
        let task = claim("p/g/t", None, "/t", "fix-t", "/c");
        let stage = claim("p/g/t", Some(1), "/t-s1", "fix-t-s1", "/c");
        let cases = [
            (claim("p/g/t", None, "/t", "fix-t", "/c"), ""),
            (claim("p/g/t", None, "", "", ""), ""),
            (claim("p/g/t", Some(1), "/t-s1", "fix-t-s1", "/c"), ""),
            (claim("p/g/t", Some(2), "/t-s2", "fix-t-s2", "/c"), ""),
            (claim("p/g/u", None, "/u", "fix-u", "/c"), ""),
            (claim("q/g/t", None, "/q", "fix-t", "/d"), ""),
            (claim("q/g/t", None, "/q", "fix-t", ""), ""),
            (claim("p/g/t", None, "/x", "fix-t", "/c"), "`p/g/t` is held for the worktree `/t`, and not for `/x`"),
            (claim("p/g/t", None, "/t", "x", "/c"), "`p/g/t` is held for the branch `fix-t`, and not for `x`"),
            (claim("p/g/t", None, "/t", "fix-t", "/d"), "`p/g/t` is held for the clone `/c`, and not for `/d`"),
            (
                claim("p/g/t", Some(1), "/t-s1", "x", "/c"),
                "stage 1 of `p/g/t` is held for the branch `fix-t-s1`, and not for `x`",
            ),
            (claim("p/g/u", None, "/u", "fix-t", "/c"), "the branch `fix-t` that `p/g/u` asks for is held by `p/g/t`"),
            (claim("p/g/u", None, "/u", "fix-t", ""), "the branch `fix-t` that `p/g/u` asks for is held by `p/g/t`"),
            (
                claim("p/g/u", None, "/u", "fix-t-s1", "/c"),
                "the branch `fix-t-s1` that `p/g/u` asks for is held by stage 1 of `p/g/t`",
            ),
            (
                claim("q/g/u", None, "/t-s1", "x", "/d"),
                "the worktree `/t-s1` that `q/g/u` asks for is held by stage 1 of `p/g/t`",
            ),
            (
                claim("p/g/t", Some(2), "/t", "x", "/c"),
                "the worktree `/t` that stage 2 of `p/g/t` asks for is held by `p/g/t`",
            ),
            (
                claim("p/g/t", Some(2), "/x", "fix-t-s1", "/c"),
                "the branch `fix-t-s1` that stage 2 of `p/g/t` asks for is held by stage 1 of `p/g/t`",
            ),
        ];
        for (wanted, said) in cases {
            let conflict = find_conflict(&wanted, [task, stage]);
            assert_eq!(conflict.map(|conflict| conflict.to_string()).unwrap_or_default(), said, "{wanted:?}");
        }
    }

    #[test]
    fn an_entry_claims_for_its_task_and_each_stage() {
        let entry: TaskEntry = serde_json::from_str(
            r#"{"worktree_path":"/t","branch":"b","git_common_dir":"/c","stages":{"2":{"branch":"b-s2"}}}"#,
        )
        .unwrap();
        let claims: Vec<_> = entry.claims("k").collect();
        assert_eq!(claims, [claim("k", None, "/t", "b", "/c"), claim("k", Some(2), "", "b-s2", "/c")]);
    }
}
