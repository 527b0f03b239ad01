//! What each change does to the registry, to everything else in it, and to its file.

use serde_json::json;

use super::*;
use crate::context::Environment;
use crate::domain::registry::Conflict;

struct Scratch {
    _folder: tempfile::TempDir,
    registry: Registry,
    context: Context,
}

impl Scratch {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let registry = Registry::new(folder.path().join("registry.json"));
        if !text.is_empty() {
            fs::replace(registry.path(), text.as_bytes()).unwrap();
        }
        let context = Context::new(folder.path(), Environment::default());
        Self { _folder: folder, registry, context }
    }

    fn lock(&self) -> RegistryGuard {
        self.registry.lock(&self.context).unwrap()
    }

    fn text(&self) -> String {
        fs::read_text(self.registry.path()).unwrap()
    }
}

fn key(text: &str) -> TaskKey {
    text.parse().unwrap()
}

fn task(name: &str) -> TaskWanted {
    TaskWanted {
        worktree_path: format!("/w/{name}"),
        branch: format!("fix-{name}"),
        base_ref: "refs/heads/main".to_owned(),
        git_common_dir: "/c/.git".to_owned(),
    }
}

fn stage(name: &str, run: Option<&str>) -> StageWanted {
    StageWanted {
        worktree_path: format!("/w/{name}"),
        branch: format!("fix-{name}"),
        base_ref: Some("ab".repeat(20)),
        reserved_by: run.map(|run| Holder { run: run.to_owned(), pid: Some(7), ..Holder::default() }),
        reserved_at: run.map(|_| "2026-11-30T20:03:00Z".to_owned()),
    }
}

#[test]
fn a_task_is_held_once_and_found_again() {
    let scratch = Scratch::new("");
    assert_eq!(scratch.registry.read(&key("p/g/t")).unwrap(), None);
    let entry = scratch.lock().reserve_task(&key("p/g/t"), &task("t")).unwrap();
    assert_eq!(entry.branch.as_deref(), Some("fix-t"));
    let text = scratch.text();
    assert!(
        text.starts_with("{\n  \"schemaVersion\": \"1.0\",\n  \"tasks\": {\n    \"p/g/t\": {\n      \"worktree_path\"")
    );
    let other_base = TaskWanted { base_ref: "refs/heads/other".to_owned(), ..task("t") };
    assert_eq!(scratch.lock().reserve_task(&key("p/g/t"), &other_base).unwrap(), entry);
    assert_eq!(scratch.text(), text);
    scratch.lock().reserve_task(&key("p/g/u"), &task("u")).unwrap();
    assert!(scratch.text().starts_with(text.strip_suffix("\n  }\n}\n").unwrap()));
    let whole: serde_json::Value = serde_json::from_str(&scratch.text()).unwrap();
    assert_eq!(scratch.text(), format!("{whole:#}\n"), "it is written as a person would indent it");
    assert_eq!(scratch.registry.read(&key("p/g/t")).unwrap(), Some(entry));
    assert_eq!(scratch.registry.read_all().unwrap().into_keys().collect::<Vec<_>>(), ["p/g/t", "p/g/u"]);
}

#[test]
fn every_byte_of_others_stays() {
    let others = concat!(
        "{\"note\" : [1, 2.50],\r\n \"tasks\": { \"q/g/x\":{\"new\":{\"b\":1,\"a\":2},\"branch\":\"x\"},\n",
        "\"p/g/t\": { \"mine\" :true, \"stages\":{\"1\":{\"extra\":1.0,\"branch\":null}} }, \"odd key\":[ 1 ] }, \"end\":null}"
    );
    let scratch = Scratch::new(others);
    let mut guard = scratch.lock();
    guard.reserve_task(&key("p/g/t"), &task("t")).unwrap();
    guard.reserve_stage(&key("p/g/t"), 1, &stage("t-s1", None)).unwrap();
    guard.reserve_task(&key("p/g/u"), &task("u")).unwrap();
    let text = scratch.text();
    let entry = others.find("{ \"mine\"").unwrap();
    let after = others.find(", \"odd key\"").unwrap();
    assert!(text.starts_with(&others[..entry]), "{text}");
    assert!(text.contains(", \"odd key\":[ 1 ],\n    \"p/g/u\": {"), "{text}");
    assert!(text.ends_with(&others[after + ", \"odd key\":[ 1 ]".len()..]), "{text}");
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["tasks"]["p/g/t"]["mine"], true);
    let first = json!({"extra": 1.0, "branch": "fix-t-s1", "worktree_path": "/w/t-s1", "base_ref": "ab".repeat(20)});
    assert_eq!(value["tasks"]["p/g/t"]["stages"]["1"], first);
    drop(guard);
    assert_eq!(scratch.lock().held.as_str(), text, "what the guard remembers is what the file holds");
}

#[test]
fn what_another_holds_is_refused_and_both_are_shown() {
    let written_by_another = concat!(
        r#"{"tasks":{"q/g/a":{"worktree_path":"\/w\/u","branch":"b1","git_common_dir":"\/c\/.git"},"#,
        r#""q/g/b":{"branch":"fix-\u0076","git_common_dir":"/c/.git"},"q/g/c":{"branch":"fix-d","git_common_dir":"/d"}}}"#
    );
    let scratch = Scratch::new(written_by_another);
    let mut guard = scratch.lock();
    guard.reserve_task(&key("p/g/t"), &task("t")).unwrap();
    guard.reserve_stage(&key("p/g/t"), 1, &stage("t-s1", None)).unwrap();
    let before = scratch.text();
    let cases = [
        ("p/g/u", task("u"), "the worktree `/w/u` that `p/g/u` asks for is held by `q/g/a`"),
        ("p/g/v", task("v"), "the branch `fix-v` that `p/g/v` asks for is held by `q/g/b`"),
        ("p/g/x", task("t-s1"), "the worktree `/w/t-s1` that `p/g/x` asks for is held by stage 1 of `p/g/t`"),
        ("p/g/t", task("other"), "`p/g/t` is held for the worktree `/w/t`, and not for `/w/other`"),
        (
            "p/g/t",
            TaskWanted { git_common_dir: "/d".to_owned(), ..task("t") },
            "`p/g/t` is held for the clone `/c/.git`, and not for `/d`",
        ),
    ];
    for (asking, wanted, said) in cases {
        let error = guard.reserve_task(&key(asking), &wanted).unwrap_err();
        assert!(matches!(&error, Error::Conflict { .. }), "{error}");
        assert!(error.to_string().starts_with(said), "{error}");
    }
    let error = guard.reserve_stage(&key("p/g/t"), 2, &stage("t", None)).unwrap_err();
    assert!(error.to_string().starts_with("the worktree `/w/t` that stage 2 of `p/g/t` asks for"), "{error}");
    assert_eq!(scratch.text(), before);
    guard.reserve_task(&key("p/g/d"), &task("d")).unwrap();
}

#[test]
fn keys_that_differ_only_in_case_are_refused() {
    let scratch = Scratch::new("");
    let mut guard = scratch.lock();
    guard.reserve_task(&key("p/g/t"), &task("t")).unwrap();
    for other in ["P/g/x", "p/G/x", "p/g/T", "P/G/T"] {
        let error = guard.reserve_task(&key(other), &task("x")).unwrap_err();
        assert!(matches!(error, Error::CaseCollision { ref existing, .. } if existing == "p/g/t"), "{other}: {error}");
        assert!(guard.insert_restored(&key(other), &TaskEntry::default()).is_err(), "{other}");
    }
    for (number, other) in ["p/g/t2", "p/g2/T", "q/G/T"].into_iter().enumerate() {
        guard.reserve_task(&key(other), &task(&format!("x{number}"))).unwrap();
    }
}

#[test]
fn a_stage_has_one_run_and_a_batch_is_all_or_nothing() {
    let scratch = Scratch::new("");
    let mut guard = scratch.lock();
    guard.reserve_task(&key("p/g/t"), &task("t")).unwrap();
    let first = guard.reserve_stage(&key("p/g/t"), 1, &stage("t-s1", Some("implementation-001"))).unwrap();
    assert_eq!(first.reserved_by.unwrap().run, "implementation-001");
    let before = scratch.text();
    let both = BTreeMap::from([
        (2, stage("t-s2", Some("implementation-002"))),
        (1, stage("t-s1", Some("implementation-002"))),
    ]);
    let error = guard.reserve_stages(&key("p/g/t"), &both).unwrap_err();
    let Error::StageReserved { stage: 1, holder, since: Some(since), .. } = &error else { panic!("{error}") };
    assert_eq!(
        (holder.run.as_str(), holder.pid, since.as_str()),
        ("implementation-001", Some(7), "2026-11-30T20:03:00Z")
    );
    let twins = BTreeMap::from([(2, stage("t-s2", None)), (3, stage("t-s2", None))]);
    let error = guard.reserve_stages(&key("p/g/t"), &twins).unwrap_err();
    assert!(
        matches!(&error, Error::Conflict { conflict, .. } if matches!(**conflict, Conflict::Other { .. })),
        "{error}"
    );
    assert_eq!(scratch.text(), before);

    assert!(!guard.release_stage(&key("p/g/t"), 1, "implementation-002").unwrap());
    assert!(!guard.release_stage(&key("p/g/t"), 9, "implementation-001").unwrap());
    assert!(guard.release_stage(&key("p/g/t"), 1, "implementation-001").unwrap());
    assert!(!guard.release_stage(&key("p/g/t"), 1, "implementation-001").unwrap());
    let entry = guard.reserve_stages(&key("p/g/t"), &both).unwrap();
    let runs = entry.stages.values().map(|stage| stage.reserved_by.as_ref().unwrap().run.as_str());
    assert_eq!(runs.collect::<Vec<_>>(), ["implementation-002"; 2]);
    assert_eq!(scratch.registry.read(&key("p/g/t")).unwrap(), Some(entry));
}

#[test]
fn an_anchor_is_set_once_and_moved_only_from_where_it_was_seen() {
    let scratch = Scratch::new("");
    let mut guard = scratch.lock();
    guard.reserve_task(&key("p/g/t"), &task("t")).unwrap();
    let moved = guard.reset_implementation_base(&key("p/g/t"), Some("aa"), "bb").unwrap_err();
    assert!(matches!(moved, Error::AnchorMoved { found: None, .. }), "{moved}");
    assert_eq!(guard.set_implementation_base(&key("p/g/t"), "aa").unwrap(), "aa");
    assert_eq!(guard.set_implementation_base(&key("p/g/t"), "bb").unwrap(), "aa");
    let moved = guard.reset_implementation_base(&key("p/g/t"), None, "bb").unwrap_err();
    assert_eq!(moved.to_string(), "the anchor of `p/g/t` is aa, and no longer not set");
    guard.reset_implementation_base(&key("p/g/t"), Some("aa"), "bb").unwrap();
    let entry = scratch.registry.read(&key("p/g/t")).unwrap().unwrap();
    assert_eq!(entry.implementation_base_commit.as_deref(), Some("bb"));
}

#[test]
fn integrations_are_added_once_and_lost_entries_put_back() {
    let scratch = Scratch::new("");
    let mut guard = scratch.lock();
    let made = Integration { commit: "aa".to_owned(), stages: vec![1, 2], at: None };
    let lost = TaskEntry {
        branch: Some("fix-t".to_owned()),
        implementation_base_commit: Some("cc".to_owned()),
        integrations: vec![made.clone()],
        ..TaskEntry::default()
    };
    assert!(guard.insert_restored(&key("p/g/t"), &lost).unwrap());
    assert!(!guard.insert_restored(&key("p/g/t"), &TaskEntry::default()).unwrap());
    assert!(matches!(guard.insert_restored(&key("p/g/u"), &lost), Err(Error::Conflict { .. })));
    guard.add_integration(&key("p/g/t"), &made).unwrap();
    let next = Integration { commit: "bb".to_owned(), ..made };
    assert_eq!(guard.add_integration(&key("p/g/t"), &next).unwrap().integrations.len(), 2);
    let whole = guard.reserve_task(&key("p/g/t"), &task("t")).unwrap();
    assert_eq!((whole.implementation_base_commit.as_deref(), whole.integrations.len()), (Some("cc"), 2));
    assert_eq!(whole.worktree_path.as_deref(), Some("/w/t"));
}

#[test]
fn a_task_without_entry_is_an_error() {
    let scratch = Scratch::new("");
    let mut guard = scratch.lock();
    let none = key("p/g/none");
    let errors = [
        guard.reserve_stage(&none, 1, &stage("x", None)).unwrap_err(),
        guard.release_stage(&none, 1, "r").unwrap_err(),
        guard.set_implementation_base(&none, "aa").unwrap_err(),
        guard.reset_implementation_base(&none, None, "aa").unwrap_err(),
        guard.add_integration(&none, &Integration::default()).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(&error, Error::NoEntry { key, .. } if key == "p/g/none"), "{error}");
    }
    assert!(!scratch.registry.path().exists());
}

#[test]
fn a_file_that_is_no_registry_is_named_and_left() {
    let cases = [
        ("{", "is not JSON"),
        (" ", "is not JSON"),
        ("{}x", "is not JSON"),
        ("[]", "an object"),
        (r#"{"tasks":[]}"#, "`tasks`, an object"),
        (r#"{"tasks":null}"#, "`tasks`, an object"),
        (r#"{"tasks":{},"tasks":{}}"#, "duplicate field"),
        (r#"{"schemaVersion":2,"tasks":{}}"#, "`schemaVersion` must be"),
        (r#"{"schemaVersion":"2.0","tasks":{}}"#, "schema version 2.0"),
        (r#"{"tasks":{"p/g/t":1}}"#, "the entry of `p/g/t`"),
        (r#"{"tasks":{"p/g/t":{"branch":1}}}"#, "the entry of `p/g/t`"),
        (r#"{"tasks":{"p/g/t":{"stages":[]}}}"#, "the entry of `p/g/t`"),
        (r#"{"tasks":{"p/g/t":{"stages":{"x":{}}}}}"#, "the entry of `p/g/t`"),
        (r#"{"tasks":{"p/g/t":{},"p/g/t":{}}}"#, "it is there twice"),
    ];
    for (text, said) in cases {
        let scratch = Scratch::new(text);
        let read = scratch.registry.read(&key("p/g/t")).unwrap_err();
        assert!(read.to_string().contains(said) && read.to_string().contains("registry.json"), "{text}: {read}");
        let reserved =
            scratch.registry.lock(&scratch.context).and_then(|mut guard| guard.reserve_task(&key("p/g/t"), &task("t")));
        assert!(reserved.is_err(), "{text}");
        assert_eq!(scratch.text(), text);
    }
    let scratch = Scratch::new("\u{feff}{}\r\n");
    scratch.lock().reserve_task(&key("p/g/t"), &task("t")).unwrap();
    assert!(scratch.registry.read(&key("p/g/t")).unwrap().is_some());
}

#[test]
fn what_is_taken_back_is_as_it_was() {
    let scratch = Scratch::new("");
    let key = key("p/g/t");
    scratch.lock().reserve_task(&key, &task("t")).unwrap();
    let text = scratch.text();
    let fresh = StageWanted { base_ref: None, ..stage("t-s1", Some("one")) };
    scratch.lock().reserve_stage(&key, 1, &fresh).unwrap();
    scratch.lock().set_stage_base(&key, 1, "ab").unwrap();
    scratch.lock().take_back_stage(&key, 1, "two", None).unwrap();
    assert_eq!(scratch.lock().read(&key).unwrap().unwrap().stages[&1].base_ref.as_deref(), Some("ab"));
    scratch.lock().take_back_stage(&key, 1, "one", None).unwrap();
    assert_eq!(scratch.text(), text);
    // With an anchor, or stages, it is a task that lives.
    scratch.lock().set_implementation_base(&key, "cd").unwrap();
    scratch.lock().release_task(&key, None).unwrap();
    assert!(scratch.lock().read(&key).unwrap().unwrap().branch.is_some());
    scratch.lock().release_task(&key, Some("ef")).unwrap();
    assert!(scratch.lock().read(&key).unwrap().unwrap().branch.is_some());
    // Its anchor goes with it where it is the one that was set for it.
    scratch.lock().release_task(&key, Some("cd")).unwrap();
    assert_eq!(scratch.lock().read(&key).unwrap().unwrap(), TaskEntry::default());
}

#[test]
fn a_task_that_is_forgotten_keeps_what_it_is() {
    let scratch = Scratch::new("");
    let key = key("p/g/t");
    let mut guard = scratch.lock();
    guard.reserve_task(&key, &task("t")).unwrap();
    guard.set_implementation_base(&key, "aa").unwrap();
    guard.forget_task(&key).unwrap();
    guard.forget_task(&key).unwrap();
    let entry = guard.read(&key).unwrap().unwrap();
    assert_eq!((&entry.branch, &entry.worktree_path, entry.has_no_place()), (&None, &None, true));
    assert_eq!((entry.last_branch.as_deref(), entry.base_ref.as_deref()), (Some("fix-t"), Some("refs/heads/main")));
    // Another may have the branch now.
    guard.reserve_task(&"p/g/u".parse().unwrap(), &TaskWanted { branch: "fix-t".to_owned(), ..task("u") }).unwrap();
    assert!(guard.reserve_task(&key, &task("t")).is_err());
    let again = guard.reserve_task(&key, &TaskWanted { branch: "fix-t2".to_owned(), ..task("t") }).unwrap();
    assert_eq!((again.implementation_base_commit.as_deref(), again.has_no_place()), (Some("aa"), false));
}
