//! Approvals at the same moment, and approvals that are killed.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use serde_json::Value;
use sha2::Digest as _;

use super::shop::{Shop, TASK, login};
use crate::common::{Run, Started};

/// Every plan that a reader sees, by its id; its copy must be there, whole.
fn frozen(shop: &Shop) -> Vec<String> {
    let names = shop.names(&shop.plans());
    let ids = names.iter().filter_map(|name| name.strip_suffix(".json"));
    ids.map(|id| {
        let text = fs::read_to_string(shop.plans().join(format!("{id}.json"))).unwrap();
        let plan: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{id}: {error}: {text}"));
        let copy = fs::read(shop.plans().join(format!("{id}.md"))).unwrap();
        let sha256 = sha2::Sha256::digest(&copy).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(plan["sha256"], sha256, "{id}");
        id.to_owned()
    })
    .collect()
}

fn approve(shop: &Shop, file: &str) -> Started {
    shop.command(&["plan", "approve", "--task", TASK, file, "--category", "fix", "--yes", "--json"]).started()
}

#[test]
fn approvals_at_once_get_ids_of_their_own() {
    let shop = Shop::new();
    let files: Vec<_> = (0..6).map(|number| format!("plan-{number}.md")).collect();
    files.iter().for_each(|file| shop.write(file, &format!("{}\n{file}\n", login())));
    let running: Vec<_> = files.iter().map(|file| approve(&shop, file)).collect();
    let ids: BTreeSet<String> = running
        .into_iter()
        .map(|running| {
            let ran = running.ran();
            assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
            ran.json()["id"].as_str().unwrap().to_owned()
        })
        .collect();
    let numbers: Vec<_> = ids.iter().map(|id| &id[..3]).collect();
    assert_eq!(numbers, ["001", "002", "003", "004", "005", "006"]);
    assert_eq!(frozen(&shop).into_iter().collect::<BTreeSet<_>>(), ids);
    assert_eq!(shop.events().len(), 6);
    let shown = shop.json(0, &["plan", "show", "--task", TASK]);
    assert!(shown["id"].as_str().unwrap().starts_with("006-"), "{shown}");
}

#[test]
fn the_same_plan_approved_by_many_at_once_is_frozen_once() {
    let shop = Shop::new();
    shop.write("plan.md", &login());
    let running: Vec<_> = (0..6).map(|_| approve(&shop, "plan.md")).collect();
    let changed = running.into_iter().map(|running| running.ran().json()["changed"].clone());
    assert_eq!(changed.filter(|changed| *changed == true).count(), 1);
    assert_eq!(frozen(&shop).len(), 1);
}

#[test]
fn an_approval_that_is_killed_leaves_all_or_nothing_and_can_be_done_again() {
    let shop = Shop::new();
    let clean = std::time::Instant::now();
    shop.write("warm.md", &login());
    assert_eq!(approve(&shop, "warm.md").ran().code, Some(0));
    let whole = clean.elapsed();
    let mut left_behind = 0;
    for number in 0..40_u32 {
        let file = format!("plan-{number}.md");
        shop.write(&file, &format!("{}\n{number}\n", login()));
        let before = frozen(&shop);
        let mut running = approve(&shop, &file);
        std::thread::sleep(whole * number / 36);
        running.kill().unwrap();
        running.wait().unwrap();
        let after = frozen(&shop);
        assert!(after.starts_with(&before) && after.len() <= before.len() + 1, "{before:?} {after:?}");
        left_behind += shop.names(&shop.plans()).len() - 2 * after.len();
        let again = approve(&shop, &file).ran();
        assert_eq!(again.code, Some(0), "{again:?}");
        let document = again.json();
        let events = shop.events();
        assert!(events.iter().any(|event| event["plan"] == document["id"]), "{document}: {events:?}");
        let shown = shop.json(0, &["plan", "show", "--task", TASK]);
        assert_eq!(shown["id"], document["id"]);
    }
    let ids = frozen(&shop);
    let numbers: BTreeSet<_> = ids.iter().map(|id| &id[..3]).collect();
    assert_eq!(numbers.len(), ids.len(), "a number was used twice: {ids:?}");
    assert!(whole > Duration::ZERO && left_behind < 500);
}

#[test]
fn what_an_approval_that_was_cut_short_left_behind_is_no_plan() {
    let shop = Shop::new();
    let first = shop.approve(&login());
    fs::write(shop.plans().join("002-abcdef01.md"), "# Half").unwrap();
    fs::write(shop.plans().join(".okstra-x.tmp"), "{").unwrap();
    let shown = shop.json(0, &["plan", "show", "--task", TASK]);
    assert_eq!(shown["id"], first["id"]);
    let next = shop.approve(&format!("{}\n", login()));
    assert!(next["id"].as_str().unwrap().starts_with("003-"), "{next}");
    assert_eq!(fs::read_to_string(shop.plans().join("002-abcdef01.md")).unwrap(), "# Half");
}

#[test]
fn an_approval_whose_end_was_cut_off_is_completed() {
    let shop = Shop::new();
    shop.approve(&login());
    fs::remove_file(shop.task().join("timeline.jsonl")).unwrap();
    shop.sandbox.git(&shop.root, &["update-ref", "-d", "refs/okstra/state/auth/login"]);
    let again = shop.json(0, &["plan", "approve", "--task", TASK, "plan.md"]);
    assert_eq!(again["changed"], false);
    assert_eq!(shop.events().len(), 1);
    shop.sandbox.git(&shop.root, &["rev-parse", "--verify", "refs/okstra/state/auth/login"]);
}
