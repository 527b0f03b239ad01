//! `kill -9` at any moment of `okstra task`, and two at once: doing it again completes it.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::shop::{BRANCH, Shop, THREE};
use crate::common::Run;

const BOTH: &[super::shop::Edit<'_>] = &[(1, "a.txt", 3, "one"), (2, "b.txt", 3, "two")];

/// Kills the command after longer and longer times, until it comes to its end before; gives how often it was killed, and what
/// the last one said.
fn kill_until_done(shop: &Shop, words: &[&str]) -> (u32, Value) {
    let mut killed = 0;
    for pause in (0..).map(|number| Duration::from_millis(number * 7)) {
        let mut child = shop.command(words).args(["--task", "auth/login", "--json"]).started();
        thread::sleep(pause);
        if child.try_wait().unwrap().is_some() {
            let ran = child.ran();
            if ran.code == Some(0) {
                return (killed, ran.json());
            }
            // A git that the one before had started may still be at work.
            let code = ran.json()["code"].as_str().unwrap_or_default().to_owned();
            assert!(["dirty-worktree", "git-failed", "ref-locked"].contains(&code.as_str()), "{ran:?}");
            assert!(pause < Duration::from_secs(20), "{ran:?}");
            continue;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        killed += 1;
        // Whatever it was in the middle of, everything can be read.
        shop.task(0, &["status"]);
    }
    unreachable!()
}

#[test]
fn a_sync_is_completed_after_every_kill() {
    for squashed in [true, false] {
        let shop = Shop::built(THREE, BOTH);
        let tip = shop.rev(BRANCH);
        shop.main_moves("c.txt", 30, "moved");
        if squashed {
            shop.lands_squashed();
        }
        let (killed, _) = kill_until_done(&shop, &["task", "sync"]);
        assert!(killed > 3, "{killed}");
        shop.sync("nothing");
        let expected = if squashed { "0" } else { "1" };
        assert_eq!(shop.git(&["rev-list", "--count", "--first-parent", &format!("{tip}..{BRANCH}")]).len(), 1);
        assert_eq!(shop.git(&["rev-list", "--count", "--merges", &format!("{tip}..{BRANCH}")]), expected);
        let events = shop.events("synced");
        assert_eq!((events.len(), &events[0]["before"]), (1, &json!(tip)), "{events:?}");
        let made = shop.entry()["integrations"].clone();
        assert_eq!(made.as_array().unwrap().len(), 2, "{made}");
    }
}

#[test]
fn two_at_once_do_it_once() {
    let shop = Shop::built(THREE, BOTH);
    shop.main_moves("c.txt", 30, "moved");
    let both = [0, 1].map(|_| shop.command(&["task", "sync", "--task", "auth/login", "--json"]).started());
    let mut hows = both.map(|child| child.ran().json()["how"].as_str().unwrap().to_owned());
    hows.sort();
    assert_eq!((hows, shop.events("synced").len()), (["merge".to_owned(), "nothing".to_owned()], 1));
}

#[test]
fn a_close_is_completed_after_every_kill() {
    let shop = Shop::built(THREE, BOTH);
    shop.main_moves("c.txt", 30, "moved");
    shop.lands_squashed();
    let (killed, _) = kill_until_done(&shop, &["task", "close", "--yes"]);
    assert!(killed > 3, "{killed}");
    assert_eq!(shop.git(&["for-each-ref", "refs/heads", "refs/okstra/keep"]).lines().count(), 1);
    assert_eq!(shop.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!((shop.entry()["branch"].clone(), shop.entry()["stages"].clone()), (json!(null), json!(null)));
    shop.close(0);
    shop.collect();
    assert_eq!(shop.unsettled(), [] as [Value; 0]);
    assert_eq!(shop.ailments(), [] as [Value; 0]);
    assert_eq!(shop.task(0, &["status"])["next"]["step"], "nothing");
}

#[test]
fn two_closes_at_once_do_it_once() {
    let shop = Shop::built(THREE, BOTH);
    shop.lands_squashed();
    let both = [0, 1].map(|_| shop.command(&["task", "close", "--yes", "--task", "auth/login", "--json"]).started());
    let mut removed = both.map(|child| child.ran().json()["removed"].as_array().unwrap().len());
    removed.sort_unstable();
    assert_eq!((removed, shop.events("closed").len()), ([0, 3], 1));
}
