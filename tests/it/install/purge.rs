//! `--purge`: okstra's own folder goes, and never work with it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::Machine;
use crate::common::Run;

/// A machine with okstra, and a repository with a worktree in okstra's own folder.
fn machine() -> (Machine, PathBuf, PathBuf) {
    let machine = Machine::new();
    machine.done(&["install", "--yes"]);
    let shop = machine.sandbox.repository("shop");
    machine.sandbox.commit(&shop, "a", "a\n", "begin");
    let worktree = machine.at(".okstra/worktrees/shop/auth/login-s1");
    machine.sandbox.git(&shop, &["worktree", "add", "-q", "-b", "fix-login-s1", worktree.to_str().unwrap()]);
    machine.sandbox.commit(&worktree, "b", "b\n", "work");
    fs::write(machine.at(".okstra/worktrees/registry.json"), "{\"tasks\": {}}").unwrap();
    fs::write(machine.at(".okstra/worktrees/registry.json.lock"), "").unwrap();
    (machine, shop, worktree)
}

fn worktrees(machine: &Machine, shop: &Path) -> usize {
    machine.sandbox.git(shop, &["worktree", "list", "--porcelain"]).matches("worktree ").count()
}

#[test]
fn all_of_it_goes_and_branches_stay() {
    let (machine, shop, worktree) = machine();
    machine.write(".okstra/config.toml", "# mine\n");
    fs::write(shop.join(".git/info/exclude"), "*.env\n").unwrap();
    fs::write(worktree.join("secret.env"), "x").unwrap();
    let tip = machine.sandbox.git(&shop, &["rev-parse", "fix-login-s1"]);
    let planned = machine.done(&["uninstall", "--purge", "--dry-run"]);
    let people = machine.run(&["uninstall", "--purge", "--dry-run"]).stdout;
    let named = "ignored files in it, which nothing keeps: ~/.okstra/worktrees/shop/auth/login-s1/secret.env\n";
    assert!(people.contains(named), "{people}");
    assert!(worktree.exists());
    let done = machine.done(&["uninstall", "--purge", "--yes"]);
    assert_eq!(done["purged"], planned["purged"]);
    assert_eq!(done["purged"]["worktrees"], json!([worktree]));
    assert_eq!(done["purged"]["ignored"], json!([worktree.join("secret.env")]));
    assert_eq!(done["purged"]["entries"], json!(["bin", "config.toml", "install.json", "runtime", "worktrees"]));
    assert!(!machine.at(".okstra").exists() && !machine.at(".claude").exists());
    assert_eq!(worktrees(&machine, &shop), 1, "git knows that it is gone");
    assert_eq!(machine.sandbox.git(&shop, &["rev-parse", "fix-login-s1"]), tip);
    assert_eq!(machine.done(&["uninstall", "--purge"])["changed"], json!(false));
}

#[test]
fn without_it_worktrees_and_registry_stay() {
    let (machine, shop, worktree) = machine();
    machine.done(&["uninstall", "--yes"]);
    assert!(worktree.join("b").exists() && machine.at(".okstra/worktrees/registry.json").exists());
    assert!(!machine.at(".okstra/bin").exists() && !machine.at(".okstra/install.json").exists());
    assert_eq!(worktrees(&machine, &shop), 2);
    // It can still be purged.
    machine.done(&["uninstall", "--purge", "--yes"]);
    assert!(!machine.at(".okstra").exists());
}

/// Something that makes a worktree hold work.
type Work = fn(&Machine, &Path, &Path);

#[test]
fn work_that_would_be_lost_keeps_everything() {
    let works: [(Work, &str); 7] = [
        (|_, _, worktree| fs::write(worktree.join("b"), "changed\n").unwrap(), "not committed"),
        (|_, _, worktree| fs::write(worktree.join("new"), "new\n").unwrap(), "not committed: new"),
        (
            |machine, _, worktree| {
                machine.sandbox.git(worktree, &["checkout", "-q", "--detach"]);
                machine.sandbox.commit(worktree, "c", "c\n", "on no branch");
            },
            "nothing else reaches its commit",
        ),
        (|_, shop, _| fs::remove_dir_all(shop).unwrap(), "its repository cannot be read"),
        (
            |machine, shop, worktree| {
                drop(machine.sandbox.git(shop, &["worktree", "lock", worktree.to_str().unwrap()]))
            },
            "it is locked",
        ),
        (|_, _, worktree| fs::write(worktree.parent().unwrap().join("notes"), "n\n").unwrap(), "is in no worktree"),
        (
            |machine, _, worktree| {
                machine.sandbox.git(worktree, &["checkout", "-q", "-b", "other", "HEAD~1"]);
                machine.sandbox.commit(worktree, "b", "other\n", "other");
                machine.sandbox.try_git(worktree, &["merge", "-q", "fix-login-s1"]);
            },
            "merge is under way",
        ),
    ];
    for (work, why) in works {
        let (machine, shop, worktree) = machine();
        work(&machine, &shop, &worktree);
        let before = super::without_locks(machine.tree());
        let (code, error) = machine.refused(&["uninstall", "--purge", "--yes"]);
        assert_eq!(code, "worktrees-kept", "{error}");
        assert!(error.contains(why) && error.contains("login-s1") || error.contains("notes"), "{why}: {error}");
        assert_eq!(super::without_locks(machine.tree()), before, "{why}");
    }
}

#[test]
fn a_commit_on_no_branch_that_something_else_reaches_is_no_loss() {
    let (machine, shop, worktree) = machine();
    machine.sandbox.git(&worktree, &["checkout", "-q", "--detach"]);
    machine.done(&["uninstall", "--purge", "--yes"]);
    assert!(!worktree.exists());
    assert_eq!(worktrees(&machine, &shop), 1);
}

#[test]
fn a_folder_that_is_not_okstras_alone_is_never_removed() {
    let machine = Machine::new();
    let shop = machine.sandbox.repository("shop");
    machine.write("things/precious", "p\n");
    fs::create_dir(machine.at("linked-to")).unwrap();
    std::os::unix::fs::symlink(machine.at("linked-to"), machine.at("link")).unwrap();
    let root = Path::new("/");
    let cases = [
        machine.home(),
        machine.sandbox.path().to_owned(),
        shop,
        machine.at("things"),
        machine.at("link"),
        root.to_owned(),
    ];
    for folder in cases {
        let before = super::tree(machine.sandbox.path());
        let mut command = machine.command(&["uninstall", "--purge", "--yes", "--json"]);
        let ran = command.env("OKSTRA_HOME", &folder).current_dir("/tmp").ran();
        assert_eq!(
            (ran.code, &ran.json()["code"]),
            (Some(1), &json!("not-okstra-home")),
            "{}: {ran:?}",
            folder.display()
        );
        assert_eq!(super::tree(machine.sandbox.path()), before);
    }
    let standing = machine.at(".okstra");
    fs::create_dir_all(standing.join("cache")).unwrap();
    let ran = machine.command(&["uninstall", "--purge", "--yes", "--json"]).current_dir(standing.join("cache")).ran();
    assert_eq!(ran.json()["code"], "not-okstra-home");
}
