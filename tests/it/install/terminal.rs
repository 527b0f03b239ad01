//! At a terminal a person is asked once, and separately what agents may do.

use std::fs;

use super::Machine;
use crate::common::OKSTRA;
use crate::common::pty::Pty;

fn start(machine: &Machine, arguments: &[&str]) -> Pty {
    Pty::start(&machine.sandbox, 200, &[], &[&[OKSTRA], arguments].concat())
}

#[test]
fn the_plan_is_shown_and_the_answer_counts() {
    for (typed, agreed) in [("y\n", true), ("n\n", false), ("\x04", false), ("\x03", false)] {
        let machine = Machine::new();
        let before = machine.tree();
        let mut pty = start(&machine, &["install"]);
        pty.wait_for("Install this? [y/N]");
        assert_eq!(machine.tree(), before, "nothing is written before the answer");
        pty.type_in(typed);
        let (status, seen) = pty.end();
        assert_eq!(status.success(), agreed, "{typed:?}: {seen}");
        assert!(seen.contains("okstra-status/SKILL.md") && seen.contains(".okstra/bin/okstra"), "{seen}");
        assert_eq!(machine.at(".okstra/install.json").exists(), agreed);
        if agreed {
            let mut pty = start(&machine, &["uninstall"]);
            pty.wait_for("Remove this? [y/N]");
            pty.type_in("y\n");
            assert!(pty.end().0.success());
        }
        assert_eq!(machine.tree(), before, "{typed:?}");
    }
}

#[test]
fn permissions_are_asked_for_separately_and_can_be_left_out() {
    for (typed, allowed) in [("y\n", true), ("n\n", false)] {
        let machine = Machine::new();
        let shop = machine.sandbox.repository("shop");
        let mut pty = start(&machine, &["install", "--project", "--project-root", shop.to_str().unwrap()]);
        pty.wait_for("Install this? [y/N]");
        pty.type_in("y\n");
        pty.wait_for("without asking you? [y/N]");
        pty.type_in(typed);
        let (status, seen) = pty.end();
        assert!(status.success(), "{seen}");
        assert!(seen.contains("Bash(okstra stage done:*)"), "the list is shown: {seen}");
        assert!(shop.join(".okstra/project.json").exists() && machine.at(".okstra/bin/okstra").exists());
        assert_eq!(shop.join(".claude/settings.local.json").exists(), allowed, "{seen}");
        fs::remove_dir_all(&shop).unwrap();
    }
}

#[test]
fn where_nothing_would_change_nobody_is_asked() {
    let machine = Machine::new();
    machine.done(&["install", "--yes"]);
    let (status, seen) = start(&machine, &["install"]).end();
    assert!(status.success() && seen.contains("is installed already") && !seen.contains("[y/N]"), "{seen}");
}
