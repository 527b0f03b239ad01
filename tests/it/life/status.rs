//! Where a task stands, through its whole life, for programs and for people.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use okstra::domain::lifecycle::TaskType;
use sha2::{Digest as _, Sha256};

use super::Life;
use crate::common::pty::Pty;
use crate::common::{OKSTRA, Run};

#[test]
fn a_task_goes_through_its_life_and_status_says_what_comes_next() {
    let life = Life::new();
    assert_eq!(life.next(), "okstra run --task auth/login --type requirements-discovery --brief FILE");
    life.prepare("requirements-discovery-001", &[]);
    assert_eq!(life.next(), "okstra resume requirements-discovery-001 --task auth/login");
    life.report("requirements-discovery-001", "# Report\n");
    assert_eq!(life.next(), "okstra finish requirements-discovery-001 --task auth/login --route ROUTE");
    assert!(life.status()["next"]["reason"].as_str().unwrap().contains("ROUTE is full, or lite-"));
    life.done(&["finish", "--route", "direct-implementation-planning"]);
    assert_eq!(life.next(), "okstra run --task auth/login --type implementation-planning");
    assert_eq!(life.states()[..3], ["done", "left-out", "next"]);
    life.whole_run(TaskType::ImplementationPlanning, &[]);
    assert_eq!(life.next(), "okstra plan approve --task auth/login");
    life.story.write_plan(&[(1, &[]), (2, &[])]);
    // The plan was approved before the run ended; that its report is the approved one is seen by its hash.
    assert_eq!(life.next(), "okstra plan approve --task auth/login");
    let plan = life.path("runs/implementation-planning/plans/001.json");
    let text =
        fs::read_to_string(&plan).unwrap().replace("\"sha256\":\"0\"", &format!("\"sha256\":\"{}\"", sha256(&life)));
    fs::write(&plan, text).unwrap();
    assert_eq!(life.next(), "okstra run --task auth/login --type implementation");
    life.prepare("implementation-001", &[1, 2]);
    let status = life.status();
    assert_eq!(status["open"][0]["stages"], serde_json::json!([1, 2]));
    assert_eq!(status["plan"]["stages"][0]["reservedBy"], "implementation-001");
    life.story.stage(1, "fix-login", &[("a.txt", 3, "one")]);
    life.story.stage(2, "fix-login", &[("b.txt", 3, "two")]);
    assert_eq!(life.next(), "okstra stage integrate --task auth/login");
    life.integrate(1);
    assert_eq!(life.next(), "okstra stage integrate --task auth/login");
    life.integrate(2);
    assert_eq!(life.next(), "okstra resume implementation-001 --task auth/login");
    life.report("implementation-001", "# Report\n");
    life.done(&["finish"]);
    assert_eq!(life.next(), "okstra run --task auth/login --type final-verification");
    life.whole_run(TaskType::FinalVerification, &[]);
    life.whole_run(TaskType::ReleaseHandoff, &[]);
    assert_eq!(life.states(), ["done", "left-out", "done", "done", "done", "done"]);
    assert_eq!(life.next(), "okstra task close --task auth/login");
}

fn sha256(life: &Life) -> String {
    let report = life.path("runs/implementation-planning/reports/final-report-implementation-planning-001.md");
    Sha256::digest(fs::read(report).unwrap()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn what_is_shown_to_people_is_short_and_fits() {
    let life = Life::planned();
    life.prepare("implementation-001", &[1]);
    life.done(&["abandon", "implementation-001", "--reason", "wrong way", "--yes"]);
    life.prepare("implementation-002", &[2]);
    let home = life.story.home();
    let on_terminal = |color: &str| {
        let root = life.story.shop.to_str().unwrap();
        let command = [OKSTRA, "status", "--task", "auth/login", "--project-root", root, "--color", color];
        let mut pty = Pty::start(&life.story.sandbox, 80, &[("OKSTRA_HOME", home.to_str().unwrap())], &command);
        pty.wait_for("next:");
        let (status, seen) = pty.end();
        assert!(status.success(), "{seen}");
        seen
    };
    assert!(on_terminal("auto").contains('\x1b'));
    let seen = on_terminal("never");
    let is_path = |line: &str| line.contains("worktrees") || line.contains("--project-root");
    let wide: Vec<_> = seen.lines().filter(|line| line.trim().chars().count() > 80 && !is_path(line)).collect();
    assert!(wide.is_empty() && seen.lines().count() < 35, "{seen}");
    let plain = life.okstra(&["status", "--color", "never"]).stdout;
    for said in [
        "auth/login  Login · fix",
        "requirements-discovery   left out  a plan is approved without it",
        "implementation           open      001 abandoned, 002 prepared for ",
        "led by claude, stage 2",
        "plan 001: 0 of 3 stages done, 0 integrated",
        "2      implementation-002  Stage 2",
        "stage 1 of implementation-001",
        "next: implementation-002 is open\n  okstra resume implementation-002 --task auth/login\n",
    ] {
        assert!(plain.contains(said), "{said:?}: {plain}");
    }
}

#[test]
fn a_read_only_project_is_read() {
    let life = Life::planned();
    life.prepare("implementation-001", &[1]);
    let before = life.status();
    let program = life.story.sandbox.path().join("okstra");
    fs::copy(OKSTRA, &program).unwrap();
    let ran = life.story.sandbox.command("chmod").args(["-R", "a+rX,a-w"]).arg(life.story.shop.join(".okstra")).ran();
    assert_eq!(ran.code, Some(0));
    for folder in [life.story.sandbox.path().to_owned(), life.story.home()] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let as_nobody = |arguments: &[&str]| {
        use std::os::unix::process::CommandExt;
        let mut command = life.story.sandbox.command(&program);
        command.current_dir(&life.story.shop).env("OKSTRA_HOME", life.story.home()).args(arguments);
        if rustix::process::getuid().is_root() {
            command.uid(65534).gid(65534);
        }
        command.ran()
    };
    let ran = as_nobody(&["status", "--task", "auth/login", "--json"]);
    assert_eq!(ran.json()["phases"], before["phases"], "{ran:?}");
    assert_eq!(as_nobody(&["tasks", "--json"]).json()["tasks"][0]["taskKey"], "shop/auth/login");
    let refused =
        as_nobody(&["abandon", "implementation-001", "--task", "auth/login", "--reason", "x", "--yes", "--json"]);
    assert_eq!(refused.json()["code"], "permission-denied", "{refused:?}");
    life.story.sandbox.command("chmod").args(["-R", "u+w"]).arg(life.story.shop.join(".okstra")).ran();
    assert_eq!(life.status()["open"][0]["status"], "prepared");
}

#[test]
fn what_cannot_be_answered_is_a_named_error() {
    let life = Life::new();
    let outside = life.story.sandbox.repository("plain");
    for arguments in [["status", "--task", "a/b", "--json"].as_slice(), &["tasks", "--json"]] {
        let ran = life.story.sandbox.okstra_in(&outside, arguments);
        assert_eq!(ran.json()["code"], "not-a-project", "{ran:?}");
        assert!(ran.json()["hint"].as_str().unwrap().contains("okstra init"), "{ran:?}");
        let ran = life.story.sandbox.okstra(arguments);
        assert_eq!(ran.json()["code"], "not-a-repository", "{ran:?}");
    }
    let ran = life.story.sandbox.command(OKSTRA).current_dir(&life.story.shop).args(["status", "--json"]).ran();
    assert_eq!(ran.json()["code"], "no-task");
    life.prepare("error-analysis-001", &[]);
    let path = life.path("runs/error-analysis/state/team-state-error-analysis-001.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "{").unwrap();
    let refused = life.refused(&["status"], "not-json");
    assert!(refused["error"].as_str().unwrap().contains("team-state-error-analysis-001.json:1:"), "{refused}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "{");
}

#[test]
fn an_integration_counts_where_it_was_made_since_the_stage_was_done() {
    let life = Life::planned();
    for stage in [1, 2, 3] {
        life.story.stage(stage, "fix-login", &[("a.txt", stage as usize, "new")]);
    }
    assert_eq!(life.next(), "okstra stage integrate --task auth/login");
    let made = |at: &str| serde_json::json!({"integrations": [{"commit": "ab", "stages": [1, 2, 3], "at": at}]});
    life.story.write_registry(&made("2020-01-01T00:00:00Z"));
    // What an integration says counts where there is no branch to look into; else what is in that.
    assert_eq!(life.status()["plan"]["integrated"], 0, "it was made before they were done");
    life.story.write_registry(&made("2099-01-01T00:00:00Z"));
    assert_eq!(life.status()["plan"]["integrated"], 0);
    life.story.git(&["branch", "-q", "-D", "fix-login"]);
    assert_eq!(life.status()["plan"]["integrated"], 3);
    assert_eq!(life.next(), "okstra run --task auth/login --type final-verification --brief FILE");
    let only_two =
        serde_json::json!({"integrations": [{"commit": "ab", "stages": [1, 2], "at": "2099-01-01T00:00:00Z"}]});
    life.story.write_registry(&only_two);
    assert_eq!(life.status()["plan"]["integrated"], 2);
}

#[test]
fn a_plan_that_was_approved_after_the_report_stands_for_it() {
    let life = Life::planned();
    life.whole_run(TaskType::ImplementationPlanning, &[]);
    assert_eq!(life.next(), "okstra plan approve --task auth/login");
    let plan = life.path("runs/implementation-planning/plans/001.json");
    let later = fs::read_to_string(&plan).unwrap().replace("2026-01-01", "2099-01-01");
    fs::write(&plan, later).unwrap();
    assert_eq!(life.next(), "okstra run --task auth/login --type implementation");
    life.prepare("implementation-planning-002", &[]);
    life.report("implementation-planning-002", "# Another\n");
    life.done(&["abandon", "implementation-planning-002", "--reason", "x", "--yes"]);
    assert_eq!(life.next(), "okstra run --task auth/login --type implementation", "what was given up is not approved");
}

#[test]
fn a_task_whose_plan_was_approved_by_hand_is_asked_for_its_brief_once() {
    let life = Life::planned();
    assert_eq!(life.next(), "okstra run --task auth/login --type implementation --brief FILE");
    life.prepare("implementation-001", &[1]);
    life.done(&["abandon", "implementation-001", "--reason", "wrong way", "--yes"]);
    assert_eq!(life.next(), "okstra run --task auth/login --type implementation");
}
