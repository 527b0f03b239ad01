//! All tasks of a project, and how new ones come into being.

use std::fs;

use okstra::domain::names::TaskKey;
use okstra::ops::lifecycle::{self, NewTask};

use super::Life;

fn create(life: &Life, key: &str, category: &str) -> Result<bool, okstra::ops::Error> {
    let key: TaskKey = key.parse().unwrap();
    let category = lifecycle::category(&life.layout(), category)?;
    let new = NewTask { key, title: Some("A task".to_owned()), category, brief: None };
    lifecycle::create_task(&life.context(), &life.layout(), &new)
}

#[test]
fn a_task_is_made_once_and_keeps_its_category() {
    let life = Life::new();
    assert!(create(&life, "shop/auth/logout", "feat").unwrap());
    let path = life.story.shop.join(".okstra/tasks/auth/logout");
    let before = fs::read(path.join("task-manifest.json")).unwrap();
    assert!(!create(&life, "shop/auth/logout", "feat").unwrap());
    assert_eq!(fs::read(path.join("task-manifest.json")).unwrap(), before);
    let manifest: serde_json::Value = serde_json::from_slice(&before).unwrap();
    assert_eq!(manifest["createdAt"], "2026-01-01T00:00:00Z");
    assert_eq!(fs::read_to_string(path.join("timeline.jsonl")).unwrap().lines().count(), 1);
    assert!(fs::read_to_string(path.join("task-index.md")).unwrap().starts_with("# A task\n"));
    let cases = [
        ("shop/auth/logout", "fix", "other-category"),
        ("shop/auth/Logout", "feat", "case-collision"),
        ("shop/Auth/x", "feat", "case-collision"),
        ("shop/auth/x", "security", "unknown-category"),
    ];
    for (key, category, code) in cases {
        assert_eq!(create(&life, key, category).unwrap_err().code(), code, "{key} {category}");
    }
    fs::write(
        life.story.shop.join(".okstra/project.json"),
        r#"{"projectId":"shop","config":{"workCategories":["security"]}}"#,
    )
    .unwrap();
    assert!(create(&life, "shop/auth/x", "security").unwrap());
}

#[test]
fn the_task_that_changed_last_comes_first_and_a_bad_one_is_named() {
    let life = Life::new();
    create(&life, "shop/a/one", "feat").unwrap();
    life.prepare("error-analysis-001", &[]);
    life.done(&["abandon", "error-analysis-001", "--reason", "x", "--yes"]);
    fs::create_dir_all(life.story.shop.join(".okstra/tasks/a/bad")).unwrap();
    fs::write(life.story.shop.join(".okstra/tasks/a/bad/task-manifest.json"), r#"{"taskKey":1}"#).unwrap();
    let ran = life.story.sandbox.okstra_in(&life.story.shop, ["tasks", "--json"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let keys: Vec<_> = ran.json()["tasks"].as_array().unwrap().iter().map(|task| task["taskKey"].clone()).collect();
    assert_eq!(keys, ["shop/auth/login", "shop/a/one"]);
    assert_eq!(ran.json()["tasks"][0]["lastRun"], "error-analysis-001");
    assert_eq!(ran.json()["unreadable"][0]["task"], "a/bad");
    let plain = life.story.sandbox.okstra_in(&life.story.shop, ["tasks"]);
    assert!(plain.stdout.contains("shop  3 tasks") && plain.stdout.contains("auth/login  fix"), "{plain:?}");
    assert!(plain.stderr.contains("a/bad: `"), "{plain:?}");
    let catalog = fs::read_to_string(life.story.shop.join(".okstra/catalog.json")).unwrap();
    assert!(catalog.contains("shop/a/one") && catalog.contains("\"lastRun\": \"error-analysis-001\""), "{catalog}");
    let latest = fs::read_to_string(life.story.shop.join(".okstra/latest-task.json")).unwrap();
    assert!(latest.contains("shop/auth/login"));
}

#[test]
fn a_thousand_tasks_are_listed_at_once() {
    let life = Life::new();
    for number in 0..1_000 {
        let folder = life.story.shop.join(format!(".okstra/tasks/group-{}/task-{number}", number % 10));
        fs::create_dir_all(&folder).unwrap();
        let text = format!(r#"{{"taskKey":"shop/group-{}/task-{number}","category":"fix"}}"#, number % 10);
        fs::write(folder.join("task-manifest.json"), text).unwrap();
    }
    let start = std::time::Instant::now();
    let ran = life.story.sandbox.okstra_in(&life.story.shop, ["tasks", "--json"]);
    let took = start.elapsed();
    assert_eq!(ran.json()["tasks"].as_array().unwrap().len(), 1_001);
    // A tenth of it in a release build; this only notices when it becomes quadratic.
    assert!(took.as_secs() < 3, "{took:?}");
}
