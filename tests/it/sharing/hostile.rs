//! What a remote holds that somebody made to do harm, or that was damaged: nothing of it is written.

use std::collections::BTreeMap;
use std::fs;

use serde_json::json;

use super::{STATE, World};

type Files = BTreeMap<String, Vec<u8>>;

const TASK: &str = "tasks/auth/login";

fn put(files: &mut Files, path: &str, text: &str) {
    files.insert(path.to_owned(), text.as_bytes().to_vec());
}

fn replace(files: &mut Files, path: &str, old: &str, new: &str) {
    let text = String::from_utf8(files[path].clone()).unwrap();
    assert!(text.contains(old), "{path}: {text}");
    put(files, path, &text.replace(old, new));
}

/// A remote whose records have everything.
fn world() -> World {
    let world = World::planned();
    let a = world.place("a");
    a.prepare(&["--stage", "1"]);
    a.build(1);
    a.share();
    world
}

/// What is done to a file.
enum Change {
    /// A text in it is replaced.
    Edit(&'static str, &'static str),
    /// It is this.
    Bytes(&'static [u8]),
    /// It is gone.
    Gone,
}

/// The code of the error, the file, and what was done to it.
fn faults() -> Vec<(&'static str, String, Change)> {
    use Change::{Bytes, Edit, Gone};
    let own = |below: &str| format!("{TASK}/{below}");
    let log = || own("runs/implementation-planning/consumers.jsonl");
    let manifest = || own("task-manifest.json");
    let run = || own("runs/implementation/manifests/run-manifest-implementation-001.json");
    let state = || own("runs/implementation/state/team-state-implementation-001.json");
    let row = || "registry.json".to_owned();
    let newer = Edit("\"schemaVersion\": \"1.0\"", "\"schemaVersion\": \"2.0\"");
    let newest = Edit("\"schemaVersion\": \"1.0\"", "\"schemaVersion\": \"9.0\"");
    vec![
        ("bad-line", log(), Bytes(b"{}\nnot a row\n{}\n")),
        ("bad-line", log(), Bytes(b"{\"stage\":1,\"status\":\"done\"}\n")),
        ("file-not-utf8", log(), Bytes(b"{}\n\xff\n{}\n")),
        ("bad-line", own("timeline.jsonl"), Bytes(b"1\n")),
        ("other-task", manifest(), Edit("shop/auth/login", "shop/auth/other")),
        ("newer-schema", manifest(), newer),
        ("not-json", manifest(), Bytes(b"{")),
        ("file-not-utf8", manifest(), Bytes(b"{\n\xff")),
        ("file-not-found", manifest(), Gone),
        ("bad-run", run(), Edit("shop/auth/login", "shop/auth/other")),
        ("newer-schema", run(), newest),
        ("bad-run", state(), Bytes(br#"{"run":"implementation-002","status":"prepared"}"#)),
        ("wrong-shape", state(), Bytes(br#"{"run":"implementation-001","status":"lost"}"#)),
        ("wrong-shape", own("runs/implementation/carry/stage-1-x.json"), Bytes(b"{}")),
        ("wrong-shape", own("runs/implementation-planning/plans/009-0.json"), Bytes(b"{}")),
        ("other-task", "project.json".to_owned(), Edit("\"shop\"", "\"other\"")),
        ("other-task", row(), Edit("shop/auth/login", "shop/auth/other")),
        ("bad-registry-row", row(), Edit("\"fix-login\"", "\"-x\"")),
        ("bad-registry-row", row(), Edit("\"fix-login-s1\"", "\"a..b\"")),
        ("bad-registry-row", row(), Edit("refs/remotes/origin/main", "--upload-pack=x")),
        ("bad-registry-row", row(), Edit("\"implementation_base_commit\": \"", "\"implementation_base_commit\": \"x")),
        ("wrong-shape", row(), Bytes(b"{}")),
    ]
}

#[test]
fn what_is_not_what_it_should_be_is_named_and_nothing_is_written() {
    let world = world();
    let b = world.place("b");
    b.json(0, &["init", "--project-id", "shop", "--yes"]);
    let good = world.git(&["rev-parse", STATE]);
    for (code, path, change) in faults() {
        world.tamper(|files| match change {
            Change::Edit(old, new) => replace(files, &path, old, new),
            Change::Bytes(bytes) => drop(files.insert(path.clone(), bytes.to_vec())),
            Change::Gone => drop(files.remove(&path)),
        });
        let before = b.everything();
        let refused = b.of_task(1, &["task", "fetch"]);
        assert_eq!(refused["code"], code, "{path}: {refused}");
        let people = b.okstra(&["task", "fetch", "--task", "auth/login"]);
        let named = path.rsplit('/').next().unwrap();
        assert!(people.stderr.contains("cannot be taken over") && people.stderr.contains(named), "{people:?}");
        assert!(before == b.everything(), "{path}");
        world.git(&["update-ref", STATE, &good]);
    }
    assert_eq!(b.fetch(0)["state"], "new");
}

#[test]
fn a_torn_last_line_is_left_out() {
    let world = world();
    let log = format!("{TASK}/runs/implementation-planning/consumers.jsonl");
    world.tamper(|files| files.get_mut(&log).unwrap().extend(b"{\"stage\":2,\"sta"));
    let b = world.place("b");
    let ran = b.okstra(&["task", "fetch", "--task", "auth/login"]);
    assert!(ran.code == Some(0) && ran.stderr.contains("was torn by a crash"), "{ran:?}");
    assert_eq!(b.read(super::LOG), world.place("a").read(super::LOG));
}

#[test]
fn what_belongs_elsewhere_is_left_there() {
    let world = world();
    let foreign = [
        ".gitignore",
        "catalog.json",
        "config.toml",
        "tasks/auth/other/task-manifest.json",
        &format!("{TASK}/runs/x.lock"),
        &format!("{TASK}/runs/x.log"),
    ];
    world.tamper(|files| foreign.iter().for_each(|path| put(files, path, "hostile")));
    let b = world.place("b");
    let fetched = b.fetch(0);
    assert_eq!(fetched["ignored"].as_array().unwrap().len(), foreign.len(), "{fetched}");
    let (files, _) = b.everything();
    assert!(files.values().all(|content| content != b"hostile"));
}

#[test]
fn paths_that_lead_out_and_refs_that_keep_something_else() {
    let world = world();
    let blob = world.git(&["rev-parse", "main:a.txt"]);
    let good = world.git(&["rev-parse", STATE]);
    let b = world.place("b");
    for (mode, name) in [("100644", "../x"), ("120000", "link"), ("160000", "module"), ("100644", ".git")] {
        let id = if mode == "160000" { world.git(&["rev-parse", "main"]) } else { blob.clone() };
        let mut raw = format!("{mode} {name}\0").into_bytes();
        raw.extend((0..id.len()).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()));
        let path = world.sandbox.path().join("raw tree");
        fs::write(&path, raw).unwrap();
        let tree = world.git(&["hash-object", "-t", "tree", "-w", "--literally", path.to_str().unwrap()]);
        let commit = world.git(&["commit-tree", "-p", &good, "-m", "hostile", &tree]);
        world.git(&["update-ref", STATE, &commit]);
        let refused = b.of_task(1, &["task", "fetch"]);
        assert_eq!(refused["code"], "bad-snapshot", "{name}: {refused}");
        assert!(!b.folder().join(".okstra").exists() && !b.folder().join("x").exists());
    }
    world.git(&["update-ref", STATE, &good]);
    let main = world.git(&["rev-parse", "main"]);
    for last in ["s1-0000000", "elsewhere", &format!("s1-{}", "1".repeat(40))] {
        world.git(&["update-ref", &format!("refs/okstra/keep/auth/login/{last}"), &main]);
    }
    let ran = b.okstra(&["task", "fetch", "--task", "auth/login", "--json"]);
    assert_eq!((ran.code, &ran.json()["commits"]), (Some(0), &json!(2)), "{ran:?}");
    assert_eq!(ran.stderr.matches("keeps no commit that it is named for").count(), 3, "{ran:?}");
    assert!(!b.git(&["for-each-ref", "refs/okstra/keep"]).contains("elsewhere"));
    // A state that is no commit.
    world.git(&["update-ref", STATE, &blob]);
    assert_eq!(world.place("a").of_task(1, &["task", "share"])["code"], "fetch-first");
    assert_eq!(world.place("a").of_task(1, &["task", "fetch"])["code"], "broken-ref");
}
