//! Where the branch of a task starts in a clone that has its records and not the branch.

use crate::domain::ids::CommitId;

/// A commit that is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedCommit {
    /// None is.
    None,
    /// This one, which is there.
    There(CommitId),
    /// One that is not, and what of the task it is.
    Gone(String),
}

/// What is known of the work on a task whose branch is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartFacts {
    /// Where its last integration ended.
    pub integration: RecordedCommit,
    /// Its anchor.
    pub anchor: RecordedCommit,
    /// Where remotes have the branch, as far as that holds the last integration; where there is none, the anchor.
    pub tracking: Vec<CommitId>,
}

/// Where the branch starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskStart {
    /// Nothing is recorded that it would have to hold: at the base.
    Base,
    /// At this commit.
    At(CommitId),
    /// Nowhere: what it would have to hold is not there.
    Lost(String),
}

/// Decides where the branch starts: never behind work that was integrated.
pub fn task_start(facts: &StartFacts) -> TaskStart {
    let needed = match &facts.integration {
        RecordedCommit::None => &facts.anchor,
        integration => integration,
    };
    match needed {
        RecordedCommit::None => TaskStart::Base,
        RecordedCommit::There(commit) => TaskStart::At(facts.tracking.first().copied().unwrap_or(*commit)),
        RecordedCommit::Gone(what) => TaskStart::Lost(what.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_never_starts_behind_what_was_integrated() {
        let id = |digit: char| CommitId(digit.to_string().repeat(40).parse().unwrap());
        let there = |digit| RecordedCommit::There(id(digit));
        let gone = |what: &str| RecordedCommit::Gone(what.to_owned());
        let none = || RecordedCommit::None;
        let cases = [
            (none(), none(), vec![], TaskStart::Base),
            (none(), there('a'), vec![], TaskStart::At(id('a'))),
            (none(), there('a'), vec!['e'], TaskStart::At(id('e'))),
            (none(), gone("anchor"), vec![], TaskStart::Lost("anchor".to_owned())),
            (there('c'), there('a'), vec![], TaskStart::At(id('c'))),
            (there('c'), there('a'), vec!['e', 'f'], TaskStart::At(id('e'))),
            (there('c'), gone("anchor"), vec![], TaskStart::At(id('c'))),
            (gone("integration"), there('a'), vec![], TaskStart::Lost("integration".to_owned())),
        ];
        for (integration, anchor, tracking, expected) in cases {
            let facts = StartFacts { integration, anchor, tracking: tracking.into_iter().map(id).collect() };
            assert_eq!(task_start(&facts), expected, "{facts:?}");
        }
    }
}
