//! What of a task may go once it has landed: each of its places, one after the other.

/// What is known of a place: the branch and the worktree of a task, of a stage, of a worker that only looked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceFacts {
    /// Whether its folder is a link, or no worktree of the repository.
    pub is_foreign: bool,
    /// Why its worktree is locked.
    pub locked: Option<String>,
    /// What is not committed there.
    pub dirt: Vec<String>,
    /// Whether submodules were made there, whose commits may be nowhere else.
    pub has_submodules: bool,
    /// Another worktree that has the branch checked out.
    pub elsewhere: Option<String>,
    /// Another task that grew from the branch.
    pub base_of: Option<String>,
    /// Each commit that would go: the tip of the branch, and what the worktree has checked out without a branch.
    pub tips: Vec<TipFacts>,
}

/// What is known of a commit that would go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TipFacts {
    /// The commit, short.
    pub commit: String,
    /// What proves that its content is on the base, a sentence.
    pub landed: Option<String>,
    /// Why that is not proved, a sentence.
    pub missing: String,
    /// Whether it is where the work began: nothing was committed.
    pub is_empty: bool,
    /// What reaches it and stays, or has landed. For an empty one that is enough.
    pub reached_by: Option<String>,
}

/// Why a place stays.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stay {
    /// The folder is none of okstra's worktrees.
    #[error("its folder is no worktree of this repository, or is a link")]
    Foreign,
    /// Somebody locked it.
    #[error("its worktree is locked{}", because(why))]
    Locked {
        /// Why; empty where nobody said.
        why: String,
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
    /// The branch is checked out in another worktree.
    #[error("its branch is checked out in `{path}`")]
    Elsewhere {
        /// The worktree.
        path: String,
    },
    /// Another task grew from the branch.
    #[error("{task} grew from its branch")]
    BaseOf {
        /// The task.
        task: String,
    },
    /// Nothing proves that it landed.
    #[error("{why}")]
    NotLanded {
        /// Why not, a sentence.
        why: String,
    },
}

/// Decides on a place: why nothing is lost with it.
///
/// # Errors
/// [`Stay`] with the first reason of several why it stays.
pub fn may_close(facts: &PlaceFacts) -> Result<Option<String>, Stay> {
    if facts.is_foreign {
        return Err(Stay::Foreign);
    }
    if let Some(why) = &facts.locked {
        return Err(Stay::Locked { why: why.clone() });
    }
    if !facts.dirt.is_empty() {
        return Err(Stay::Dirty { files: facts.dirt.clone() });
    }
    if facts.has_submodules {
        return Err(Stay::Submodules);
    }
    let mut safe = None;
    for tip in &facts.tips {
        let why = tip.may_go()?;
        safe = safe.or(Some(why));
    }
    if let Some(path) = &facts.elsewhere {
        return Err(Stay::Elsewhere { path: path.clone() });
    }
    match &facts.base_of {
        Some(task) => Err(Stay::BaseOf { task: task.clone() }),
        None => Ok(safe),
    }
}

impl TipFacts {
    /// Why nothing is lost with it.
    fn may_go(&self) -> Result<String, Stay> {
        if let Some(why) = &self.landed {
            return Ok(why.clone());
        }
        match &self.reached_by {
            Some(name) if self.is_empty => Ok(format!("nothing was committed on it, and {name} reaches it")),
            None if self.is_empty => {
                Err(Stay::NotLanded { why: format!("nothing else reaches {}, where it began", self.commit) })
            }
            _ => Err(Stay::NotLanded { why: self.missing.clone() }),
        }
    }
}

fn because(why: &str) -> String {
    if why.is_empty() { String::new() } else { format!(": {why}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tip(landed: bool, is_empty: bool, reached: bool) -> TipFacts {
        TipFacts {
            commit: "1234".to_owned(),
            landed: landed.then(|| "main reaches it".to_owned()),
            missing: "it is not in main".to_owned(),
            is_empty,
            reached_by: reached.then(|| "fix".to_owned()),
        }
    }

    #[test]
    fn only_what_landed_or_is_empty_and_reached_goes() {
        for (landed, is_empty, reached) in
            (0..8).map(|bits: u32| (bits & 1 == 1, bits >> 1 & 1 == 1, bits >> 2 & 1 == 1))
        {
            let tip = tip(landed, is_empty, reached);
            let goes = may_close(&PlaceFacts { tips: vec![tip.clone()], ..PlaceFacts::default() });
            assert_eq!(goes.is_ok(), landed || (is_empty && reached), "{tip:?}: {goes:?}");
        }
        let both = vec![tip(true, false, false), tip(false, false, true)];
        let goes = may_close(&PlaceFacts { tips: both, ..PlaceFacts::default() });
        assert_eq!(goes.unwrap_err().to_string(), "it is not in main");
        assert_eq!(may_close(&PlaceFacts::default()), Ok(None));
    }

    #[test]
    fn each_thing_alone_keeps_what_landed() {
        let fine = || PlaceFacts { tips: vec![tip(true, false, false)], ..PlaceFacts::default() };
        assert_eq!(may_close(&fine()), Ok(Some("main reaches it".to_owned())));
        let text = |text: &str| Some(text.to_owned());
        let cases = [
            (PlaceFacts { is_foreign: true, ..fine() }, "no worktree of this repository"),
            (PlaceFacts { locked: text(""), ..fine() }, "its worktree is locked"),
            (PlaceFacts { locked: text("on a stick"), ..fine() }, "locked: on a stick"),
            (PlaceFacts { dirt: vec!["a".to_owned(), "b".to_owned()], ..fine() }, "not committed: a, b"),
            (PlaceFacts { has_submodules: true, ..fine() }, "submodules"),
            (PlaceFacts { elsewhere: text("/x"), ..fine() }, "checked out in `/x`"),
            (PlaceFacts { base_of: text("p/g/t"), ..fine() }, "p/g/t grew from its branch"),
        ];
        for (facts, said) in cases {
            let stay = may_close(&facts).unwrap_err().to_string();
            assert!(stay.contains(said), "{stay}");
        }
    }
}
