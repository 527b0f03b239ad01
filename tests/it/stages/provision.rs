//! Branches and worktrees of a task and its stages: made, used again, refused, taken back.

use std::fs;
use std::io::{BufRead, BufReader, Write};

use okstra::domain::batch::Request;
use okstra::domain::hint::Hint;
use okstra::ops::stages;
use serde_json::json;

use super::project::{Project, RUN, free};
use crate::common::story::{BRANCH, branch};
use crate::common::{Run, host};

#[test]
fn a_task_gets_branch_worktree_and_anchor_once() {
    let project = Project::new(&[free(&[])]);
    let (story, context) = (&project.story, project.story.context());
    let task = story.task(&context);
    let made = stages::task_worktree(&context, &task, &project.main(&task), None, None).unwrap().keep();
    assert_eq!((made.path.clone(), made.branch.as_str()), (project.task_worktree(), BRANCH));
    assert_eq!(made.head.to_string(), story.anchor);
    let entry = project.entry();
    assert_eq!(entry["base_ref"], json!("refs/heads/main"));
    assert_eq!(entry["git_common_dir"], json!(story.shop.join(".git").canonicalize().unwrap()));
    assert_eq!(entry["implementation_base_commit"], json!(story.anchor));
    // It is used again, and the anchor never moves.
    story.sandbox.commit(&made.path, "more.txt", "x", "more");
    let again = stages::task_worktree(&context, &task, &project.main(&task), None, None).unwrap().keep();
    assert_ne!(again.head, made.head);
    assert_eq!(again.anchor, story.anchor);
    assert_eq!(project.entry(), entry);
    // Its folder is gone: it is made anew on its branch.
    fs::remove_dir_all(&made.path).unwrap();
    assert_eq!(stages::task_worktree(&context, &task, &project.main(&task), None, None).unwrap().keep(), again);
}

#[test]
fn a_branch_of_somebody_else_is_never_the_tasks() {
    let project = Project::new(&[free(&[])]);
    let (story, context) = (&project.story, project.story.context());
    let task = story.task(&context);
    story.git(&["branch", BRANCH]);
    let before = story.git(&["for-each-ref"]);
    let error = stages::task_worktree(&context, &task, &project.main(&task), None, None).err().unwrap();
    assert_eq!(error.code(), "place-taken");
    assert!(error.to_string().contains("there is a branch `fix-login` already"), "{error}");
    assert!(error.hint().unwrap().contains("log --oneline -5 fix-login --"), "{:?}", error.hint());
    assert_eq!(story.git(&["for-each-ref"]), before);
    // Another name will do; a bad one will not.
    for bad in ["-x", "a b", "a..b", "@{-1}", ""] {
        let error = stages::task_worktree(&context, &task, &project.main(&task), Some(bad), None).err().unwrap();
        assert_eq!(error.code(), "bad-branch", "{bad}");
    }
    let made = stages::task_worktree(&context, &task, &project.main(&task), Some("topic/é"), None).unwrap().keep();
    assert_eq!(made.branch, "topic/é");
}

#[test]
fn a_batch_gets_branches_and_worktrees_at_its_bases() {
    let project = Project::new(&[free(&[]), free(&[]), free(&[1])]);
    project.start();
    let made = project.prepare(RUN, Request::Auto).unwrap();
    assert_eq!(made.iter().map(|stage| stage.stage).collect::<Vec<_>>(), [1, 2]);
    for stage in &made {
        assert_eq!((&stage.branch, &stage.base), (&branch(stage.stage), &project.story.anchor));
        assert_eq!(stage.title, format!("Stage {}", stage.stage));
        let head = project.story.sandbox.git(stage.worktree.as_ref(), &["symbolic-ref", "HEAD"]);
        assert_eq!(head, format!("refs/heads/{}", branch(stage.stage)));
        let held = &project.entry()["stages"][stage.stage.to_string()];
        assert_eq!((&held["base_ref"], &held["reserved_by"]["run"]), (&json!(project.story.anchor), &json!(RUN)));
        assert_eq!(held["reserved_by"]["pid"], json!(std::process::id()));
    }
    assert_eq!(
        project.story.sandbox.try_git(&project.story.shop, &["config", "branch.fix-login-s1.remote"]).code,
        Some(1)
    );
    // The same run again: all is its own, and nothing changes.
    let before = project.everything();
    assert_eq!(project.prepare(RUN, Request::Stage(1)).unwrap()[0], made[0]);
    assert_eq!(project.everything().0, before.0);
}

#[test]
fn a_reserved_stage_is_refused_by_number_with_the_ways_on() {
    let project = Project::new(&[free(&[]), free(&[])]);
    project.start();
    project.prepare(RUN, Request::Stage(1)).unwrap();
    let error = project.prepare("implementation-002", Request::Stage(1)).unwrap_err();
    assert_eq!(error.code(), "stage-reserved");
    let text = error.to_string();
    assert!(text.starts_with("stage 1 is reserved by implementation-001 since "), "{text}");
    assert!(text.ends_with("its process is alive"), "{text}");
    let hint = error.hint().unwrap();
    for way in
        ["okstra resume implementation-001", "okstra abandon implementation-001", "--take-over implementation-001"]
    {
        assert!(hint.contains(way), "{hint}");
    }
    // For `auto` it is not ready.
    assert_eq!(project.prepare("implementation-002", Request::Auto).unwrap()[0].stage, 2);
    // A run that ended holds nothing.
    project.write_run(RUN, &[], "abandoned", None);
    assert_eq!(project.prepare("implementation-003", Request::Stage(1)).unwrap()[0].stage, 1);
    assert_eq!(project.entry()["stages"]["1"]["reserved_by"]["run"], json!("implementation-003"));
}

#[test]
fn a_preparation_that_died_holds_nothing() {
    let project = Project::new(&[free(&[])]);
    project.start();
    let mut died = project.story.sandbox.command(host());
    died.env("OKSTRA_HOME", project.story.home()).arg("choose").arg(&project.story.shop).args(["auth/login", RUN]);
    assert!(died.ran().stdout.contains("[1]"));
    assert_eq!(project.entry()["stages"]["1"]["reserved_by"]["run"], json!(RUN));
    assert_eq!(project.prepare("implementation-002", Request::Stage(1)).unwrap()[0].stage, 1);
}

#[test]
fn two_that_choose_at_once_get_different_stages() {
    let project = Project::new(&[free(&[]), free(&[]), free(&[]), free(&[])]);
    project.start();
    let mut children: Vec<_> = (1..=4)
        .map(|number| {
            let mut command = project.story.sandbox.command(host());
            command.env("OKSTRA_HOME", project.story.home()).arg("choose").arg(&project.story.shop);
            command.args(["auth/login", &format!("implementation-00{number}")]).started()
        })
        .collect();
    let mut readers: Vec<_> = children.iter_mut().map(|child| BufReader::new(child.stdout.take().unwrap())).collect();
    let mut line = String::new();
    for reader in &mut readers {
        reader.read_line(&mut line).unwrap();
    }
    children.iter_mut().for_each(|child| child.stdin.as_mut().unwrap().write_all(b"\n").unwrap());
    let mut chosen: Vec<String> = readers
        .iter_mut()
        .map(|reader| {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            line.trim().to_owned()
        })
        .collect();
    chosen.sort();
    assert_eq!(chosen, ["[1]", "[2]", "[3]", "[4]"]);
}

#[test]
fn a_failure_half_way_takes_back_what_was_made() {
    let project = Project::new(&[free(&[]), free(&[])]);
    let story = &project.story;
    story.commit("blocked", "a file", "a file where a folder will be");
    project.start();
    story.git(&["rm", "-q", "blocked"]);
    story.git(&["commit", "-q", "-m", "no file there"]);
    let before = project.everything();
    let check = |code: &str| {
        let error = project.prepare(RUN, Request::Auto).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(!project.worktree(1).exists());
        error
    };
    // A branch of somebody else.
    story.git(&["branch", &branch(2)]);
    check("place-taken");
    story.git(&["branch", "-D", &branch(2)]);
    assert_eq!(project.everything(), before);
    // Something in the folder.
    fs::create_dir_all(project.worktree(2)).unwrap();
    fs::write(project.worktree(2).join("precious"), "x").unwrap();
    let error = check("place-taken");
    assert!(error.hint().unwrap().contains("ls -la"), "{:?}", error.hint());
    assert_eq!(fs::read(project.worktree(2).join("precious")).unwrap(), b"x");
    fs::remove_dir_all(project.worktree(2)).unwrap();
    assert_eq!(project.everything(), before);
    // What is to be copied does not fit: the worktree is made by then.
    fs::write(story.shop.join(".worktreeinclude"), "blocked/\n").unwrap();
    fs::create_dir(story.shop.join("blocked")).unwrap();
    fs::write(story.shop.join("blocked/key"), "x").unwrap();
    check("wrong-kind-of-file");
    assert_eq!(project.everything(), before);
    // Nothing is in the way any more.
    fs::remove_file(story.shop.join(".worktreeinclude")).unwrap();
    assert_eq!(project.prepare(RUN, Request::Auto).unwrap().len(), 2);
}

#[test]
fn what_the_project_lists_is_copied_and_never_over_anything() {
    let project = Project::new(&[free(&[])]);
    let story = &project.story;
    project.start();
    fs::write(story.shop.join(".worktreeinclude"), "# what tests need\n.env\nlocal/\n!local/not\na.txt\n*.okstra\n")
        .unwrap();
    fs::write(story.shop.join(".env"), "secret").unwrap();
    fs::create_dir_all(story.shop.join("local/deep \"é\"")).unwrap();
    fs::write(story.shop.join("local/deep \"é\"/x\ny"), "deep").unwrap();
    fs::write(story.shop.join("a.txt"), "changed, and git knows it").unwrap();
    project.prepare(RUN, Request::Auto).unwrap();
    let worktree = project.worktree(1);
    assert_eq!(fs::read(worktree.join(".env")).unwrap(), b"secret");
    assert_eq!(fs::read(worktree.join("local/deep \"é\"/x\ny")).unwrap(), b"deep");
    assert_ne!(fs::read(worktree.join("a.txt")).unwrap(), b"changed, and git knows it");
    assert!(!worktree.join(".okstra").exists());
}

#[test]
fn its_own_branch_must_hold_what_it_starts_from() {
    let project = Project::new(&[free(&[]), free(&[1])]);
    let story = &project.story;
    project.start();
    project.prepare(RUN, Request::Stage(1)).unwrap();
    let first = project.work(1, "one.txt", "1");
    story.record(1, "main", &first);
    assert_eq!(project.prepare("implementation-002", Request::Stage(2)).unwrap()[0].base, first);
    project.work(2, "two.txt", "2");
    project.write_run("implementation-002", &[], "abandoned", None);
    // Its work is used again.
    let again = project.prepare("implementation-003", Request::Stage(2)).unwrap();
    assert_eq!(again[0].base, first);
    project.write_run("implementation-003", &[], "abandoned", None);
    // Stage 1 was amended, and a person said so.
    story.sandbox.git(&project.worktree(1), &["commit", "-q", "--amend", "-m", "amended", "--allow-empty"]);
    fs::write(project.worktree(1).join("one.txt"), "else").unwrap();
    story.sandbox.git(&project.worktree(1), &["commit", "-q", "-a", "--amend", "-m", "amended"]);
    story.reconcile(&["--apply", "--stage", "1", "--use-ref", &branch(1)]);
    let before = project.everything();
    let error = project.prepare("implementation-004", Request::Stage(2)).unwrap_err();
    assert_eq!(error.code(), "place-taken");
    assert!(error.to_string().contains("was not built on the commit"), "{error}");
    assert_eq!(project.everything(), before);
    // The person rebases it.
    story.sandbox.git(&project.worktree(2), &["rebase", "-q", "--onto", &branch(1), &first]);
    let made = project.prepare("implementation-004", Request::Stage(2)).unwrap();
    assert_eq!(made[0].base, project.tip(1));
}

#[test]
fn a_worktree_that_git_did_not_finish_is_made_anew() {
    let project = Project::new(&[free(&[])]);
    project.start();
    project.prepare(RUN, Request::Auto).unwrap();
    let git_dir = project.story.shop.join(".git/worktrees/login-s1");
    fs::write(git_dir.join("locked"), "initializing").unwrap();
    fs::remove_file(project.worktree(1).join("a.txt")).unwrap();
    project.prepare(RUN, Request::Stage(1)).unwrap();
    assert!(project.worktree(1).join("a.txt").exists() && !git_dir.join("locked").exists());
}

#[test]
fn a_worktree_with_something_else_checked_out_is_left_alone() {
    let project = Project::new(&[free(&[])]);
    project.start();
    project.prepare(RUN, Request::Auto).unwrap();
    let git = |arguments: &[&str]| project.story.sandbox.git(&project.worktree(1), arguments);
    git(&["checkout", "-q", "--detach"]);
    let error = project.prepare(RUN, Request::Stage(1)).unwrap_err();
    assert!(error.to_string().contains("has the commit"), "{error}");
    git(&["checkout", "-q", "-b", "mine"]);
    let error = project.prepare(RUN, Request::Stage(1)).unwrap_err();
    assert!(error.to_string().contains("has `mine` checked out, and not `fix-login-s1`"), "{error}");
}

#[test]
fn several_dependencies_start_from_the_task_worktree_and_wait_for_it() {
    let project = Project::new(&[free(&[]), free(&[]), free(&[1, 2])]);
    let story = &project.story;
    project.start();
    story.git(&["checkout", "-q", "--detach"]);
    project.prepare(RUN, Request::Auto).unwrap();
    for stage in [1, 2] {
        let head = project.work(stage, &format!("{stage}.txt"), "x");
        story.record(stage, "main", &head);
    }
    let before = project.everything();
    let error = project.prepare("implementation-002", Request::Stage(3)).unwrap_err();
    assert_eq!(error.code(), "stage-blocked");
    assert!(error.hint().unwrap().contains("okstra stage integrate --task auth/login"), "{:?}", error.hint());
    assert_eq!(project.everything(), before, "its reservation is taken back");
    project.stage(0, &["integrate"]);
    assert_eq!(project.prepare("implementation-002", Request::Stage(3)).unwrap()[0].base, story.rev(BRANCH));
    // What was integrated since does not make its own work useless.
    project.work(3, "3.txt", "x");
    let older = story.rev(BRANCH);
    story.sandbox.commit(&project.task_worktree(), "more.txt", "x", "more on the task branch");
    assert_eq!(project.prepare("implementation-002", Request::Stage(3)).unwrap()[0].base, older);
}

#[test]
fn a_run_takes_the_stages_of_another_over() {
    let project = Project::new(&[free(&[])]);
    project.start();
    project.prepare(RUN, Request::Auto).unwrap();
    let context = project.story.context();
    let (task, plan) = (project.story.task(&context), project.plan());
    let holder = stages::holder(&context, "implementation-002", false);
    let take_over = Some(RUN);
    let wanted = stages::Wanted { plan: &plan, request: Request::Stage(1), budget: 8, holder, take_over, claim: None };
    let run = || project.entry()["stages"]["1"]["reserved_by"].clone();
    drop(stages::choose_and_reserve(&context, &task, &wanted).unwrap());
    assert_eq!(run()["run"], json!(RUN), "what is not used is given back");
    stages::choose_and_reserve(&context, &task, &wanted).unwrap().keep();
    assert_eq!(run(), json!({"run": "implementation-002"}));
}

#[test]
fn a_task_that_could_not_be_made_holds_nothing() {
    let project = Project::new(&[free(&[])]);
    let (story, context) = (&project.story, project.story.context());
    let task = story.task(&context);
    // With this branch git cannot make one of its first part.
    story.git(&["branch", "one-name/x"]);
    let before = story.git(&["for-each-ref"]);
    let error = stages::task_worktree(&context, &task, &project.main(&task), Some("one-name"), None).err().unwrap();
    assert_eq!(error.code(), "git-failed");
    assert_eq!((story.git(&["for-each-ref"]), project.entry()), (before, json!({})));
    assert_eq!(stages::task_worktree(&context, &task, &project.main(&task), None, None).unwrap().keep().branch, BRANCH);
}
