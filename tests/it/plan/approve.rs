//! `okstra plan approve`: what is frozen, for whom, and what becomes of done stages.

use std::fs;

use serde_json::{Value, json};
use sha2::Digest as _;

use super::shop::{Shop, TASK, fixture, login};
use crate::common::Run;

#[test]
fn an_approval_makes_the_task_and_freezes_the_very_bytes() {
    let shop = Shop::new();
    let text = format!("\u{feff}{}", login().replace('\n', "\r\n"));
    let approval = shop.approve(&text);
    let sha256 = sha2::Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let id = format!("001-{}", &sha256[..8]);
    assert_eq!(
        (&approval["id"], &approval["sha256"], &approval["changed"]),
        (&json!(id), &json!(sha256), &json!(true))
    );
    assert_eq!(approval["approvedBy"], "Ann Approver");
    assert_eq!(shop.names(&shop.plans()), [format!("{id}.json"), format!("{id}.md")]);
    assert_eq!(fs::read_to_string(shop.plans().join(format!("{id}.md"))).unwrap(), text);
    let frozen: Value =
        serde_json::from_str(&fs::read_to_string(shop.plans().join(format!("{id}.json"))).unwrap()).unwrap();
    assert_eq!(
        (&frozen["schemaVersion"], &frozen["taskKey"], &frozen["source"]),
        (&json!("1.1"), &json!("shop/auth/login"), &json!("plan.md"))
    );
    assert_eq!((&frozen["title"], &frozen["stages"]), (&json!("Log in with a password"), &approval["stages"]));
    let manifest: Value = serde_json::from_str(&shop.read(".okstra/tasks/auth/login/task-manifest.json")).unwrap();
    assert_eq!(
        manifest,
        json!({"schemaVersion": "1.0", "taskKey": "shop/auth/login", "title": "Log in with a password", "category": "fix"})
    );
    let events = shop.events();
    assert_eq!(
        (events.len(), &events[0]["event"], &events[0]["plan"], &events[0]["by"]),
        (1, &json!("approved"), &json!(id), &json!("Ann Approver"))
    );
    let mirrored = shop.sandbox.git(&shop.root, &["ls-tree", "-r", "--name-only", "refs/okstra/state/auth/login"]);
    assert!(mirrored.contains(&format!("plans/{id}.md")) && mirrored.contains("timeline.jsonl"), "{mirrored}");
    assert!(fs::read_to_string(shop.root.join(".okstra/.gitignore")).is_ok());
}

#[test]
fn the_same_plan_again_changes_nothing() {
    let shop = Shop::new();
    let first = shop.approve(&login());
    let state = || shop.sandbox.git(&shop.root, &["rev-parse", "refs/okstra/state/auth/login"]);
    let before = state();
    // Nobody has to agree to what changes nothing, and a name that is given is not recorded.
    let again = shop.json(0, &["plan", "approve", "--task", TASK, "plan.md", "--by", "Bob"]);
    assert_eq!(
        (&again["changed"], &again["id"], &again["approvedBy"]),
        (&json!(false), &first["id"], &json!("Ann Approver"))
    );
    assert_eq!((state(), shop.names(&shop.plans()).len(), shop.events().len()), (before, 2, 1));
    let said = shop.okstra(&["plan", "approve", "--task", TASK, "plan.md"]);
    assert!(said.stdout.starts_with("unchanged  shop/auth/login goes by exactly this plan already, 001-"), "{said:?}");
}

#[test]
fn a_new_plan_keeps_the_stages_that_did_not_change() {
    let shop = Shop::new();
    let first = shop.approve(&login());
    for stage in 1..=3 {
        shop.row(stage, "done", &first);
    }
    let changed = login().replace("Add the table `sessions`.", "Add the table `session`.");
    let changed =
        changed[..changed.find("## Stage 3").unwrap()].to_owned() + &changed[changed.find("## Risks").unwrap()..];
    let changed: String = changed
        .lines()
        .filter(|line| !line.starts_with("| 3 ") && !line.starts_with("| 4 "))
        .map(|line| format!("{line}\n"))
        .collect();
    let second = shop.approve(&changed);
    let fates = |approval: &Value| [&approval["kept"], &approval["reopened"], &approval["removed"]].map(Clone::clone);
    assert_eq!(fates(&second), [json!([1]), json!([2]), json!([3])]);
    assert!(second["id"].as_str().unwrap().starts_with("002-"), "{second}");
    let event = shop.events().pop().unwrap();
    assert_eq!(fates(&event), fates(&second));
    let states = shop.json(0, &["plan", "show", "--task", TASK]);
    assert_eq!(states["states"], json!([{"stage": 1, "state": "done"}, {"stage": 2, "state": "ready"}]));
    // Back to the first plan: what was done by it is done.
    let third = shop.approve(&login());
    assert_eq!(
        (fates(&third), third["id"].as_str().unwrap()),
        ([json!([1, 2, 3]), json!([]), json!([])], &*format!("003-{}", &third["sha256"].as_str().unwrap()[..8]))
    );
    let said = shop.okstra(&["plan", "approve", "--task", TASK, "plan.md", "--yes"]).stdout;
    assert!(said.starts_with("unchanged"), "{said}");
}

#[test]
fn a_plan_that_breaks_a_rule_is_refused_with_all_that_is_wrong() {
    let shop = Shop::new();
    shop.write("all-at-once.md", &fixture("bad/all-at-once.md"));
    let arguments = ["plan", "approve", "--task", TASK, "all-at-once.md", "--category", "fix", "--yes"];
    let document = shop.json(2, &arguments);
    assert_eq!(document["violations"].as_array().unwrap().len(), 7);
    assert_eq!((&document["id"], &document["changed"]), (&Value::Null, &json!(false)));
    let said = shop.okstra(&arguments);
    assert_eq!((said.code, said.stdout), (Some(2), fixture("bad/all-at-once.txt")));
    assert!(!shop.task().exists());
}

#[test]
fn what_cannot_be_approved_is_refused_before_anything_is_written() {
    let shop = Shop::new();
    shop.write("plan.md", &login());
    let approve = |more: &[&'static str]| [&["plan", "approve", "plan.md"], more].concat();
    let cases = [
        (approve(&["--task", TASK, "--category", "fix"]), "confirmation-needed"),
        (approve(&["--task", TASK, "--yes"]), "category-needed"),
        (approve(&["--task", TASK, "--category", "Fix", "--yes"]), "unknown-category"),
        (approve(&["--task", TASK, "--category", "a b", "--yes"]), "bad-name"),
        (approve(&["--task", "login", "--category", "fix", "--yes"]), "bad-name"),
        (approve(&["--task", "auth/..", "--category", "fix", "--yes"]), "bad-name"),
        (approve(&["--category", "fix", "--yes"]), "no-task"),
        (approve(&["--task", TASK, "--category", "fix", "--yes", "--by", " "]), "usage"),
        (vec!["plan", "approve", "--task", TASK, "--category", "fix", "--yes"], "no-plan"),
        (vec!["plan", "approve", "none.md", "--task", TASK, "--category", "fix", "--yes"], "file-not-found"),
    ];
    for (arguments, code) in &cases {
        assert_eq!(shop.json(1, arguments)["code"], *code, "{arguments:?}");
    }
    assert!(!shop.root.join(".okstra/tasks").exists());
    assert_eq!(shop.sandbox.git(&shop.root, &["for-each-ref", "refs/okstra"]), "");
    shop.approve(&login());
    let other = shop.json(1, &approve(&["--task", TASK, "--category", "feat", "--yes"]));
    assert_eq!(
        (&other["code"], &other["error"]),
        (&json!("usage"), &json!("task auth/login is of the category fix, and not of feat"))
    );
    assert_eq!(
        shop.json(1, &approve(&["--task", "Auth/login", "--category", "fix", "--yes"]))["code"],
        "case-collision"
    );
    fs::remove_file(shop.root.join(".okstra/project.json")).unwrap();
    assert_eq!(shop.json(1, &approve(&["--task", TASK, "--yes"]))["code"], "not-a-project");
}

#[test]
fn a_plan_of_another_task_is_refused() {
    let shop = Shop::new();
    let id = shop.approve(&login())["id"].as_str().unwrap().to_owned();
    let frozen = format!(".okstra/tasks/auth/login/runs/implementation-planning/plans/{id}.md");
    let refused = shop.json(1, &["plan", "approve", "--task", "auth/other", &frozen, "--category", "fix", "--yes"]);
    assert_eq!(refused["code"], "other-tasks-plan");
    assert!(
        refused["error"]
            .as_str()
            .unwrap()
            .ends_with("was approved for shop/auth/login, and is no plan for shop/auth/other"),
        "{refused}"
    );
    // Its own is the way back to it.
    let own = shop.json(0, &["plan", "approve", "--task", TASK, &frozen, "--yes"]);
    assert_eq!(own["changed"], false);
    // A file put among the plans of a task is not gone by.
    let plans = shop.root.join(".okstra/tasks/auth/other/runs/implementation-planning/plans");
    fs::create_dir_all(&plans).unwrap();
    fs::copy(shop.plans().join(format!("{id}.json")), plans.join(format!("{id}.json"))).unwrap();
    shop.write("plan.md", &login());
    let refused = shop.json(1, &["plan", "approve", "--task", "auth/other", "plan.md", "--category", "fix", "--yes"]);
    assert_eq!(refused["code"], "bad-plan");
}

#[test]
fn the_newest_planning_report_is_the_plan_by_default() {
    let shop = Shop::new();
    let reports = ".okstra/tasks/auth/login/runs/implementation-planning/reports";
    shop.write(&format!("{reports}/final-report-implementation-planning-001.md"), "# Old");
    shop.write(&format!("{reports}/final-report-implementation-planning-002.md"), &login());
    let approval = shop.json(0, &["plan", "approve", "--task", TASK, "--category", "fix", "--yes"]);
    let frozen = fs::read_to_string(shop.plans().join(format!("{}.json", approval["id"].as_str().unwrap()))).unwrap();
    let frozen: Value = serde_json::from_str(&frozen).unwrap();
    assert_eq!(frozen["source"], format!("{reports}/final-report-implementation-planning-002.md"));
}

#[test]
fn who_approves_is_asked_of_the_flag_then_git_then_the_login() {
    let shop = Shop::new();
    shop.write("plan.md", &login());
    let arguments = ["plan", "approve", "--task", TASK, "plan.md", "--category", "fix", "--yes", "--json"];
    let by = |more: &[&str], variables: &[(&str, &str)]| -> Value {
        let ran = shop.command(&[&arguments, more].concat()).envs(variables.iter().copied()).ran();
        let _ = fs::remove_dir_all(shop.root.join(".okstra/tasks"));
        let document = ran.json();
        document.get("approvedBy").unwrap_or(&document["code"]).clone()
    };
    assert_eq!(by(&["--by", " Bob "], &[]), "Bob");
    assert_eq!(by(&[], &[("USER", "ann")]), "Ann Approver");
    shop.sandbox.git(&shop.root, &["config", "--unset", "user.name"]);
    assert_eq!(by(&[], &[("USER", "ann")]), "ann");
    assert_eq!(by(&[], &[]), "no-approver");
    fs::write(shop.sandbox.path().join("home/.gitconfig"), "[user]\n\tname = Global Ann\n").unwrap();
    assert_eq!(by(&[], &[("USER", "ann")]), "Global Ann");
}

#[test]
fn what_stands_in_a_manifest_already_is_kept() {
    let shop = Shop::new();
    let manifest = r#"{"taskKey":"shop/auth/login","title":"Mine","brief":"x"}"#;
    shop.write(".okstra/tasks/auth/login/task-manifest.json", manifest);
    shop.write("plan.md", &login());
    let arguments = ["plan", "approve", "--task", TASK, "plan.md", "--yes"];
    assert_eq!(shop.json(1, &arguments)["code"], "no-category");
    shop.json(0, &[&arguments[..], &["--category", "feat"]].concat());
    let manifest: Value = serde_json::from_str(&shop.read(".okstra/tasks/auth/login/task-manifest.json")).unwrap();
    assert_eq!(manifest, json!({"taskKey": "shop/auth/login", "title": "Mine", "brief": "x", "category": "feat"}));
}

#[test]
fn a_category_of_the_project_is_one() {
    let shop = Shop::new();
    shop.write(
        ".okstra/project.json",
        r#"{"schemaVersion":"1.0","projectId":"shop","config":{"workCategories":["spike"]}}"#,
    );
    shop.write("plan.md", &login());
    shop.json(0, &["plan", "approve", "--task", TASK, "plan.md", "--category", "spike", "--yes"]);
}
