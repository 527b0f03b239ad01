//! How a task branch follows its base: asked for cheap facts first, then for a search.

use serde::Serialize;

use crate::domain::equivalence::{ContentMerged, Effect, Verdict};

/// What is done with the task branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Follow {
    /// Nothing: it holds the base.
    Nothing,
    /// It moves on to the base, which holds all of it.
    FastForward,
    /// It starts again from the base, where its content is proved to have landed.
    Restart,
    /// The base is merged into it.
    Merge,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It is decided.
    Decided(Follow),
    /// It has to be searched for whether the content of the task branch is in the base.
    Search,
}

/// What is decided of a task branch without a search. Each fact is `None` where it cannot be told.
pub fn next(holds_base: Option<bool>, is_in_base: Option<bool>) -> Next {
    match (holds_base, is_in_base) {
        (Some(true), _) => Next::Decided(Follow::Nothing),
        (_, Some(true)) => Next::Decided(Follow::FastForward),
        _ => Next::Search,
    }
}

/// Decides on a task branch that was searched for: only what is proved, and there still, is left behind. To merge loses
/// nothing, whatever became of it.
pub fn decide(found: &ContentMerged) -> Follow {
    let is_there = matches!(found.effect, Effect::Present | Effect::Evolved);
    match found.verdict {
        Verdict::Contained if is_there => Follow::Restart,
        _ => Follow::Merge,
    }
}

/// Whether the content landed, and is not, or not all of it, there any more: a person should know.
pub fn was_taken_out(found: &ContentMerged) -> bool {
    found.matched_commit.is_some() && matches!(found.effect, Effect::Absent | Effect::Partial)
}

/// How a base and its upstream stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ahead {
    /// The base holds its upstream.
    Base,
    /// The upstream holds the base.
    Upstream,
    /// Each has what the other lacks, as far as can be told.
    Neither,
}

/// The bases to look in, the one to follow first: the one that holds the other; where they went different ways both, and
/// the base itself first.
pub fn in_order<T>(base: T, upstream: Option<(T, Ahead)>) -> Vec<T> {
    match upstream {
        None | Some((_, Ahead::Base)) => vec![base],
        Some((upstream, Ahead::Upstream)) => vec![upstream],
        Some((upstream, Ahead::Neither)) => vec![base, upstream],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::equivalence::{Proof, Status};
    use crate::domain::ids::CommitId;

    fn found(verdict: Verdict, effect: Effect, landed: bool) -> ContentMerged {
        let commit = CommitId("0123456789abcdef0123456789abcdef01234567".parse().unwrap());
        ContentMerged {
            status: if landed { Status::PatchEquivalent } else { Status::NotMerged },
            matched_commit: landed.then_some(commit),
            verdict,
            proof: landed.then_some(Proof::Replay),
            effect,
            reason: String::new(),
        }
    }

    #[test]
    fn what_ancestry_tells_needs_no_search() {
        let (yes, no) = (Some(true), Some(false));
        let cases = [
            (yes, yes, Next::Decided(Follow::Nothing)),
            (yes, no, Next::Decided(Follow::Nothing)),
            (yes, None, Next::Decided(Follow::Nothing)),
            (no, yes, Next::Decided(Follow::FastForward)),
            (None, yes, Next::Decided(Follow::FastForward)),
            (no, no, Next::Search),
            (no, None, Next::Search),
            (None, no, Next::Search),
            (None, None, Next::Search),
        ];
        for (holds, is_in, expected) in cases {
            assert_eq!(next(holds, is_in), expected, "{holds:?} {is_in:?}");
        }
    }

    #[test]
    fn only_what_is_proved_and_there_still_is_left_behind() {
        use Effect::{Absent, Evolved, Partial, Present, Unknown};
        for verdict in [Verdict::Contained, Verdict::Absent, Verdict::Ask] {
            for effect in [Present, Absent, Evolved, Partial, Unknown] {
                for landed in [true, false] {
                    let answer = found(verdict, effect, landed);
                    let starts_again = verdict == Verdict::Contained && [Present, Evolved].contains(&effect);
                    let expected = if starts_again { Follow::Restart } else { Follow::Merge };
                    assert_eq!(decide(&answer), expected, "{answer:?}");
                    assert_eq!(was_taken_out(&answer), landed && [Absent, Partial].contains(&effect), "{answer:?}");
                }
            }
        }
    }

    #[test]
    fn the_base_that_holds_the_other_is_followed() {
        assert_eq!(in_order("base", None), ["base"]);
        assert_eq!(in_order("base", Some(("upstream", Ahead::Base))), ["base"]);
        assert_eq!(in_order("base", Some(("upstream", Ahead::Upstream))), ["upstream"]);
        assert_eq!(in_order("base", Some(("upstream", Ahead::Neither))), ["base", "upstream"]);
    }
}
