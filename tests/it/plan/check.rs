//! `okstra plan check`: the fixtures, and what cannot be checked.

use std::fs;

use serde_json::json;

use super::shop::{Shop, fixture, fixtures, login};
use crate::common::Sandbox;

#[test]
fn good_plans_keep_every_rule() {
    let sandbox = Sandbox::new();
    let mut seen = 0;
    for entry in fs::read_dir(fixtures().join("good")).unwrap() {
        let path = entry.unwrap().path();
        let ran = sandbox.okstra_in(&fixtures(), [std::ffi::OsStr::new("plan"), "check".as_ref(), path.as_os_str()]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}: {}", path.display(), ran.stdout);
        seen += 1;
    }
    assert!(seen >= 2);
}

/// `bad/<name>.txt` is what is said of `bad/<name>.md`.
#[test]
fn bad_plans_are_told_line_by_line() {
    let sandbox = Sandbox::new();
    let folder = fixtures().join("bad");
    let mut rules = std::collections::BTreeSet::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        let ran = sandbox.okstra_in(&folder, ["plan", "check", name]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(2), ""), "{name}");
        assert_eq!(ran.stdout, fs::read_to_string(path.with_extension("txt")).unwrap(), "{name}");
        rules.insert(name.split('-').next().unwrap().to_owned());
    }
    let all: Vec<_> = rules.iter().map(String::as_str).collect();
    assert_eq!(all, ["all", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9"]);
}

#[test]
fn the_document_has_the_stages_and_all_violations() {
    let sandbox = Sandbox::new();
    let ran = sandbox.okstra_in(&fixtures().join("bad"), ["plan", "check", "s5-cycle.md", "--json"]);
    assert_eq!(ran.code, Some(2));
    let document = ran.json();
    let violation = json!({"rule": "S5", "line": 7, "message": "stages wait for one another: 1 → 2 → 1",
        "mend": "take one of these dependencies out"});
    assert_eq!(document["plan"], "s5-cycle.md");
    assert_eq!(document["violations"], json!([violation]));
    let stage = &document["stages"][1];
    assert_eq!(
        (&stage["title"], &stage["dependsOn"], &stage["post"]),
        (&json!("Login"), &json!([1]), &json!(["cargo test login"]))
    );
    assert_eq!(stage["hash"].as_str().unwrap().len(), 64);
}

#[test]
fn what_is_written_by_hand_is_read_whole() {
    let sandbox = Sandbox::new();
    let document = sandbox.okstra_in(&fixtures(), ["plan", "check", "good/by-hand.md", "--json"]).json();
    let stages = &document["stages"];
    assert_eq!(stages[0]["post"], json!(["echo `date`"]));
    assert_eq!(stages[1]["title"], "Queries | filters");
    assert_eq!(stages[1]["files"], json!(["src/query/", "src/a|b.rs"]));
    assert_eq!(stages[1]["steps"], json!(["Parse:\n\n    1. this is code\n    2. and no step", "Run."]));
    assert_eq!((&stages[1]["pre"], &stages[1]["post"]), (&json!(["test -d target"]), &json!(["cargo test query"])));
    assert_eq!((&stages[2]["files"], &stages[2]["stepCount"]), (&json!(["docs/日本語/*.md"]), &json!(6)));
}

#[test]
fn the_newest_planning_report_of_a_task_is_checked() {
    let shop = Shop::new();
    shop.approve(&login());
    let ran = shop.okstra(&["plan", "check", "--task", "auth/login"]);
    assert!(ran.stderr.starts_with("error: no plan is named, and `"), "{}", ran.stderr);
    let report = |name: &str, content: &str| {
        shop.write(&format!(".okstra/tasks/auth/login/runs/implementation-planning/reports/{name}"), content);
    };
    report("final-report-implementation-planning-009.md", "");
    report("final-report-implementation-planning-010.md", "");
    report("final-report-implementation-planning-010-r2.md", &fixture("bad/s5-cycle.md"));
    report("final-report-implementation-planning-010-r2.html", "");
    report("notes.md", "");
    let document = shop.json(2, &["plan", "check", "--task", "auth/login"]);
    assert!(document["plan"].as_str().unwrap().ends_with("planning-010-r2.md"), "{document}");
    assert_eq!(document["violations"].as_array().unwrap().len(), 1);
}

#[test]
fn what_cannot_be_read_is_named() {
    let shop = Shop::new();
    fs::write(shop.root.join("latin1.md"), b"# Caf\xe9\n").unwrap();
    let cases: [(&[&str], &str); 6] = [
        (&["plan", "check", "none.md"], "file-not-found"),
        (&["plan", "check", "."], "wrong-kind-of-file"),
        (&["plan", "check", "latin1.md"], "file-not-utf8"),
        (&["plan", "check", "a.txt", "--task", "auth/login"], "usage"),
        (&["plan", "check", "--task", "auth/login"], "unknown-task"),
        (&["plan", "check"], "no-task"),
    ];
    for (arguments, code) in cases {
        assert_eq!(shop.json(1, arguments)["code"], code, "{arguments:?}");
    }
    let empty = shop.json(2, &["plan", "check", "a.txt"]);
    assert_eq!(empty["violations"][0]["rule"], "S1");
}
