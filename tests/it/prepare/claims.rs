//! Numbers of runs, and what a prepare that was killed leaves to the next one.

use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::shop::{Shop, manifest, stages};
use crate::common::{Ran, Run, host};

const BUILD: [&str; 2] = ["--type", "implementation"];

impl Shop {
    /// Prepares a run and kills that before the first change of a file whose name begins so.
    fn killed(&self, name: &str, arguments: &[&str]) {
        let mut command = self.sandbox.command(host());
        command.current_dir(&self.folder).env("OKSTRA_HOME", self.home()).args(["stop-at", name, "render-bundle"]);
        command.args(["--task", "auth/login", "--workers", "claude,codex"]).args(arguments);
        assert_eq!(command.output().unwrap().status.signal(), Some(9));
    }

    fn run_root(&self, task_type: &str) -> PathBuf {
        self.folder.join(".okstra/tasks/auth/login/runs").join(task_type)
    }

    fn branches(&self) -> String {
        self.sandbox.git(&self.folder, &["for-each-ref", "--format=%(refname:short)", "refs/heads"]).replace('\n', " ")
    }

    /// The names of the worktrees.
    fn worktrees(&self) -> Vec<String> {
        let listed = self.sandbox.git(&self.folder, &["worktree", "list", "--porcelain"]);
        let paths = listed.lines().filter_map(|line| line.strip_prefix("worktree "));
        paths.skip(1).map(|path| path.rsplit('/').next().unwrap().to_owned()).collect()
    }

    fn entry(&self) -> Value {
        let text = fs::read_to_string(self.home().join("worktrees/registry.json")).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["tasks"]["shop/auth/login"].clone()
    }

    fn worktree(&self, name: &str) -> PathBuf {
        self.home().join("worktrees/shop/auth").join(name)
    }

    fn prepared(&self, arguments: &[&str]) -> Ran {
        let fixed = ["render-bundle", "--task", "auth/login", "--workers", "claude,codex", "--json"];
        self.run(&[&fixed, arguments].concat())
    }
}

/// A shop with an approved plan, of which a first run was killed when everything but its manifest was there.
fn killed() -> (Shop, String) {
    let shop = Shop::new();
    shop.approve();
    fs::write(shop.folder.join(".gitignore"), "*.log\n.env\n").unwrap();
    fs::write(shop.folder.join(".worktreeinclude"), ".env\n").unwrap();
    fs::write(shop.folder.join(".env"), "secret\n").unwrap();
    shop.sandbox.git(&shop.folder, &["add", ".gitignore"]);
    shop.sandbox.git(&shop.folder, &["commit", "-q", "-m", "ignore"]);
    let brief = shop.brief("Build it.\n");
    shop.killed("run-manifest-", &[&BUILD[..], &["--brief", &brief, "--directive", "as I say"]].concat());
    assert_eq!(shop.branches(), "fix-login fix-login-s1 fix-login-s2 main");
    assert_eq!(shop.worktrees(), ["login", "login-s1", "login-s2"]);
    assert!(shop.run_root("implementation/instruction-set/001/directive.md").exists());
    (shop, brief)
}

#[test]
fn nothing_of_a_killed_prepare_is_left_after_the_next() {
    let (shop, brief) = killed();
    let args = ["--brief", &brief, "--branch", "topic/other", "--stage", "2", "--workers", "codex"];
    let ran = shop.run(&[&["render-bundle", "--task", "auth/login", "--json"], &BUILD[..], &args].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    let made = ran.json();
    assert_eq!((&made["run"], stages(&made)), (&json!("implementation-001"), vec![2]));
    assert_eq!(shop.branches(), "main topic/other topic/other-s2");
    assert_eq!(shop.worktrees(), ["login", "login-s2"]);
    let root = shop.run_root("implementation");
    let names = |folder: &str| {
        let mut names: Vec<_> =
            fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert!(
        !root.join("instruction-set/001/directive.md").exists()
            && !root.join("instruction-set/001/prepare.log").exists()
    );
    assert_eq!(names("prompts"), ["codex-implementation-001.md", "report-writer-implementation-001.md"]);
    let entry = shop.entry();
    assert_eq!((&entry["branch"], entry["stages"].as_object().unwrap().len()), (&json!("topic/other"), 1));
}

#[test]
fn what_holds_anything_of_anybodys_stays() {
    let (shop, brief) = killed();
    let work = shop.sandbox.commit(&shop.worktree("login-s1"), "a.txt", "work\n", "work");
    fs::write(shop.worktree("login-s2").join("notes.log"), "ignored by git, and somebody's\n").unwrap();
    let ran = shop.prepared(&["--type", "error-analysis"]);
    assert_eq!(ran.json()["code"], "usage", "it has no brief yet: {ran:?}");
    let ran = shop.prepared(&["--type", "error-analysis", "--brief", &brief]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.stderr.contains("login-s1`, which a prepare that was stopped had made, stays: something else"),
        "{ran:?}"
    );
    assert!(
        ran.stderr.contains("login-s2`, which a prepare that was stopped had made, stays: it holds `notes.log`"),
        "{ran:?}"
    );
    assert_eq!(shop.branches(), "fix-login fix-login-s1 fix-login-s2 main");
    let entry = shop.entry();
    for stage in ["1", "2"] {
        let held = &entry["stages"][stage];
        assert!(held["reserved_by"].is_null() && held["base_ref"].is_string(), "{entry}");
    }
    // The next run that builds goes on from there.
    let made = shop.prepare(0, &[&BUILD[..], &["--brief", &brief]].concat());
    assert_eq!((&made["run"], stages(&made)), (&json!("implementation-001"), vec![1, 2]));
    assert_eq!(shop.sandbox.git(&shop.worktree("login-s1"), &["rev-parse", "HEAD"]), work);
    assert!(shop.worktree("login-s2").join("notes.log").exists());
}

#[test]
fn what_was_changed_and_is_ignored_or_staged_is_somebodys() {
    let write = |shop: &Shop, file: &str| fs::write(shop.worktree("login-s1").join(file), "mine").unwrap();
    let detach = |shop: &Shop| drop(shop.sandbox.git(&shop.worktree("login-s1"), &["checkout", "-q", "--detach"]));
    for what in ["a.txt", ".env", "detached"] {
        let (shop, brief) = killed();
        match what {
            "detached" => detach(&shop),
            file => write(&shop, file),
        }
        let ran = shop.prepared(&["--type", "error-analysis", "--brief", &brief]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(shop.branches(), "fix-login fix-login-s1 main", "{what}");
        assert!(shop.worktrees().contains(&"login-s1".to_owned()) && ran.stderr.contains("stays"), "{what}: {ran:?}");
        // Untouched, it all goes.
        assert!(!shop.worktree("login-s2").exists());
    }
}

#[test]
fn a_claim_that_is_held_is_left_alone() {
    let (shop, brief) = killed();
    let lock = shop.run_root("implementation/instruction-set/001/prepare.lock");
    let mut holder = shop.sandbox.command(host()).arg("hold").arg(&lock).started();
    holder.stdout.as_mut().unwrap().read_exact(&mut [0; 5]).unwrap();
    let before = (shop.branches(), shop.entry());
    let made = shop.prepare(0, &["--type", "error-analysis", "--brief", &brief]);
    assert_eq!(made["run"], "error-analysis-001");
    assert_eq!((shop.branches(), shop.entry()), before);
    assert!(shop.run_root("implementation/instruction-set/001/directive.md").exists());
    // The process that reserved them is dead, so the stages are free all the same.
    let made = shop.prepare(0, &BUILD);
    assert_eq!((&made["run"], stages(&made)), (&json!("implementation-002"), vec![1, 2]));
}

#[test]
fn snapshots_of_a_killed_prepare_go_too() {
    let shop = Shop::new();
    let brief = shop.brief("Look.\n");
    let args = ["--category", "fix", "--brief", &brief];
    shop.killed("run-manifest-", &args);
    assert_eq!(shop.worktrees().len(), 2);
    let ran = shop.run(
        &[&["render-bundle", "--task", "auth/login", "--workers", "gemini", "--type", "error-analysis"], &args[..]]
            .concat(),
    );
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(shop.worktrees(), ["login-error-analysis-001-gemini"]);
}

#[test]
fn a_number_is_never_given_twice() {
    let shop = Shop::new();
    let brief = shop.brief("Look.\n");
    let look = ["--type", "error-analysis"];
    let next = || shop.prepare(0, &look)["run"].as_str().unwrap().to_owned();
    shop.prepare(0, &[&look[..], &["--category", "fix", "--brief", &brief]].concat());
    assert_eq!(next(), "error-analysis-002");
    let task = shop.folder.join(".okstra/tasks/auth/login");
    let lose = |what: &str| match task.join(what) {
        path if path.is_dir() => fs::remove_dir_all(path).unwrap(),
        path => fs::remove_file(path).unwrap(),
    };
    let with_brief =
        || shop.prepare(0, &[&look[..], &["--brief", &brief]].concat())["run"].as_str().unwrap().to_owned();
    // All files of the runs are lost; manifest and timeline know them.
    lose("runs");
    assert_eq!(with_brief(), "error-analysis-003");
    lose("runs");
    lose("timeline.jsonl");
    assert_eq!(with_brief(), "error-analysis-004");
    // Only the mirror knows them.
    lose("runs");
    lose("timeline.jsonl");
    let path = task.join("task-manifest.json");
    let mut document: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    document["phases"] = json!({});
    fs::write(&path, document.to_string()).unwrap();
    assert_eq!(with_brief(), "error-analysis-005");
    // Nothing is on disk: the task is lost, and not a new one.
    fs::remove_dir_all(&task).unwrap();
    let refused = shop.prepare(1, &[&look[..], &["--category", "fix", "--brief", &brief]].concat());
    assert_eq!(refused["code"], "lost-records");
    assert!(refused["hint"].as_str().unwrap().contains("okstra doctor --restore --task auth/login"), "{refused}");
    assert!(!task.exists());
    // Of runs that build, the log knows too.
    shop.json(0, &["doctor", "--restore", "--task", "auth/login"]);
    shop.approve();
    let built = shop.prepare(0, &[&BUILD[..], &["--brief", &brief]].concat());
    assert_eq!(built["run"], "implementation-001");
    let text = fs::read_to_string(task.join("runs/implementation-planning/consumers.jsonl")).unwrap();
    assert!(text.contains("implementation-001"), "{text}");
    for lost in ["runs/implementation", "timeline.jsonl"] {
        lose(lost);
    }
    fs::write(&path, document.to_string()).unwrap();
    shop.sandbox.git(&shop.folder, &["update-ref", "-d", "refs/okstra/state/auth/login"]);
    let again = shop.prepare(0, &[&BUILD[..], &["--brief", &brief]].concat());
    assert_eq!(again["run"], "implementation-002", "{}", manifest(&again));
}
