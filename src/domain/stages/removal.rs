//! Whether the branch and the worktree of a stage may go.

/// What is known of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemovalFacts {
    /// The open run that has reserved the stage.
    pub reserved_by: Option<String>,
    /// What is under way in its worktree.
    pub under_way: Option<String>,
    /// What is not committed there.
    pub dirt: Vec<String>,
    /// Whether submodules were made there, whose commits may be nowhere else.
    pub has_submodules: bool,
    /// Whether its folder is a link, or no worktree of the repository.
    pub is_foreign: bool,
    /// Each commit that would go, with whether something else reaches it, or proof that it landed.
    pub tips: Vec<Tip>,
}

/// A commit that nothing would name any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tip {
    /// The commit, short.
    pub commit: String,
    /// What makes it safe to let go; `None` where nothing does.
    pub safe: Option<String>,
}

/// Why they may not go.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Kept {
    /// An open run works on it.
    #[error("{run} works on it")]
    Reserved {
        /// The run.
        run: String,
    },
    /// The folder is none of okstra's worktrees.
    #[error("its folder is no worktree of this repository, or is a link")]
    Foreign,
    /// Somebody is in the middle of something.
    #[error("a {what} is under way in its worktree")]
    UnderWay {
        /// What.
        what: String,
    },
    /// Something is not committed.
    #[error("its worktree has changes that are not committed: {}", files.join(", "))]
    Dirty {
        /// The files.
        files: Vec<String>,
    },
    /// Submodules were made in it.
    #[error("its worktree has submodules, and their commits may be nowhere else")]
    Submodules,
    /// A commit would be lost.
    #[error("nothing else reaches its commit {commit}, and nothing proves that it landed")]
    Lost {
        /// The commit, short.
        commit: String,
    },
}

/// Decides on it; what is said is the first reason of several.
///
/// # Errors
/// [`Kept`] with what would be lost.
pub fn may_go(facts: &RemovalFacts) -> Result<(), Kept> {
    if let Some(run) = &facts.reserved_by {
        return Err(Kept::Reserved { run: run.clone() });
    }
    if facts.is_foreign {
        return Err(Kept::Foreign);
    }
    if let Some(what) = &facts.under_way {
        return Err(Kept::UnderWay { what: what.clone() });
    }
    if !facts.dirt.is_empty() {
        return Err(Kept::Dirty { files: facts.dirt.clone() });
    }
    if facts.has_submodules {
        return Err(Kept::Submodules);
    }
    match facts.tips.iter().find(|tip| tip.safe.is_none()) {
        Some(tip) => Err(Kept::Lost { commit: tip.commit.clone() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_alone_keeps_it() {
        let none = RemovalFacts::default;
        assert_eq!(may_go(&none()), Ok(()));
        let tip = |safe: Option<&str>| Tip { commit: "1234".to_owned(), safe: safe.map(str::to_owned) };
        assert_eq!(may_go(&RemovalFacts { tips: vec![tip(Some("main reaches it"))], ..none() }), Ok(()));
        let lost = RemovalFacts { tips: vec![tip(Some("x")), tip(None)], ..none() };
        assert_eq!(may_go(&lost), Err(Kept::Lost { commit: "1234".to_owned() }));
        let each = [
            RemovalFacts { reserved_by: Some("r".to_owned()), ..none() },
            RemovalFacts { under_way: Some("rebase".to_owned()), ..none() },
            RemovalFacts { dirt: vec!["f".to_owned()], ..none() },
            RemovalFacts { has_submodules: true, ..none() },
            RemovalFacts { is_foreign: true, ..none() },
        ];
        assert!(each.iter().all(|facts| may_go(facts).is_err()));
    }
}
