//! The mirror itself: when it is written, what is in it, and what is not.

use std::collections::BTreeMap;
use std::fs;

use okstra::git::Repository;
use serde_json::{Value, json};

use super::{MIRROR, files, lose_home, project, write};
use crate::common::story::{KEY, Story, branch};

/// What the mirror holds, by path.
fn mirrored(story: &Story) -> BTreeMap<String, Vec<u8>> {
    let repository = Repository::discover(&story.shop).unwrap();
    let files = repository.read_snapshot(&story.context(), MIRROR).unwrap().unwrap();
    files.into_iter().map(|file| (file.path.to_string(), file.content)).collect()
}

/// The mirror's commits, newest first.
fn commits(story: &Story) -> Vec<String> {
    story.git(&["rev-list", "--first-parent", MIRROR]).lines().map(str::to_owned).collect()
}

fn row(story: &Story) -> Value {
    serde_json::from_slice(&mirrored(story)["registry.json"]).unwrap()
}

#[test]
fn it_is_written_at_each_done_row_repair_and_anchor_move() {
    let story = project();
    assert_eq!(commits(&story).len(), 2, "one for each done stage");
    let log = |story: &Story| fs::read(story.log()).unwrap();
    let in_mirror = "tasks/auth/login/runs/implementation-planning/consumers.jsonl";
    assert_eq!(mirrored(&story)[in_mirror], log(&story));
    let first = commits(&story)[0].clone();

    story.edit("a.txt", 35, "main moved on");
    story.git(&["rebase", "-q", "main", &branch(1)]);
    story.git(&["checkout", "-q", "main"]);
    story.json(0, &["--apply"]);
    assert_eq!((story.rows().len(), &mirrored(&story)[in_mirror]), (3, &log(&story)));
    let repaired = commits(&story);
    assert_eq!((repaired.len(), &repaired[1]), (3, &first), "on top of the one before");

    let refs = story.git(&["for-each-ref"]);
    story.json(0, &["--apply"]);
    story.json(0, &[]);
    assert_eq!(story.git(&["for-each-ref"]), refs, "what is mirrored makes no new commit");

    story.json(0, &["--apply", "--reset-anchor", "main"]);
    assert_eq!((commits(&story).len(), &commits(&story)[1]), (4, &repaired[0]));
    assert_eq!(row(&story)["entry"]["implementation_base_commit"], json!(story.rev("main")));
    let who = story.git(&["log", "-1", "--format=%an <%ae> %s", MIRROR]);
    assert_eq!(who, "okstra <okstra@localhost> okstra: state of auth/login");
}

#[test]
fn it_holds_the_task_and_what_tasks_share_without_logs_locks_and_large_files() {
    let story = project();
    let task = story.shop.join(".okstra/tasks/auth/login");
    write(&task.join("runs/implementation/prompts/claude-implementation-001.md.log"), "live");
    write(&task.join("some.lock"), "");
    write(&task.join(".okstra-left.tmp"), "half");
    write(&task.join("just.bin"), &"x".repeat(1 << 20));
    write(&task.join("large.bin"), &"x".repeat((1 << 20) + 1));
    write(&story.shop.join(".okstra/tasks/auth/other/task-manifest.json"), "{}");
    write(&story.shop.join(".okstra/catalog.json"), "{}");
    let status = story.git(&["status", "--porcelain=v2", "--branch"]);
    let (index, branches) = (fs::read(story.shop.join(".git/index")).unwrap(), story.git(&["branch", "-av"]));
    let head = story.rev(&branch(1));
    story.record(4, "main", &head);
    let unwanted = [".lock", ".log", ".tmp", "large.bin", "/other/", "catalog.json", ".gitignore"];
    let expected: Vec<_> = files(&story)
        .into_keys()
        .map(|path| path.strip_prefix(".okstra/").unwrap().to_owned())
        .filter(|path| unwanted.iter().all(|unwanted| !path.contains(unwanted)))
        .collect();
    let mut found: Vec<_> = mirrored(&story).into_keys().collect();
    found.retain(|path| path != "registry.json");
    assert_eq!(found, expected);
    assert!(found.contains(&"tasks/auth/login/just.bin".to_owned()) && found.contains(&"project.json".to_owned()));
    assert_eq!(story.git(&["status", "--porcelain=v2", "--branch"]), status);
    assert_eq!((fs::read(story.shop.join(".git/index")).unwrap(), story.git(&["branch", "-av"])), (index, branches));
}

#[test]
fn its_registry_row_says_nothing_of_one_machine() {
    let story = project();
    let stage = json!({"worktree_path": "/w-s1", "branch": "fix-login-s1", "base_ref": story.anchor,
        "reserved_by": {"run": "implementation-001", "host": "h", "pid": 1}, "reserved_at": "2026-01-01T00:00:00Z"});
    let made = json!([{"commit": story.anchor, "stages": [1], "at": "2026-01-01T00:00:00Z"}]);
    story.write_registry(&json!({"worktree_path": "/w", "stages": {"1": stage}, "integrations": made}));
    let head = story.rev(&branch(1));
    story.record(4, "main", &head);
    let stage = json!({"branch": "fix-login-s1", "base_ref": story.anchor});
    let entry = json!({"branch": "fix-login", "base_ref": "refs/heads/main",
        "implementation_base_commit": story.anchor, "stages": {"1": stage}, "integrations": made});
    assert_eq!(row(&story), json!({"schemaVersion": "1.0", "key": KEY, "entry": entry}));
}

#[test]
fn a_lost_registry_does_not_take_the_row_out_of_the_mirror() {
    let story = project();
    let before = row(&story);
    lose_home(&story);
    let head = story.rev(&branch(1));
    story.record(4, "main", &head);
    assert_eq!((commits(&story).len(), row(&story)), (3, before));
}

#[test]
fn a_lost_file_does_not_leave_the_mirror_and_a_lost_log_stops_everything() {
    let story = super::project();
    let report = "tasks/auth/login/runs/implementation-planning/reports/final-report.md";
    let path = story.shop.join(".okstra").join(report);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "report").unwrap();
    story.json(0, &["--apply"]);
    std::fs::remove_file(&path).unwrap();
    story.json(0, &["--apply", "--reset-anchor", "main"]);
    assert_eq!(mirrored(&story)[report], b"report");

    let log = std::fs::read(story.log()).unwrap();
    std::fs::remove_file(story.log()).unwrap();
    for arguments in [&[][..], &["--apply"], &["--apply", "--reset-anchor", "main"]] {
        let ran = story.reconcile(&[arguments, &["--json"]].concat());
        assert_eq!((ran.code, &ran.json()["code"]), (Some(1), &serde_json::json!("lost-records")), "{ran:?}");
        assert!(ran.json()["hint"].as_str().unwrap().contains("okstra doctor --restore --task auth/login"), "{ran:?}");
    }
    super::restore(&story, 0, &[]);
    assert_eq!(std::fs::read(story.log()).unwrap(), log);
}
