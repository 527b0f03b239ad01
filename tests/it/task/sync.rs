//! `task sync`: moves on, starts again, merges, or refuses and changes nothing.

use std::fs;

use serde_json::json;

use super::shop::{BRANCH, STACKED, Shop, THREE};

const BOTH: &[super::shop::Edit<'_>] = &[(1, "a.txt", 3, "one"), (2, "b.txt", 3, "two")];
const SAME: &[super::shop::Edit<'_>] = &[(1, "a.txt", 3, "one"), (2, "a.txt", 4, "two")];

/// The next stage, which needs the others, can be prepared, and starts from the task branch.
fn next_stage_starts(shop: &Shop) {
    let prepared = shop.prepare(0, &[]);
    assert_eq!(prepared["stages"][0]["stage"], 3, "{prepared}");
    assert_eq!(prepared["stages"][0]["base"], json!(shop.rev(BRANCH)));
}

#[test]
fn a_branch_that_holds_the_base_stays() {
    let shop = Shop::built(THREE, BOTH);
    let before = shop.everything();
    let synced = shop.sync("nothing");
    assert_eq!((&synced["base"], &synced["landed"]), (&json!("refs/remotes/origin/main"), &json!(null)));
    assert_eq!(shop.everything(), before);
    let ran = shop.run(&["task", "sync", "--task", "auth/login"]);
    assert_eq!(ran.stdout, "fix-login  holds origin/main already\n");
    // From a worktree of the task it need not be named.
    let mut command = shop.command(&["task", "sync", "--json"]);
    assert_eq!(crate::common::Run::ran(command.current_dir(shop.worktree(Some(1)))).json()["how"], "nothing");
}

#[test]
fn a_branch_without_work_moves_on_with_the_base() {
    let shop = Shop::new(THREE);
    let run = shop.prepare(0, &[])["run"].as_str().unwrap().to_owned();
    shop.end(&run);
    let anchor = shop.entry()["implementation_base_commit"].clone();
    shop.main_moves("c.txt", 1, "moved");
    let synced = shop.sync("fast-forward");
    assert_eq!(synced["commit"], json!(shop.rev("origin/main")));
    assert_eq!((shop.entry()["implementation_base_commit"].clone(), shop.events("synced").len()), (anchor, 1));
    assert!(fs::read_to_string(shop.worktree(None).join("c.txt")).unwrap().starts_with("moved\n"));
    shop.sync("nothing");
}

#[test]
fn work_that_is_not_there_yet_gets_the_base_merged_in() {
    let shop = Shop::built(THREE, BOTH);
    let (anchor, tip) = (shop.entry()["implementation_base_commit"].clone(), shop.rev(BRANCH));
    shop.main_moves("a.txt", 30, "moved");
    let synced = shop.sync("merge");
    let parents = shop.git(&["log", "-1", "--format=%P|%s", BRANCH]);
    let message = "Merge remote-tracking branch 'origin/main' into fix-login";
    assert_eq!(parents, format!("{tip} {}|{message}", shop.rev("origin/main")));
    assert_eq!((&synced["before"], &shop.entry()["implementation_base_commit"]), (&json!(tip), &anchor));
    shop.git(&["rev-parse", "--verify", &format!("refs/okstra/keep/auth/login/task-{tip}")]);
    let events = shop.events("synced");
    assert_eq!((events.len(), &events[0]["how"], &events[0]["before"]), (1, &json!("merge"), &json!(tip)));
    let text = fs::read_to_string(shop.worktree(None).join("a.txt")).unwrap();
    assert!(text.contains("one\n") && text.contains("moved\n"), "{text}");
    let before = shop.everything();
    shop.sync("nothing");
    assert_eq!(shop.everything(), before);
    next_stage_starts(&shop);
}

#[test]
fn a_conflict_names_the_files_and_the_way_out_and_changes_nothing() {
    let shop = Shop::built(THREE, BOTH);
    shop.main_moves("a.txt", 3, "another");
    let refused = shop.refused("merge-conflict", &["task", "sync"]);
    assert_eq!(refused["error"], "merging `origin/main` into `fix-login` conflicts in a.txt");
    let hint = refused["hint"].as_str().unwrap();
    assert!(hint.contains("merge origin/main"), "{hint}");
    assert_eq!(shop.git_in(None, &["status", "--porcelain"]), "");
    // The command of the hint, then sync has nothing left to do.
    assert_eq!(shop.sandbox.try_git(&shop.worktree(None), &["merge", "-q", "origin/main"]).code, Some(1));
    shop.refused("operation-in-progress", &["task", "sync"]);
    shop.git_in(None, &["checkout", "-q", "--ours", "a.txt"]);
    shop.git_in(None, &["commit", "-q", "-a", "-m", "solved"]);
    shop.sync("nothing");
}

#[test]
fn after_a_squash_the_branch_starts_again_and_the_next_stage_from_it() {
    let shop = Shop::built(THREE, BOTH);
    let (anchor, tip) = (shop.entry()["implementation_base_commit"].clone(), shop.rev(BRANCH));
    shop.main_moves("c.txt", 30, "moved");
    shop.lands_squashed();
    let synced = shop.sync("restart");
    let main = shop.rev("origin/main");
    assert_eq!((&synced["commit"], &synced["landed"], &synced["before"]), (&json!(main), &json!(main), &json!(tip)));
    assert_eq!(shop.rev(&format!("refs/okstra/keep/auth/login/task-{tip}")), tip);
    assert_eq!(shop.entry()["implementation_base_commit"], anchor);
    assert_eq!(shop.task(0, &["git-reconcile"])["items"], json!([]));
    // Nothing is integrated anew, and status knows that all of it is.
    assert_eq!(shop.task(0, &["stage", "integrate"])["contained"], json!([1, 2]));
    assert_eq!(shop.task(0, &["status"])["plan"]["integrated"], 2);
    next_stage_starts(&shop);
    let rows = shop.task(0, &["stage", "list"]);
    assert_eq!(rows["stages"][0]["commit"], json!(main), "{rows}");
}

#[test]
fn a_review_commit_on_the_task_branch_lands_with_its_stages() {
    let shop = Shop::built(STACKED, SAME);
    // Nobody recorded it; squashed with the stages it is one change of one file.
    let tip = shop.edit(&shop.worktree(None), "a.txt", 5, "review");
    shop.lands_squashed();
    shop.sync("restart");
    let made = shop.entry()["integrations"].clone();
    assert_eq!(made.as_array().unwrap().last().unwrap()["commit"], json!(tip));
    assert_eq!(shop.task(0, &["stage", "integrate"])["contained"], json!([1, 2]));
    next_stage_starts(&shop);
    assert_eq!(shop.run(&["doctor"]).code, Some(0));
    assert!(!shop.run(&["doctor"]).stdout.contains("keep-refs"), "{:?}", shop.run(&["doctor"]));
}

#[test]
fn a_merge_commit_lets_it_move_on_and_a_rebase_lets_it_start_again() {
    let shop = Shop::built(THREE, BOTH);
    shop.main_moves("c.txt", 30, "moved");
    shop.lands(&[&["merge", "-q", "--no-ff", "-m", "Login (#1)", "origin/fix-login"]]);
    shop.sync("fast-forward");
    next_stage_starts(&shop);

    let shop = Shop::built(THREE, BOTH);
    shop.main_moves("c.txt", 30, "moved");
    let rebase: [&[&str]; 2] =
        [&["checkout", "-q", "-B", "work", "origin/fix-login"], &["rebase", "-q", "origin/main"]];
    shop.lands(&rebase);
    let synced = shop.sync("restart");
    assert_eq!(synced["commit"], json!(shop.rev("origin/main")));
    next_stage_starts(&shop);
}

#[test]
fn a_rebase_is_found_also_where_the_base_went_on_in_the_same_files() {
    let rebase: [&[&str]; 2] =
        [&["checkout", "-q", "-B", "work", "origin/fix-login"], &["rebase", "-q", "origin/main"]];
    let landed = || {
        let shop = Shop::built(THREE, BOTH);
        shop.main_moves("c.txt", 30, "moved");
        shop.lands(&rebase);
        shop
    };
    let shop = landed();
    shop.main_moves("a.txt", 20, "on top");
    shop.main_moves("b.txt", 20, "on top");
    shop.sync("restart");
    next_stage_starts(&shop);
    // A commit besides is work of its own, and one of them reverted is another matter.
    let shop = landed();
    shop.edit(&shop.worktree(None), "c.txt", 3, "review");
    shop.sync("merge");
    assert!(fs::read_to_string(shop.worktree(None).join("c.txt")).unwrap().contains("review\n"));
    let shop = landed();
    shop.on_the_forge(|other| drop(shop.sandbox.git(other, &["revert", "--no-edit", "HEAD"])));
    shop.sync("merge");
}

#[test]
fn what_landed_and_was_taken_out_again_is_kept_and_said() {
    let shop = Shop::built(THREE, BOTH);
    shop.lands_squashed();
    shop.on_the_forge(|other| drop(shop.sandbox.git(other, &["revert", "--no-edit", "HEAD"])));
    let ran = shop.run(&["task", "sync", "--task", "auth/login", "--json"]);
    assert_eq!((ran.code, &ran.json()["how"]), (Some(0), &json!("merge")), "{ran:?}");
    assert!(ran.stderr.contains("was taken out again since") && ran.stderr.contains("keeps its content"), "{ran:?}");
    assert!(fs::read_to_string(shop.worktree(None).join("a.txt")).unwrap().contains("one\n"));

    let shop = Shop::built(THREE, BOTH);
    shop.lands(&[&["merge", "-q", "--no-ff", "-m", "Login (#1)", "origin/fix-login"]]);
    shop.on_the_forge(|other| drop(shop.sandbox.git(other, &["revert", "--no-edit", "-m", "1", "HEAD"])));
    let ran = shop.run(&["task", "sync", "--task", "auth/login", "--json"]);
    assert_eq!((ran.code, &ran.json()["how"]), (Some(0), &json!("fast-forward")), "{ran:?}");
    assert!(ran.stderr.contains("nothing of it is left there"), "{ran:?}");
}

#[test]
fn what_landed_in_part_is_merged() {
    let shop = Shop::built(THREE, BOTH);
    shop.lands(&[&["checkout", "-q", "origin/fix-login", "--", "a.txt"], &["commit", "-q", "-m", "the first half"]]);
    shop.sync("merge");
    next_stage_starts(&shop);
}

#[test]
fn a_local_base_is_followed_to_its_upstream_when_that_is_ahead() {
    let shop = Shop::new(THREE);
    let run = shop.prepare(0, &["--base", "main"])["run"].as_str().unwrap().to_owned();
    shop.edit(&shop.worktree(Some(1)), "a.txt", 3, "one");
    shop.task(0, &["stage", "done", "--stage", "1"]);
    shop.task(0, &["stage", "integrate"]);
    shop.end(&run);
    assert_eq!(shop.entry()["base_ref"], "refs/heads/main");
    let old_main = shop.rev("main");
    shop.lands_squashed();
    let synced = shop.sync("restart");
    assert_eq!((&synced["base"], shop.rev("main")), (&json!("refs/remotes/origin/main"), old_main));
    // Work of one's own on the local base counts as well.
    shop.git(&["merge", "-q", "--ff-only", "origin/main"]);
    shop.edit(&shop.folder, "b.txt", 9, "mine");
    assert_eq!(shop.sync("fast-forward")["base"], json!("refs/heads/main"));
    // Where both went on, the base comes first, and that is said.
    shop.main_moves("c.txt", 9, "theirs");
    shop.edit(&shop.folder, "b.txt", 10, "mine");
    let ran = shop.run(&["task", "sync", "--task", "auth/login", "--json"]);
    assert_eq!((&ran.json()["how"], &ran.json()["base"]), (&json!("fast-forward"), &json!("refs/heads/main")));
    assert!(ran.stderr.contains("`main` and its upstream `origin/main` went different ways"), "{ran:?}");
}

#[test]
fn what_landed_upstream_counts_also_where_the_local_base_went_another_way() {
    let shop = Shop::new(THREE);
    let run = shop.prepare(0, &["--base", "main"])["run"].as_str().unwrap().to_owned();
    shop.edit(&shop.worktree(Some(1)), "a.txt", 3, "one");
    shop.task(0, &["stage", "done", "--stage", "1"]);
    shop.task(0, &["stage", "integrate"]);
    shop.end(&run);
    shop.edit(&shop.folder, "b.txt", 9, "mine");
    shop.lands_squashed();
    assert_eq!(shop.sync("restart")["base"], json!("refs/remotes/origin/main"));
}

#[test]
fn what_is_not_ready_is_refused_and_nothing_changes() {
    let shop = Shop::new(THREE);
    assert_eq!(shop.task(1, &["task", "sync"])["code"], "no-worktree");
    let run = shop.prepare(0, &[])["run"].as_str().unwrap().to_owned();
    shop.main_moves("c.txt", 1, "moved");
    let refused = shop.refused("runs-open", &["task", "sync"]);
    assert_eq!(refused["error"], "runs of auth/login are open: implementation-001");
    shop.end(&run);
    let worktree = shop.worktree(None);
    fs::write(worktree.join("new"), "x").unwrap();
    shop.refused("dirty-worktree", &["task", "sync"]);
    fs::remove_file(worktree.join("new")).unwrap();
    shop.git_in(None, &["checkout", "-q", "--detach"]);
    shop.refused("not-on-branch", &["task", "sync"]);
    // The branch is checked out elsewhere.
    shop.git(&["checkout", "-q", BRANCH]);
    shop.refused("not-on-branch", &["task", "sync"]);
    shop.git(&["checkout", "-q", "main"]);
    shop.git_in(None, &["checkout", "-q", BRANCH]);
    shop.git(&["update-ref", "-d", "refs/remotes/origin/main"]);
    let refused = shop.refused("no-base-ref", &["task", "sync"]);
    assert_eq!(refused["error"], "the base `refs/remotes/origin/main` of task auth/login is not there");
    shop.git(&["fetch", "-q"]);
    // A folder that is gone is made again, and so is the branch.
    fs::remove_dir_all(&worktree).unwrap();
    shop.sync("fast-forward");
    assert!(worktree.join("a.txt").exists());
    shop.git(&["worktree", "remove", "--force", worktree.to_str().unwrap()]);
    shop.git(&["branch", "-q", "-D", BRANCH]);
    shop.sync("nothing");
    assert!(worktree.join("a.txt").exists());
}

#[test]
fn an_ignored_file_in_the_way_is_not_written_over() {
    let shop = Shop::built(THREE, BOTH);
    shop.on_the_forge(|other| drop(shop.sandbox.commit(other, "secret", "theirs\n", "a secret")));
    shop.lands_squashed();
    fs::write(shop.folder.join(".git/info/exclude"), "secret\n").unwrap();
    let secret = shop.worktree(None).join("secret");
    fs::write(&secret, "mine\n").unwrap();
    let tip = shop.rev(BRANCH);
    assert_eq!(shop.task(1, &["task", "sync"])["code"], "git-failed");
    assert_eq!((shop.rev(BRANCH), fs::read_to_string(&secret).unwrap()), (tip, "mine\n".to_owned()));
    fs::remove_file(&secret).unwrap();
    shop.sync("restart");
}
