//! `stage done`: what it checks, what it records, and what it refuses.

use std::fs;

use okstra::domain::batch::Request;
use serde_json::json;

use super::project::{Planned, Project, RUN, free};
use crate::common::story::{BRANCH, branch};
use crate::common::{OKSTRA, Run};

#[test]
fn a_stage_is_checked_recorded_pinned_and_handed_on() {
    let checks =
        ["test -f one.txt && echo seen", "echo wrong >&2; test \"$(git rev-parse HEAD)\" = \"$(cat ../head)\""];
    let (project, head) = Project::built(&[Planned { files: &["one.txt"], post: &checks, depends_on: &[] }]);
    let story = &project.story;
    fs::write(project.worktree(1).with_file_name("head"), &head).unwrap();
    let claims = json!({"exitContract": [{"item": "it works", "met": true, "evidence": "seen"}], "notes": "a note",
        "headCommit": "f".repeat(40), "validation": [{"command": "pre", "phase": "pre", "exitCode": 0},
        {"command": "invented", "phase": "post", "exitCode": 0}]});
    fs::write(story.shop.join("claims é.json"), claims.to_string()).unwrap();
    let document = project.stage(0, &["done", "--stage", "1", "--carry", "claims é.json"]);
    let expected = json!({"task": "shop/auth/login", "stage": 1, "run": RUN, "baseCommit": story.anchor,
        "headCommit": head, "isNews": true});
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(document[field], *value, "{field}");
    }
    let row = story.rows()[0].clone();
    let path = format!(".okstra/tasks/auth/login/runs/implementation/carry/{}", project.carry_name(1));
    let expected = json!({"stage": 1, "status": "done", "head_commit": head, "base_commit": story.anchor, "run": RUN,
        "carry_path": path, "plan": "001", "stage_hash": project.plan().stage(1).unwrap().hash});
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(row[field], *value, "{field}");
    }
    let carry: serde_json::Value = serde_json::from_str(&fs::read_to_string(story.shop.join(path)).unwrap()).unwrap();
    let fields: Vec<&String> = carry.as_object().unwrap().keys().collect();
    let shape = [
        "schemaVersion",
        "implTaskKey",
        "run",
        "plan",
        "stageHash",
        "stage",
        "title",
        "completedAt",
        "content",
        "baseCommit",
        "headCommit",
        "files",
        "validation",
        "exitContract",
        "notes",
    ];
    assert_eq!(fields, shape);
    assert_eq!((&carry["headCommit"], &carry["files"]), (&json!(head), &json!(["one.txt"])));
    assert_eq!((&carry["content"], &carry["notes"]), (&row["content"], &json!("a note")));
    let ran: Vec<_> = carry["validation"].as_array().unwrap().iter().map(|check| check["command"].clone()).collect();
    assert_eq!(ran, ["pre", checks[0], checks[1]]);
    let tree = story.rev("fix-login-s1");
    let tree = story.git(&["rev-parse", &format!("{tree}^{{tree}}")]);
    assert_eq!(carry["validation"][1]["tree"], json!(tree));
    let log = |place: usize| fs::read_to_string(story.shop.join(carry["validation"][place]["log"].as_str().unwrap()));
    assert_eq!((log(1).unwrap().as_str(), log(2).unwrap().as_str()), ("seen\n", "wrong\n"));
    story.git(&["rev-parse", "--verify", &format!("refs/okstra/keep/auth/login/s1-{head}")]);
    let mirrored = story.git(&["ls-tree", "-r", "--name-only", "refs/okstra/state/auth/login"]);
    assert!(mirrored.contains(&project.carry_name(1)), "{mirrored}");
}

#[test]
fn done_again_is_nothing_new_and_another_commit_is_a_persons_to_record() {
    let (project, head) = Project::built(&[free(&[])]);
    let story = &project.story;
    // From within its worktree the task need not be named.
    let mut command = story.sandbox.command(OKSTRA);
    command.current_dir(project.worktree(1)).env("OKSTRA_HOME", story.home()).args(["stage", "done", "--stage", "1"]);
    let ran = command.ran();
    assert_eq!((ran.code, ran.stdout), (Some(0), format!("stage 1  is done, at {}\n", &head[..8])), "{}", ran.stderr);
    let path = format!(".okstra/tasks/auth/login/runs/implementation/carry/{}", project.carry_name(1));
    let before = (story.rows(), project.carries(), project.everything());
    let again = project.stage(0, &["done", "--stage", "1"]);
    assert_eq!(
        (&again["isNews"], &again["headCommit"], &again["carryPath"]),
        (&json!(false), &json!(head), &json!(path))
    );
    assert_eq!((story.rows(), project.carries(), project.everything()), before);
    // Another commit is a person's to record.
    project.work(1, "one.txt", "2\n");
    let (error, hint) = project.refused("done-already", &["done", "--stage", "1"]);
    assert!(
        error.contains(&head)
            && hint.contains("okstra git-reconcile --task auth/login --apply --stage 1 --use-ref REF"),
        "{error} {hint}"
    );
}

#[test]
fn what_was_not_reserved_is_not_done() {
    let (project, _) = Project::built(&[free(&[]), free(&[])]);
    let done = ["done", "--stage", "2"];
    project.story.git(&["branch", &branch(2), &branch(1)]);
    let (error, hint) = project.refused("stage-not-reserved", &done);
    assert!(error.contains("no open run has reserved stage 2") && hint.contains("okstra run"), "{error} {hint}");
    project.write_run(RUN, &[], "finished", None);
    let (error, _) = project.refused("stage-not-reserved", &["done", "--stage", "1"]);
    assert!(error.contains("implementation-001 is not open"), "{error}");
    assert!(project.refused("unknown-stage", &["done", "--stage", "9"]).0.contains("it has 1, 2"));
    project.story.git(&["branch", "-D", &branch(2)]);
    // Whose it is comes before where it is.
    let (error, _) = project.refused("stage-not-reserved", &done);
    assert!(error.contains("no open run has reserved stage 2"), "{error}");
    project.write_run(RUN, &[], "prepared", None);
    project.git_in(1, &["checkout", "-q", "--detach"]);
    project.story.git(&["branch", "-D", &branch(1)]);
    let (error, hint) = project.refused("no-branch", &["done", "--stage", "1"]);
    assert!(error.contains(&branch(1)) && hint.contains("--head"), "{error} {hint}");
    fs::remove_file(project.story.plan_run_root().join("plans/001.json")).unwrap();
    assert!(project.refused("no-plan", &done).1.contains("okstra plan approve FILE --task auth/login"));
}

#[test]
fn a_stage_that_was_lost_while_it_was_checked_is_not_recorded() {
    type Loss<'a> = &'a dyn Fn(&Project);
    const WAIT: &str = "touch ../begun; i=0; while test ! -e ../go && test $i -lt 600; do sleep 0.05; i=$((i+1)); done";
    let taken = |project: &Project| {
        project.write_run(RUN, &[], "abandoned", None);
        project.prepare("implementation-002", Request::Stage(1)).unwrap();
    };
    let ended = |project: &Project| project.write_run(RUN, &[], "abandoned", None);
    let released = |project: &Project| {
        let mut registry = project.registry();
        let stage = &mut registry["tasks"]["shop/auth/login"]["stages"]["1"];
        stage.as_object_mut().unwrap().remove("reserved_by");
        fs::write(project.story.registry(), registry.to_string()).unwrap();
    };
    let cases: [(Loss<'_>, &str, &str); 3] = [
        (&taken, "it is abandoned, and implementation-002 has reserved", "okstra resume implementation-002 --task"),
        (&ended, "it is abandoned, and no run has reserved", "okstra run --type implementation --task auth/login"),
        (&released, "record: no run has reserved", "okstra run --type implementation --task auth/login"),
    ];
    for (lose, said, way) in cases {
        let (project, _) = Project::built(&[Planned { files: &["**"], post: &[WAIT], depends_on: &[] }]);
        let story = &project.story;
        let mut command = story.sandbox.command(OKSTRA);
        command.current_dir(&story.shop).env("OKSTRA_HOME", story.home());
        let child = command.args(["stage", "done", "--stage", "1", "--task", "auth/login", "--json"]).started();
        let begun = project.worktree(1).with_file_name("begun");
        let patience = std::time::Instant::now() + std::time::Duration::from_secs(30);
        while !begun.exists() {
            assert!(std::time::Instant::now() < patience, "the command of the plan was not begun");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        lose(&project);
        let before = project.entry();
        fs::write(begun.with_file_name("go"), "").unwrap();
        let ran = child.ran();
        let document = ran.json();
        assert_eq!((ran.code, &document["code"]), (Some(1), &json!("stage-not-reserved")), "{document}");
        assert!(document["error"].as_str().unwrap().contains(said), "{document}");
        assert!(document["hint"].as_str().unwrap().contains(way), "{document}");
        assert!(story.rows().is_empty() && project.carries().is_empty(), "{document}");
        assert_eq!(project.entry(), before);
    }
}

#[test]
fn nothing_committed_or_not_everything_is_refused() {
    let project = Project::new(&[free(&[])]);
    project.start();
    project.prepare(RUN, Request::Auto).unwrap();
    let done = ["done", "--stage", "1"];
    assert!(project.refused("nothing-done", &done).0.contains("where it started"));
    project.work(1, "one.txt", "1");
    for (file, content) in [("new é \"q\"\n", Some("x")), ("a.txt", Some("changed")), ("b.txt", None)] {
        let path = project.worktree(1).join(file);
        match content {
            Some(content) => fs::write(&path, content).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let (error, hint) = project.refused("dirty-worktree", &done);
        assert!(error.contains("not committed") && hint.contains("status"), "{error}");
        match content {
            Some(_) if file.starts_with("new") => fs::remove_file(&path).unwrap(),
            _ => drop(project.git_in(1, &["checkout", "-q", "--", file])),
        }
    }
    // What the project lists does not count, what it does not list does.
    fs::write(project.story.shop.join(".worktreeinclude"), ".env\n").unwrap();
    fs::write(project.worktree(1).join(".env"), "secret").unwrap();
    assert_eq!(project.stage(0, &done)["isNews"], json!(true));
}

#[test]
fn what_is_outside_of_its_files_needs_a_reason() {
    let (project, _) = Project::built(&[Planned { files: &["one.txt", "src/**"], post: &[], depends_on: &[] }]);
    project.work(1, "src/deep/x.rs", "x");
    project.work(1, "other \"é\".txt", "x");
    project.git_in(1, &["mv", "a.txt", "src/moved.txt"]);
    project.git_in(1, &["commit", "-q", "-m", "moved"]);
    let (error, hint) = project.refused("outside-files", &["done", "--stage", "1"]);
    assert!(error.contains("a.txt, other \"é\".txt"), "{error}");
    assert!(hint.contains("--allow-outside a.txt --reason TEXT"), "{hint}");
    let one = ["done", "--stage", "1", "--allow-outside", "a.txt"];
    assert!(project.refused("usage", &one).0.contains("requires --reason"));
    assert!(
        project.refused("usage", &["done", "--stage", "1", "--reason", "r"]).0.contains("requires --allow-outside")
    );
    project.refused("outside-files", &[&one[..], &["--reason", "moved"]].concat());
    let both = [&one[..], &["--allow-outside", "other \"é\".txt", "--reason", "moved"]].concat();
    let document = project.stage(0, &both);
    let expected = json!([{"path": "a.txt", "reason": "moved"}, {"path": "other \"é\".txt", "reason": "moved"}]);
    assert_eq!(document["outside"], expected);
    let carry = fs::read_to_string(project.carry_folder().join(project.carry_name(1))).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&carry).unwrap()["outside"], expected);
}

#[test]
fn a_command_that_fails_refuses_unless_the_run_has_a_waiver() {
    let post = ["true", "echo what is wrong; exit 3", "kill -9 $$"];
    let (project, _) = Project::built(&[Planned { files: &["**"], post: &post, depends_on: &[] }]);
    let done = ["done", "--stage", "1"];
    let (error, hint) = project.refused("check-failed", &done);
    assert!(error.contains("exit 3` ended with exit code 3; `kill -9 $$` ended with exit code 137"), "{error}");
    let log = hint.rsplit("cat ").next().unwrap().trim_matches('\'');
    assert_eq!(fs::read_to_string(log).unwrap(), "what is wrong\n");
    // The next try has logs of its own.
    project.refused("check-failed", &done);
    assert_eq!(fs::read_to_string(log).unwrap(), "what is wrong\n");
    project.write_run(RUN, &[], "running", Some("the network is down"));
    let document = project.stage(0, &done);
    assert_eq!(document["qaWaiver"], json!("the network is down"));
    let codes: Vec<_> =
        document["validation"].as_array().unwrap().iter().map(|check| check["exitCode"].clone()).collect();
    assert_eq!(codes, [0, 3, 137]);
}

#[test]
fn commands_that_change_what_they_check_are_found_out() {
    let changes = [
        "echo changed > a.txt",
        "rm a.txt",
        "git commit -q --allow-empty -m more",
        "git checkout -q --detach HEAD~1",
        "echo staged > a.txt && git add a.txt",
    ];
    for change in changes {
        let post = ["git config user.name x; git config user.email x", change];
        let (project, head) = Project::built(&[Planned { files: &["**"], post: &post, depends_on: &[] }]);
        let document = project.stage(1, &["done", "--stage", "1"]);
        assert_eq!(document["code"], json!("changed-by-check"), "{change}: {document}");
        assert!(project.story.rows().is_empty() && project.carries().is_empty(), "{change}");
        drop(head);
    }
    // What they build may lie around.
    let (project, _) = Project::built(&[Planned { files: &["**"], post: &["echo built > out.o"], depends_on: &[] }]);
    project.stage(0, &["done", "--stage", "1"]);
}

#[test]
fn another_head_is_checked_in_a_scratch_worktree() {
    let post = ["test -f other.txt && test ! -e one.txt && test -f .env && pwd > \"$HOME/where\""];
    let (project, _) = Project::built(&[Planned { files: &["**"], post: &post, depends_on: &[] }]);
    let story = &project.story;
    fs::write(story.shop.join(".worktreeinclude"), ".env\n").unwrap();
    fs::write(story.shop.join(".env"), "secret").unwrap();
    story.git(&["checkout", "-q", "-b", "other", &story.anchor]);
    let head = story.commit("other.txt", "x", "other");
    story.git(&["checkout", "-q", "main"]);
    project.refused("unresolvable-ref", &["done", "--stage", "1", "--head", "nowhere"]);
    let document = project.stage(0, &["done", "--stage", "1", "--head", "other"]);
    assert_eq!(document["headCommit"], json!(head));
    let place = fs::read_to_string(story.sandbox.path().join("home/where")).unwrap();
    assert!(place.contains("cache/checks/shop/auth/login-s1"), "{place}");
    assert!(!std::path::Path::new(place.trim()).exists());
    assert!(!story.git(&["worktree", "list"]).contains("cache"));
    assert!(project.worktree(1).join("one.txt").exists());
}

#[test]
fn the_base_is_the_registered_one_or_the_merge_base() {
    let (project, _) = Project::built(&[free(&[])]);
    let story = &project.story;
    // The stage was rebased onto what the task branch has now.
    let newer = story.sandbox.commit(&project.task_worktree(), "task.txt", "x", "on the task branch");
    let mut registry = project.registry();
    registry["tasks"]["shop/auth/login"]["stages"]["1"]["base_ref"] = json!("a".repeat(40));
    fs::write(story.registry(), registry.to_string()).unwrap();
    project.git_in(1, &["rebase", "-q", BRANCH]);
    let document = project.stage(0, &["done", "--stage", "1"]);
    assert_eq!(document["baseCommit"], json!(newer));
}

#[test]
fn an_operation_under_way_is_waited_for() {
    let (project, _) = Project::built(&[free(&[])]);
    let story = &project.story;
    story.commit("one.txt", "main's\n", "the same file");
    assert_eq!(story.sandbox.try_git(&project.worktree(1), &["rebase", "main"]).code, Some(1));
    project.refused("operation-in-progress", &["done", "--stage", "1"]);
    project.git_in(1, &["rebase", "--abort"]);
    project.stage(0, &["done", "--stage", "1"]);
}

#[test]
fn much_output_is_cut_in_its_middle() {
    let post = ["i=0; echo begin; while [ $i -lt 120000 ]; do echo 'a line of output'; i=$((i+1)); done; echo end"];
    let (project, _) = Project::built(&[Planned { files: &["**"], post: &post, depends_on: &[] }]);
    let document = project.stage(0, &["done", "--stage", "1"]);
    let log = fs::read_to_string(project.story.shop.join(document["validation"][0]["log"].as_str().unwrap())).unwrap();
    assert!(log.len() < 600 * 1024 && log.starts_with("begin\n") && log.ends_with("end\n") && log.contains("\n[…]\n"));
}

#[test]
fn claims_that_are_none_are_refused() {
    let (project, _) = Project::built(&[free(&[])]);
    for text in ["", "[]", "{\"exitContract\": 3}", "{\"schemaVersion\": \"9.0\"}", "{\"exit_contract\": []}"] {
        fs::write(project.story.shop.join("claims"), text).unwrap();
        let document = project.stage(1, &["done", "--stage", "1", "--carry", "claims"]);
        assert!(document["error"].as_str().unwrap().contains("claims"), "{document}");
    }
    project.refused("file-not-found", &["done", "--stage", "1", "--carry", "nowhere"]);
}

#[test]
fn submodules_and_odd_paths_are_no_obstacle() {
    let project = Project::new(&[free(&[])]);
    let story = &project.story;
    let library = story.sandbox.repository("library");
    story.sandbox.commit(&library, "x", "x", "x");
    let allowed = ["-c", "protocol.file.allow=always"];
    let add = [&allowed[..], &["submodule", "add", "-q", library.to_str().unwrap(), "lib ü"]].concat();
    story.git(&add);
    story.git(&["commit", "-q", "-m", "a submodule"]);
    project.start();
    project.prepare(RUN, Request::Auto).unwrap();
    project.work(1, "dir \"q\"/ß\n.txt", "x");
    let document = project.stage(0, &["done", "--stage", "1"]);
    assert_eq!(document["isNews"], json!(true));
    assert_eq!(project.stage(0, &["integrate"])["merged"][0]["stage"], json!(1));
}

#[test]
fn commands_that_nobody_approved_are_not_run() {
    let (project, _) = Project::built(&[Planned { files: &["**"], post: &["false"], depends_on: &[] }]);
    let path = project.story.plan_run_root().join("plans/001.json");
    let approved = fs::read_to_string(&path).unwrap();
    fs::write(&path, approved.replace("\"false\"", "\"touch ../ran\"")).unwrap();
    let (error, hint) = project.refused("bad-plan", &["done", "--stage", "1"]);
    assert!(error.contains("001.json") && error.contains("was changed since"), "{error}");
    assert!(hint.contains("okstra doctor"), "{hint}");
    assert!(!project.worktree(1).with_file_name("ran").exists());
    fs::write(&path, approved).unwrap();
    project.refused("check-failed", &["done", "--stage", "1"]);
}
