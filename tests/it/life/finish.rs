//! A run comes to its end, once it has left what it must leave.

use std::fs;

use serde_json::json;

use super::Life;
use crate::common::story::branch;

#[test]
fn what_is_missing_is_listed_and_nothing_changes() {
    let life = Life::planned();
    life.prepare("implementation-001", &[1, 2]);
    life.story.stage(1, "fix-login", &[("a.txt", 3, "one")]);
    let before = life.manifest();
    let refused = life.refused(&["finish"], "run-unfinished");
    let said = refused["error"].as_str().unwrap();
    for missing in ["stage 2 is not done", "stage 1 is not in the task branch", "no report `.okstra/tasks/auth/login/"]
    {
        assert!(said.contains(missing), "{missing}: {said}");
    }
    assert_eq!((life.manifest(), life.reserved_by("implementation-001")), (before, vec![1, 2]));
    life.refused(&["finish", "--force", "enough"], "confirmation-needed");
    life.story.stage(2, "fix-login", &[("b.txt", 3, "two")]);
    life.integrate(1);
    life.integrate(2);
    life.report("implementation-001", "# Report\n");
    let done = life.done(&["finish"]);
    assert_eq!((&done["released"], &done["missing"], &done["forced"]), (&json!([1, 2]), &json!([]), &json!(null)));
    assert!(life.reserved_by("implementation-001").is_empty());
    assert_eq!(life.manifest()["phases"]["implementation"]["status"], "finished");
    assert!(life.mirrored("timeline.jsonl").contains("\"finished\""));
    let again = life.done(&["finish", "implementation-001"]);
    assert_eq!(again["already"], true);
    assert_eq!(life.events().iter().filter(|(event, _)| event == "finished").count(), 1);
    life.refused(&["finish"], "which-run");
}

#[test]
fn by_force_it_is_finished_and_that_is_recorded() {
    let life = Life::planned();
    life.prepare("implementation-001", &[1]);
    let done = life.done(&["finish", "--force", "not wanted", "--yes"]);
    assert_eq!(done["forced"], "not wanted");
    assert_eq!(done["missing"].as_array().unwrap().len(), 2);
    let state = life.read("runs/implementation/state/team-state-implementation-001.json");
    assert!(state.contains("\"finished\"") && state.contains("not wanted"), "{state}");
    assert!(life.read("timeline.jsonl").contains("\"reason\":\"not wanted\""));
}

#[test]
fn requirements_discovery_needs_a_route_and_others_choose_none() {
    let life = Life::new();
    life.prepare("requirements-discovery-001", &[]);
    life.report("requirements-discovery-001", " \n");
    let refused = life.refused(&["finish", "--route", "full"], "run-unfinished");
    assert!(refused["error"].as_str().unwrap().contains("is empty"), "{refused}");
    life.report("requirements-discovery-001", "x");
    let refused = life.refused(&["finish"], "run-unfinished");
    assert!(refused["error"].as_str().unwrap().contains("--route full|lite"), "{refused}");
    let hint = refused["hint"].as_str().unwrap();
    let way = "name the route: okstra finish requirements-discovery-001 --task auth/login --route ROUTE; or ";
    assert!(hint.starts_with(way) && hint.contains("--force REASON"), "{hint}");
    life.refused(&["finish", "--route", "sideways"], "unknown-route");
    let done = life.done(&["finish", "--route", "lite-implementation-planning"]);
    assert_eq!(done["route"], "lite-implementation-planning");
    assert_eq!(life.manifest()["route"], "lite-implementation-planning");
    life.prepare("error-analysis-001", &[]);
    life.refused(&["finish", "--route", "full"], "usage");
    life.prepare("error-analysis-002", &[]);
    let refused = life.refused(&["finish"], "which-run");
    assert!(refused["error"].as_str().unwrap().contains("error-analysis-001, error-analysis-002"), "{refused}");
}

#[test]
fn snapshots_go_and_what_holds_work_stays() {
    let life = Life::planned();
    let (clean, dirty) = (life.story.sandbox.path().join("clean"), life.story.sandbox.path().join("dirty"));
    let on_branch = life.story.sandbox.path().join("on branch");
    for folder in [&clean, &dirty] {
        life.story.git(&["worktree", "add", "-q", "--detach", folder.to_str().unwrap(), "fix-login"]);
    }
    life.story.git(&["worktree", "add", "-q", "-b", &branch(9), on_branch.to_str().unwrap()]);
    fs::write(dirty.join("new"), "x").unwrap();
    let mut manifest = life.run_manifest("final-verification-001", &[]);
    let worker = manifest.workers[0].clone();
    let folders = [&clean, &dirty, &on_branch, &life.story.shop];
    manifest.workers = folders
        .iter()
        .map(|folder| {
            let worktree = Some(folder.to_str().unwrap().to_owned());
            okstra::domain::run::RunWorker { worktree, ..worker.clone() }
        })
        .collect();
    life.register(&manifest);
    life.report("final-verification-001", "x");
    let ran = life.okstra(&["finish", "--json"]);
    assert_eq!((ran.code, &ran.json()["removed"]), (Some(0), &json!([clean])), "{ran:?}");
    assert!(ran.stderr.contains("stays"), "{ran:?}");
    assert!(!clean.exists() && dirty.join("new").exists() && on_branch.exists() && life.story.shop.exists());
}
