//! Processes that are killed while they register or abandon a run: what is there reads well, and the next command that
//! changes state completes it.

use std::fs;
use std::io::Read;
use std::thread::sleep;
use std::time::Duration;

use okstra::domain::names::TaskKey;
use okstra::ops::lifecycle;
use okstra::store::runs;

use super::Life;
use crate::common::{Run, host};

/// How often a process is killed, each time a little later than before.
const KILLS: u32 = 24;
/// How much later, so that the kills fall on all steps.
const LATER: Duration = Duration::from_millis(2);

#[test]
fn a_run_that_exists_is_registered_by_the_next_command() {
    let life = Life::planned();
    let key: TaskKey = "shop/auth/login".parse().unwrap();
    let template = life.story.sandbox.path().join("template.json");
    let manifest = life.run_manifest("implementation-001", &[1]);
    fs::write(&template, serde_json::to_vec(&manifest).unwrap()).unwrap();
    let mut first = 1;
    for kill in 0..KILLS {
        let mut command = life.story.sandbox.command(host());
        command.env("OKSTRA_HOME", life.story.home()).arg("register").arg(&life.story.shop).arg("auth/login");
        let mut writer = command.arg(&template).arg(first.to_string()).started();
        let (mut stdout, mut said) = (writer.stdout.take().unwrap(), vec![0; first.to_string().len() + 1]);
        stdout.read_exact(&mut said).unwrap();
        assert_eq!(said, format!("{first}\n").into_bytes());
        sleep(LATER * kill);
        writer.kill().unwrap();
        writer.wait().unwrap();
        // It reads well as it was left.
        let status = life.status();
        let open = status["open"].as_array().unwrap().len();
        lifecycle::complete_registrations(&life.context(), &life.story.shop).unwrap();
        let names = runs::names(&life.layout(), &key).unwrap();
        assert_eq!(names.len(), open);
        first = names.last().unwrap().number + 1;
        let listed = life.manifest()["phases"]["implementation"]["runs"].as_array().unwrap().len();
        assert_eq!(listed, names.len(), "kill {kill}");
        assert_eq!(lifecycle::complete_registrations(&life.context(), &life.story.shop).unwrap(), 0);
    }
    let names: Vec<_> = runs::names(&life.layout(), &key).unwrap().iter().map(ToString::to_string).collect();
    let prepared: Vec<_> = life.events().into_iter().filter(|(event, _)| event == "prepared").collect();
    assert_eq!(prepared.into_iter().map(|(_, run)| run).collect::<Vec<_>>(), names);
    let started: Vec<_> = life.story.rows().iter().map(|row| row["run"].as_str().unwrap().to_owned()).collect();
    assert_eq!(started, names);
    assert!(life.read("task-index.md").contains(names.last().unwrap()));
    life.done(&["abandon", "implementation-001", "--reason", "x", "--yes"]);
    assert!(life.mirrored("task-manifest.json").contains(names.last().unwrap()));
}

#[test]
fn an_abandon_that_was_killed_can_be_done_again() {
    let life = Life::planned();
    let mut states = [0_u32; 2];
    for kill in 1..=KILLS {
        let run = format!("implementation-{kill:03}");
        life.prepare(&run, &[1, 2]);
        let mut child = life.command(&["abandon", &run, "--reason", "x", "--yes"]).started();
        sleep(LATER * kill);
        child.kill().unwrap();
        child.wait().unwrap();
        let open = life.status()["open"].as_array().unwrap().len();
        states[open] += 1;
        life.done(&["abandon", &run, "--reason", "x", "--yes"]);
        assert!(life.reserved_by(&run).is_empty(), "kill {kill}");
        let ended = life.events().into_iter().filter(|event| *event == ("abandoned".to_owned(), run.clone())).count();
        assert_eq!(ended, 1, "kill {kill}");
        let listed = life.manifest()["phases"]["implementation"]["runs"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(listed["status"], "abandoned", "kill {kill}");
        assert!(life.mirrored("task-manifest.json").contains(&run));
    }
    assert!(states[0] > 0 && states[1] > 0, "no kill fell before the end, or none after: {states:?}");
}
