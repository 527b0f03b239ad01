//! One task, done by two clones.

use std::fs;

use serde_json::json;

use super::{LOG, STATE, World};

#[test]
fn a_second_clone_goes_on_where_the_first_has_come_to() {
    let world = World::planned();
    let (a, b) = (world.place("a"), world.place("b"));
    a.prepare(&[]);
    let (one, two) = (a.build(1), a.build(2));
    a.of_task(0, &["stage", "integrate"]);
    let shared = a.share();
    let refs: Vec<_> = shared["pushed"].as_array().unwrap().iter().map(|pushed| pushed["ref"].clone()).collect();
    assert_eq!((refs.len(), refs.last()), (5, Some(&json!(STATE))), "{shared}");

    let fetched = b.fetch(0);
    assert_eq!((&fetched["state"], &fetched["commits"], &fetched["rows"]), (&json!("new"), &json!(4), &json!(4)));
    let mirror = |place: super::Place<'_>| place.git(&["rev-parse", STATE]);
    assert_eq!(mirror(a), mirror(b));
    for file in [LOG, "task-manifest.json", "task-index.md", "timeline.jsonl"] {
        assert_eq!(a.read(file), b.read(file), "{file}");
    }
    let done = |place: super::Place<'_>| place.stages().into_iter().map(|(.., commit)| commit).collect::<Vec<_>>();
    assert_eq!(done(b), [one.as_str(), two.as_str(), ""]);
    assert_eq!(b.of_task(0, &["git-reconcile"])["items"].as_array().map(Vec::len), Some(2), "two gates wait");

    // The task branch is not here: it starts with all that was integrated.
    let prepared = b.prepare(&[]);
    assert_eq!((&prepared["run"], &prepared["stages"][0]["stage"]), (&json!("implementation-002"), &json!(3)));
    let branch = b.git(&["rev-parse", "fix-login"]);
    assert_eq!(prepared["stages"][0]["base"], json!(branch));
    assert_eq!(b.git(&["show", "fix-login:a.txt"]), "stage 1 by a");
    assert_eq!(b.git(&["show", "fix-login:b.txt"]), "stage 2 by a");
    let three = b.build(3);
    b.of_task(0, &["stage", "integrate"]);
    b.share();

    let refused = a.of_task(1, &["task", "share"]);
    assert_eq!(refused["code"], "fetch-first");
    let hint = refused["hint"].as_str().unwrap();
    assert!(hint.contains("okstra task fetch --task auth/login --remote origin"), "{hint}");
    let fetched = a.fetch(0);
    assert_eq!((&fetched["state"], fetched["conflicts"].as_array().map(Vec::len)), (&json!("merged"), Some(0)));
    assert_eq!(done(a), [one, two, three]);
    assert!(a.of_task(0, &["status"])["plan"]["done"] == 3, "{}", a.of_task(0, &["status"]));
    // What the other integrated is not made anew.
    let integrated = a.of_task(0, &["stage", "integrate"]);
    assert_eq!(
        (&integrated["merged"], &integrated["commit"]),
        (&json!([]), &json!(b.git(&["rev-parse", "fix-login"])))
    );
    assert_eq!(a.of_task(0, &["git-reconcile"])["items"], json!([]));
}

#[test]
fn a_clone_that_comes_when_all_is_built_has_ways_on() {
    let world = World::planned();
    let (a, b, c, d) = (world.place("a"), world.place("b"), world.place("c"), world.place("d"));
    a.prepare(&[]);
    a.build(1);
    a.build(2);
    a.of_task(0, &["stage", "integrate"]);
    a.prepare(&[]);
    a.build(3);
    let tip = a.of_task(0, &["stage", "integrate"])["commit"].clone();
    for run in ["implementation-001", "implementation-002"] {
        a.of_task(0, &["finish", run, "--force", "a test", "--yes"]);
    }
    a.share();
    for place in [b, c, d] {
        place.fetch(0);
    }
    let integrated = b.of_task(0, &["stage", "integrate"]);
    assert_eq!((&integrated["merged"], &integrated["commit"]), (&json!([]), &tip));
    assert_eq!(c.of_task(0, &["task", "sync"])["commit"], tip);
    let verified = d.of_task(0, &["render-bundle", "--type", "final-verification", "--workers", "claude,codex"]);
    assert_eq!(verified["baseCommit"], tip);
}

#[test]
fn what_both_have_told_each_other_is_the_same_and_stays() {
    let world = World::planned();
    let (a, b) = (world.place("a"), world.place("b"));
    a.prepare(&["--stage", "1"]);
    a.share();
    b.fetch(0);
    // Both work at the same time, on other stages; each has its own number.
    b.prepare(&["--stage", "2"]);
    let (one, two) = (a.build(1), b.build(2));
    b.share();
    a.fetch(0);
    a.share();
    b.fetch(0);
    let rows = |place: super::Place<'_>| {
        let mut rows: Vec<String> = place.read(LOG).lines().map(str::to_owned).collect();
        rows.sort();
        rows
    };
    assert_eq!((rows(a), rows(a).len()), (rows(b), 4));
    let done = |place: super::Place<'_>| place.stages().into_iter().map(|(.., commit)| commit).collect::<Vec<_>>();
    assert_eq!((done(a), done(b)), (vec![one.clone(), two.clone(), String::new()], vec![one, two, String::new()]));
    // Now nothing is news to anybody, whoever asks.
    for place in [b, a, b, a] {
        let before = place.everything();
        let shared = place.share();
        let fetched = place.fetch(0);
        assert_eq!((&shared["pushed"], &fetched["state"]), (&json!([]), &json!("up-to-date")), "{}", place.name);
        assert!(before == place.everything(), "{}", place.name);
    }
    assert_eq!(a.git(&["rev-parse", STATE]), b.git(&["rev-parse", STATE]));
    let parents = a.git(&["log", "--merges", "--format=%H", STATE]);
    assert_eq!(parents.lines().count(), 1, "{parents}");
    let doctor = b.okstra(&["doctor", "--json"]).json();
    let mirror = doctor["checks"].as_array().unwrap().iter().find(|check| check["name"] == "mirror").cloned();
    assert!(mirror.as_ref().is_none_or(|mirror| mirror["status"] == "ok"), "{doctor}");
}

#[test]
fn a_branch_that_the_remote_has_is_gone_on_with() {
    let world = World::planned();
    let (a, b) = (world.place("a"), world.place("b"));
    a.prepare(&[]);
    a.build(1);
    a.build(2);
    a.of_task(0, &["stage", "integrate"]);
    let worktree = a.home().join("worktrees/shop/auth/login");
    let review = world.sandbox.commit(&worktree, "a.txt", "reviewed\n", "review");
    world.sandbox.git(&worktree, &["push", "-q", "origin", "fix-login"]);
    a.share();
    b.fetch(0);
    b.git(&["fetch", "-q"]);
    b.prepare(&[]);
    assert_eq!(b.git(&["rev-parse", "fix-login"]), review);
}

#[test]
fn a_base_that_is_only_there_and_commits_that_are_nowhere_else() {
    let world = World::planned();
    let (a, b) = (world.place("a"), world.place("b"));
    // Neither the branch nor its commit was ever pushed.
    a.git(&["checkout", "-q", "-b", "mine"]);
    let anchor = world.sandbox.commit(&a.folder(), "mine.txt", "m\n", "only here");
    a.prepare(&["--base", "mine", "--stage", "1"]);
    a.share();
    b.fetch(0);
    let prepared = b.prepare(&["--stage", "2"]);
    assert_eq!(prepared["stages"][0]["base"], json!(anchor));
    assert_eq!(b.git(&["rev-parse", "fix-login"]), anchor);
}

#[test]
fn work_that_was_not_shared_is_not_left_out() {
    let world = World::planned();
    let (a, b) = (world.place("a"), world.place("b"));
    a.prepare(&[]);
    a.build(1);
    a.build(2);
    let made = a.of_task(0, &["stage", "integrate"])["commit"].as_str().unwrap().to_owned();
    a.share();
    // The remote has lost the commit of the integration.
    world.git(&["update-ref", "-d", &format!("refs/okstra/keep/auth/login/task-{made}")]);
    world.git(&["gc", "-q", "--prune=now"]);
    let ran = b.okstra(&["task", "fetch", "--task", "auth/login"]);
    assert!(ran.code == Some(0) && ran.stderr.contains(&format!("the commit of an integration, {made}")), "{ran:?}");
    let words = ["render-bundle", "--type", "implementation", "--workers", "claude,codex"];
    let refused = b.of_task(1, &words);
    assert_eq!(refused["code"], "lost-work", "{refused}");
    assert!(refused["hint"].as_str().unwrap().contains("okstra task fetch --task auth/login"), "{refused}");
    assert!(b.world.sandbox.try_git(&b.folder(), &["rev-parse", "--verify", "-q", "fix-login"]).code == Some(1));
}

#[test]
fn a_run_of_another_clone_is_not_resumed_here() {
    let world = World::planned();
    let (a, b) = (world.place("a"), world.place("b"));
    a.prepare(&["--stage", "1"]);
    a.share();
    b.fetch(0);
    let refused = b.of_task(1, &["resume"]);
    assert_eq!(refused["code"], "run-elsewhere", "{refused}");
    assert_eq!(b.of_task(0, &["status"])["open"][0]["status"], "prepared");
    // Its worktrees are not made here, whatever their paths.
    b.prepare(&["--stage", "2"]);
    b.build(2);
    b.of_task(0, &["stage", "integrate"]);
    assert!(!a.home().join("worktrees/shop/auth/.snapshots").exists());
    // It can be given up here, and that is told.
    b.of_task(0, &["abandon", "implementation-001", "--reason", "gone", "--yes"]);
    b.share();
    let fetched = a.fetch(0);
    let state = "runs/implementation/state/team-state-implementation-001.json";
    assert!(a.read(state).contains("abandoned"), "{fetched}");
    assert_eq!(a.of_task(0, &["status"])["open"].as_array().unwrap().len(), 1);
}

#[test]
fn a_later_state_of_what_both_have_is_taken() {
    let world = World::planned();
    let (a, b) = (world.place("a"), world.place("b"));
    a.write("runs/implementation-planning/notes.md", "one\n");
    a.share();
    b.fetch(0);
    a.write("runs/implementation-planning/notes.md", "one\ntwo\n");
    a.share();
    // Asked for, but not done.
    let before = b.everything();
    let planned = b.of_task(0, &["task", "fetch", "--dry-run"]);
    let notes = json!([".okstra/tasks/auth/login/runs/implementation-planning/notes.md"]);
    assert_eq!((&planned["updated"], &planned["dryRun"]), (&notes, &json!(true)));
    assert!(before == b.everything());
    assert_eq!(b.fetch(0)["updated"], notes);
    assert_eq!(b.read("runs/implementation-planning/notes.md"), "one\ntwo\n");
    // What is older there does not come back.
    b.write("runs/implementation-planning/notes.md", "one\ntwo\nthree\n");
    a.append("timeline.jsonl", r#"{"at":"2026-01-01T00:00:00Z","event":"x"}"#);
    a.share();
    let fetched = b.fetch(0);
    assert_eq!((&fetched["updated"], &fetched["events"]), (&json!([]), &json!(1)));
    assert!(b.read("runs/implementation-planning/notes.md").ends_with("three\n"));
}

#[test]
fn the_task_is_that_of_the_worktree_one_stands_in() {
    let world = World::planned();
    let a = world.place("a");
    a.prepare(&["--stage", "1"]);
    let mut command = a.command(&["task", "share", "--json"]);
    command.current_dir(a.home().join("worktrees/shop/auth/login-s1"));
    let shared = crate::common::Run::ran(&mut command).json();
    assert_eq!(shared["task"], "auth/login", "{shared}");
    let mut command = a.command(&["task", "fetch", "--json"]);
    command.current_dir(a.home().join("worktrees/shop/auth/login"));
    assert_eq!(crate::common::Run::ran(&mut command).json()["state"], "up-to-date");
    // A clone where there is no such worktree is told what there is.
    let b = world.place("b");
    let refused = b.json(1, &["task", "fetch"]);
    assert_eq!((&refused["code"], refused["hint"].as_str().unwrap().contains("auth/login")), (&json!("no-task"), true));
    let refused = b.json(1, &["task", "fetch", "--task", "auth/other"]);
    assert_eq!(
        (&refused["code"], refused["hint"].as_str().unwrap().contains("auth/login")),
        (&json!("not-shared"), true)
    );
    assert!(!b.folder().join(".okstra").exists());
    // A folder that is none of a worktree is refused before anything is fetched.
    fs::create_dir(b.folder().join("below")).unwrap();
    let below = b.folder().join("below");
    let refused = b.of_task(1, &["task", "fetch", "--project-root", below.to_str().unwrap()]);
    assert_eq!(refused["code"], "not-a-project-root");
}
