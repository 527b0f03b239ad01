//! Commands that are killed at each of their changes, and at each of their calls of git: what is there reads well, and the
//! same command again ends as if nothing had happened.

use std::fs;
use std::os::unix::process::ExitStatusExt;

use okstra::context::{Context, Environment};
use okstra::ops::lifecycle;
use serde_json::Value;

use super::shop::Shop;
use super::state::State;
use crate::common::{OKSTRA, host};

/// Where a command is killed.
#[derive(Clone, Copy, Debug)]
enum Stop {
    /// At this step of its changes to files.
    File(u32),
    /// Before this call of git.
    BeforeGit(u32),
    /// After this call of git.
    AfterGit(u32),
}

impl Shop {
    /// Runs a command and kills it there. Answers whether it got so far.
    fn stopped(&self, stop: Stop, arguments: &[&str]) -> bool {
        let count = self.sandbox.path().join("calls of git");
        let _ = fs::remove_file(&count);
        let (program, first) = match stop {
            Stop::File(step) => (host(), vec!["stop-at".to_owned(), step.to_string()]),
            Stop::BeforeGit(_) | Stop::AfterGit(_) => (OKSTRA.into(), vec![]),
        };
        let (at, before) = match stop {
            Stop::File(_) => (0, ""),
            Stop::BeforeGit(call) => (call, "yes"),
            Stop::AfterGit(call) => (call, ""),
        };
        let git = self.git_that_kills();
        let mut command = self.sandbox.command(program);
        command.current_dir(&self.folder).env("OKSTRA_HOME", self.home()).args(first).args(arguments);
        command.env("PATH", git).env("COUNT", &count).env("STOP", at.to_string()).env("BEFORE", before);
        let status = command.output().unwrap().status;
        assert!(status.signal() == Some(9) || status.code() == Some(0), "{stop:?} {arguments:?}: {status}");
        status.signal() == Some(9)
    }

    /// A PATH whose git kills who called it, when it is told to.
    fn git_that_kills(&self) -> std::ffi::OsString {
        let folder = self.sandbox.path().join("killing");
        let outside = std::env::var_os("PATH").unwrap();
        let real = std::env::split_paths(&outside).map(|folder| folder.join("git")).find(|git| git.exists()).unwrap();
        if !folder.exists() {
            let script = format!(
                "n=$(cat \"$COUNT\" 2>/dev/null); n=$((n + 1)); echo $n > \"$COUNT\"\n\
                 [ $n = \"$STOP\" ] || exec {real} \"$@\"\n\
                 [ -n \"$BEFORE\" ] || {real} \"$@\"\nkill -9 $PPID",
                real = real.display()
            );
            self.sandbox.program(&folder.join("git"), &script);
        }
        std::env::join_paths([folder, "/usr/bin".into(), "/bin".into()]).unwrap()
    }

    /// What is there reads well, and nothing of it is lost or astray.
    fn reads_well(&self) {
        let found = self.run(&["doctor", "--json"]).json();
        let bad = |check: &&Value| {
            let name = check["name"].as_str().unwrap();
            check["status"] == "problem" && name != "mirror"
        };
        let bad: Vec<_> = found["checks"].as_array().unwrap().iter().filter(bad).collect();
        assert!(bad.is_empty(), "{bad:#?}");
        let tasks = self.run(&["tasks", "--json"]);
        assert_eq!(tasks.code, Some(0), "{tasks:?}");
    }

    /// doctor has nothing to say.
    fn is_well(&self) {
        let found = self.run(&["doctor", "--json"]).json();
        let bad = |check: &&Value| check["status"] != "ok" && check["name"] != "agents";
        let bad: Vec<_> = found["checks"].as_array().unwrap().iter().filter(bad).collect();
        assert!(bad.is_empty(), "{bad:#?}");
    }

    fn context(&self) -> Context {
        let variables = self.sandbox.command("true");
        let variables = variables.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        let environment: Environment = variables.collect();
        Context::new(&self.folder, environment.with("OKSTRA_HOME", self.home()))
    }

    /// Kills a command everywhere, and does it again after each time. Where there is a file that says that it was done,
    /// `exists`, the next command that changes anything completes it.
    fn kill_everywhere(&self, arguments: &[&str], exists: Option<&str>) {
        self.save();
        self.json(0, arguments);
        self.is_well();
        let undisturbed = self.state();
        let mut counts = [0; 3];
        let kinds: [fn(u32) -> Stop; 3] = [Stop::File, Stop::BeforeGit, Stop::AfterGit];
        for (kind, count) in kinds.into_iter().zip(&mut counts) {
            for step in 1.. {
                self.restore();
                if !self.stopped(kind(step), arguments) {
                    break;
                }
                *count = step;
                self.reads_well();
                match exists.is_some_and(|exists| self.folder.join(exists).exists()) {
                    true => drop(lifecycle::complete_registrations(&self.context(), &self.folder).unwrap()),
                    false => drop(self.json(0, arguments)),
                }
                compare(kind(step), &undisturbed, &self.state());
            }
        }
        assert!(counts.iter().all(|count| *count > 2) && counts.iter().sum::<u32>() > 12, "{counts:?}");
    }
}

fn compare(stop: Stop, expected: &State, found: &State) {
    for (name, text) in expected {
        assert_eq!(found.get(name), Some(text), "{stop:?}: {name}");
    }
    let more: Vec<_> = found.keys().filter(|name| !expected.contains_key(*name)).collect();
    assert!(more.is_empty(), "{stop:?}: {more:?}");
}

#[test]
fn the_first_run_of_a_task() {
    let shop = Shop::new();
    let brief = shop.brief("Look into it.\n");
    let arguments = ["render-bundle", "--task", "auth/login", "--workers", "claude,codex", "--category", "fix"];
    let manifests = ".okstra/tasks/auth/login/runs/requirements-discovery/manifests";
    let exists = format!("{manifests}/run-manifest-requirements-discovery-001.json");
    shop.kill_everywhere(&[&arguments[..], &["--brief", &brief]].concat(), Some(&exists));
}

#[test]
fn a_run_that_builds() {
    let shop = Shop::new();
    shop.approve();
    let brief = shop.brief("Build it.\n");
    fs::write(shop.folder.join(".worktreeinclude"), ".env\n").unwrap();
    fs::write(shop.folder.join(".env"), "secret\n").unwrap();
    let arguments = ["render-bundle", "--task", "auth/login", "--workers", "claude,codex", "--type", "implementation"];
    let exists = ".okstra/tasks/auth/login/runs/implementation/manifests/run-manifest-implementation-001.json";
    shop.kill_everywhere(&[&arguments[..], &["--brief", &brief]].concat(), Some(exists));
}

/// A shop of which two stages are built and not recorded.
fn built() -> Shop {
    let shop = Shop::new();
    shop.approve();
    let brief = shop.brief("Build it.\n");
    shop.prepare(0, &["--type", "implementation", "--brief", &brief]);
    for (stage, file) in [(1, "a.txt"), (2, "b.txt")] {
        let worktree = shop.home().join(format!("worktrees/shop/auth/login-s{stage}"));
        shop.sandbox.commit(&worktree, file, "work\n", "work");
    }
    shop
}

#[test]
fn a_stage_that_is_done() {
    built().kill_everywhere(&["stage", "done", "--task", "auth/login", "--stage", "1"], None);
}

#[test]
fn stages_that_are_integrated() {
    let shop = built();
    for stage in ["1", "2"] {
        shop.json(0, &["stage", "done", "--task", "auth/login", "--stage", stage]);
    }
    shop.kill_everywhere(&["stage", "integrate", "--task", "auth/login"], None);
}

#[test]
fn a_run_that_is_finished() {
    let shop = Shop::new();
    let brief = shop.brief("Look into it.\n");
    let prepared = shop.prepare(0, &["--category", "fix", "--brief", &brief]);
    let report = prepared["paths"]["report"].as_str().unwrap();
    fs::create_dir_all(std::path::Path::new(report).parent().unwrap()).unwrap();
    fs::write(report, "# Report\n").unwrap();
    shop.kill_everywhere(&["finish", "--task", "auth/login", "--route", "full", "requirements-discovery-001"], None);
}
