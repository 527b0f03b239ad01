//! `task close`: what has landed goes, the rest stays and is listed, and the records stay true.

use std::fs;

use serde_json::{Value, json};

use super::shop::{BRANCH, STACKED, Shop, THREE};

const BOTH: &[super::shop::Edit<'_>] = &[(1, "a.txt", 3, "one"), (2, "b.txt", 3, "two")];
const SAME: &[super::shop::Edit<'_>] = &[(1, "a.txt", 3, "one"), (2, "a.txt", 4, "two")];

/// Whose places are in a list of the document.
fn whose(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|place| place["of"].as_str().unwrap().to_owned()).collect()
}

/// Nothing is left of the task but its records, and those hold, also when git has collected what only they named.
fn is_gone(shop: &Shop) {
    for name in [BRANCH, "fix-login-s1", "fix-login-s2"] {
        assert!(!shop.exists(&format!("refs/heads/{name}")), "{name}");
    }
    assert_eq!(shop.git(&["for-each-ref", "refs/okstra/keep"]), "");
    assert_eq!(shop.git(&["worktree", "list"]).lines().count(), 1);
    let entry = shop.entry();
    assert_eq!(
        (&entry["branch"], &entry["worktree_path"], &entry["stages"]),
        (&json!(null), &json!(null), &json!(null))
    );
    assert_eq!(entry["base_ref"].is_string(), entry["implementation_base_commit"].is_string());
    for collected in [false, true] {
        if collected {
            shop.collect();
        }
        assert_eq!(shop.unsettled(), [] as [Value; 0]);
        assert_eq!(shop.ailments(), [] as [Value; 0]);
        let status = shop.task(0, &["status"]);
        assert_eq!((&status["next"]["step"], status["closedAt"].is_string()), (&json!("nothing"), true), "{status}");
    }
    assert!(shop.run(&["tasks"]).stdout.contains("closed"));
    assert_eq!(shop.events("closed").len(), 1);
    // Again there is nothing to do, and nobody is asked.
    let before = shop.everything();
    let again = shop.task(0, &["task", "close"]);
    assert_eq!((&again["removed"], &again["closed"]), (&json!([]), &json!(true)));
    assert_eq!((shop.everything(), shop.events("closed").len()), (before, 1));
}

#[test]
fn after_a_squash_all_of_it_goes_and_a_new_run_makes_it_again() {
    let shop = Shop::built(THREE, BOTH);
    let anchor = shop.entry()["implementation_base_commit"].clone();
    // Sharing keeps the anchor, too.
    shop.task(0, &["task", "share"]);
    shop.main_moves("c.txt", 30, "moved");
    shop.lands_squashed();
    fs::write(shop.folder.join(".git/info/exclude"), "*.env\n").unwrap();
    fs::write(shop.worktree(Some(1)).join("secret.env"), "x").unwrap();
    let before = shop.everything();
    let planned = shop.task(0, &["task", "close", "--dry-run"]);
    assert_eq!(planned["undone"], json!([3]));
    assert_eq!(planned["removed"][1]["ignored"], json!(["secret.env"]));
    let people = shop.run(&["task", "close", "--dry-run", "--task", "auth/login"]).stdout;
    for said in ["stage 3 of the plan is not done\n", "ignored files in it, which nothing keeps: login-s1/secret.env\n"]
    {
        assert!(people.contains(said), "{said}: {people}");
    }
    assert_eq!(whose(&planned["removed"]), ["the task", "stage 1", "stage 2"]);
    assert_eq!((&planned["kept"], &planned["closed"]), (&json!([]), &json!(true)));
    let refused = shop.refused("confirmation-needed", &["task", "close"]);
    assert!(refused["error"].as_str().unwrap().contains("3 branches and 3 worktrees"), "{refused}");
    assert_eq!(shop.everything(), before);
    let closed = shop.close(0);
    assert_eq!(closed, planned);
    assert!(closed["removed"][0]["safe"].as_str().unwrap().contains("landed in refs/remotes/origin/main"), "{closed}");
    is_gone(&shop);
    // The stage that needs both: branch and worktrees are made again, from where the others landed.
    let prepared = shop.prepare(0, &[]);
    assert_eq!(prepared["stages"][0]["base"], json!(shop.rev("origin/main")), "{prepared}");
    assert_eq!(shop.entry()["implementation_base_commit"], anchor);
    assert!(shop.worktree(None).join("a.txt").exists() && shop.worktree(Some(3)).join("a.txt").exists());
    assert_eq!(shop.task(0, &["status"])["closedAt"], json!(null));
    assert_eq!(shop.ailments(), [] as [Value; 0]);
}

#[test]
fn a_merge_commit_and_a_rebase_are_landings_too() {
    let shop = Shop::built(THREE, BOTH);
    shop.lands(&[&["merge", "-q", "--no-ff", "-m", "Login (#1)", "origin/fix-login"]]);
    let closed = shop.close(0);
    assert_eq!(closed["removed"][1]["safe"], json!("origin/main reaches it"));
    is_gone(&shop);

    let shop = Shop::built(THREE, BOTH);
    shop.main_moves("c.txt", 30, "moved");
    let rebase: [&[&str]; 2] =
        [&["checkout", "-q", "-B", "work", "origin/fix-login"], &["rebase", "-q", "origin/main"]];
    shop.lands(&rebase);
    shop.main_moves("a.txt", 20, "on top");
    let closed = shop.close(0);
    assert_eq!(whose(&closed["kept"]), [] as [&str; 0], "{closed}");
    is_gone(&shop);
}

#[test]
fn stages_that_are_one_change_with_a_review_go_together() {
    let shop = Shop::built(STACKED, SAME);
    shop.edit(&shop.worktree(None), "a.txt", 5, "review");
    shop.lands_squashed();
    shop.close(0);
    is_gone(&shop);
    assert_eq!(shop.prepare(0, &[])["stages"][0]["base"], json!(shop.rev("origin/main")));
}

#[test]
fn it_goes_after_a_sync_as_well_and_from_inside_its_worktree() {
    let shop = Shop::built(STACKED, SAME);
    shop.main_moves("a.txt", 30, "moved");
    shop.sync("merge");
    shop.edit(&shop.worktree(None), "a.txt", 5, "review");
    shop.lands_squashed();
    shop.sync("restart");
    let mut command = shop.command(&["task", "close", "--yes"]);
    let ran = crate::common::Run::ran(command.current_dir(shop.worktree(None)));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("the folder that you stand in goes with it"), "{ran:?}");
    is_gone(&shop);
}

#[test]
fn what_has_not_landed_stays_and_is_listed() {
    let shop = Shop::built(THREE, BOTH);
    let before = shop.everything();
    let closed = shop.close(2);
    assert_eq!(whose(&closed["kept"]), ["the task", "stage 1", "stage 2"]);
    assert_eq!((&closed["removed"], &closed["closed"]), (&json!([]), &json!(false)));
    assert_eq!(shop.everything(), before);
    // The command shows what is about to be lost.
    let command = closed["kept"][1]["command"].as_str().unwrap();
    let tip = shop.rev("fix-login-s1");
    assert!(command.ends_with(&format!("log --oneline refs/remotes/origin/main..{tip} --")), "{command}");
    // That it was pushed, and that okstra keeps it, is no landing.
    shop.git(&["push", "-q", "origin", BRANCH]);
    assert_eq!(whose(&shop.close(2)["kept"]).len(), 3);
    // One half lands.
    shop.lands(&[&["checkout", "-q", "origin/fix-login", "--", "a.txt"], &["commit", "-q", "-m", "half"]]);
    let closed = shop.close(2);
    assert_eq!(
        (whose(&closed["removed"]), whose(&closed["kept"])),
        (vec!["stage 1".to_owned()], vec!["the task".to_owned(), "stage 2".to_owned()])
    );
    assert!(!shop.exists("fix-login-s1") && shop.exists("fix-login-s2") && shop.exists(BRANCH));
    let kept = shop.git(&["for-each-ref", "--format=%(refname)", "refs/okstra/keep"]);
    assert!(!kept.contains("/s1-") && kept.contains("/s2-") && kept.contains("/task-"), "{kept}");
    assert_eq!(shop.ailments(), [] as [Value; 0]);
    assert_eq!(shop.task(0, &["status"])["closedAt"], json!(null));
    let text = shop.run(&["task", "close", "--task", "auth/login", "--yes"]);
    assert!(text.stdout.contains("look at what stays") && text.stdout.contains("log --oneline"), "{text:?}");
}

#[test]
fn what_landed_and_was_taken_out_again_stays() {
    let shop = Shop::built(THREE, BOTH);
    shop.lands_squashed();
    shop.on_the_forge(|other| drop(shop.sandbox.git(other, &["revert", "--no-edit", "HEAD"])));
    let closed = shop.close(2);
    assert_eq!(whose(&closed["kept"]).len(), 3);
    assert!(closed["kept"][0]["reason"].as_str().unwrap().contains("was taken out again since"), "{closed}");
    assert!(shop.exists("fix-login-s1") && shop.exists(BRANCH));
}

#[test]
fn a_local_base_counts_and_so_does_its_upstream() {
    for landed_upstream in [true, false] {
        let shop = Shop::new(THREE);
        let run = shop.prepare(0, &["--base", "main"])["run"].as_str().unwrap().to_owned();
        shop.edit(&shop.worktree(Some(1)), "a.txt", 3, "one");
        shop.task(0, &["stage", "done", "--stage", "1"]);
        shop.task(0, &["stage", "integrate"]);
        shop.end(&run);
        if landed_upstream {
            shop.lands_squashed();
        } else {
            shop.git(&["merge", "-q", "--squash", BRANCH]);
            shop.git(&["commit", "-q", "-m", "Login"]);
        }
        let closed = shop.close(0);
        // Stage 2 was begun, and nothing committed.
        assert_eq!(whose(&closed["removed"]), ["the task", "stage 1", "stage 2"], "{closed}");
        let base = if landed_upstream { "refs/remotes/origin/main" } else { "refs/heads/main" };
        assert_eq!(closed["base"], json!(base));
        is_gone(&shop);
    }
}

#[test]
fn what_is_worked_on_refuses_all_of_it() {
    let shop = Shop::built(THREE, BOTH);
    shop.lands_squashed();
    let worktree = shop.worktree(Some(2));
    fs::write(worktree.join("new"), "x").unwrap();
    let refused = shop.refused("dirty-worktree", &["task", "close", "--yes"]);
    assert!(refused["error"].as_str().unwrap().starts_with("stage 2 has changes"), "{refused}");
    fs::remove_file(worktree.join("new")).unwrap();
    shop.edit(&worktree, "b.txt", 30, "a");
    shop.git_in(Some(2), &["checkout", "-q", "-b", "mine", "HEAD~1"]);
    shop.edit(&worktree, "b.txt", 30, "b");
    assert_eq!(shop.sandbox.try_git(&worktree, &["merge", "fix-login-s2"]).code, Some(1));
    shop.refused("operation-in-progress", &["task", "close", "--yes"]);
    shop.git_in(Some(2), &["merge", "--abort"]);
    let prepared = shop.prepare(0, &[]);
    shop.refused("runs-open", &["task", "close", "--yes"]);
    shop.end(prepared["run"].as_str().unwrap());
    // More was committed on the stage's branch than landed; somebody's own branch is left alone.
    let closed = shop.close(2);
    assert_eq!(whose(&closed["kept"]), ["stage 2"]);
    assert!(shop.exists("mine") && shop.exists("fix-login-s2") && worktree.exists());
}

#[test]
fn what_is_in_the_way_of_removing_keeps_a_place() {
    let shop = Shop::built(THREE, BOTH);
    shop.lands_squashed();
    // A lock, and a branch that is checked out elsewhere.
    shop.git(&["worktree", "lock", "--reason", "on a stick", shop.worktree(Some(1)).to_str().unwrap()]);
    shop.git_in(Some(2), &["checkout", "-q", "--detach"]);
    shop.git(&["checkout", "-q", "fix-login-s2"]);
    let closed = shop.close(2);
    assert_eq!(whose(&closed["removed"]), ["the task"]);
    let reasons: Vec<_> =
        closed["kept"].as_array().unwrap().iter().map(|kept| kept["reason"].as_str().unwrap()).collect();
    assert_eq!(reasons[0], "its worktree is locked: on a stick");
    assert!(reasons[1].starts_with("its branch is checked out in `"), "{reasons:?}");
    shop.git(&["worktree", "unlock", shop.worktree(Some(1)).to_str().unwrap()]);
    // What is committed without a branch is looked for too.
    let lost = shop.edit(&shop.worktree(Some(2)), "c.txt", 9, "detached");
    shop.git(&["checkout", "-q", "main"]);
    let closed = shop.close(2);
    assert_eq!(whose(&closed["kept"]), ["stage 2"]);
    assert!(closed["kept"][0]["reason"].as_str().unwrap().contains(&lost[..8]), "{closed}");
    shop.git_in(Some(2), &["checkout", "-q", "fix-login-s2"]);
    shop.close(0);
    is_gone(&shop);
}

#[test]
fn what_is_gone_already_is_forgotten_and_what_took_its_name_stays() {
    let shop = Shop::built(THREE, BOTH);
    shop.lands_squashed();
    fs::remove_dir_all(shop.worktree(Some(1))).unwrap();
    shop.git(&["worktree", "remove", shop.worktree(Some(2)).to_str().unwrap()]);
    shop.git(&["branch", "-q", "-D", "fix-login-s2"]);
    shop.git(&["worktree", "remove", shop.worktree(None).to_str().unwrap()]);
    shop.git(&["branch", "-q", "-D", BRANCH]);
    let closed = shop.close(0);
    assert_eq!(whose(&closed["removed"]), ["stage 1"]);
    is_gone(&shop);
    // The names are free now, and whoever takes them keeps them.
    shop.git(&["branch", BRANCH, "main~1"]);
    shop.close(0);
    assert!(shop.exists(BRANCH));
    assert_eq!(shop.prepare(1, &[])["code"], "place-taken");
}

#[test]
fn a_row_of_a_stage_that_was_never_made_goes_alone() {
    let shop = Shop::built(THREE, BOTH);
    shop.lands_squashed();
    let path = shop.home().join("worktrees/registry.json");
    let mut registry: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let row = json!({"worktree_path": shop.worktree(Some(3)), "branch": "fix-login-s3"});
    registry["tasks"]["shop/auth/login"]["stages"]["3"] = row;
    fs::write(&path, registry.to_string()).unwrap();
    // Somebody else has a branch of that name.
    shop.git(&["branch", "fix-login-s3", "main"]);
    shop.close(0);
    assert!(shop.exists("fix-login-s3"));
    is_gone(&shop);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let shop = Shop::built(THREE, BOTH);
    shop.lands_squashed();
    let (worktree, outside) = (shop.worktree(Some(1)), shop.sandbox.path().join("outside"));
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("precious"), "x").unwrap();
    fs::write(shop.folder.join(".git/info/exclude"), "link\n").unwrap();
    std::os::unix::fs::symlink(&outside, worktree.join("link")).unwrap();
    let (second, moved) = (shop.worktree(Some(2)), shop.sandbox.path().join("moved"));
    fs::rename(&second, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &second).unwrap();
    let closed = shop.close(2);
    assert_eq!(
        (whose(&closed["removed"]), whose(&closed["kept"])),
        (vec!["the task".to_owned(), "stage 1".to_owned()], vec!["stage 2".to_owned()])
    );
    assert!(!worktree.exists() && outside.join("precious").exists() && moved.join("a.txt").exists());
}

#[test]
fn a_branch_with_a_name_of_its_own_is_made_again_by_that_name() {
    let shop = Shop::new(THREE);
    let run = shop.prepare(0, &["--branch", "login/work"])["run"].as_str().unwrap().to_owned();
    shop.end(&run);
    let closed = shop.close(0);
    assert_eq!(whose(&closed["removed"]), ["the task", "stage 1", "stage 2"]);
    assert!(!shop.exists("login/work"));
    shop.prepare(0, &[]);
    assert_eq!(shop.git_in(None, &["symbolic-ref", "--short", "HEAD"]), "login/work");
    assert_eq!(shop.git_in(Some(1), &["symbolic-ref", "--short", "HEAD"]), "login/work-s1");
}

#[test]
fn a_task_without_branches_is_closed_at_once() {
    let shop = Shop::new(THREE);
    let closed = shop.task(0, &["task", "close"]);
    assert_eq!((&closed["removed"], &closed["base"], &closed["closed"]), (&json!([]), &json!(null), &json!(true)));
    assert_eq!(shop.task(0, &["status"])["next"]["step"], "nothing");
}

#[test]
fn a_branch_that_another_task_grew_from_stays() {
    let shop = Shop::built(THREE, BOTH);
    shop.lands_squashed();
    let path = shop.home().join("worktrees/registry.json");
    let mut registry: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    registry["tasks"]["shop/auth/logout"] = json!({"branch": "fix-logout", "base_ref": format!("refs/heads/{BRANCH}")});
    fs::write(&path, registry.to_string()).unwrap();
    let closed = shop.close(2);
    assert_eq!(whose(&closed["kept"]), ["the task"]);
    assert_eq!(closed["kept"][0]["reason"], "shop/auth/logout grew from its branch");
    assert_eq!(closed["kept"][0]["command"], "okstra status --task auth/logout");
}

#[test]
fn an_anchor_that_the_base_has_left_behind_is_kept() {
    let shop = Shop::built(THREE, BOTH);
    let anchor = shop.entry()["implementation_base_commit"].as_str().unwrap().to_owned();
    // What the task began at is dropped from main, and comes back with its squash.
    shop.git(&["push", "-q", "-f", "origin", "main~1:main"]);
    shop.git(&["fetch", "-q"]);
    shop.git(&["reset", "-q", "--hard", "origin/main"]);
    shop.lands_squashed();
    shop.close(0);
    let kept = shop.git(&["for-each-ref", "--format=%(refname)", "refs/okstra/keep"]);
    assert_eq!(kept, format!("refs/okstra/keep/auth/login/task-{anchor}"));
    shop.collect();
    assert_eq!((shop.unsettled(), shop.ailments()), (Vec::new(), Vec::new()));
    shop.close(0);
    assert_eq!(shop.git(&["for-each-ref", "--format=%(refname)", "refs/okstra/keep"]), kept);
}

#[test]
fn what_is_restored_of_a_closed_task_has_no_places() {
    let shop = Shop::built(THREE, BOTH);
    shop.lands_squashed();
    shop.close(0);
    fs::remove_file(shop.home().join("worktrees/registry.json")).unwrap();
    fs::remove_dir_all(shop.folder.join(".okstra/tasks")).unwrap();
    shop.json(0, &["doctor", "--restore"]);
    let entry = shop.entry();
    assert_eq!(
        (&entry["worktree_path"], &entry["branch"], &entry["last_branch"]),
        (&json!(null), &json!(null), &json!(BRANCH))
    );
    assert_eq!((shop.unsettled(), shop.ailments()), (Vec::new(), Vec::new()));
    assert!(shop.task(0, &["status"])["closedAt"].is_string());
}
