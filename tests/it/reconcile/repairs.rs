//! What a person decides: `--use-ref` and `--reset-anchor`.

use serde_json::{Value, json};

use crate::common::Run;
use crate::common::story::{Story, branch};

/// Amends the tip of stage 1, so that its content is another one.
fn amend_first(story: &Story) -> String {
    story.git(&["checkout", "-q", &branch(1)]);
    std::fs::write(story.shop.join("a.txt"), "something else\n").unwrap();
    story.git(&["commit", "-q", "-a", "--amend", "-m", "amended"]);
    story.git(&["checkout", "-q", "main"]);
    story.rev(&branch(1))
}

#[test]
fn a_ref_that_a_person_names_is_recorded() {
    let story = Story::new();
    let old = story.stage(1, "main", &[("a.txt", 3, "one")]);
    let new = amend_first(&story);
    let outcome = story.json(0, &["--apply", "--stage", "1", "--use-ref", "fix-login-s1"]);
    let applied = json!([{"stage": 1, "new_commit": new, "replaced": old, "reason": "user-ref"}]);
    assert_eq!(outcome, json!({"applied": applied, "remaining_confirm": []}));
    let row = &story.rows()[1];
    assert_eq!((&row["ref"], &row["branch_tip"]), (&json!("refs/heads/fix-login-s1"), &json!(new)));
    assert_eq!((&row["base_commit"], &row["content"]["v"]), (&json!(story.anchor), &json!(1)));
    assert_eq!(row["witness_commit"], Value::Null);
    assert_eq!(story.items(0), Vec::<Value>::new());
    let records = story.records();
    let again = story.json(0, &["--apply", "--stage", "1", "--use-ref", "fix-login-s1"]);
    assert_eq!((again["applied"].clone(), story.records()), (json!([]), records));
    let kept = story.git(&["for-each-ref", "--format=%(objectname)", "refs/okstra/keep/auth/login"]);
    assert!(kept.contains(&old) && kept.contains(&new), "{kept}");
}

#[test]
fn there_and_back_again() {
    let story = Story::new();
    let a = story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.git(&["branch", "a", &a]);
    let b = amend_first(&story);
    for (name, commit, rows) in [("fix-login-s1", &b, 2), ("a", &a, 3), ("a", &a, 3), ("fix-login-s1", &b, 4)] {
        story.json(0, &["--apply", "--stage", "1", "--use-ref", name]);
        let all = story.rows();
        assert_eq!((all.len(), &all[rows - 1]["head_commit"]), (rows, &json!(commit)), "{name}");
        assert_eq!(story.items(0), Vec::<Value>::new(), "{name}");
    }
}

#[test]
fn what_a_person_named_holds_until_the_branch_moves() {
    let story = Story::new();
    let a = story.stage(1, "main", &[("a.txt", 3, "one")]);
    amend_first(&story);
    story.json(0, &["--apply", "--stage", "1", "--use-ref", &a]);
    assert_eq!(story.items(0), Vec::<Value>::new());
    story.git(&["checkout", "-q", &branch(1)]);
    story.edit("b.txt", 3, "moved");
    assert_eq!(story.item(2)["classification"], json!("confirm"));
    // The same decision for where the branch stands now is a new one.
    story.json(0, &["--apply", "--stage", "1", "--use-ref", &a]);
    assert_eq!((story.rows().len(), story.items(0).len()), (3, 0));
}

#[test]
fn what_a_person_named_is_what_later_proofs_start_from() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.git(&["checkout", "-q", &branch(1)]);
    story.edit("b.txt", 3, "reviewed");
    story.git(&["commit", "-q", "--amend", "-m", "reviewed more"]);
    let named = story.edit("a.txt", 3, "another one");
    story.json(0, &["--apply", "--stage", "1", "--use-ref", "HEAD"]);
    story.git(&["checkout", "-q", "main"]);
    story.edit("a.txt", 35, "main moved on");
    story.git(&["rebase", "-q", "main", &branch(1)]);
    story.json(0, &["--apply"]);
    let row = story.rows().pop().unwrap();
    assert_eq!(
        (&row["witness_commit"], &row["head_commit"], &row["reconcile_reason"]),
        (&json!(named), &json!(story.rev(&branch(1))), &json!("auto-patch-id"))
    );
}

#[test]
fn a_decision_for_one_stage_leaves_the_others_to_their_own() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.stage(2, "main", &[("b.txt", 3, "two"), ("b.txt", 9, "too")]);
    story.stage(3, "main", &[("c.txt", 3, "three")]);
    amend_first(&story);
    story.git(&["checkout", "-q", &branch(3)]);
    std::fs::write(story.shop.join("c.txt"), "else\n").unwrap();
    story.git(&["commit", "-q", "-a", "--amend", "-m", "amended"]);
    story.git(&["checkout", "-q", "main"]);
    story.edit("b.txt", 35, "main moved on");
    story.git(&["rebase", "-q", "main", &branch(2)]);
    story.git(&["checkout", "-q", "main"]);
    let outcome = story.json(2, &["--apply", "--stage", "1", "--use-ref", "fix-login-s1"]);
    let stages: Vec<_> =
        outcome["applied"].as_array().unwrap().iter().map(|one| (&one["stage"], &one["reason"])).collect();
    assert_eq!(stages, [(&json!(1), &json!("user-ref")), (&json!(2), &json!("auto-patch-id"))]);
    let remaining: Vec<_> = outcome["remaining_confirm"].as_array().unwrap().iter().map(|one| &one["stage"]).collect();
    assert_eq!(remaining, [&json!(3)]);
}

#[test]
fn a_choice_without_work_of_its_own_has_no_content() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    amend_first(&story);
    story.json(0, &["--apply", "--stage", "1", "--use-ref", &story.anchor]);
    let row = story.rows().pop().unwrap();
    assert_eq!((&row["content"], &row["base_commit"]), (&Value::Null, &Value::Null));
}

#[test]
fn the_anchor_moves_on_purpose_only() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    let later = story.edit("c.txt", 3, "main");
    story.json(0, &["--apply"]);
    let anchor = || {
        let registry: Value = serde_json::from_str(&std::fs::read_to_string(story.registry()).unwrap()).unwrap();
        registry["tasks"]["shop/auth/login"]["implementation_base_commit"].clone()
    };
    assert_eq!(anchor(), json!(story.anchor));
    let outcome = story.json(0, &["--apply", "--reset-anchor", "main"]);
    assert_eq!(outcome["applied"], json!([{"anchor": later}]));
    assert_eq!(anchor(), json!(later));
    assert_eq!(story.json(0, &["--apply", "--reset-anchor", "main"])["applied"], json!([]));
}

#[test]
fn an_anchor_that_is_gone_or_missing_is_set_by_a_person() {
    for anchor in [json!("f".repeat(40)), Value::Null] {
        let story = Story::new();
        story.stage(1, "main", &[("a.txt", 3, "one")]);
        story.write_registry(&json!({"implementation_base_commit": anchor}));
        let code = if anchor.is_null() { 1 } else { 2 };
        assert_eq!(story.reconcile(&[]).code, Some(code));
        let outcome = story.json(0, &["--apply", "--reset-anchor", &story.anchor]);
        assert_eq!(outcome["applied"], json!([{"anchor": story.anchor}]), "{anchor}");
        assert_eq!(story.items(0), Vec::<Value>::new());
    }
}

#[test]
fn what_is_repaired_is_said_on_stderr_with_json_and_on_stdout_without() {
    for json in [true, false] {
        let story = Story::new();
        let old = story.stage(1, "main", &[("a.txt", 3, "one")]);
        story.edit("a.txt", 35, "main moved on");
        story.git(&["rebase", "-q", "main", &branch(1)]);
        story.git(&["checkout", "-q", "main"]);
        let new = story.rev(&branch(1));
        let said = format!("git-reconcile: stage 1 done commit {} -> {} (patch-equivalent)\n", &old[..8], &new[..8]);
        let ran = story.reconcile(if json { &["--apply", "--json"] } else { &["--apply"] });
        match json {
            true => assert_eq!(ran.stderr, said),
            false => assert!(ran.stdout.starts_with(&said) && ran.stderr.is_empty(), "{ran:?}"),
        }
    }
}

#[test]
fn two_at_once_repair_once() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.edit("a.txt", 35, "main moved on");
    story.git(&["rebase", "-q", "main", &branch(1)]);
    let started = [0; 4].map(|_| story.command(&["--apply", "--json"]).started());
    let outcomes = started.map(|child| child.ran().json());
    let repaired: usize = outcomes.iter().map(|outcome| outcome["applied"].as_array().unwrap().len()).sum();
    assert_eq!((repaired, story.rows().len()), (1, 2), "{outcomes:?}");
}

#[test]
fn head_is_recorded_as_the_branch_that_it_is_then() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    amend_first(&story);
    story.git(&["checkout", "-q", &branch(1)]);
    story.json(0, &["--apply", "--stage", "1", "--use-ref", "HEAD"]);
    assert_eq!(story.rows()[1]["ref"], json!("refs/heads/fix-login-s1"));
    let commit = story.rev("main");
    story.git(&["checkout", "-q", "--detach", "main"]);
    story.json(0, &["--apply", "--stage", "1", "--use-ref", "HEAD"]);
    assert_eq!(story.rows()[2]["ref"], json!(commit));
}

#[test]
fn rows_of_a_newer_version_are_neither_lost_nor_believed() {
    let story = Story::new();
    let tip = story.stage(1, "main", &[("a.txt", 3, "one")]);
    let newer = json!({"impl_task_key": "shop/auth/login", "stage": 1, "status": "done", "head_commit": story.anchor,
        "reconciled": true, "reconcile_reason": "auto-by-magic", "witness_commit": tip, "magic": 7});
    story.append(&newer);
    story.git(&["checkout", "-q", &branch(1)]);
    story.edit("b.txt", 3, "more");
    story.git(&["branch", "-q", "-f", "main", "HEAD"]);
    assert_eq!(story.items(0), Vec::<Value>::new());
}
