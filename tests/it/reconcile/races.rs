//! What changes between the search and the writing.

use okstra::store::consumers::LogGuard;
use serde_json::json;

use crate::common::Run;
use crate::common::story::{Story, branch};

/// Stage 1, squashed into main.
fn squashed() -> (Story, String) {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.edit("a.txt", 35, "main moved on");
    story.git(&["merge", "-q", "--squash", &branch(1)]);
    story.git(&["commit", "-q", "-m", "squashed"]);
    let landed = story.rev("HEAD");
    (story, landed)
}

/// Runs git-reconcile, which has to wait for the log's lock before it writes; does `meanwhile` while it waits.
fn while_it_waits(story: &Story, arguments: &[&str], meanwhile: impl FnOnce()) -> crate::common::Ran {
    let context = story.context();
    let guard = LogGuard::lock(&story.log(), &context).unwrap();
    let started = story.command(arguments).started();
    // It cannot go on before the lock is released, however long it takes to get there.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    meanwhile();
    drop(guard);
    started.ran()
}

#[test]
fn a_base_that_moves_on_meanwhile_is_asked_again() {
    let (story, landed) = squashed();
    let ran = while_it_waits(&story, &["--into", "main", "--apply", "--json"], || {
        story.edit("b.txt", 1, "main goes on");
    });
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.json()["applied"][0]["new_commit"], json!(landed), "{ran:?}");
}

#[test]
fn what_was_taken_out_meanwhile_is_not_recorded() {
    let (story, _) = squashed();
    let ran = while_it_waits(&story, &["--into", "main", "--apply", "--json"], || {
        story.git(&["revert", "--no-edit", "HEAD"]);
    });
    assert_eq!((ran.code, &ran.json()["applied"]), (Some(2), &json!([])), "{ran:?}");
    assert_eq!(story.rows().len(), 1);
}

#[test]
fn a_ref_that_a_person_named_is_taken_as_it_stands_when_it_is_written() {
    let story = Story::new();
    let old = story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.git(&["checkout", "-q", &branch(1)]);
    story.edit("a.txt", 3, "another one");
    let named = ["--apply", "--stage", "1", "--use-ref", &branch(1), "--json"];
    let ran = while_it_waits(&story, &named, || {
        story.edit("a.txt", 9, "and more");
    });
    let row = json!({"stage": 1, "new_commit": story.rev(&branch(1)), "replaced": old, "reason": "user-ref"});
    assert_eq!((ran.code, &ran.json()["applied"]), (Some(0), &json!([row])), "{ran:?}");
    assert_eq!(story.rows().len(), 2);
}
