//! Whether a branch and a worktree can be made, or are there already and may be used again.

/// What there is at the place of a task, or of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceFacts {
    /// Whether the registry says that branch and folder are its own.
    pub is_own: bool,
    /// Its branch.
    pub branch: BranchFact,
    /// Another worktree that has the branch checked out.
    pub elsewhere: Option<String>,
    /// Its folder.
    pub folder: FolderFact,
}

/// A branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchFact {
    /// There is none.
    None,
    /// It is there, and all that it has to start from is in its history.
    HoldsBase,
    /// It is there, and lacks something of that, or may lack it.
    LacksBase,
}

/// The folder of a worktree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FolderFact {
    /// Nothing is there.
    Free,
    /// It is gone, and git has it still on the branch.
    Gone,
    /// git was stopped while it made it.
    HalfMade,
    /// It is a worktree with the branch checked out.
    OnBranch,
    /// It is a worktree with something else checked out, or was one.
    OnOther(String),
    /// It is something else.
    Foreign,
}

/// What is to be done for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Make branch and worktree.
    Create,
    /// Make the worktree on the branch that is there.
    CheckOut,
    /// Nothing: all is there.
    Reuse,
    /// Remove what is left of the worktree, then make it, and the branch where there is none.
    Remake,
    /// Nothing can be done.
    Refuse(Obstacle),
}

/// What is in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Somebody else's branch has the name.
    BranchTaken,
    /// The branch was not built on what it has to start from.
    LacksBase,
    /// The branch is checked out in another worktree.
    Elsewhere(String),
    /// Something else is in the folder.
    FolderTaken,
    /// The worktree has something else checked out.
    OnOther(String),
}

/// Decides on a place.
pub fn place(facts: &PlaceFacts) -> Placement {
    let exists = facts.branch != BranchFact::None;
    if !facts.is_own {
        return match (exists, &facts.folder) {
            (true, _) => Placement::Refuse(Obstacle::BranchTaken),
            (false, FolderFact::Free) => Placement::Create,
            (false, _) => Placement::Refuse(Obstacle::FolderTaken),
        };
    }
    if let Some(path) = &facts.elsewhere {
        return Placement::Refuse(Obstacle::Elsewhere(path.clone()));
    }
    if facts.branch == BranchFact::LacksBase {
        return Placement::Refuse(Obstacle::LacksBase);
    }
    match &facts.folder {
        FolderFact::Free if exists => Placement::CheckOut,
        FolderFact::Free => Placement::Create,
        FolderFact::Gone | FolderFact::HalfMade => Placement::Remake,
        FolderFact::OnBranch => Placement::Reuse,
        FolderFact::OnOther(what) => Placement::Refuse(Obstacle::OnOther(what.clone())),
        FolderFact::Foreign => Placement::Refuse(Obstacle::FolderTaken),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_its_own_is_never_used() {
        use BranchFact::{HoldsBase, LacksBase, None as NoBranch};
        use FolderFact::{Foreign, Free, Gone, HalfMade, OnBranch, OnOther};
        let other = || OnOther("the commit 1".to_owned());
        let refuse = Placement::Refuse;
        let cases = [
            (false, NoBranch, Free, Placement::Create),
            (false, HoldsBase, Free, refuse(Obstacle::BranchTaken)),
            (false, LacksBase, OnBranch, refuse(Obstacle::BranchTaken)),
            (false, NoBranch, Foreign, refuse(Obstacle::FolderTaken)),
            (false, NoBranch, Gone, refuse(Obstacle::FolderTaken)),
            (false, NoBranch, HalfMade, refuse(Obstacle::FolderTaken)),
            (false, NoBranch, other(), refuse(Obstacle::FolderTaken)),
            (true, NoBranch, Free, Placement::Create),
            (true, HoldsBase, Free, Placement::CheckOut),
            (true, HoldsBase, OnBranch, Placement::Reuse),
            (true, LacksBase, OnBranch, refuse(Obstacle::LacksBase)),
            (true, LacksBase, Free, refuse(Obstacle::LacksBase)),
            (true, HoldsBase, Gone, Placement::Remake),
            (true, NoBranch, HalfMade, Placement::Remake),
            (true, HoldsBase, HalfMade, Placement::Remake),
            (true, HoldsBase, Foreign, refuse(Obstacle::FolderTaken)),
            (true, NoBranch, other(), refuse(Obstacle::OnOther("the commit 1".to_owned()))),
        ];
        for (is_own, branch, folder, expected) in cases {
            let facts = PlaceFacts { is_own, branch, elsewhere: None, folder };
            assert_eq!(place(&facts), expected, "{facts:?}");
        }
        let elsewhere = Some("/x".to_owned());
        let facts = PlaceFacts { is_own: true, branch: HoldsBase, elsewhere, folder: Free };
        assert_eq!(place(&facts), refuse(Obstacle::Elsewhere("/x".to_owned())));
    }
}
