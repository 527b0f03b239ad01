//! `kill -9` at any moment of a fetch and a share: doing it again completes it.

use std::thread;
use std::time::Duration;

use serde_json::json;

use super::{LOG, Place, STATE, World};
use crate::common::Run;

/// Kills the command after longer and longer times, until it comes to its end before; gives how often it was killed.
fn kill_until_done(place: Place<'_>, words: &[&str], check: impl Fn()) -> u32 {
    let mut killed = 0;
    for pause in (0..).map(|number| Duration::from_millis(number * 4)) {
        let mut child = place.command(&[words, &["--task", "auth/login", "--json"]].concat()).started();
        thread::sleep(pause);
        if child.try_wait().unwrap().is_some() {
            let ran = child.ran();
            if ran.code == Some(0) {
                return killed;
            }
            // A git that the one before had started may still be at work.
            assert!(
                matches!(ran.json()["code"].as_str(), Some("git-failed" | "ref-locked" | "remote-failed")),
                "{ran:?}"
            );
            assert!(pause < Duration::from_secs(20), "{ran:?}");
            continue;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        killed += 1;
        check();
    }
    unreachable!()
}

#[test]
fn a_fetch_is_completed_after_every_kill() {
    let world = World::planned();
    let (a, b) = (world.place("a"), world.place("b"));
    a.prepare(&[]);
    a.build(1);
    a.build(2);
    a.of_task(0, &["stage", "integrate"]);
    a.share();
    // A task that has its manifest can be worked on: what a run starts from is then in the registry.
    let check = || {
        if b.path("task-manifest.json").exists() {
            assert_eq!(b.read(LOG), a.read(LOG));
            let registry = std::fs::read_to_string(b.home().join("worktrees/registry.json")).unwrap();
            assert!(registry.contains("integrations"), "{registry}");
        }
    };
    assert!(kill_until_done(b, &["task", "fetch"], check) > 10);
    assert_eq!(b.fetch(0)["state"], "up-to-date");
    assert_eq!(b.git(&["rev-parse", STATE]), a.git(&["rev-parse", STATE]));
    assert_eq!(b.git(&["for-each-ref", "refs/okstra/keep"]), a.git(&["for-each-ref", "refs/okstra/keep"]));

    // The same where something is here already.
    b.prepare(&[]);
    b.build(3);
    b.share();
    a.of_task(0, &["abandon", "implementation-001", "--reason", "x", "--yes"]);
    let mine = a.read(LOG);
    assert!(kill_until_done(a, &["task", "fetch"], || assert!(a.read(LOG).starts_with(&mine))) > 10);
    assert_eq!(a.read(LOG), b.read(LOG));
    assert_eq!(a.stages().iter().filter(|(.., commit)| !commit.is_empty()).count(), 3);
}

#[test]
fn a_share_is_completed_after_every_kill() {
    let world = World::planned();
    let (a, b) = (world.place("a"), world.place("b"));
    a.prepare(&[]);
    a.build(1);
    a.build(2);
    // Records never name what the remote lacks.
    let check = || {
        if !world.git(&["for-each-ref", STATE]).is_empty() {
            assert!(world.git(&["for-each-ref", "refs/okstra/keep"]).lines().count() >= 3);
        }
    };
    assert!(kill_until_done(a, &["task", "share"], check) > 3);
    let fetched = b.fetch(0);
    assert_eq!((&fetched["state"], &fetched["commits"]), (&json!("new"), &json!(3)));
}
