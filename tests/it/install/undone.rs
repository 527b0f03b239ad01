//! What fails half-way is taken back.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;

use super::{Machine, SKILL};
use crate::common::Run;

#[test]
fn a_file_in_the_way_of_a_folder_or_the_reverse_is_named_and_nothing_is_written() {
    let cases: [(&str, bool); 5] = [
        (".okstra", false),
        (".okstra/bin", false),
        (".claude/skills", false),
        (".claude/skills/okstra-status", false),
        (&format!(".claude/{SKILL}"), true),
    ];
    for (below, folder) in cases {
        let machine = Machine::new();
        machine.write(below, "in the way\n");
        if folder {
            fs::remove_file(machine.at(below)).unwrap();
            fs::create_dir(machine.at(below)).unwrap();
        }
        let before = machine.tree();
        let (code, error) = machine.refused(&["install", "--yes"]);
        assert_eq!(code, "wrong-kind-of-file", "{below}: {error}");
        assert!(error.contains(machine.at(below).to_str().unwrap()), "{below}: {error}");
        assert_eq!(machine.tree(), before, "{below}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_to_leaves_all_as_it_was() {
    let machine = Machine::new();
    // What is written before: the executable, the runtime. What cannot be: the last of all files.
    machine.write(".agents/skills/x", "");
    let root = rustix::process::geteuid().is_root();
    let allow = |below: &str, mode| fs::set_permissions(machine.at(below), fs::Permissions::from_mode(mode)).unwrap();
    fs::set_permissions(machine.sandbox.path(), fs::Permissions::from_mode(0o755)).unwrap();
    allow("", 0o777);
    allow(".agents/skills", 0o555);
    let before = machine.tree();
    let install = || {
        let mut command = machine.command(&["install", "--target", "claude,codex", "--yes", "--json"]);
        if root {
            command.uid(65_534);
        }
        command.ran()
    };
    let ran = install();
    assert_eq!((ran.code, &ran.json()["code"]), (Some(1), &"permission-denied".into()), "{ran:?}");
    assert_eq!(ran.stderr, "");
    assert_eq!(machine.tree(), before);
    allow(".agents/skills", 0o777);
    assert_eq!(install().code, Some(0));
    // An upgrade that fails leaves the version before.
    fs::write(machine.at(&format!(".claude/{SKILL}")), "mine\n").unwrap();
    let uninstall = || {
        let mut command = machine.command(&["uninstall", "--yes", "--json"]);
        if root {
            command.uid(65_534);
        }
        command.ran()
    };
    let before = machine.tree();
    allow(".agents/skills/okstra-status", 0o555);
    let ran = uninstall();
    assert_eq!((ran.code, &ran.json()["code"]), (Some(1), &"permission-denied".into()), "{ran:?}");
    allow(".agents/skills/okstra-status", 0o755);
    assert_eq!(machine.tree(), before);
    assert_eq!(uninstall().code, Some(0));
}

#[test]
fn two_at_once_come_one_after_the_other() {
    let machine = Machine::new();
    let before = machine.tree();
    let both = [0, 1].map(|_| machine.command(&["install", "--target", "claude,codex", "--yes", "--json"]).started());
    let ran = both.map(super::super::common::Started::ran);
    assert!(ran.iter().all(|ran| ran.code == Some(0)), "{ran:?}");
    assert_eq!(machine.done(&["install"])["changed"], serde_json::json!(false));
    machine.done(&["uninstall", "--yes"]);
    assert_eq!(machine.tree(), before);
}
