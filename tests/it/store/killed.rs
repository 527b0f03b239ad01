//! Writers that are killed at any moment: what they said was written is there, and the work goes on.

use std::io::Read;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use okstra::store::registry::Registry;

use super::rows;
use crate::common::{Run, Sandbox, host};

/// How often a writer is killed, each time a little later than before.
const KILLS: u32 = 60;
/// How much later, so that the kills fall on all steps of a write.
const LATER: Duration = Duration::from_micros(370);

#[test]
fn a_log_keeps_every_row_that_was_said_to_be_there() {
    let sandbox = Sandbox::new();
    let log = sandbox.path().join("consumers.jsonl");
    for kill in 0..KILLS {
        let last = kill_after(&sandbox, "consume", &log, &format!("run-{kill}"), LATER * kill);
        let of_this: Vec<_> =
            rows(&log).unwrap().into_iter().filter(|(key, _)| *key == format!("p/g/run-{kill}")).collect();
        let stages: Vec<_> = of_this.iter().map(|(_, stage)| *stage).collect();
        let found = u32::try_from(stages.len()).unwrap();
        assert_eq!(stages, (1..=found).collect::<Vec<_>>(), "kill {kill}");
        assert!(found == last || found == last + 1, "kill {kill}: {found} are there, {last} were said to be");
    }
    // The same rows once more: what was there is there once, what was not is written.
    let ran = sandbox.command(host()).arg("consume").arg(&log).args(["run-1", "20"]).ran();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let again = rows(&log).unwrap().into_iter().filter(|(key, _)| key == "p/g/run-1").map(|(_, stage)| stage);
    let stages: Vec<_> = again.collect();
    assert!(stages.len() >= 20 && stages == (1..=stages.len().try_into().unwrap()).collect::<Vec<u32>>(), "{stages:?}");
}

#[test]
fn a_registry_keeps_every_task_that_was_said_to_be_held() {
    let sandbox = Sandbox::new();
    let registry = Registry::new(sandbox.path().join("registry.json"));
    for kill in 0..KILLS {
        let last = kill_after(&sandbox, "reserve", registry.path(), &format!("run-{kill}"), LATER * kill);
        let all = registry.read_all().unwrap();
        let of_this = all.keys().filter(|key| key.starts_with(&format!("p/g/run-{kill}-"))).count();
        let found = u32::try_from(of_this).unwrap();
        assert!(found == last || found == last + 1, "kill {kill}: {found} are there, {last} were said to be");
    }
    let ran = sandbox.command(host()).arg("reserve").arg(registry.path()).args(["after", "3"]).ran();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

/// Starts a writer, lets it write for `time` after its first word, kills it, and gives the last number that it said.
fn kill_after(sandbox: &Sandbox, what: &str, file: &Path, name: &str, time: Duration) -> u32 {
    let mut writer = sandbox.command(host()).arg(what).arg(file).args([name, "100000"]).started();
    let (mut stdout, mut first, mut said) = (writer.stdout.take().unwrap(), [0; 2], String::new());
    stdout.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"1\n");
    sleep(time);
    writer.kill().unwrap();
    stdout.read_to_string(&mut said).unwrap();
    writer.wait().unwrap();
    said.lines().last().map_or(1, |line| line.parse().unwrap())
}
