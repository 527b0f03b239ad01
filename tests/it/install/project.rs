//! `--project`: the repository becomes a project, and agents may run some commands in it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Machine, tree};
use crate::common::Run;

/// A machine with a repository, and its settings where there are some.
fn machine(settings: Option<&str>) -> (Machine, PathBuf) {
    let machine = Machine::new();
    let shop = machine.sandbox.repository("shop");
    if let Some(settings) = settings {
        fs::create_dir(shop.join(".claude")).unwrap();
        fs::write(shop.join(".claude/settings.local.json"), settings).unwrap();
    }
    (machine, shop)
}

fn install(shop: &std::path::Path) -> [&str; 5] {
    ["install", "--project", "--project-root", shop.to_str().unwrap(), "--yes"]
}

fn settings(shop: &std::path::Path) -> String {
    fs::read_to_string(shop.join(".claude/settings.local.json")).unwrap()
}

fn allowed(shop: &std::path::Path) -> Vec<String> {
    let settings: Value = serde_json::from_str(&settings(shop)).unwrap();
    settings["permissions"]["allow"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_repository_is_a_project_and_agents_may_run_what_is_listed() {
    let (machine, shop) = machine(None);
    let before = tree(&shop);
    let planned = machine.done(&[&install(&shop)[..4], &["--dry-run"]].concat());
    assert_eq!(tree(&shop), before);
    let done = machine.done(&install(&shop));
    assert_eq!(done["project"], planned["project"]);
    assert_eq!((&done["project"]["id"], &done["project"]["created"]), (&json!("shop"), &json!(true)));
    assert!(shop.join(".okstra/project.json").exists());
    let entries = allowed(&shop);
    assert_eq!(json!(entries), done["project"]["permissions"]["added"]);
    let program = format!("'{}'", machine.at(".okstra/bin/okstra").display());
    for entry in ["Bash(okstra status:*)".to_owned(), format!("Bash({program} status:*)")] {
        assert!(entries.contains(&entry), "{entry}: {entries:?}");
    }
    let again = machine.done(&install(&shop)[..4]);
    assert_eq!((&again["changed"], &again["project"]["permissions"]["added"]), (&json!(false), &json!([])));
    machine.done(&["uninstall", "--yes"]);
    let left: Vec<_> = tree(&shop).into_keys().filter(|path| !before.contains_key(path)).collect();
    assert!(left.iter().all(|path| path.starts_with(".okstra")), "{left:?}");
}

#[test]
fn settings_are_as_they_were_once_okstra_is_out_again() {
    let texts = [
        "{}",
        "{\n\t\"permissions\": {\n\t\t\"allow\": [\n\t\t\t\"Bash(ls:*)\"\n\t\t],\n\t\t\"deny\": []\n\t},\n\t\"z\": [1,2 , 3]\n}",
        "{\"permissions\":{\"allow\":[ ]},\"x\":\"\\u00e9 é\"}\n",
        "{\r\n  \"model\": \"opus\"\r\n}\r\n",
    ];
    for text in texts {
        let (machine, shop) = machine(Some(text));
        let done = machine.done(&install(&shop));
        assert!(allowed(&shop).len() > 20);
        let backup = done["project"]["permissions"]["backup"].as_str().unwrap();
        assert_eq!(fs::read_to_string(backup).unwrap(), text);
        machine.done(&["uninstall", "--yes"]);
        assert_eq!(settings(&shop), text);
        assert!(!machine.at(".okstra").exists());
    }
}

#[test]
fn a_backup_is_for_nobody_who_may_not_read_the_settings() {
    let (machine, shop) = machine(Some("{\"env\": {\"TOKEN\": \"secret\"}}"));
    let path = shop.join(".claude/settings.local.json");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let done = machine.done(&install(&shop));
    let backup = PathBuf::from(done["project"]["permissions"]["backup"].as_str().unwrap());
    for file in [&path, &backup] {
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600, "{}", file.display());
    }
    machine.done(&["uninstall", "--yes"]);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn what_the_user_did_since_stays() {
    let (machine, shop) =
        machine(Some("{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls:*)\"\n    ]\n  }\n}\n"));
    machine.done(&install(&shop));
    let path = shop.join(".claude/settings.local.json");
    let edited = settings(&shop)
        .replace("      \"Bash(okstra status:*)\",\n", "")
        .replace("\"Bash(ls:*)\",", "\"Bash(ls:*)\",\n      \"Bash(cat:*)\",")
        .replace("{\n  \"perm", "{\n  \"model\": \"x\",\n  \"perm");
    fs::write(&path, &edited).unwrap();
    // What was taken out is not put in again.
    assert_eq!(machine.done(&install(&shop)[..4])["changed"], json!(false));
    assert_eq!(settings(&shop), edited);
    machine.done(&["uninstall", "--yes"]);
    let expected = "{\n  \"model\": \"x\",\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls:*)\",\n      \"Bash(cat:*)\"\n    ]\n  }\n}\n";
    assert_eq!(settings(&shop), expected);
}

#[test]
fn without_permissions_no_settings_are_touched() {
    let (machine, shop) = machine(Some("not even JSON"));
    let done = machine.done(&[&install(&shop)[..], &["--no-permissions"]].concat());
    assert_eq!(done["project"]["permissions"], json!(null));
    assert_eq!(settings(&shop), "not even JSON");
    assert!(shop.join(".okstra/project.json").exists());
}

#[test]
fn settings_that_are_not_as_they_should_be_are_refused_and_nothing_is_done() {
    let cases = [
        ("", "not-json", ":1:1"),
        ("{\n  // mine\n}\n", "not-json", ":2:3"),
        ("{\n  \"a\": [1,],\n}", "not-json", ":2:11"),
        ("[]", "wrong-shape", ":1:1"),
        ("{\"permissions\": 1}", "wrong-shape", ":1:17"),
        ("{\n  \"permissions\": {\"allow\": \"x\"}\n}", "wrong-shape", ":2:28"),
        ("{\"permissions\": {\"allow\": [null]}}", "wrong-shape", ":1:28"),
    ];
    for (text, code, place) in cases {
        let (machine, shop) = machine(Some(text));
        let before = (tree(&shop), machine.tree());
        let (found, error) = machine.refused(&install(&shop));
        assert_eq!(found, code, "{text}: {error}");
        assert!(error.contains(&format!("settings.local.json{place}")), "{text}: {error}");
        assert_eq!((tree(&shop), machine.tree()), before, "{text}");
    }
    let (machine, shop) = machine(Some("{}"));
    fs::write(shop.join(".claude/settings.local.json"), b"{\"a\": \"\xff\"}").unwrap();
    assert_eq!(machine.refused(&install(&shop)).0, "file-not-utf8");
}

#[test]
fn a_link_is_not_followed_to_settings_that_hold_elsewhere() {
    let (machine, shop) = machine(None);
    machine.write(".claude/settings.json", "{}\n");
    fs::create_dir(shop.join(".claude")).unwrap();
    symlink(machine.at(".claude/settings.json"), shop.join(".claude/settings.local.json")).unwrap();
    assert_eq!(machine.refused(&install(&shop)).0, "wrong-kind-of-file");
    fs::remove_dir_all(shop.join(".claude")).unwrap();
    symlink(machine.at(".claude"), shop.join(".claude")).unwrap();
    assert_eq!(machine.refused(&install(&shop)).0, "wrong-kind-of-file");
    assert_eq!(machine.read(".claude/settings.json"), "{}\n");
    assert!(!machine.at(".okstra").exists() && !shop.join(".okstra").exists());
}

#[test]
fn without_permission_nothing_is_done() {
    let (machine, shop) = machine(Some("{}"));
    let allow = |path: &std::path::Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    allow(machine.sandbox.path(), 0o755);
    allow(&machine.home(), 0o777);
    machine.sandbox.git(&shop, &["config", "--global", "--add", "safe.directory", "*"]);
    for (below, mode) in [(".claude/settings.local.json", 0o000), (".claude", 0o555)] {
        allow(&shop.join(below), mode);
        let before = machine.tree();
        let mut command = machine.command(&install(&shop));
        command.arg("--json");
        if rustix::process::geteuid().is_root() {
            command.uid(65_534);
        }
        let ran = command.ran();
        assert_eq!((ran.code, &ran.json()["code"]), (Some(1), &json!("permission-denied")), "{below}: {ran:?}");
        assert_eq!(machine.tree(), before, "{below}");
        allow(&shop.join(below), 0o755);
    }
    assert_eq!(settings(&shop), "{}");
}

#[test]
fn settings_that_broke_since_do_not_keep_okstra_in() {
    let (machine, shop) = machine(Some("{}"));
    machine.done(&install(&shop));
    fs::write(shop.join(".claude/settings.local.json"), "{ broken").unwrap();
    let done = machine.done(&["uninstall", "--yes"]);
    assert!(done["settings"][0]["left"].as_str().unwrap().starts_with("line 1, column 3: it is not JSON"), "{done}");
    assert_eq!(settings(&shop), "{ broken");
    assert!(!machine.at(".okstra").exists());
    let (gone, other) = super::project::machine(None);
    gone.done(&install(&other));
    fs::remove_dir_all(&other).unwrap();
    let done = gone.done(&["uninstall", "--yes"]);
    assert!(done["settings"][0]["left"].as_str().unwrap().starts_with("it is not there; if it was moved"), "{done}");
}

#[test]
fn what_is_no_repository_is_refused() {
    let machine = Machine::new();
    let before = machine.tree();
    assert_eq!(machine.refused(&["install", "--project", "--yes"]).0, "not-a-repository");
    assert_eq!(machine.tree(), before);
}

#[test]
fn a_file_in_the_way_is_named() {
    let (machine, shop) = machine(None);
    machine.write(".claude/skills", "a file\n");
    let ran = machine.run(&["install", "--yes", "--json"]);
    let hint = ran.json()["hint"].as_str().unwrap().to_owned();
    assert!(hint.starts_with(&format!("`{}` is in the way", machine.at(".claude/skills").display())), "{hint}");
    assert!(!machine.at(".okstra").exists() && !shop.join(".okstra").exists());
}
