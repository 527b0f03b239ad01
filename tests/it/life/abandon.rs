//! A run is given up.

use std::fs;

use super::Life;
use crate::common::OKSTRA;
use crate::common::pty::Pty;

#[test]
fn what_was_reserved_is_released_and_what_was_built_stays() {
    let life = Life::planned();
    life.prepare("implementation-001", &[1, 3]);
    life.prepare("implementation-002", &[2]);
    let refused = life.refused(&["abandon", "implementation-001", "--reason", "x"], "confirmation-needed");
    assert!(refused["hint"].as_str().unwrap().contains("--yes"));
    assert_eq!(life.reserved_by("implementation-001"), [1, 3]);
    let done = life.done(&["abandon", "implementation-001", "--reason", " wrong way ", "--yes"]);
    assert_eq!((&done["released"], done["already"].as_bool()), (&serde_json::json!([1, 3]), Some(false)));
    assert_eq!(done["worktrees"].as_array().unwrap().len(), 2);
    assert!(life.reserved_by("implementation-001").is_empty() && life.worktree(1).is_dir());
    assert_eq!(life.reserved_by("implementation-002"), [2]);
    let state: serde_json::Value =
        serde_json::from_str(&life.read("runs/implementation/state/team-state-implementation-001.json")).unwrap();
    assert_eq!((state["status"].as_str(), state["reason"].as_str()), (Some("abandoned"), Some("wrong way")));
    assert_eq!(life.manifest()["phases"]["implementation"]["runs"][0]["status"], "abandoned");
    assert!(life.events().contains(&("abandoned".to_owned(), "implementation-001".to_owned())));
    assert!(life.mirrored("task-manifest.json").contains("\"abandoned\""));
    assert!(life.read("task-index.md").contains("| implementation-001 | abandoned |"));
    assert_eq!(life.status()["kept"].as_array().unwrap().len(), 2);
}

#[test]
fn it_is_final_and_told_the_second_time() {
    let life = Life::planned();
    life.prepare("implementation-001", &[1]);
    life.done(&["abandon", "implementation-001", "--reason", "first", "--yes"]);
    let events = life.events();
    let again = life.done(&["abandon", "implementation-001", "--reason", "second"]);
    assert_eq!((again["already"].as_bool(), again["reason"].as_str()), (Some(true), Some("first")));
    assert_eq!(life.events(), events);
    life.refused(&["finish", "implementation-001"], "run-ended");
    life.refused(&["abandon", "implementation-009", "--reason", "x"], "unknown-run");
    life.refused(&["abandon", "implementation-1", "--reason", "x"], "bad-name");
    life.refused(&["abandon", "implementation-001", "--reason", " "], "usage");
    life.prepare("final-verification-001", &[]);
    life.report("final-verification-001", "x");
    life.done(&["finish", "final-verification-001"]);
    life.refused(&["abandon", "final-verification-001", "--reason", "x", "--yes"], "run-ended");
}

#[test]
fn at_a_terminal_it_is_shown_and_asked() {
    let life = Life::planned();
    life.prepare("implementation-001", &[1]);
    let (home, root) = (life.story.home(), life.story.shop.clone());
    let variables = [("OKSTRA_HOME", home.to_str().unwrap())];
    let mut command = vec![OKSTRA, "abandon", "implementation-001", "--task", "auth/login", "--reason", "x"];
    command.extend(["--project-root", root.to_str().unwrap()]);
    for (typed, code, left) in [("n\n", 1, 1), ("\n", 1, 1), ("y\n", 0, 0)] {
        let mut pty = Pty::start(&life.story.sandbox, 80, &variables, &command);
        pty.wait_for("Abandon this run? [y/N]");
        pty.type_in(typed);
        let (status, seen) = pty.end();
        assert_eq!(status.code(), Some(code), "{seen}");
        assert!(seen.contains("stage 1") && seen.contains("releases") && seen.contains("login-s1"), "{seen}");
        assert_eq!(life.reserved_by("implementation-001").len(), left);
    }
}

#[test]
fn others_stay_as_they_are_when_a_task_beside_cannot_be_read() {
    let life = Life::planned();
    life.prepare("implementation-001", &[1]);
    let bad = life.story.shop.join(".okstra/tasks/auth/other");
    fs::create_dir_all(&bad).unwrap();
    fs::write(bad.join("task-manifest.json"), "{").unwrap();
    let ran = life.okstra(&["abandon", "implementation-001", "--reason", "x", "--yes"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("auth/other") && ran.stderr.contains("is not JSON"), "{ran:?}");
    assert_eq!(fs::read_to_string(bad.join("task-manifest.json")).unwrap(), "{");
}
