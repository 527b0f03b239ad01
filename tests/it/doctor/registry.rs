//! The registry row that comes back: with this machine's paths, and never over or beside what others hold.

use std::fs;

use okstra::domain::moment::Moment;
use okstra::git::{NewSnapshot, Repository, SnapshotFile};
use serde_json::{Value, json};

use super::{MIRROR, entry, lose_home, project, restore, worktree};
use crate::common::story::{KEY, Story};

/// The text of a registry in a story.
type Registry<'a> = &'a dyn Fn(&Story) -> String;

/// Puts another registry row into the mirror.
fn mirror_row(story: &Story, content: &str) {
    let repository = Repository::discover(&story.shop).unwrap();
    let mut files = repository.read_snapshot(&story.context(), MIRROR).unwrap().unwrap();
    files.retain(|file| file.path.as_bytes() != b"registry.json");
    files.push(SnapshotFile { path: b"registry.json"[..].into(), content: content.as_bytes().to_vec() });
    let new = NewSnapshot { files: &files, message: "m", at: Moment::from_seconds(9), more_parents: &[] };
    repository.write_snapshot(&story.context(), MIRROR, &new).unwrap();
}

/// Writes a registry with these tasks and no other.
fn write_registry(story: &Story, tasks: &Value) {
    fs::create_dir_all(story.registry().parent().unwrap()).unwrap();
    fs::write(story.registry(), json!({"schemaVersion": "1.0", "tasks": tasks}).to_string()).unwrap();
}

#[test]
fn paths_are_those_of_this_machine_and_reservations_are_gone() {
    let story = project();
    let stage = json!({"branch": "fix-login-s1", "base_ref": story.anchor, "worktree_path": "/evil",
        "reserved_by": {"run": "implementation-009"}, "reserved_at": "2026-01-01T00:00:00Z"});
    let made = json!([{"commit": story.anchor, "stages": [1], "at": "2026-01-01T00:00:00Z"}]);
    let row = json!({"schemaVersion": "1.0", "key": KEY, "entry": {"branch": "fix-login", "worktree_path": "/evil",
        "git_common_dir": "/evil", "base_ref": "refs/heads/main", "stages": {"1": stage}, "integrations": made}});
    mirror_row(&story, &row.to_string());
    lose_home(&story);
    assert_eq!(restore(&story, 0, &[])["registry"], json!([KEY]));
    let stage = json!({"worktree_path": story.home().join("worktrees/shop/auth/login-s1"), "branch": "fix-login-s1",
        "base_ref": story.anchor});
    let expected = json!({"worktree_path": worktree(&story), "branch": "fix-login", "base_ref": "refs/heads/main",
        "git_common_dir": story.shop.canonicalize().unwrap().join(".git"), "stages": {"1": stage},
        "integrations": made});
    assert_eq!(entry(&story), expected);
}

#[test]
fn a_row_that_is_there_and_those_of_others_stay() {
    let story = project();
    let others = json!({"branch": "theirs", "git_common_dir": "/elsewhere", "x": [1]});
    let mine = json!({"branch": "another", "anything": 1});
    write_registry(&story, &json!({"other/a/b": others, KEY: mine}));
    let before = fs::read(story.registry()).unwrap();
    assert_eq!(restore(&story, 0, &[])["registry"], json!([]));
    assert_eq!(fs::read(story.registry()).unwrap(), before);
    write_registry(&story, &json!({"other/a/b": others}));
    assert_eq!(restore(&story, 0, &[])["registry"], json!([KEY]));
    let all: Value = serde_json::from_slice(&fs::read(story.registry()).unwrap()).unwrap();
    assert_eq!(all["tasks"]["other/a/b"], others);
}

#[test]
fn what_stands_against_a_row_is_told_and_stops_nothing_else() {
    let row = |key: &str| json!({"schemaVersion": "1.0", "key": key, "entry": {"branch": "fix-login"}}).to_string();
    let held = |key: &str, more: &Value| {
        let mut tasks = json!({});
        tasks[key] = more.clone();
        json!({"schemaVersion": "1.0", "tasks": tasks}).to_string()
    };
    let same_branch = held("shop/auth/other", &json!({"branch": "fix-login"}));
    let same_worktree = |story: &Story| held("other/a/b", &json!({"worktree_path": worktree(story)}));
    let cases: [(&str, String, Registry<'_>); 9] = [
        ("held by `shop/auth/other`", row(KEY), &|_| same_branch.clone()),
        ("held by `other/a/b`", row(KEY), &same_worktree),
        ("differs only in case", row(KEY), &|_| held("shop/auth/Login", &json!({}))),
        ("another clone holds", row(KEY), &|story| held(KEY, &json!({"git_common_dir": story.sandbox.path()}))),
        ("is not JSON", row(KEY), &|_| "{".to_owned()),
        ("of another task", row("shop/auth/other"), &|_| held("a/b/c", &json!({}))),
        ("of the project `mall`", row("mall/auth/login"), &|_| held("a/b/c", &json!({}))),
        ("is not JSON", "nonsense".to_owned(), &|_| held("a/b/c", &json!({}))),
        ("schema version 9.0", r#"{"schemaVersion":"9.0"}"#.to_owned(), &|_| held("a/b/c", &json!({}))),
    ];
    for (said, row, registry) in cases {
        let story = project();
        mirror_row(&story, &row);
        let text = registry(&story);
        fs::write(story.registry(), &text).unwrap();
        fs::remove_file(story.log()).unwrap();
        let outcome = restore(&story, 2, &[]);
        assert_eq!(outcome["refused"].as_array().unwrap().len(), 1, "{outcome}");
        let refused = &outcome["refused"][0];
        let reason = refused["reason"].as_str().unwrap();
        assert!(reason.starts_with("its registry row: ") && reason.contains(said), "{said}: {reason}");
        assert_eq!((&refused["task"], &refused["path"]), (&json!("auth/login"), &Value::Null));
        assert_eq!((outcome["restored"].as_array().unwrap().len(), story.log().is_file()), (1, true), "{outcome}");
        assert_eq!(fs::read_to_string(story.registry()).unwrap(), text, "{said}");
    }
}

#[test]
fn worktrees_whose_name_differs_only_in_case_are_not_joined() {
    let story = project();
    lose_home(&story);
    fs::create_dir_all(story.home().join("worktrees/Shop")).unwrap();
    let outcome = restore(&story, 2, &[]);
    assert!(outcome["refused"][0]["reason"].as_str().unwrap().contains("differs only in case"), "{outcome}");
    assert!(!story.registry().exists());
}
