//! Killed half-way, an installation is completed by the next, and a removal too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use super::{Entry, Machine, SKILL};
use crate::common::{Run, Started, host};

/// How often a process is killed, each time a little later than before.
const KILLS: u32 = 30;
/// How much later, so that the kills fall on all steps.
const LATER: Duration = Duration::from_millis(2);

/// A small program in the place of the executable.
fn program(machine: &Machine, text: &str) -> PathBuf {
    let path = machine.sandbox.path().join("program");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// `install` or `uninstall` as a process of its own, at the moment when it begins.
fn begin(machine: &Machine, what: &str) -> Started {
    let program = machine.sandbox.path().join("program");
    let mut started = machine.sandbox.command(host()).arg(what).arg(program).started();
    let mut said = [0; 6];
    started.stdout.take().unwrap().read_exact(&mut said).unwrap();
    assert_eq!(&said, b"begin\n");
    started
}

fn to_its_end(machine: &Machine, what: &str) {
    let mut started = begin(machine, what);
    assert!(started.wait().unwrap().success());
}

fn killed_after(machine: &Machine, what: &str, wait: Duration) {
    let mut started = begin(machine, what);
    sleep(wait);
    started.kill().unwrap();
    started.wait().unwrap();
}

#[test]
fn a_killed_installation_is_completed_or_taken_out() {
    let machine = Machine::new();
    machine.write(".claude/skills/mine/SKILL.md", "mine\n");
    let clean = machine.tree();
    program(&machine, "one");
    to_its_end(&machine, "install");
    let whole = machine.tree();
    to_its_end(&machine, "uninstall");
    assert_eq!(machine.tree(), clean);
    let (mut none, mut some, mut all) = (0, 0, 0);
    for kill in 0..KILLS {
        killed_after(&machine, "install", LATER * kill);
        match machine.tree() {
            left if left == whole => all += 1,
            left if left == clean => none += 1,
            _ => some += 1,
        }
        if kill % 2 == 0 {
            to_its_end(&machine, "install");
            assert_eq!(differences(&machine.tree(), &whole), [""; 0], "kill {kill}");
        }
        to_its_end(&machine, "uninstall");
        // A process that was killed right after it had made its folder leaves that, empty.
        let _ = fs::remove_dir(machine.at(".okstra"));
        assert_eq!(differences(&machine.tree(), &clean), [""; 0], "kill {kill}");
    }
    assert!(some > 0 && none + some + all == KILLS, "{none} {some} {all}");
}

/// The paths that differ, with what stands there.
fn differences(found: &BTreeMap<PathBuf, Entry>, expected: &BTreeMap<PathBuf, Entry>) -> Vec<String> {
    let paths: BTreeSet<_> = found.keys().chain(expected.keys()).collect();
    let differing = paths.into_iter().filter(|path| {
        let (found, expected) = (found.get(*path), expected.get(*path));
        // Who held a lock last stands in it, and counts for nothing once nobody holds it.
        let is_lock = path.extension().is_some_and(|extension| extension == "lock");
        if is_lock { found.is_some() != expected.is_some() } else { found != expected }
    });
    differing.map(|path| format!("{}: {:?} {:?}", path.display(), found.get(path), expected.get(path))).collect()
}

#[test]
fn a_killed_upgrade_is_completed_and_keeps_what_is_the_users() {
    let machine = Machine::new();
    let skill = format!(".claude/{SKILL}");
    program(&machine, "one");
    to_its_end(&machine, "install");
    machine.write(&format!(".claude/{SKILL}"), "mine\n");
    let mut seen = [0_u32; 2];
    for kill in 0..KILLS {
        let text = format!("version {kill}");
        program(&machine, &text);
        killed_after(&machine, "install", LATER * kill);
        let is_new = machine.read(".okstra/bin/okstra") == text;
        seen[usize::from(is_new)] += 1;
        assert_eq!(machine.read(&skill), "mine\n");
        to_its_end(&machine, "install");
        assert_eq!(
            (machine.read(".okstra/bin/okstra"), machine.read(&skill)),
            (text, "mine\n".to_owned()),
            "kill {kill}"
        );
        assert!(!machine.at(".okstra/bin/okstra.new").exists(), "kill {kill}");
        assert!(!machine.read(".okstra/install.json").contains("pending"));
    }
    assert!(seen[0] > 0 && seen[1] > 0, "no kill fell before the write, or none after: {seen:?}");
}

#[test]
fn a_killed_removal_is_completed_by_the_next() {
    let machine = Machine::new();
    let clean = machine.tree();
    program(&machine, "one");
    for kill in 0..KILLS {
        to_its_end(&machine, "install");
        killed_after(&machine, "uninstall", LATER * kill);
        to_its_end(&machine, "uninstall");
        assert_eq!(differences(&machine.tree(), &clean), [""; 0], "kill {kill}");
    }
}

#[test]
fn of_two_removals_at_once_one_has_nothing_to_do() {
    let machine = Machine::new();
    let clean = machine.tree();
    program(&machine, "one");
    for _ in 0..10 {
        to_its_end(&machine, "install");
        let mut both = [begin(&machine, "uninstall"), begin(&machine, "uninstall")];
        assert!(both.iter_mut().all(|removal| removal.wait().unwrap().success()));
        assert_eq!(differences(&machine.tree(), &clean), [""; 0]);
    }
    // What is left of one that was killed as the last thing went.
    fs::create_dir(machine.at(".okstra")).unwrap();
    to_its_end(&machine, "uninstall");
    assert_eq!(differences(&machine.tree(), &clean), [""; 0]);
}
