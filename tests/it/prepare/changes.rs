//! What people and other processes change around a run: several prepares at once, history rewritten outside, another plan.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::shop::{Shop, manifest, stages};
use crate::common::{OKSTRA, Ran, Run, Started};

const BUILD: [&str; 2] = ["--type", "implementation"];
/// Stages one after the other, and one that needs two of them.
const CHAIN: [super::shop::Planned<'_>; 4] =
    [("One", "(none)", 6, "a.txt"), ("Two", "1", 6, "b.txt"), ("Three", "1", 6, "c.txt"), ("Four", "1, 2", 6, "d.txt")];

impl Shop {
    fn started(&self, arguments: &[&str]) -> Started {
        let mut command = self.sandbox.command(OKSTRA);
        command.current_dir(&self.folder).env("OKSTRA_HOME", self.home()).args([
            "render-bundle",
            "--task",
            "auth/login",
        ]);
        command.args(["--workers", "claude,codex", "--json"]).args(arguments).started()
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.sandbox.git(&self.folder, arguments)
    }

    fn worktree_of(&self, stage: u32) -> PathBuf {
        self.home().join(format!("worktrees/shop/auth/login-s{stage}"))
    }

    fn rows(&self) -> Vec<Value> {
        let path = self.folder.join(".okstra/tasks/auth/login/runs/implementation-planning/consumers.jsonl");
        fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Runs a line by a shell that finds this okstra by its name.
    fn shell(&self, line: &str) -> Ran {
        let folder = Path::new(OKSTRA).parent().unwrap();
        let mut command = self.sandbox.command("sh");
        let path = command.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, path)| path).unwrap();
        let path = std::env::join_paths(std::iter::once(folder.into()).chain(std::env::split_paths(path))).unwrap();
        command.env("PATH", path).env("OKSTRA_HOME", self.home()).args(["-c", line]).ran()
    }
}

/// A shop whose stage 1 of a chain is done, by a run that is open.
fn first_done() -> (Shop, String) {
    let shop = Shop::new();
    shop.approve_stages(&CHAIN);
    let brief = shop.brief("Build it.\n");
    let made = shop.prepare(0, &[&BUILD[..], &["--brief", &brief]].concat());
    assert_eq!(stages(&made), [1]);
    shop.build(1, "a.txt");
    let done = shop.sandbox.git(&shop.worktree_of(1), &["rev-parse", "HEAD"]);
    (shop, done)
}

#[test]
fn prepares_at_the_same_moment_get_different_stages() {
    let shop = Shop::new();
    let none = "(none)";
    shop.approve_stages(&[("One", none, 6, "a.txt"), ("Two", none, 6, "b.txt"), ("Three", none, 6, "c.txt")]);
    let brief = shop.brief("Build it.\n");
    shop.save();
    for round in 0..8 {
        shop.restore();
        // Of four, one comes away with nothing. The first of them make the place of the task, too.
        let all: Vec<_> = (0..4).map(|_| shop.started(&[&BUILD[..], &["--brief", &brief]].concat())).collect();
        let (mut taken, mut runs, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for child in all {
            let ran = child.ran();
            match ran.code {
                Some(0) => {
                    taken.extend(stages(&ran.json()));
                    runs.push(ran.json()["run"].as_str().unwrap().to_owned());
                }
                _ => refused.push(ran.json()["code"].as_str().unwrap_or_default().to_owned() + &ran.stderr),
            }
        }
        taken.sort_unstable();
        runs.sort();
        assert_eq!((taken, refused), (vec![1, 2, 3], vec!["no-stage-ready".to_owned()]), "round {round}");
        runs.dedup();
        assert_eq!(runs.len(), 3, "round {round}");
        let found = shop.run(&["doctor", "--json"]).json();
        let bad = found["checks"].as_array().unwrap().iter().filter(|check| check["name"] != "agents");
        let bad: Vec<_> = bad.filter(|check| check["status"] != "ok").collect();
        assert!(bad.is_empty(), "round {round}: {bad:#?}");
    }
}

#[test]
fn a_run_goes_on_by_itself_after_a_rebase() {
    let (shop, old) = first_done();
    shop.sandbox.commit(&shop.folder, "z.txt", "main moved on\n", "main moved on");
    shop.sandbox.git(&shop.worktree_of(1), &["rebase", "-q", "main"]);
    let new = shop.sandbox.git(&shop.worktree_of(1), &["rev-parse", "HEAD"]);
    let ran = shop.started(&[&BUILD[..], &["--stage", "2"]].concat()).ran();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let said = format!("git-reconcile: stage 1 done commit {} -> {} (patch-equivalent)", &old[..8], &new[..8]);
    assert!(ran.stderr.contains(&said), "{ran:?}");
    assert_eq!(ran.json()["stages"][0]["base"], json!(new));
}

#[test]
fn a_run_goes_on_by_itself_after_a_squash_and_deleted_branches() {
    let (shop, first) = first_done();
    let second = shop.prepare(0, &[&BUILD[..], &["--stage", "2"]].concat());
    assert_eq!(second["stages"][0]["base"], json!(first));
    shop.build(2, "b.txt");
    // Somebody squashes both into the task branch and deletes theirs, and collects what nothing reaches.
    let task = shop.home().join("worktrees/shop/auth/login");
    shop.sandbox.git(&task, &["merge", "-q", "--squash", "fix-login-s2"]);
    shop.sandbox.git(&task, &["commit", "-q", "-m", "both"]);
    for stage in [1, 2] {
        shop.git(&["worktree", "remove", shop.worktree_of(stage).to_str().unwrap()]);
        shop.git(&["branch", "-q", "-D", &format!("fix-login-s{stage}")]);
    }
    shop.git(&["reflog", "expire", "--expire=all", "--all"]);
    shop.git(&["gc", "-q", "--prune=now"]);
    let fourth = shop.prepare(0, &[&BUILD[..], &["--stage", "4"]].concat());
    assert_eq!(fourth["stages"][0]["base"], json!(shop.git(&["rev-parse", "fix-login"])));
    let third = shop.prepare(0, &[&BUILD[..], &["--stage", "3"]].concat());
    assert_eq!(stages(&third), [3]);
}

#[test]
fn an_amend_is_put_before_a_person_and_the_printed_commands_are_the_way_on() {
    let (shop, old) = first_done();
    fs::write(shop.worktree_of(1).join("a.txt"), "after review\n").unwrap();
    shop.sandbox.git(&shop.worktree_of(1), &["commit", "-q", "-a", "--amend", "-m", "after review"]);
    let new = shop.sandbox.git(&shop.worktree_of(1), &["rev-parse", "HEAD"]);
    let before = (shop.rows(), shop.git(&["for-each-ref"]), shop.git(&["worktree", "list"]));
    let arguments =
        [&["render-bundle", "--task", "auth/login"], &BUILD[..], &["--stage", "2", "--workers", "codex"]].concat();
    let ran = shop.run(&arguments);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("Recorded stage SHAs no longer match the git history"), "{ran:?}");
    assert_eq!((shop.rows(), shop.git(&["for-each-ref"]), shop.git(&["worktree", "list"])), before);
    let commands: Vec<_> =
        ran.stderr.lines().map(str::trim).filter(|line| line.starts_with("okstra git-reconcile")).collect();
    assert_eq!(commands.len(), 2, "{ran:?}");
    let inspected = shop.shell(commands[0]);
    assert_eq!((inspected.code, &inspected.json()["items"][0]["recorded"]), (Some(2), &json!(old)), "{inspected:?}");
    let applied = shop.shell(commands[1]);
    assert_eq!(applied.code, Some(0), "{applied:?}");
    let ran = shop.run(&[&arguments[..], &["--json"]].concat());
    assert_eq!((ran.code, &ran.json()["stages"][0]["base"]), (Some(0), &json!(new)), "{ran:?}");
}

#[test]
fn a_new_plan_keeps_what_did_not_change_and_a_prepared_run_keeps_its_own() {
    let shop = Shop::new();
    let none = "(none)";
    let stages_of = |second| [("One", none, 4, "a.txt"), (second, none, 4, "b.txt"), ("Three", none, 4, "c.txt")];
    shop.approve_stages(&stages_of("Two"));
    let brief = shop.brief("Build it.\n");
    let first = shop.prepare(0, &[&BUILD[..], &["--brief", &brief]].concat());
    assert_eq!(stages(&first), [1, 2]);
    shop.build(1, "a.txt");
    let second = shop.prepare(0, &BUILD);
    assert_eq!(stages(&second), [3]);
    let (prompt, plan) =
        (fs::read_to_string(second["launchPrompt"].as_str().unwrap()).unwrap(), manifest(&second)["plan"].clone());
    // Stage 2 is done by the plan that it was prepared with, and that has changed meanwhile.
    shop.approve_stages(&stages_of("Two, otherwise"));
    shop.build(2, "b.txt");
    shop.build(3, "c.txt");
    shop.sandbox.commit(&shop.worktree_of(2), "b.txt", "more\n", "more");
    let again = shop.json(1, &["stage", "done", "--task", "auth/login", "--stage", "2"]);
    assert_eq!(again["code"], "done-already");
    let of =
        |stage: u64| shop.rows().into_iter().rfind(|row| row["stage"] == stage && row["status"] == "done").unwrap();
    assert_eq!((&of(2)["plan"], &of(3)["plan"]), (&manifest(&first)["plan"]["id"], &plan["id"]));
    assert_eq!(fs::read_to_string(second["launchPrompt"].as_str().unwrap()).unwrap(), prompt);
    let listed = shop.json(0, &["stage", "list", "--task", "auth/login"]);
    let done: Vec<_> = listed["stages"].as_array().unwrap().iter().filter(|stage| stage["state"] == "done").collect();
    let done: Vec<_> = done.iter().map(|stage| stage["stage"].as_u64().unwrap()).collect();
    assert_eq!(done, [1, 3], "{listed}");
    for run in ["implementation-001", "implementation-002"] {
        shop.json(0, &["abandon", run, "--task", "auth/login", "--reason", "over", "--yes"]);
    }
    let third = shop.prepare(0, &BUILD);
    assert_eq!((stages(&third), &third["stages"][0]["title"]), (vec![2], &json!("Two, otherwise")));
    assert_ne!(manifest(&third)["plan"]["id"], plan["id"]);
}
