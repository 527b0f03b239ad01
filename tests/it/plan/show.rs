//! `okstra plan show`: the graph, on terminals wide and narrow, and for other programs.

use serde_json::json;

use super::shop::{Shop, TASK, fixture, fixtures, login};
use crate::common::Sandbox;

#[test]
fn stages_are_drawn_below_what_they_wait_for() {
    let sandbox = Sandbox::new();
    let ran = sandbox.okstra_in(&fixtures(), ["plan", "show", "good/login.md"]);
    let expected = "\
Log in with a password (not approved, 4 stages)

┌───────────────┐  ┌───────────────┐
│ 1  Passwords  │  │ 2  Sessions   │
│ 3 steps       │  │ 2 steps       │
└───────┬───────┘  └───────┬───────┘
        └────────┬─────────┘
       ┌─────────┴─────────┐
       │ 3  The login form │
       │ 4 steps           │
       └─────────┬─────────┘
                 │
 ┌───────────────┴───────────────┐
 │ 4  Documentation & changelog  │
 │ 1 step                        │
 └───────────────────────────────┘
";
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), expected, ""));
}

#[test]
fn a_task_shows_where_its_stages_stand() {
    let shop = Shop::new();
    let approval = shop.approve(&login());
    shop.row(1, "started", &approval);
    shop.row(1, "done", &approval);
    shop.row(2, "started", &approval);
    let document = shop.json(0, &["plan", "show", "--task", TASK]);
    let states: Vec<_> =
        document["states"].as_array().unwrap().iter().map(|one| one["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["done", "started", "waiting", "waiting"]);
    assert_eq!(
        (&document["id"], &document["graph"], &document["stages"]),
        (&approval["id"], &json!(null), &approval["stages"])
    );
    let drawn = shop.okstra(&["plan", "show", "--task", TASK]).stdout;
    assert!(drawn.contains("│ done, 3 steps │  │ started, 2 steps  │"), "{drawn}");
    shop.row(2, "done", &approval);
    assert!(shop.okstra(&["plan", "show", "--task", TASK]).stdout.contains("│ ready, 4 steps    │"));
}

#[test]
fn a_plan_that_is_not_approved_is_shown_with_a_warning() {
    let shop = Shop::new();
    shop.write(".okstra/tasks/auth/login/task-manifest.json", r#"{"taskKey":"shop/auth/login","category":"fix"}"#);
    assert_eq!(shop.json(1, &["plan", "show", "--task", TASK])["code"], "no-plan");
    let report =
        ".okstra/tasks/auth/login/runs/implementation-planning/reports/final-report-implementation-planning-001.md";
    shop.write(report, &fixture("bad/s5-cycle.md"));
    let ran = shop.okstra(&["plan", "show", "--task", TASK]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.contains("has 1 violation: okstra plan check says which"), "{}", ran.stderr);
    assert_eq!(
        ran.stdout,
        "Two stages (not approved, 2 stages)\n\n1  Users: waiting, 2 steps, after 2\n2  Login: waiting, 1 step, after 1\n"
    );
}

#[test]
fn graphs_for_other_programs_have_states_and_quoted_titles() {
    let shop = Shop::new();
    let approval = shop.approve(&login().replace("Passwords", "Say \\\"hi\\\""));
    shop.row(1, "done", &approval);
    let dot = shop.okstra(&["plan", "show", "--task", TASK, "--dot"]).stdout;
    assert!(dot.starts_with("digraph plan {\n") && dot.ends_with("}\n"), "{dot}");
    assert!(dot.contains(r#"s1 [label="1  Say \"hi\"\ndone, 3 steps""#) && dot.contains("s2 -> s3;"), "{dot}");
    let mermaid = shop.okstra(&["plan", "show", "--task", TASK, "--mermaid"]).stdout;
    assert!(mermaid.starts_with("flowchart TD\n  s1[\"1  Say #34;hi#34;<br/>done, 3 steps\"]:::done\n"), "{mermaid}");
    let document = shop.json(0, &["plan", "show", "--task", TASK, "--dot"]);
    assert_eq!(document["graph"], dot);
    assert_eq!(shop.json(1, &["plan", "show", "--task", TASK, "--dot", "--mermaid"])["code"], "usage");
    assert_eq!(shop.json(1, &["plan", "show", "plan.md", "--task", TASK])["code"], "usage");
}

#[cfg(unix)]
#[test]
fn what_does_not_fit_the_terminal_is_a_list() {
    use crate::common::OKSTRA;
    use crate::common::pty::Pty;
    let sandbox = Sandbox::new();
    let plan = fixtures().join("good/login.md");
    let show = |columns| {
        let command = [OKSTRA, "plan", "show", plan.to_str().unwrap()];
        let (status, screen) = Pty::start(&sandbox, columns, &[("NO_COLOR", "1")], &command).end();
        assert_eq!(status.code(), Some(0), "{screen}");
        assert!(screen.lines().all(|line| line.trim_end().chars().count() <= usize::from(columns)), "{screen}");
        screen.replace("\r\n", "\n")
    };
    assert!(show(80).contains("┌───────────────┐  ┌"));
    let narrow = show(30);
    assert!(
        narrow.contains(
            "\n1  Passwords: 3 steps\n2  Sessions: 2 steps\n  3  The login form: 4\n     steps, after 1, 2\n"
        ),
        "{narrow}"
    );
}
