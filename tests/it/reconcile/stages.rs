//! What becomes of a recorded stage: holds, is repaired, is asked about.

use serde_json::{Value, json};

use crate::common::story::{Story, branch};

/// Rebases the branch of stage 1 onto main, which has moved on in another part of the same file.
fn rebase_first(story: &Story) -> String {
    story.edit("a.txt", 35, "main moved on");
    story.git(&["rebase", "-q", "main", &branch(1)]);
    story.git(&["checkout", "-q", "main"]);
    story.rev(&branch(1))
}

fn applied(old: &str, new: &str, reason: &str) -> Value {
    json!([{"stage": 1, "new_commit": new, "replaced": old, "reason": reason}])
}

#[test]
fn nothing_recorded_and_nothing_changed_is_nothing_to_do() {
    let story = Story::new();
    assert_eq!(story.json(0, &[]), json!({"items": []}));
    let tip = story.stage(1, "main", &[("a.txt", 3, "one"), ("a.txt", 9, "two")]);
    assert_eq!(story.items(0), Vec::<Value>::new());
    assert_eq!(story.json(0, &["--apply"]), json!({"applied": [], "remaining_confirm": []}));
    let all = story.json(0, &["--all"]);
    assert_eq!(all["items"].as_array().unwrap().len(), 2, "{all}");
    assert_eq!(all["items"][0]["kind"], "anchor");
    assert_eq!((&all["items"][1]["kind"], &all["items"][1]["recorded"]), (&json!("done"), &json!(tip)));
    assert_eq!(all["items"][1]["reason"], "reachable from refs/heads/fix-login-s1");
}

#[test]
fn more_commits_on_top_change_nothing() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.git(&["checkout", "-q", &branch(1)]);
    story.edit("b.txt", 3, "more");
    assert_eq!(story.items(0), Vec::<Value>::new());
}

#[test]
fn a_rebase_is_repaired() {
    let story = Story::new();
    let old = story.stage(1, "main", &[("a.txt", 3, "one"), ("a.txt", 9, "two")]);
    let new = rebase_first(&story);
    let item = story.item(0);
    assert_eq!((&item["classification"], &item["suggested_commit"]), (&json!("auto"), &json!(new)));
    assert_eq!((&item["matched_commit"], &item["effect"]), (&json!(new), &json!("present")));

    let before = story.rows();
    assert_eq!(story.json(0, &["--apply"])["applied"], applied(&old, &new, "auto-patch-id"));
    let after = story.rows();
    assert_eq!(after[..before.len()], before[..], "nothing is rewritten");
    assert_eq!(after.len(), before.len() + 1);
    let row = &after[1];
    for (field, value) in [
        ("head_commit", json!(new)),
        ("reconciled", json!(true)),
        ("replaced_commit", json!(old)),
        ("witness_commit", json!(old)),
        ("ref", json!("refs/heads/fix-login-s1")),
        ("branch_tip", json!(new)),
        ("base_commit", before[0]["base_commit"].clone()),
        ("content", before[0]["content"].clone()),
        ("impl_task_key", json!("shop/auth/login")),
    ] {
        assert_eq!(row[field], value, "{field} of {row}");
    }
    let records = story.records();
    assert_eq!(story.json(0, &["--apply"]), json!({"applied": [], "remaining_confirm": []}));
    assert_eq!(story.items(0), Vec::<Value>::new());
    assert_eq!(story.records(), records, "twice changes nothing");
}

#[test]
fn a_rebase_with_more_on_top_records_where_it_landed() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one"), ("a.txt", 9, "two")]);
    let landed = rebase_first(&story);
    story.git(&["checkout", "-q", &branch(1)]);
    story.edit("b.txt", 3, "more");
    let tip = story.edit("b.txt", 9, "even more");
    let item = story.item(0);
    assert_eq!(item["suggested_commit"], json!(landed));
    assert_ne!(item["suggested_commit"], json!(tip));
    assert!(item["reason"].as_str().unwrap().ends_with("; 2 commits on top of it are not taken in"), "{item}");
    story.json(0, &["--apply"]);
    assert_eq!((&story.rows()[1]["head_commit"], &story.rows()[1]["branch_tip"]), (&json!(landed), &json!(tip)));
    assert_eq!(story.items(0), Vec::<Value>::new());
}

#[test]
fn a_second_rebase_is_proved_from_the_first_record() {
    let story = Story::new();
    let old = story.stage(1, "main", &[("a.txt", 3, "one"), ("a.txt", 9, "two")]);
    rebase_first(&story);
    story.json(0, &["--apply"]);
    story.edit("a.txt", 30, "main moved on again");
    story.git(&["rebase", "-q", "main", &branch(1)]);
    story.git(&["checkout", "-q", "main"]);
    story.json(0, &["--apply"]);
    let rows = story.rows();
    assert_eq!((rows.len(), &rows[2]["witness_commit"]), (3, &json!(old)));
    assert_eq!(rows[2]["head_commit"], json!(story.rev(&branch(1))));
}

#[test]
fn a_part_that_landed_is_never_taken_for_the_whole() {
    // The branch is first rebased, which is repaired; then its second commit is dropped. Started from the automatic row
    // of a part, the rest would prove itself.
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one"), ("a.txt", 20, "two")]);
    rebase_first(&story);
    story.json(0, &["--apply"]);
    story.edit("a.txt", 30, "main moved on again");
    story.git(&["checkout", "-q", &branch(1)]);
    story.git(&["reset", "-q", "--hard", "HEAD^"]);
    story.git(&["rebase", "-q", "main"]);
    let item = story.item(2);
    assert_eq!((&item["classification"], &item["suggested_commit"]), (&json!("confirm"), &Value::Null));
    assert_eq!(story.json(2, &["--apply"])["applied"], json!([]));
}

#[test]
fn an_amend_is_asked_about() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.git(&["checkout", "-q", &branch(1)]);
    std::fs::write(story.shop.join("a.txt"), "something else\n").unwrap();
    story.git(&["commit", "-q", "-a", "--amend", "-m", "amended"]);
    let item = story.item(2);
    assert_eq!(
        (&item["kind"], &item["stage"], &item["classification"]),
        (&json!("done"), &json!(1), &json!("confirm"))
    );
    let rows = story.rows();
    let applied = story.json(2, &["--apply"]);
    assert_eq!((&applied["applied"], &applied["remaining_confirm"][0]["stage"]), (&json!([]), &json!(1)));
    assert_eq!(story.rows(), rows);
}

#[test]
fn an_amend_of_the_indentation_alone_is_asked_about() {
    // git's patch-id throws white space away; in Python it decides what runs.
    let story = Story::new();
    let code = "def check(user):\n    if user:\n        audit()\n    allow()\n";
    story.git(&["checkout", "-q", "-b", &branch(1)]);
    let head = story.commit("check.py", code, "check");
    story.git(&["checkout", "-q", "main"]);
    story.record(1, "main", &head);
    story.git(&["checkout", "-q", &branch(1)]);
    std::fs::write(story.shop.join("check.py"), code.replace("\n    allow", "\n        allow")).unwrap();
    story.git(&["commit", "-q", "-a", "--amend", "-m", "check"]);
    assert_eq!(story.item(2)["classification"], json!("confirm"));
    assert_eq!(story.json(2, &["--apply"])["applied"], json!([]));
}

#[test]
fn a_commit_that_exists_is_fine_when_its_branch_is_gone() {
    let story = Story::new();
    let tip = story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.git(&["branch", "-q", "-D", &branch(1)]);
    story.collect(false);
    assert_eq!(story.rev(&tip), tip, "kept by its ref");
    assert_eq!(story.items(0), Vec::<Value>::new());
}

#[test]
fn a_collected_commit_is_proved_by_its_fingerprints() {
    for deleted in [false, true] {
        let story = Story::new();
        let old = story.stage(1, "main", &[("a.txt", 3, "one"), ("b.txt", 9, "two")]);
        // Rebased in a way that leaves the files' contents before and after as they were.
        story.edit("c.txt", 35, "main moved on elsewhere");
        story.git(&["rebase", "-q", "main", &branch(1)]);
        story.git(&["checkout", "-q", "main"]);
        let new = story.rev(&branch(1));
        let on = match deleted {
            true => {
                story.git(&["merge", "-q", "--ff-only", &branch(1)]);
                story.git(&["branch", "-q", "-D", &branch(1)]);
                "refs/heads/main"
            }
            false => "refs/heads/fix-login-s1",
        };
        story.collect(true);
        let item = story.item(0);
        assert_eq!((&item["classification"], &item["suggested_commit"]), (&json!("auto"), &json!(new)), "{item}");
        assert!(item["reason"].as_str().unwrap().starts_with("recorded SHA unresolvable: "), "{item}");
        assert_eq!(story.json(0, &["--apply"])["applied"], applied(&old, &new, "auto-fingerprint"));
        assert_eq!(story.rows()[1]["ref"], json!(on));
        assert_eq!(story.items(0), Vec::<Value>::new());
    }
}

#[test]
fn a_collected_commit_without_fingerprints_or_without_a_landing_is_asked_about() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.git(&["branch", "-q", "-D", &branch(1)]);
    story.collect(true);
    let item = story.item(2);
    assert!(item["reason"].as_str().unwrap().starts_with("recorded SHA unresolvable: there is no commit "), "{item}");

    let other = Story::new();
    other.append(
        &json!({"impl_task_key": "shop/auth/login", "stage": 1, "status": "done", "head_commit": "f".repeat(40)}),
    );
    assert!(other.item(2)["reason"].as_str().unwrap().contains("no recorded fingerprints"), "{:?}", other.item(2));
}

#[test]
fn a_collected_commit_whose_landing_was_reverted_is_asked_about() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.edit("c.txt", 35, "main moved on elsewhere");
    story.git(&["rebase", "-q", "main", &branch(1)]);
    story.git(&["revert", "--no-edit", "HEAD"]);
    story.git(&["checkout", "-q", "main"]);
    story.collect(true);
    assert_eq!(story.item(2)["classification"], json!("confirm"));
}

#[test]
fn landed_on_its_branch_and_reverted_there_is_asked_about() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one"), ("a.txt", 9, "two")]);
    rebase_first(&story);
    story.git(&["checkout", "-q", &branch(1)]);
    story.git(&["revert", "--no-edit", "HEAD", "HEAD~1"]);
    let item = story.item(2);
    assert_eq!((&item["classification"], &item["effect"]), (&json!("confirm"), &json!("absent")), "{item}");
    assert_ne!(item["matched_commit"], Value::Null);
}

#[test]
fn a_commit_merged_into_main_or_the_task_branch_is_fine_wherever_its_branch_went() {
    for into in ["main", "fix-login"] {
        let story = Story::new();
        story.stage(1, "main", &[("a.txt", 3, "one")]);
        story.git(&["checkout", "-q", into]);
        story.git(&["merge", "-q", "--no-ff", "--no-edit", &branch(1)]);
        story.git(&["branch", "-q", "-f", &branch(1), &story.anchor]);
        assert_eq!(story.items(0), Vec::<Value>::new(), "{into}");
    }
}

#[test]
fn an_anchor_that_is_gone_is_asked_about() {
    let story = Story::new();
    story.write_registry(&json!({"implementation_base_commit": "f".repeat(40)}));
    let item = story.item(2);
    assert_eq!((&item["kind"], &item["stage"]), (&json!("anchor"), &Value::Null));
    assert!(item["reason"].as_str().unwrap().starts_with("anchor SHA unresolvable: "), "{item}");
}

#[test]
fn rows_of_other_programs_tasks_and_stages_are_left_alone() {
    let story = Story::new();
    let tip = story.build(1, "main", &[("a.txt", 3, "one")]);
    story.append(&json!({"zzz": [1], "stage": 1, "head_commit": tip.to_uppercase(), "status": "done", "n": null}));
    story.append(&json!({"impl_task_key": "shop/auth/other", "stage": 1, "status": "done", "head_commit": "junk"}));
    story.append(&json!({"stage": "1", "status": "done", "head_commit": "junk"}));
    story.append(&json!({"stage": 2, "status": "started", "head_commit": "junk"}));
    assert_eq!(story.items(0), Vec::<Value>::new());
}

#[test]
fn stages_recorded_one_on_the_other_are_each_repaired_after_a_rebase_of_both() {
    let story = Story::new();
    let first = story.stage(1, "main", &[("a.txt", 3, "one")]);
    story.stage(2, &first, &[("a.txt", 20, "two")]);
    story.edit("a.txt", 35, "main moved on");
    story.git(&["rebase", "-q", "--update-refs", "main", &branch(2)]);
    story.git(&["checkout", "-q", "main"]);
    let applied = story.json(0, &["--apply"]);
    let new: Vec<&Value> = applied["applied"].as_array().unwrap().iter().map(|one| &one["new_commit"]).collect();
    assert_eq!(new, [&json!(story.rev(&branch(1))), &json!(story.rev(&branch(2)))]);
}

#[test]
fn a_review_amended_into_the_last_of_several_commits_is_asked_about() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one"), ("b.txt", 3, "two")]);
    story.git(&["checkout", "-q", &branch(1)]);
    let reviewed = std::fs::read_to_string(story.shop.join("a.txt")).unwrap().replace("one\n", "uno\n");
    std::fs::write(story.shop.join("a.txt"), reviewed).unwrap();
    story.git(&["commit", "-q", "-a", "--amend", "--no-edit"]);
    story.git(&["checkout", "-q", "main"]);
    let item = story.item(2);
    assert_eq!((&item["classification"], &item["suggested_commit"]), (&json!("confirm"), &Value::Null), "{item}");
}

/// A stage that puts a file in and takes it out again: three commits, of which the middle one is the whole change.
fn with_a_detour(story: &Story) -> String {
    story.git(&["checkout", "-q", "-b", &branch(1), "main"]);
    story.commit("debug.txt", "what is going on\n", "look");
    story.edit("a.txt", 3, "one");
    story.git(&["rm", "-q", "debug.txt"]);
    story.git(&["commit", "-q", "-m", "looked"]);
    let tip = story.rev("HEAD");
    story.git(&["checkout", "-q", "main"]);
    story.record(1, &story.anchor, &tip);
    tip
}

#[test]
fn what_a_stage_took_back_itself_belongs_to_it() {
    let story = Story::new();
    with_a_detour(&story);
    story.edit("c.txt", 35, "main moved on elsewhere");
    story.git(&["rebase", "-q", "main", &branch(1)]);
    story.git(&["checkout", "-q", "main"]);
    let item = story.item(0);
    assert_eq!(item["suggested_commit"], json!(story.rev(&branch(1))), "the end, not the middle: {item}");
}

#[test]
fn a_stage_without_what_it_took_back_is_asked_about() {
    let story = Story::new();
    let tip = with_a_detour(&story);
    story.edit("c.txt", 35, "main moved on elsewhere");
    story.git(&["cherry-pick", &format!("{tip}~2"), &format!("{tip}~1")]);
    story.git(&["branch", "-q", "-f", &branch(1), "main"]);
    assert_eq!(story.item(2)["classification"], json!("confirm"));
    let into = story.json(2, &["--into", "main"])["into"][0].clone();
    assert_ne!(into["verdict"], json!("contained"), "{into}");
}
