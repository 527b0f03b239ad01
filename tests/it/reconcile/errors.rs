//! What is wrong is said in one clear error, and nothing is changed.

use serde_json::json;

use crate::common::Run;
use crate::common::story::{Story, branch};

/// Runs it with `--json`; gives code and message of the error. Nothing of the records may have changed.
fn refused(story: &Story, arguments: &[&str]) -> (String, String) {
    let before = story.records();
    let ran = story.reconcile(&[arguments, &["--json"]].concat());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let error = ran.json();
    assert_eq!(story.records(), before, "{arguments:?}");
    (error["code"].as_str().unwrap().to_owned(), error["error"].as_str().unwrap().to_owned())
}

fn one() -> Story {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    story
}

#[test]
fn flags_that_do_not_go_together() {
    let story = one();
    let usage = |message: &str| ("usage".to_owned(), message.to_owned());
    let cases: [(&[&str], &str); 8] = [
        (&["--use-ref", "main"], "--use-ref requires --stage"),
        (&["--apply", "--use-ref", "main"], "--use-ref requires --stage"),
        (&["--stage", "1"], "--stage requires --use-ref"),
        (&["--apply", "--stage", "1"], "--stage requires --use-ref"),
        (&["--stage", "1", "--use-ref", "main"], "--use-ref requires --apply"),
        (&["--reset-anchor", "main"], "--reset-anchor requires --apply"),
        (&["--all", "--apply"], "--all does not go with --apply"),
        (&["--task", "auth/login"], "--task does not go with --task-id and the like"),
    ];
    for (arguments, message) in cases {
        assert_eq!(refused(&story, arguments), usage(message), "{arguments:?}");
    }
    for stage in ["0", "-1", "one", "1.5", "4294967296"] {
        let (code, message) = refused(&story, &["--apply", "--use-ref", "main", "--stage", stage]);
        assert_eq!(code, "usage", "{message}");
    }
}

#[test]
fn stages_and_refs_that_are_not_there() {
    let story = one();
    let (code, message) = refused(&story, &["--apply", "--stage", "9", "--use-ref", "main"]);
    assert_eq!((code.as_str(), message.as_str()), ("no-done-row", "stage 9 has no done row to reconcile"));
    for arguments in [
        &["--apply", "--stage", "1", "--use-ref", "none"][..],
        &["--apply", "--reset-anchor", "none"],
        &["--into", "none"],
        &["--apply", "--into", "none"],
    ] {
        let (code, message) = refused(&story, arguments);
        assert_eq!(code, "unresolvable-ref", "{message}");
        assert!(message.starts_with("could not resolve ref `none`: "), "{message}");
    }
    let (_, message) = refused(&story, &["--apply", "--stage", "1", "--use-ref", "main~1"]);
    assert!(message.contains("revision expression"), "{message}");
    story.git(&["tag", branch(1).as_str(), "main"]);
    let (_, message) = refused(&story, &["--apply", "--stage", "1", "--use-ref", &branch(1)]);
    assert!(message.contains("refs/heads/fix-login-s1") && message.contains("refs/tags/fix-login-s1"), "{message}");
}

#[test]
fn names_that_are_none() {
    let story = one();
    let run = |id: &str| {
        let mut command = story.sandbox.command(crate::common::OKSTRA);
        command.current_dir(&story.shop).env("OKSTRA_HOME", story.home()).args(["git-reconcile", "--json"]);
        command.args(["--project-id", "shop", "--task-group", "auth", "--work-category", "fix", "--task-id", id]);
        command.arg("--plan-run-root").arg(story.plan_run_root()).ran()
    };
    for id in ["../x", "a/b", "", ".x", "a..b", "x.lock", "a b", "ü", &"a".repeat(65)] {
        let ran = run(id);
        assert_eq!((ran.code, &ran.json()["code"]), (Some(1), &json!("bad-name")), "{ran:?}");
        assert!(ran.json()["error"].as_str().unwrap().contains("cannot be used as a task id"), "{ran:?}");
    }
}

#[test]
fn paths_that_are_not_there() {
    let story = one();
    let (code, message) = refused(&story, &["--project-root", "nowhere"]);
    assert_eq!(code, "no-such-folder", "{message}");
    let outside = story.sandbox.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    let (code, _) = refused(&story, &["--project-root", outside.to_str().unwrap()]);
    assert_eq!(code, "not-a-repository");
    std::fs::remove_dir_all(story.plan_run_root()).unwrap();
    std::fs::create_dir(story.plan_run_root()).unwrap();
    std::fs::remove_dir(story.plan_run_root()).unwrap();
    let ran = story.reconcile(&["--json"]);
    assert_eq!(ran.json()["code"], "no-such-folder", "{ran:?}");
    assert!(ran.json()["error"].as_str().unwrap().contains("plan run"), "{ran:?}");
}

#[test]
fn done_stages_without_an_anchor() {
    let story = one();
    story.write_registry(&json!({"implementation_base_commit": null}));
    assert_eq!(refused(&story, &[]).0, "no-anchor");
    std::fs::remove_file(story.registry()).unwrap();
    assert_eq!(refused(&story, &[]).0, "no-anchor");
    assert_eq!(refused(&story, &["--apply", "--reset-anchor", "main"]).0, "no-registry-entry");
}

#[test]
fn records_that_cannot_be_read_are_named_with_their_line_and_left() {
    let story = one();
    let good = std::fs::read_to_string(story.log()).unwrap();
    for (bad, line) in [("nonsense", 2), ("[1]", 2), ("{\"stage\":1,", 2), ("{\"status\":\"done\",\"stage\":1}", 2)] {
        std::fs::write(story.log(), format!("{good}{bad}\n{good}")).unwrap();
        let (code, message) = refused(&story, &[]);
        assert_eq!(code, "bad-line", "{message}");
        assert!(message.contains(&format!("consumers.jsonl:{line}")), "{message}");
        assert_eq!(refused(&story, &["--apply"]).0, "bad-line");
    }
    std::fs::write(story.log(), &good).unwrap();
    for (text, code) in
        [("{", "not-json"), ("[]", "wrong-shape"), (r#"{"schemaVersion":"9.0","tasks":{}}"#, "newer-schema")]
    {
        std::fs::write(story.registry(), text).unwrap();
        assert_eq!(refused(&story, &[]).0, code);
        assert_eq!(refused(&story, &["--apply"]).0, code);
    }
}

#[test]
fn a_torn_tail_is_told_once_and_the_rest_is_read() {
    let story = one();
    let good = std::fs::read_to_string(story.log()).unwrap();
    std::fs::write(story.log(), format!("{good}{{\"impl_task_key\":\"shop/auth/login\",\"stage\":1,\"sta")).unwrap();
    let warnings = |ran: &crate::common::Ran| ran.stderr.lines().filter(|line| line.starts_with("warning: ")).count();
    let ran = story.reconcile(&["--apply", "--json"]);
    assert_eq!((ran.code, ran.json()["applied"].clone()), (Some(0), json!([])), "{ran:?}");
    assert_eq!((warnings(&ran), ran.stderr.lines().count()), (1, 1), "{ran:?}");
    assert!(ran.stderr.contains("consumers.jsonl:2"), "{ran:?}");
    // A repair reads the log again and again; the row that it appends seals the tail, which stays torn.
    story.edit("a.txt", 35, "main moved on");
    story.git(&["rebase", "-q", "main", &branch(1)]);
    for applied in [1, 0] {
        let ran = story.reconcile(&["--apply", "--json"]);
        assert_eq!((ran.json()["applied"].as_array().unwrap().len(), warnings(&ran)), (applied, 1), "{ran:?}");
    }
}

#[test]
fn nothing_is_written_in_the_middle_of_a_rebase() {
    let story = one();
    story.git(&["checkout", "-q", &branch(1)]);
    story.edit("a.txt", 35, "theirs");
    story.git(&["checkout", "-q", "main"]);
    story.edit("a.txt", 35, "main moved on");
    assert_eq!(story.sandbox.try_git(&story.shop, &["rebase", "main", &branch(1)]).code, Some(1));
    story.json(0, &[]);
    let (code, message) = refused(&story, &["--apply"]);
    assert_eq!(code, "operation-in-progress");
    assert!(message.starts_with("a rebase of `refs/heads/fix-login-s1` is under way in `"), "{message}");
    assert_eq!(refused(&story, &["--apply", "--stage", "1", "--use-ref", "main"]).0, "operation-in-progress");
    assert!(story.shop.join(".git/rebase-merge").exists(), "it is not aborted");
    story.git(&["rebase", "--abort"]);
    story.json(0, &["--apply"]);
}

#[test]
fn in_a_project_a_task_is_named_or_stood_in() {
    let story = one();
    story.move_into_project();
    story.json(0, &[]);
    let run = |arguments: &[&str], folder: &std::path::Path| {
        let mut command = story.sandbox.command(crate::common::OKSTRA);
        command.current_dir(folder).env("OKSTRA_HOME", story.home()).args(["git-reconcile", "--json"]);
        command.args(arguments).ran()
    };
    let code = |arguments: &[&str]| run(arguments, &story.shop).json()["code"].clone();
    assert_eq!(code(&[]), "no-task");
    let hint = run(&[], &story.shop).json()["hint"].clone();
    assert_eq!(hint, "name it: --task auth/login; or change into its worktree");
    assert_eq!(run(&["--task", "shop/auth/login"], &story.shop).code, Some(0), "as documents name it");
    assert_eq!(code(&["--task", "other/auth/login"]), "bad-name");
    assert_eq!(code(&["--task", "auth"]), "bad-name");
    assert_eq!(code(&["--task", "auth/none"]), "unknown-task");
    assert_eq!(code(&["--task", "../x/y"]), "bad-name");
    let worktree = story.sandbox.path().join("task worktree");
    story.git(&["worktree", "add", "-q", worktree.to_str().unwrap(), crate::common::story::BRANCH]);
    story.write_registry(&json!({"worktree_path": worktree}));
    let inside = worktree.join("sub");
    std::fs::create_dir(&inside).unwrap();
    assert_eq!(run(&[], &inside).code, Some(0));
    std::fs::remove_file(story.shop.join(".okstra/project.json")).unwrap();
    assert_eq!(code(&["--task", "auth/login"]), "not-a-project");
}

#[test]
fn names_that_differ_only_in_case() {
    let story = one();
    let run = |arguments: &[&str]| {
        let mut command = story.sandbox.command(crate::common::OKSTRA);
        command.current_dir(&story.shop).env("OKSTRA_HOME", story.home()).args(["git-reconcile", "--json"]);
        command.args(arguments).ran().json()["code"].clone()
    };
    for (project, group, id) in [("shop", "auth", "Login"), ("shop", "AUTH", "login"), ("Shop", "auth", "login")] {
        let root = story.plan_run_root();
        let named = ["--plan-run-root", root.to_str().unwrap(), "--work-category", "fix"];
        let named = [&named[..], &["--project-id", project, "--task-group", group, "--task-id", id]].concat();
        assert_eq!(run(&named), "case-collision", "{project}/{group}/{id}");
    }
    story.move_into_project();
    for task in ["auth/Login", "AUTH/login"] {
        assert_eq!(run(&["--task", task]), "case-collision", "{task}");
    }
}

#[test]
fn records_that_another_clone_holds() {
    let story = one();
    let clone = story.sandbox.path().join("clone");
    story.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
    for arguments in [&[][..], &["--apply"], &["--apply", "--reset-anchor", "main"]] {
        let there = [arguments, &["--project-root", clone.to_str().unwrap()]].concat();
        let (code, message) = refused(&story, &there);
        assert_eq!(code, "registry-conflict");
        assert!(message.contains("is held for the clone `"), "{message}");
    }
    // A clone that was moved is still the same, however the registry calls it.
    story.write_registry(&json!({"git_common_dir": story.sandbox.path().join("where it was/.git")}));
    story.json(0, &[]);
    #[cfg(unix)]
    {
        let link = story.sandbox.path().join("link");
        std::os::unix::fs::symlink(&story.shop, &link).unwrap();
        story.write_registry(&json!({"git_common_dir": link.join(".git")}));
        story.json(0, &[]);
    }
}

#[test]
fn a_log_that_knows_the_task_by_another_case() {
    let story = one();
    let run = |id: &str| {
        let mut command = story.sandbox.command(crate::common::OKSTRA);
        command.current_dir(&story.shop).env("OKSTRA_HOME", story.home()).args(["git-reconcile", "--json"]);
        command.args(["--project-id", "shop", "--task-group", "auth", "--work-category", "fix", "--task-id", id]);
        command.arg("--plan-run-root").arg(story.plan_run_root()).ran()
    };
    assert_eq!(run("login").code, Some(0));
    assert_eq!(run("Login").json()["code"], "case-collision");
    // The log alone knows the task.
    story.write_registry(&json!({}));
    std::fs::write(story.registry(), r#"{"schemaVersion":"1.0","tasks":{}}"#).unwrap();
    assert_eq!(run("LOGIN").json()["code"], "case-collision");
    assert_eq!(run("other").json(), json!({"items": []}));
}

#[test]
fn a_folder_of_records_that_cannot_be_written_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let story = one();
    story.edit("a.txt", 35, "main moved on");
    story.git(&["rebase", "-q", "main", &branch(1)]);
    let mode = |mode| std::fs::set_permissions(story.plan_run_root(), PermissionsExt::from_mode(mode)).unwrap();
    mode(0o555);
    if std::fs::write(story.plan_run_root().join("probe"), "").is_ok() {
        // Whoever may do everything cannot be kept from it.
        std::fs::remove_file(story.plan_run_root().join("probe")).unwrap();
        return mode(0o755);
    }
    assert_eq!(story.items(0).len(), 1);
    let (code, message) = refused(&story, &["--apply"]);
    assert_eq!(code, "permission-denied", "{message}");
    mode(0o755);
    assert_eq!(story.json(0, &["--apply"])["applied"].as_array().unwrap().len(), 1);
}
