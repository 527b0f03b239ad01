//! The engine against lists: what it asks, what it is told, what it concludes.

use super::super::change::{Entry, Mode, PathChange, RepoPath, Slot, Unit};
use super::super::effect::{Outcome, Probe};
use super::super::merge::may_replay;
use super::*;
use crate::domain::ids::ObjectId;

fn id(digit: u8) -> ObjectId {
    ObjectId::from_bytes(&[digit; 20]).unwrap()
}

fn commit(digit: u8) -> CommitId {
    CommitId(id(digit))
}

fn file(digit: u8) -> Slot {
    Slot::Entry(Entry { mode: Mode(0o100_644), id: id(digit) })
}

fn unit(head: u8, changes: &[(usize, u8, u8)]) -> Unit {
    let change = |&(path, old, new): &(usize, u8, u8)| PathChange { path, old: file(old), new: file(new) };
    Unit { commit: commit(head), changes: changes.iter().map(change).collect() }
}

/// Two commits, of the files `a` (1 to 2) and `b` (11 to 12).
fn stage() -> Stage {
    Stage {
        paths: vec![RepoPath::from(&b"a"[..]), RepoPath::from(&b"b"[..])],
        whole: unit(0xaa, &[(0, 1, 2), (1, 11, 12)]),
        commits: Some(vec![unit(0xa1, &[(0, 1, 2)]), unit(0xaa, &[(1, 11, 12)])]),
        known: true,
    }
}

fn sighting(at: u8, before: [u8; 2], after: [u8; 2]) -> Sighting {
    let slots = |ids: [u8; 2]| ids.into_iter().map(file).collect();
    Sighting { commit: commit(at), is_void: false, before: slots(before), after: slots(after) }
}

const NOT_REACHED: Answer =
    Answer::Reach(Reach { head: Some(false), base: Some(true), common: Some(true), based: Some(true) });

fn found(sightings: Vec<Sighting>) -> Answer {
    Answer::Sightings(sightings, Coverage::Whole)
}

fn effect_of(put_in: Outcome, take_out: Outcome) -> Answer {
    let recorded = Probe { put_in: vec![put_in], take_out: vec![take_out] };
    Answer::Effect(Probes { recorded, inside: Vec::new(), paths_exist: Some(true) })
}

fn present() -> Answer {
    effect_of(Outcome::Same, Outcome::Changes)
}

fn gone() -> Answer {
    effect_of(Outcome::Changes, Outcome::Same)
}

/// Takes a ladder through the list: each question must be the one that is expected there.
fn climb(stage: Stage, carriers: usize, script: Vec<(Question, Answer)>) -> ContentMerged {
    let candidate = Candidate { name: "refs/heads/main".to_owned(), commit: commit(0xcc) };
    let mut ladder = Ladder::new(stage, candidate, carriers);
    for (expected, answer) in script {
        assert_eq!(ladder.next_step(), Step::Ask(expected.clone()));
        assert_eq!(ladder.next_step(), Step::Ask(expected), "asking twice changes nothing");
        ladder.tell(answer);
    }
    match ladder.next_step() {
        Step::Done(answer) => answer,
        Step::Ask(question) => panic!("one more question: {question:?}"),
    }
}

fn verdict(answer: &ContentMerged) -> (Status, Verdict, Option<Proof>, Effect, Option<CommitId>) {
    (answer.status, answer.verdict, answer.proof, answer.effect, answer.matched_commit)
}

#[test]
fn an_ancestor_needs_no_search() {
    let reach = Reach { head: Some(true), base: Some(true), common: Some(true), based: Some(true) };
    for (effect, expected) in [(present(), Effect::Present), (gone(), Effect::Absent)] {
        let answer = climb(stage(), 0, vec![(Question::Reach, Answer::Reach(reach)), (Question::Effect, effect)]);
        let matched = Some(commit(0xaa));
        let ancestry = Some(Proof::Ancestry);
        assert_eq!(verdict(&answer), (Status::Ancestor, Verdict::Contained, ancestry, expected, matched));
    }
}

#[test]
fn the_very_same_change_is_found_without_a_merge_and_asked_for_its_effect() {
    let cases = [
        (present(), Effect::Present, Verdict::Contained),
        (effect_of(Outcome::ConflictKeepsOurs, Outcome::Changes), Effect::Evolved, Verdict::Contained),
        (gone(), Effect::Absent, Verdict::Ask),
        (effect_of(Outcome::Changes, Outcome::Changes), Effect::Partial, Verdict::Ask),
        (effect_of(Outcome::Unknown, Outcome::Changes), Effect::Unknown, Verdict::Ask),
    ];
    for (effect, expected, what) in cases {
        let sightings = vec![sighting(1, [5, 12], [6, 12]), sighting(2, [1, 11], [2, 12])];
        let mut script = vec![
            (Question::Reach, NOT_REACHED),
            (Question::Sightings, found(sightings)),
            (Question::Beyond(vec![1]), Answer::Beyond(vec![Some(true)])),
            (Question::Others(1), Answer::Others(vec![RepoPath::from(&b"c"[..])])),
            (Question::Effect, effect),
        ];
        if expected == Effect::Evolved {
            script.push((Question::Order(vec![0, 1]), Answer::Order(vec![(0, 0), (0, 1), (1, 1)])));
            script.push((Question::Gone(vec![0]), Answer::Gone(Vec::new())));
        }
        let answer = climb(stage(), 0, script);
        let same_change = Some(Proof::SameChange);
        assert_eq!(verdict(&answer), (Status::PatchEquivalent, what, same_change, expected, Some(commit(2))));
        assert!(answer.reason.contains("`c`"), "{}", answer.reason);
    }
}

#[test]
fn what_was_taken_out_since_and_came_back_otherwise_is_asked_about() {
    let sightings = vec![sighting(1, [5, 12], [6, 12]), sighting(2, [1, 11], [2, 12])];
    let script = vec![
        (Question::Reach, NOT_REACHED),
        (Question::Sightings, found(sightings)),
        (Question::Beyond(vec![1]), Answer::Beyond(vec![Some(true)])),
        (Question::Others(1), Answer::Others(Vec::new())),
        (Question::Effect, effect_of(Outcome::ConflictKeepsOurs, Outcome::Changes)),
        (Question::Order(vec![0, 1]), Answer::Order(vec![(0, 0), (0, 1), (1, 1)])),
        (Question::Gone(vec![0]), Answer::Gone(vec![0])),
        (Question::SameEnd, Answer::SameEnd(Some(false))),
        (Question::Effect, effect_of(Outcome::ConflictKeepsOurs, Outcome::Changes)),
    ];
    let answer = climb(stage(), 0, script);
    assert_eq!((answer.verdict, answer.effect), (Verdict::Ask, Effect::Partial));
}

#[test]
fn a_part_merged_for_real_must_hold_from_inside_the_stage_too() {
    let inside = |outcome| Probe { put_in: vec![outcome], take_out: vec![Outcome::Changes] };
    let recorded = Probe { put_in: vec![Outcome::Same], take_out: vec![Outcome::Changes] };
    for (outcome, expected, what) in [
        (Outcome::Same, Effect::Present, Verdict::Contained),
        (Outcome::ConflictKeepsOurs, Effect::Partial, Verdict::Ask),
        (Outcome::Changes, Effect::Partial, Verdict::Ask),
        (Outcome::Unknown, Effect::Unknown, Verdict::Ask),
    ] {
        let probes = Probes { recorded: recorded.clone(), inside: vec![inside(outcome)], paths_exist: Some(true) };
        let script = vec![
            (Question::Reach, NOT_REACHED),
            (Question::Sightings, found(vec![sighting(2, [1, 11], [2, 12])])),
            (Question::Beyond(vec![0]), Answer::Beyond(vec![Some(true)])),
            (Question::Others(0), Answer::Others(Vec::new())),
            (Question::Effect, Answer::Effect(probes)),
        ];
        let answer = climb(stage(), 0, script);
        assert_eq!((answer.effect, answer.verdict), (expected, what));
    }
}

/// `a` was changed by others before, so that only its content can tell.
fn drifted() -> Vec<Sighting> {
    vec![sighting(1, [7, 12], [8, 12]), sighting(2, [5, 11], [7, 12])]
}

#[test]
fn a_replay_is_asked_for_where_ids_leave_it_open_the_nearest_first() {
    let replay = |place, base| Question::Replay { place, scope: Scope::Whole, base };
    let script = vec![
        (Question::Reach, NOT_REACHED),
        (Question::Sightings, found(drifted())),
        (replay(0, ReplayBase::Recorded), Answer::Replay(Replayed::Differs(Vec::new()))),
        (replay(0, ReplayBase::Natural), Answer::Replay(Replayed::NotApplicable)),
        (replay(1, ReplayBase::Recorded), Answer::Replay(Replayed::Equal)),
        (Question::Beyond(vec![1]), Answer::Beyond(vec![Some(true)])),
        (Question::Others(1), Answer::Others(Vec::new())),
        (Question::Effect, present()),
    ];
    let answer = climb(stage(), 0, script);
    let replay = Some(Proof::Replay);
    let expected = (Status::PatchEquivalent, Verdict::Contained, replay, Effect::Present, Some(commit(2)));
    assert_eq!(verdict(&answer), expected);
}

/// Two commits, picked one by one with other work between.
fn picked() -> Vec<Sighting> {
    vec![sighting(1, [9, 11], [9, 12]), sighting(2, [1, 11], [2, 11])]
}

/// Up to the point where the whole was looked for in vain.
fn whole_not_found(sightings: Vec<Sighting>) -> Vec<(Question, Answer)> {
    let mut script = vec![(Question::Reach, NOT_REACHED), (Question::Sightings, found(sightings.clone()))];
    for (place, sighting) in sightings.iter().enumerate() {
        if may_replay(&stage().whole, sighting) {
            let question = Question::Replay { place, scope: Scope::Whole, base: ReplayBase::Recorded };
            script.push((question, Answer::Replay(Replayed::Conflict)));
        }
        let question = Question::Replay { place, scope: Scope::Whole, base: ReplayBase::Natural };
        script.push((question, Answer::Replay(Replayed::NotApplicable)));
    }
    script
}

#[test]
fn commits_that_landed_one_by_one_need_one_landing_that_holds_the_rest() {
    for (order, proof) in [(vec![(0, 0), (1, 1), (0, 1)], Some(Proof::PerCommit)), (vec![(0, 0), (1, 1)], None)] {
        let mut script = whole_not_found(picked());
        script.push((Question::Order(vec![0, 1]), Answer::Order(order)));
        script.push(match proof {
            Some(_) => (Question::Beyond(vec![0, 1]), Answer::Beyond(vec![Some(true); 2])),
            None => (Question::SameEnd, Answer::SameEnd(Some(false))),
        });
        script.push((Question::Effect, present()));
        let answer = climb(stage(), 0, script);
        assert_eq!((answer.proof, answer.matched_commit), (proof, proof.map(|_| commit(1))));
    }
}

#[test]
fn what_the_base_reaches_after_all_proves_nothing() {
    for beyond in [Some(false), None] {
        let sightings = vec![sighting(2, [1, 11], [2, 12])];
        let script = vec![
            (Question::Reach, NOT_REACHED),
            (Question::Sightings, found(sightings)),
            (Question::Beyond(vec![0]), Answer::Beyond(vec![beyond])),
            (Question::SameEnd, Answer::SameEnd(Some(false))),
            (Question::Effect, present()),
        ];
        let answer = climb(stage(), 0, script);
        assert_eq!((answer.status, answer.proof, answer.verdict), (Status::NotMerged, None, Verdict::Ask));
    }
}

#[test]
fn a_stage_with_merges_inside_is_absent_only_where_nothing_touched_its_paths() {
    let merged = || Stage { commits: None, ..stage() };
    let end = || vec![(Question::SameEnd, Answer::SameEnd(Some(false))), (Question::Effect, gone())];
    let start =
        |sightings: Vec<Sighting>| vec![(Question::Reach, NOT_REACHED), (Question::Sightings, found(sightings))];
    assert_eq!(climb(merged(), 0, [start(Vec::new()), end()].concat()).verdict, Verdict::Absent);
    let touched = start(vec![sighting(1, [1, 11], [6, 11])]);
    let natural = Question::Replay { place: 0, scope: Scope::Whole, base: ReplayBase::Natural };
    let script = [touched, vec![(natural, Answer::Replay(Replayed::NotApplicable))], end()].concat();
    assert_eq!(climb(merged(), 0, script).verdict, Verdict::Ask);
}

#[test]
fn same_end_and_carriers_come_last() {
    let mut script = whole_not_found(vec![]);
    script.push((Question::SameEnd, Answer::SameEnd(Some(true))));
    script.push((Question::Effect, present()));
    let answer = climb(stage(), 2, script);
    assert_eq!((answer.proof, answer.matched_commit), (Some(Proof::SameEnd), Some(commit(0xcc))));

    let mut script = whole_not_found(vec![]);
    script.push((Question::SameEnd, Answer::SameEnd(Some(false))));
    script.push((Question::Carrier(0), Answer::Carrier(None)));
    script.push((Question::Carrier(1), Answer::Carrier(Some(commit(7)))));
    script.push((Question::Effect, present()));
    let answer = climb(stage(), 2, script);
    assert_eq!((answer.proof, answer.matched_commit), (Some(Proof::Carrier), Some(commit(7))));
}

#[test]
fn a_commit_that_changes_more_of_the_stage_than_one_commit_of_it_lands_none() {
    // The second commit, amended: it changes the file of the first as well.
    let sightings = vec![sighting(2, [2, 11], [3, 12]), sighting(1, [1, 11], [2, 11])];
    let natural = |place| Question::Replay { place, scope: Scope::Whole, base: ReplayBase::Natural };
    let script = vec![
        (Question::Reach, NOT_REACHED),
        (Question::Sightings, found(sightings)),
        (natural(0), Answer::Replay(Replayed::NotApplicable)),
        (natural(1), Answer::Replay(Replayed::NotApplicable)),
        (Question::SameEnd, Answer::SameEnd(Some(false))),
        (Question::Effect, effect_of(Outcome::ConflictKeepsOurs, Outcome::Changes)),
    ];
    let answer = climb(stage(), 0, script);
    assert_eq!((answer.verdict, answer.proof), (Verdict::Ask, None));
}

/// Whether a carried stage that was worked on since is still there, by what its carrier's commit touches.
#[test]
fn what_was_worked_on_counts_only_where_its_landing_was_seen() {
    let touches = sighting(7, [1, 11], [3, 12]);
    for (sightings, expected) in [(vec![touches], Verdict::Contained), (vec![], Verdict::Ask)] {
        let mut script = vec![(Question::Reach, NOT_REACHED), (Question::Sightings, found(sightings.clone()))];
        if !sightings.is_empty() {
            let natural = Question::Replay { place: 0, scope: Scope::Whole, base: ReplayBase::Natural };
            script.push((natural, Answer::Replay(Replayed::NotApplicable)));
        }
        script.push((Question::SameEnd, Answer::SameEnd(Some(false))));
        script.push((Question::Carrier(0), Answer::Carrier(Some(commit(7)))));
        script.push((Question::Effect, effect_of(Outcome::ConflictKeepsOurs, Outcome::Changes)));
        assert_eq!(climb(stage(), 1, script).verdict, expected);
    }
}

#[test]
fn of_a_merged_stage_only_its_effect_is_asked() {
    let candidate = || Candidate { name: "r".to_owned(), commit: commit(0xcc) };
    let evolved = || effect_of(Outcome::ConflictKeepsOurs, Outcome::Changes);
    // What is touched nearer than its last commit, and whether it is gone there.
    let cases = [
        (present(), None, Verdict::Contained),
        (gone(), None, Verdict::Ask),
        (evolved(), Some(vec![]), Verdict::Contained),
        (evolved(), Some(vec![0]), Verdict::Ask),
    ];
    for (effect, gone, expected) in cases {
        let mut ladder = Ladder::merged(stage(), candidate());
        let sightings = vec![sighting(8, [2, 12], [3, 12]), sighting(0xaa, [2, 11], [2, 12])];
        let mut script = vec![(Question::Sightings, found(sightings)), (Question::Effect, effect)];
        if let Some(gone) = gone {
            script.push((Question::Order(vec![0, 1]), Answer::Order(vec![(0, 0), (0, 1), (1, 1)])));
            script.push((Question::Gone(vec![0]), Answer::Gone(gone)));
        }
        for (question, answer) in script {
            assert_eq!(ladder.next_step(), Step::Ask(question));
            ladder.tell(answer);
        }
        let Step::Done(answer) = ladder.next_step() else { panic!("one more question") };
        assert_eq!(answer.verdict, expected);
    }
}

#[test]
fn same_end_is_not_asked_when_the_base_is_not_contained() {
    let reach = Reach { head: Some(false), base: Some(false), common: Some(true), based: Some(true) };
    let script = vec![
        (Question::Reach, Answer::Reach(reach)),
        (Question::Sightings, found(Vec::new())),
        (Question::Effect, present()),
    ];
    let answer = climb(stage(), 0, script);
    assert_eq!((answer.status, answer.verdict), (Status::NotMerged, Verdict::Ask));
}

#[test]
fn absent_needs_everything_to_be_known_and_no_trace() {
    let end = || vec![(Question::SameEnd, Answer::SameEnd(Some(false))), (Question::Effect, gone())];
    let untouched = [whole_not_found(vec![]), end()].concat();
    assert_eq!(climb(stage(), 0, untouched.clone()).verdict, Verdict::Absent);

    let part = Answer::Sightings(Vec::new(), Coverage::Part("the clone is shallow".to_owned()));
    let mut shallow = untouched.clone();
    shallow[1].1 = part;
    let answer = climb(stage(), 0, shallow);
    assert_eq!(answer.verdict, Verdict::Ask);
    assert!(answer.reason.contains("shallow"), "{}", answer.reason);

    for reach in [
        Reach { head: None, base: Some(true), common: Some(true), based: Some(true) },
        Reach { head: Some(false), base: Some(true), common: Some(true), based: Some(false) },
    ] {
        let mut script = untouched.clone();
        script[0].1 = Answer::Reach(reach);
        assert_eq!(climb(stage(), 0, script).verdict, Verdict::Ask, "{reach:?}");
    }

    // Others edited `a`: whether that holds a part of the stage, only its content can tell.
    let edited = vec![sighting(1, [5, 11], [6, 11])];
    for (trace, expected) in [(Some(false), Verdict::Absent), (Some(true), Verdict::Ask), (None, Verdict::Ask)] {
        let mut script = whole_not_found(edited.clone());
        let scope = Scope::Commit(0);
        let replay = Question::Replay { place: 0, scope, base: ReplayBase::Recorded };
        script.push((replay, Answer::Replay(Replayed::Conflict)));
        script.extend(end());
        script.push((Question::Trace { place: 0, scope }, Answer::Trace(trace)));
        assert_eq!(climb(stage(), 0, script).verdict, expected, "{trace:?}");
    }
}

#[test]
fn a_part_that_landed_is_never_absent() {
    let mut script = whole_not_found(vec![sighting(2, [1, 11], [2, 11])]);
    script.push((Question::SameEnd, Answer::SameEnd(Some(false))));
    script.push((Question::Effect, gone()));
    let answer = climb(stage(), 0, script);
    assert_eq!(answer.verdict, Verdict::Ask);
    assert!(answer.reason.contains("1 of 2 commits landed"), "{}", answer.reason);
}

#[test]
fn an_answer_that_is_missing_leaves_it_open() {
    let replay = |place, base| Question::Replay { place, scope: Scope::Whole, base };
    let script = vec![
        (Question::Reach, NOT_REACHED),
        (Question::Sightings, found(vec![sighting(2, [5, 11], [7, 12])])),
        (replay(0, ReplayBase::Recorded), Answer::Replay(Replayed::Unknown)),
        (replay(0, ReplayBase::Natural), Answer::Replay(Replayed::NotApplicable)),
        (Question::SameEnd, Answer::SameEnd(Some(false))),
        (Question::Effect, gone()),
        (Question::Trace { place: 0, scope: Scope::Commit(0) }, Answer::Trace(Some(false))),
    ];
    let answer = climb(stage(), 0, script);
    assert_eq!((answer.status, answer.verdict), (Status::NotMerged, Verdict::Ask));
}

#[test]
fn nothing_is_no_evidence() {
    let nothing = Stage { whole: unit(0xaa, &[]), commits: Some(vec![unit(0xaa, &[])]), ..stage() };
    let answer = climb(nothing, 0, vec![(Question::Reach, NOT_REACHED)]);
    let expected = (Status::NotMerged, Verdict::Ask, None, Effect::Unknown, None);
    assert_eq!(verdict(&answer), expected);

    let unread = Stage { known: false, ..stage() };
    let answer = climb(unread, 0, vec![(Question::Reach, NOT_REACHED)]);
    assert_eq!(verdict(&answer), expected);
}

#[test]
fn a_root_proves_nothing_though_it_holds_everything() {
    let root = Sighting { is_void: true, before: vec![Slot::Absent; 2].into(), ..sighting(3, [1, 11], [2, 12]) };
    let script = vec![
        (Question::Reach, NOT_REACHED),
        (Question::Sightings, found(vec![root])),
        (Question::SameEnd, Answer::SameEnd(Some(false))),
        (Question::Effect, gone()),
    ];
    let answer = climb(stage(), 0, script);
    assert_eq!((answer.status, answer.verdict), (Status::NotMerged, Verdict::Ask), "what it holds is a trace");
}
