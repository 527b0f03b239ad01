//! Taking okstra out leaves the machine as it was.

use std::fs;

use serde_json::json;

use super::{Machine, SKILL};

#[test]
fn everything_is_as_it_was_before() {
    let machine = Machine::new();
    machine.write(".claude/settings.json", "{}\n");
    machine.write(".claude/skills/mine/SKILL.md", "mine\n");
    machine.write(".agents/notes.md", "n\n");
    fs::create_dir(machine.at(".codex")).unwrap();
    let before = machine.tree();
    machine.done(&["install", "--target", "claude,codex,gemini", "--yes"]);
    assert_ne!(machine.tree(), before);
    let installed = machine.tree();
    let planned = machine.done(&["uninstall", "--dry-run"]);
    assert_eq!(machine.tree(), installed);
    let mut done = machine.done(&["uninstall", "--yes"]);
    assert_eq!(machine.tree(), before);
    done["dryRun"] = json!(true);
    assert_eq!(done, planned);
    let again = machine.done(&["uninstall"]);
    assert_eq!((&again["changed"], &again["version"]), (&json!(false), &json!(null)));
    assert_eq!(machine.tree(), before);
}

#[test]
fn by_the_executable_itself() {
    let machine = Machine::new();
    let before = machine.tree();
    machine.done(&["install", "--yes"]);
    let program = machine.at(".okstra/bin/okstra");
    let ran = crate::common::Run::ran(machine.sandbox.command(&program).args(["uninstall", "--yes"]));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(machine.tree(), before);
}

#[test]
fn what_is_the_users_stays() {
    let machine = Machine::new();
    machine.done(&["install", "--yes"]);
    let skill = format!(".claude/{SKILL}");
    machine.write(&skill, "mine now\n");
    machine.write(".claude/skills/okstra-status/notes.md", "n\n");
    machine.write(".okstra/config.toml", "# c\n");
    let done = machine.done(&["uninstall", "--yes"]);
    let kept: Vec<_> = done["files"].as_array().unwrap().iter().filter(|step| step["action"] == "keep").collect();
    assert_eq!(kept, [&json!({"path": machine.at(&skill), "action": "keep"})]);
    let left: Vec<_> = machine.tree().into_keys().filter(|path| machine.home().join(path).is_file()).collect();
    let expected = [&skill, ".claude/skills/okstra-status/notes.md", ".okstra/config.toml"];
    assert_eq!(left, expected.map(std::path::PathBuf::from));
}

#[test]
fn nothing_goes_unless_somebody_agrees() {
    let machine = Machine::new();
    machine.done(&["install", "--yes"]);
    let before = machine.tree();
    assert_eq!(machine.refused(&["uninstall"]).0, "confirmation-needed");
    assert_eq!(machine.refused(&["uninstall", "--purge"]).0, "confirmation-needed");
    assert_eq!(super::without_locks(machine.tree()), super::without_locks(before));
}

#[test]
fn a_folder_in_the_place_of_a_file_stays() {
    let machine = Machine::new();
    machine.done(&["install", "--yes"]);
    let skill = machine.at(&format!(".claude/{SKILL}"));
    fs::remove_file(&skill).unwrap();
    fs::create_dir(&skill).unwrap();
    machine.done(&["uninstall", "--yes"]);
    assert!(skill.is_dir() && !machine.at(".okstra").exists());
}
