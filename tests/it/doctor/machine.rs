//! What doctor finds on a machine, whatever the project.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::{command, project, said};
use crate::common::story::Story;
use crate::common::{OKSTRA, Ran, Run, Sandbox};

/// Everything that is said, as one text.
fn all(ran: &Ran) -> String {
    said(&ran.json()).into_iter().map(|(found, advice)| format!("{found} -> {advice}\n")).collect()
}

/// A folder with a `git` in it that does as `script` says.
fn fake_git(story: &Story, script: &str) -> PathBuf {
    let folder = story.sandbox.path().join("fake");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("git"), format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(folder.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

#[test]
fn git_has_to_be_there_and_new_enough() {
    let cases = [
        ("echo git version 2.38.0", 0, "ok git: git version 2.38.0"),
        ("echo git version 2.37.9", 0, "warning git: git version 2.37.9 is older than 2.38"),
        ("echo no git", 0, "warning git: `no git` says no version"),
        ("exit 3", 2, "problem git: `git --version` failed"),
    ];
    let story = project();
    for (script, code, expected) in cases {
        let ran = command(&story, &["--json"]).env("PATH", fake_git(&story, script)).ran();
        assert_eq!(ran.code, Some(code), "{ran:?}");
        assert!(all(&ran).contains(expected), "{expected}: {}", all(&ran));
    }
    let ran = command(&story, &["--json"]).env("PATH", story.sandbox.path().join("nowhere")).ran();
    assert_eq!(ran.code, Some(2));
    assert!(all(&ran).contains("problem git: git is not installed"), "{}", all(&ran));
}

#[test]
fn okstras_own_folder_has_to_take_files_and_locks() {
    let story = project();
    let run = |home: &Path| {
        let mut command = command(&story, &["--json"]);
        command.env("OKSTRA_HOME", home);
        if rustix::process::geteuid().is_root() {
            command.uid(65_534);
        }
        command.ran()
    };
    let allow = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    allow(story.sandbox.path(), 0o755);
    allow(&story.home(), 0o777);
    let ran = run(&story.home());
    assert!(all(&ran).contains("can be written to") && all(&ran).contains("ok locks: "), "{}", all(&ran));
    let names = || fs::read_dir(story.home()).unwrap().count();
    assert_eq!(names(), 1, "nothing is left behind");
    allow(&story.home(), 0o555);
    for home in [story.home(), story.home().join("not/there")] {
        let ran = run(&home);
        let expected = format!("problem home: okstra's own folder `{}` cannot be written to", home.display());
        assert!(ran.code == Some(2) && all(&ran).contains(&expected), "{}", all(&ran));
        assert!(!all(&ran).contains(" locks: "));
    }
    allow(&story.home(), 0o777);
    let file = story.home().join("file");
    fs::write(&file, "").unwrap();
    let ran = run(&file.join("below"));
    assert!(ran.code == Some(2) && all(&ran).contains("problem home: "), "{}", all(&ran));
    let ran = command(&story, &["--json"]).env_remove("OKSTRA_HOME").env_remove("HOME").ran();
    assert!(ran.code == Some(2) && all(&ran).contains("problem home: neither OKSTRA_HOME nor"), "{}", all(&ran));
}

#[test]
fn where_there_is_no_project_the_machine_alone_is_checked_and_that_is_said() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repository");
    sandbox.git(sandbox.path(), &["init", "-q", "--bare", "bare.git"]);
    let cases = [
        (sandbox.path().to_owned(), "is not in a git repository"),
        (repository, "is no okstra project: it has no .okstra/project.json"),
        (sandbox.path().join("bare.git"), "is not the root of a worktree"),
    ];
    for (folder, why) in cases {
        let ran = sandbox.okstra_in(&folder, ["doctor", "--json"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
        let names: Vec<_> =
            ran.json()["checks"].as_array().unwrap().iter().map(|check| check["name"].clone()).collect();
        let setup = ["installation", "agents", "agents", "agents", "tmux"];
        assert_eq!(names, [&["okstra", "git", "home", "locks"][..], &setup, &["project"]].concat());
        let said = all(&ran);
        assert!(said.contains(why) && said.contains("so only the machine was checked"), "{said}");
        assert!(!folder.join(".okstra").exists());
    }
    assert!(!sandbox.path().join("home/.okstra").exists());
}

#[test]
fn a_project_that_was_named_has_to_be_there() {
    let sandbox = Sandbox::new();
    let outside = sandbox.path().to_str().unwrap();
    for (root, code) in [(outside, "not-a-repository"), ("nowhere", "no-such-folder")] {
        let ran = sandbox.okstra(["doctor", "--json", "--project-root", root]);
        assert_eq!((ran.code, &ran.json()["code"]), (Some(1), &json!(code)), "{ran:?}");
    }
}

#[test]
fn a_repository_that_cannot_be_read_is_a_problem_and_the_machine_is_checked() {
    let sandbox = Sandbox::new();
    let folder = sandbox.repository("broken");
    fs::write(folder.join(".git/config"), "[core").unwrap();
    let ran = sandbox.command(OKSTRA).current_dir(&folder).args(["doctor", "--json"]).ran();
    assert!(ran.code == Some(2) && all(&ran).contains("problem repository: "), "{ran:?}");
    assert!(all(&ran).contains("ok locks: "));
}
