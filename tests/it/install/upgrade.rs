//! Over an earlier installation: what the user changed stays, what is no longer shipped goes.

use std::fs;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{Machine, SKILL, told};
use crate::common::OKSTRA;

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A machine on which an older okstra is installed: its skill, and a file that is no longer shipped.
fn older() -> Machine {
    let machine = Machine::new();
    machine.done(&["install", "--yes"]);
    let skill = format!(".claude/{SKILL}");
    machine.write(&skill, "old skill\n");
    let gone = ".claude/skills/okstra-old/SKILL.md";
    machine.write(gone, "gone\n");
    let paths =
        [(skill.as_str(), "old skill\n"), (gone, "gone\n")].map(|(below, text)| (machine.at(below), sha256(text)));
    machine.record(|recorded| {
        recorded["version"] = json!("0.0.9");
        let files = recorded["files"].as_array_mut().unwrap();
        files.retain(|file| paths.iter().all(|(path, _)| file["path"] != json!(path)));
        files.extend(paths.iter().map(|(path, sha256)| json!({"path": path, "sha256": sha256})));
        let folder = machine.at(".claude/skills/okstra-old");
        recorded["folders"].as_array_mut().unwrap().push(json!(folder));
    });
    machine
}

#[test]
fn what_nobody_changed_is_brought_up_to_date() {
    let machine = older();
    let fresh = Machine::new();
    fresh.done(&["install", "--yes"]);
    let done = machine.done(&["install", "--yes"]);
    let expected = [format!("update .claude/{SKILL}"), "remove .claude/skills/okstra-old/SKILL.md".to_owned()];
    assert_eq!(told(&machine, &done), expected);
    assert!(!machine.at(".claude/skills/okstra-old").exists(), "its folder was okstra's");
    let names = |machine: &Machine| machine.tree().into_keys().collect::<Vec<_>>();
    assert_eq!(names(&machine), names(&fresh));
    assert_eq!(machine.recorded()["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(machine.done(&["install"])["changed"], json!(false));
}

#[test]
fn what_the_user_changed_stays_and_the_new_one_is_put_beside_it() {
    let machine = older();
    let (skill, new) = (format!(".claude/{SKILL}"), format!(".claude/{SKILL}.new"));
    machine.write(&skill, "mine\n");
    machine.write(".claude/skills/okstra-old/SKILL.md", "mine too\n");
    let ran = machine.run(&["install", "--yes"]);
    assert!(ran.stdout.contains(&format!("okstra's own is ~/{new}")), "{ran:?}");
    assert!(ran.stdout.contains("okstra-old/SKILL.md"), "{ran:?}");
    assert_eq!(
        (machine.read(&skill), machine.read(".claude/skills/okstra-old/SKILL.md")),
        ("mine\n".to_owned(), "mine too\n".to_owned())
    );
    assert!(machine.read(&new).starts_with("---\nname: okstra-status"));
    let before = machine.tree();
    let again = machine.done(&["install"]);
    assert_eq!((&again["changed"], told(&machine, &again)), (&json!(false), vec![format!("keep {skill}")]));
    assert_eq!(machine.tree(), before);
    // Who has looked at it and removed it is not given it again.
    fs::remove_file(machine.at(&new)).unwrap();
    machine.done(&["install", "--yes"]);
    assert!(!machine.at(&new).exists());
    // It is taken out: what is the user's stays.
    machine.done(&["uninstall", "--yes"]);
    assert_eq!(machine.read(&skill), "mine\n");
    assert!(!machine.at(".okstra").exists());
}

#[test]
fn what_the_user_made_of_the_place_of_an_old_file_is_in_nobodys_way() {
    let old = ".claude/skills/okstra-old";
    let machine = older();
    fs::remove_file(machine.at(old).join("SKILL.md")).unwrap();
    machine.write(&format!("{old}/SKILL.md/notes.md"), "mine\n");
    let done = machine.done(&["install", "--yes"]);
    assert!(told(&machine, &done).contains(&format!("keep {old}/SKILL.md")), "{done}");
    machine.done(&["uninstall", "--yes"]);
    assert_eq!(machine.read(&format!("{old}/SKILL.md/notes.md")), "mine\n");
    // A file in the place of the folder that it lay in.
    for command in ["install", "uninstall"] {
        let machine = older();
        fs::remove_dir_all(machine.at(old)).unwrap();
        machine.write(old, "mine\n");
        machine.done(&[command, "--yes"]);
        assert_eq!(machine.read(old), "mine\n");
    }
}

#[test]
fn the_offered_file_can_be_taken() {
    let machine = older();
    let (skill, new) = (machine.at(&format!(".claude/{SKILL}")), machine.at(&format!(".claude/{SKILL}.new")));
    fs::write(&skill, "mine\n").unwrap();
    machine.done(&["install", "--yes"]);
    fs::rename(&new, &skill).unwrap();
    machine.done(&["install", "--yes"]);
    assert!(!new.exists());
    machine.done(&["uninstall", "--yes"]);
    assert!(!skill.exists());
}

#[test]
fn a_file_that_was_there_before_is_never_written_over() {
    let machine = Machine::new();
    let skill = format!(".claude/{SKILL}");
    machine.write(&skill, "a skill of the same name\n");
    machine.write(".okstra/bin/okstra", "mine\n");
    let before = machine.tree();
    let done = machine.done(&["install", "--yes"]);
    assert_eq!(told(&machine, &done), ["keep .okstra/bin/okstra +new".to_owned(), format!("keep {skill} +new")]);
    assert_eq!(
        (machine.read(&skill), machine.read(".okstra/bin/okstra")),
        ("a skill of the same name\n".to_owned(), "mine\n".to_owned())
    );
    assert_eq!(fs::read(machine.at(".okstra/bin/okstra.new")).unwrap(), fs::read(OKSTRA).unwrap());
    machine.done(&["uninstall", "--yes"]);
    assert_eq!(machine.tree(), before);
}

#[test]
fn a_link_is_the_users() {
    let machine = older();
    let skill = machine.at(&format!(".claude/{SKILL}"));
    machine.write("dotfiles/SKILL.md", "old skill\n");
    fs::remove_file(&skill).unwrap();
    std::os::unix::fs::symlink(machine.at("dotfiles/SKILL.md"), &skill).unwrap();
    machine.done(&["install", "--yes"]);
    assert!(skill.symlink_metadata().unwrap().is_symlink());
    assert_eq!(machine.read("dotfiles/SKILL.md"), "old skill\n");
    machine.done(&["uninstall", "--yes"]);
    assert!(skill.symlink_metadata().unwrap().is_symlink());
}

#[test]
fn what_is_missing_comes_back() {
    let machine = Machine::new();
    machine.done(&["install", "--yes"]);
    let before = machine.tree();
    fs::remove_dir_all(machine.at(".claude/skills")).unwrap();
    fs::remove_file(machine.at(".okstra/bin/okstra")).unwrap();
    machine.done(&["install", "--yes"]);
    assert_eq!(machine.tree(), before);
}

#[test]
fn a_record_that_cannot_be_read_is_named_and_left() {
    let machine = Machine::new();
    machine.done(&["install", "--yes"]);
    for (text, code) in
        [("{", "not-json"), ("{\"files\": 1}", "wrong-shape"), ("{\"schemaVersion\": \"9.0\"}", "newer-schema")]
    {
        machine.write(".okstra/install.json", text);
        let before = machine.tree();
        for command in ["install", "uninstall"] {
            let (found, error) = machine.refused(&[command, "--yes"]);
            assert_eq!(found, code);
            assert!(error.contains("install.json"), "{error}");
        }
        assert_eq!(machine.tree(), before);
    }
}

#[test]
fn what_a_newer_okstra_wrote_besides_is_kept() {
    let machine = Machine::new();
    machine.done(&["install", "--yes"]);
    machine.record(|recorded| {
        recorded["schemaVersion"] = json!("1.7");
        recorded["added"] = json!({"x": 1});
    });
    machine.done(&["install", "--target", "codex", "--yes"]);
    let recorded: Value = machine.recorded();
    assert_eq!((&recorded["added"], &recorded["schemaVersion"]), (&json!({"x": 1}), &json!("1.7")));
}
