//! The classification against the table of the specification, over the whole space of facts.

use super::*;
use crate::domain::equivalence::Status;

fn commit(digit: char) -> CommitId {
    CommitId(digit.to_string().repeat(40).parse().unwrap())
}

fn landing(verdict: Verdict, effect: Effect, matched: bool) -> Landing {
    let answer = ContentMerged {
        status: Status::PatchEquivalent,
        matched_commit: matched.then(|| commit('c')),
        verdict,
        proof: matched.then_some(Proof::Replay),
        effect,
        reason: "found".to_owned(),
    };
    Landing { on: "refs/heads/x-s1".to_owned(), answer, on_top: Some(0) }
}

/// Every state of the facts that matters.
fn all_facts() -> Vec<StageFacts> {
    let mut all = Vec::new();
    for found in [Recorded::Exists(commit('a')), Recorded::Gone("there is no commit a".to_owned())] {
        for reachable_from in [None, Some("refs/heads/main".to_owned())] {
            for branch_tip in [None, Some(commit('b'))] {
                for tip_then in
                    [None, Some(None), Some(Some(commit('b').to_string())), Some(Some(commit('d').to_string()))]
                {
                    all.push(StageFacts {
                        stage: 1,
                        recorded: commit('a').to_string(),
                        found: found.clone(),
                        reachable_from: reachable_from.clone(),
                        branch: "refs/heads/x-s1".to_owned(),
                        branch_tip,
                        tip_then,
                    });
                }
            }
        }
    }
    all
}

fn all_landings() -> Vec<Landing> {
    let verdicts = [Verdict::Contained, Verdict::Absent, Verdict::Ask];
    let effects = [Effect::Present, Effect::Absent, Effect::Evolved, Effect::Partial, Effect::Unknown];
    let pairs = verdicts.into_iter().flat_map(|verdict| effects.map(|effect| (verdict, effect)));
    pairs.flat_map(|(verdict, effect)| [true, false].map(|matched| landing(verdict, effect, matched))).collect()
}

/// The table of the specification, read from the top, in its own words.
fn oracle(facts: &StageFacts, landing: &Landing) -> Classification {
    let exists = matches!(facts.found, Recorded::Exists(_));
    if exists && facts.reachable_from.is_some() {
        return Classification::Ok;
    }
    if exists && facts.branch_tip.is_none() {
        return Classification::Ok;
    }
    let users_row_and_branch_unmoved = match (&facts.tip_then, facts.branch_tip) {
        (Some(Some(then)), Some(now)) => *then == now.to_string(),
        _ => false,
    };
    if exists && users_row_and_branch_unmoved {
        return Classification::Ok;
    }
    let proved = landing.answer.verdict == Verdict::Contained && landing.answer.matched_commit.is_some();
    let there = landing.answer.effect == Effect::Present || landing.answer.effect == Effect::Evolved;
    if proved && there { Classification::Auto } else { Classification::Confirm }
}

#[test]
fn the_whole_space_equals_the_table() {
    let (mut seen, landings) = (0, all_landings());
    for facts in all_facts() {
        for landing in &landings {
            let item = match next(&facts) {
                Next::Decided(item) => item,
                Next::Search(_) => decide(&facts, std::slice::from_ref(landing)),
            };
            assert_eq!(item.classification, oracle(&facts, landing), "{facts:?} {landing:?}");
            let suggested = (item.classification == Classification::Auto).then(|| commit('c'));
            assert_eq!(item.suggested_commit, suggested);
            seen += 1;
        }
    }
    assert_eq!(seen, 32 * 30);
}

#[test]
fn nothing_to_search_from_is_for_a_person() {
    for facts in all_facts() {
        if let Next::Search(_) = next(&facts) {
            assert_eq!(decide(&facts, &[]).classification, Classification::Confirm, "{facts:?}");
        }
    }
}

#[test]
fn of_several_refs_the_first_that_proves_it_counts() {
    let facts = StageFacts { found: Recorded::Gone("there is no commit a".to_owned()), ..all_facts().remove(0) };
    let other = Landing { on: "refs/heads/main".to_owned(), ..landing(Verdict::Contained, Effect::Present, true) };
    let item = decide(&facts, &[landing(Verdict::Ask, Effect::Unknown, false), other]);
    assert_eq!(item.classification, Classification::Auto);
    assert_eq!(item.reason, "recorded SHA unresolvable: there is no commit a; found");
}

#[test]
fn commits_on_top_are_counted() {
    let facts = StageFacts { branch_tip: Some(commit('b')), ..all_facts().remove(0) };
    for (on_top, expected) in [
        (None, "found"),
        (Some(0), "found"),
        (Some(1), "found; one commit on top of it is not taken in"),
        (Some(3), "found; 3 commits on top of it are not taken in"),
    ] {
        let landing = Landing { on_top, ..landing(Verdict::Contained, Effect::Present, true) };
        assert_eq!(decide(&facts, &[landing]).reason, expected);
    }
}

#[test]
fn an_anchor_is_there_or_asked_about() {
    assert_eq!(anchor("a", None).classification, Classification::Ok);
    let gone = anchor("a", Some("there is no commit a"));
    assert_eq!(gone.classification, Classification::Confirm);
    assert_eq!(gone.reason, "anchor SHA unresolvable: there is no commit a");
}
