//! Two processes at once.

use okstra::store::registry::Registry;

use super::rows;
use crate::common::{Run, Sandbox, host};

#[test]
fn two_processes_that_append_1000_rows_each_lose_none_and_repeat_none() {
    let sandbox = Sandbox::new();
    let log = sandbox.path().join("consumers.jsonl");
    let start = |name| sandbox.command(host()).arg("consume").arg(&log).args([name, "1000"]).started();
    for child in [start("a"), start("b")] {
        let ran = child.ran();
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    let rows = rows(&log).unwrap();
    assert_eq!(rows.len(), 2000);
    for key in ["p/g/a", "p/g/b"] {
        let stages: Vec<_> = rows.iter().filter(|(of, _)| of == key).map(|(_, stage)| *stage).collect();
        assert_eq!(stages, (1..=1000).collect::<Vec<_>>());
    }
}

#[test]
fn two_processes_that_append_the_same_rows_write_each_once() {
    let sandbox = Sandbox::new();
    let log = sandbox.path().join("consumers.jsonl");
    let start = || sandbox.command(host()).arg("consume").arg(&log).args(["a", "300"]).started();
    for child in [start(), start()] {
        assert_eq!(child.ran().code, Some(0));
    }
    let stages: Vec<_> = rows(&log).unwrap().into_iter().map(|(_, stage)| stage).collect();
    assert_eq!(stages, (1..=300).collect::<Vec<_>>());
}

#[test]
fn two_processes_that_reserve_lose_no_task() {
    let sandbox = Sandbox::new();
    let registry = Registry::new(sandbox.path().join("worktrees/registry.json"));
    let start = |name| sandbox.command(host()).arg("reserve").arg(registry.path()).args([name, "150"]).started();
    for child in [start("a"), start("b"), start("a")] {
        let ran = child.ran();
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    let all = registry.read_all().unwrap();
    assert_eq!(all.len(), 300);
    for name in ["a", "b"] {
        for number in 1..=150 {
            let entry = &all[&format!("p/g/{name}-{number}")];
            assert_eq!(entry.branch, Some(format!("fix-{name}-{number}")));
        }
    }
}
