//! What is lost comes back from the mirror, and what is there stays.

use std::fs;
use std::path::Path;

use okstra::domain::moment::Moment;
use okstra::git::{NewSnapshot, SnapshotFile};
use serde_json::json;

use super::{doctor, entry, files, files_in, lose_home, lose_okstra, project, restore, texts, worktree, write};
use crate::common::story::{KEY, Story};
use crate::common::{OKSTRA, Run};

/// Everything of the repository that is the user's.
fn users(story: &Story) -> (String, String, Vec<u8>, String) {
    let status = story.git(&["--no-optional-locks", "status", "--porcelain=v2", "--branch", "--ignored=no"]);
    let index = fs::read(story.shop.join(".git/index")).unwrap();
    (status, story.git(&["for-each-ref"]), index, story.git(&["worktree", "list", "--porcelain"]))
}

#[test]
fn what_was_lost_comes_back_and_says_the_same_as_before() {
    for (okstra, home) in [(true, false), (false, true), (true, true)] {
        let story = project();
        let (before, items) = (files(&story), story.json(0, &["--all"]));
        assert_eq!(items["items"].as_array().unwrap().len(), 5, "anchor, two stages, two gates: {items}");
        let anchor = entry(&story)["implementation_base_commit"].clone();
        if okstra {
            lose_okstra(&story);
        }
        if home {
            lose_home(&story);
        }
        let users_before = users(&story);
        let outcome = restore(&story, 0, &[]);
        assert_eq!(outcome["tasks"], json!(["auth/login"]));
        let lost: Vec<&String> = before.keys().filter(|_| okstra).collect();
        let mut restored = texts(&outcome["restored"]);
        restored.sort_unstable();
        assert_eq!(restored, lost);
        assert_eq!(outcome["registry"], if home { json!([KEY]) } else { json!([]) });
        assert_eq!(outcome["kept"], json!(if okstra { 0 } else { before.len() - 1 }), "all but .gitignore");
        for list in ["differing", "ignored", "refused"] {
            assert_eq!(outcome[list], json!([]), "{list}");
        }
        let ignored = fs::read_to_string(story.shop.join(".okstra/.gitignore")).unwrap();
        assert_eq!(ignored.contains("!/project.json"), okstra, "{ignored}");
        let without = |mut files: std::collections::BTreeMap<String, Vec<u8>>| {
            files.remove(".okstra/.gitignore");
            files
        };
        assert_eq!(without(files(&story)), without(before));
        assert_eq!(entry(&story)["implementation_base_commit"], anchor);
        if home {
            assert_eq!(entry(&story)["worktree_path"], json!(worktree(&story)));
            assert_eq!(entry(&story)["git_common_dir"], json!(story.shop.canonicalize().unwrap().join(".git")));
        }
        assert_eq!(story.json(0, &["--all"]), items);
        let users_after = users(&story);
        assert_eq!(
            (&users_after.1, &users_after.2, &users_after.3),
            (&users_before.1, &users_before.2, &users_before.3)
        );
        // Only what the .gitignore lets through may be seen.
        let seen: Vec<_> = users_after.0.lines().filter(|line| line.starts_with('?')).collect();
        assert_eq!(seen, if okstra { vec!["? .okstra/"] } else { vec![] });
        twice_changes_nothing(&story);
    }
}

fn twice_changes_nothing(story: &Story) {
    let times = |story: &Story| {
        let paths = files(story).into_keys().map(|path| story.shop.join(path)).chain([story.registry()]);
        paths.map(|path| (fs::metadata(&path).unwrap().modified().unwrap(), path)).collect::<Vec<_>>()
    };
    let (before, refs) = (times(story), story.git(&["for-each-ref"]));
    let again = restore(story, 0, &[]);
    assert_eq!((&again["restored"], &again["registry"], &again["differing"]), (&json!([]), &json!([]), &json!([])));
    assert_eq!((times(story), story.git(&["for-each-ref"])), (before, refs));
}

#[test]
fn what_is_there_stays_byte_for_byte() {
    let story = project();
    let manifest = story.shop.join(".okstra/tasks/auth/login/task-manifest.json");
    let mine = [
        (story.log(), "not even a log"),
        (story.shop.join(".okstra/project.json"), "{\"projectId\":\"shop\",\"mine\":1}"),
        (story.shop.join(".okstra/prompts/workers/ü b.md"), ""),
        (story.shop.join(".okstra/tasks/auth/login/new"), "not mirrored"),
        (story.shop.join(".okstra/.gitignore"), "mine"),
    ];
    for (path, content) in &mine {
        fs::write(path, content).unwrap();
    }
    fs::remove_file(&manifest).unwrap();
    let registry = fs::read(story.registry()).unwrap();
    let outcome = restore(&story, 0, &[]);
    assert_eq!(texts(&outcome["restored"]), [".okstra/tasks/auth/login/task-manifest.json"]);
    let mut differing = texts(&outcome["differing"]);
    differing.sort_unstable();
    let log = ".okstra/tasks/auth/login/runs/implementation-planning/consumers.jsonl";
    assert_eq!(differing, [".okstra/project.json", ".okstra/prompts/workers/ü b.md", log]);
    for (path, content) in &mine {
        assert_eq!(&fs::read_to_string(path).unwrap(), content, "{path:?}");
    }
    assert_eq!(fs::read(story.registry()).unwrap(), registry);
}

#[test]
fn another_clone_goes_on_with_what_it_fetched() {
    let story = project();
    let items = story.json(0, &["--all"]);
    let clone = story.sandbox.path().join("clone");
    story.sandbox.git(story.sandbox.path(), &["clone", "-q", "shop", "clone"]);
    story.sandbox.git(&clone, &["fetch", "-q", "origin", "refs/okstra/*:refs/okstra/*"]);
    let run = |arguments: &[&str]| {
        let mut command = story.sandbox.command(OKSTRA);
        command.current_dir(&clone).env("OKSTRA_HOME", story.sandbox.path().join("other home")).args(arguments).ran()
    };
    let ran = run(&["doctor", "--restore", "--json"]);
    assert_eq!((ran.code, &ran.json()["registry"]), (Some(0), &json!([KEY])), "{ran:?}");
    let mut expected = files(&story);
    let mut found = files_in(&clone);
    expected.remove(".okstra/.gitignore");
    found.remove(".okstra/.gitignore");
    assert_eq!(found, expected);
    let reconciled = run(&["git-reconcile", "--task", "auth/login", "--all", "--json"]);
    let classes = |document: &serde_json::Value| {
        let items = document["items"].as_array().unwrap().iter();
        items.map(|item| (item["kind"].clone(), item["classification"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(classes(&reconciled.json()), classes(&items), "{reconciled:?}");
    // On the same machine the first clone holds the task.
    fs::remove_dir_all(clone.join(".okstra")).unwrap();
    let mut here = story.sandbox.command(OKSTRA);
    let here = here.current_dir(&clone).env("OKSTRA_HOME", story.home()).args(["doctor", "--restore", "--json"]).ran();
    let outcome = here.json();
    assert_eq!((here.code, &outcome["registry"]), (Some(2), &json!([])), "{outcome}");
    assert!(outcome["refused"][0]["reason"].as_str().unwrap().contains("another clone"), "{outcome}");
    assert_eq!(outcome["restored"].as_array().unwrap().len(), expected.len() + 1);
    assert_eq!(entry(&story)["git_common_dir"], json!(story.shop.join(".git")));
}

#[test]
fn records_lie_in_the_main_worktree_wherever_one_stands() {
    let story = project();
    let linked = story.sandbox.path().join("linked");
    story.git(&["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
    fs::create_dir(linked.join("below")).unwrap();
    fs::create_dir(story.shop.join("below")).unwrap();
    for folder in [&linked, &linked.join("below"), &story.shop.join("below")] {
        lose_okstra(&story);
        let mut command = story.sandbox.command(OKSTRA);
        let ran = command.current_dir(folder).env("OKSTRA_HOME", story.home()).args(["doctor", "--restore"]).ran();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(story.log().is_file() && !linked.join(".okstra").exists() && !folder.join(".okstra").exists());
    }
}

#[test]
fn without_a_main_worktree_the_folder_has_to_be_named() {
    let story = project();
    let bare = story.sandbox.path().join("bare.git");
    story.sandbox.git(story.sandbox.path(), &["clone", "-q", "--mirror", "shop", "bare.git"]);
    let tree = story.sandbox.path().join("tree");
    story.sandbox.git(&bare, &["worktree", "add", "-q", "--detach", tree.to_str().unwrap(), "main"]);
    let run = |arguments: &[&str]| {
        let mut command = story.sandbox.command(OKSTRA);
        command
            .current_dir(&bare)
            .env("OKSTRA_HOME", story.sandbox.path().join("h"))
            .arg("doctor")
            .args(arguments)
            .ran()
    };
    let refused = run(&["--restore", "--json"]);
    assert_eq!((refused.code, &refused.json()["code"]), (Some(1), &json!("not-a-project-root")), "{refused:?}");
    assert!(!bare.join(".okstra").exists());
    let named = run(&["--restore", "--json", "--project-root", tree.to_str().unwrap()]);
    assert_eq!(named.code, Some(0), "{named:?}");
    assert!(tree.join(".okstra/project.json").is_file());
}

#[test]
fn a_request_that_is_wrong_is_refused_and_says_what_there_is() {
    let story = project();
    lose_okstra(&story);
    let below = story.shop.join("below");
    fs::create_dir(&below).unwrap();
    let cases = [
        (vec!["--restore", "--task", "auth/other"], "no-mirror", "these are mirrored: auth/login"),
        (vec!["--restore", "--task", "nonsense"], "bad-name", ""),
        (vec!["--task", "auth/login"], "usage", "--restore --task"),
        (vec!["--restore", "--project-root", "below"], "not-a-project-root", "--project-root '"),
        (vec!["--restore", "--project-root", "nowhere"], "no-such-folder", ""),
    ];
    for (arguments, code, hint) in cases {
        let ran = doctor(&story, &[&arguments[..], &["--json"]].concat());
        let document = ran.json();
        assert_eq!((ran.code, &document["code"]), (Some(1), &json!(code)), "{arguments:?}: {document}");
        let said = document["hint"].as_str().unwrap_or_default();
        assert!(said.contains(hint), "{arguments:?}: {document}");
    }
    assert!(!story.shop.join(".okstra").exists() && !below.join(".okstra").exists());
}

#[test]
fn where_nothing_is_mirrored_nothing_is_made() {
    let story = Story::new();
    let outcome = restore(&story, 0, &[]);
    assert_eq!((&outcome["tasks"], &outcome["restored"]), (&json!([]), &json!([])));
    assert!(!story.shop.join(".okstra").exists());
    let said = doctor(&story, &["--restore"]).stdout;
    assert!(said.starts_with("nothing  no task is mirrored") && said.contains("okstra task fetch"), "{said}");
    let named = doctor(&story, &["--restore", "--task", "auth/login", "--json"]);
    assert!(named.json()["hint"].as_str().unwrap().contains("okstra task fetch"), "{named:?}");
}

/// Adds a mirror of the task `auth/<id>` that was written at `at`.
fn add_mirror(story: &Story, id: &str, at: i64, files: &[(&str, &str)]) {
    let files: Vec<_> = files
        .iter()
        .map(|(path, content)| SnapshotFile { path: path.as_bytes().into(), content: content.as_bytes().to_vec() })
        .collect();
    let context = story.context();
    let repository = okstra::git::Repository::discover(&story.shop).unwrap();
    let new = NewSnapshot { files: &files, message: "m", at: Moment::from_seconds(at), more_parents: &[] };
    repository.write_snapshot(&context, &format!("refs/okstra/state/auth/{id}"), &new).unwrap();
}

#[test]
fn what_tasks_share_is_taken_from_the_mirror_that_was_written_last() {
    for (at, newer) in [(1, false), (4_000_000_000, true)] {
        let story = project();
        let other = r#"{"projectId":"shop","newer":true}"#;
        let own = [("project.json", other), ("prompts/b", "b"), ("tasks/auth/b/task-manifest.json", "{}")];
        add_mirror(&story, "b", at, &own);
        for arguments in [&[][..], &["--task", "auth/login"]] {
            lose_okstra(&story);
            let outcome = restore(&story, 0, arguments);
            let text = fs::read_to_string(story.shop.join(".okstra/project.json")).unwrap();
            assert_eq!(text == other, newer, "{text}");
            assert_eq!(story.shop.join(".okstra/prompts/b").exists(), newer);
            assert_eq!(story.shop.join(".okstra/prompts/workers/ü b.md").exists(), !newer);
            let is_all = arguments.is_empty();
            assert_eq!(story.shop.join(".okstra/tasks/auth/b").exists(), is_all);
            assert_eq!(
                texts(&outcome["tasks"]),
                if is_all { vec!["auth/b", "auth/login"] } else { vec!["auth/login"] }
            );
        }
    }
}

/// Runs as a user who may not write everywhere, also where the tests run as root.
#[cfg(unix)]
#[test]
fn what_cannot_be_written_is_an_error_and_the_next_time_completes_it() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let story = project();
    let before = files(&story);
    lose_okstra(&story);
    lose_home(&story);
    let allow = |path: &Path, mode| {
        fs::create_dir_all(path).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let (okstra, tasks) = (story.shop.join(".okstra"), story.shop.join(".okstra/tasks"));
    let run = || {
        let mut command = super::command(&story, &["--restore", "--json"]);
        if rustix::process::geteuid().is_root() {
            command.uid(65_534);
        }
        command.ran()
    };
    allow(story.sandbox.path(), 0o755);
    allow(&story.home(), 0o777);
    allow(&tasks, 0o555);
    allow(&okstra, 0o777);
    let ran = run();
    let document = ran.json();
    assert_eq!((ran.code, &document["code"]), (Some(1), &json!("permission-denied")), "{document}");
    assert!(document["error"].as_str().unwrap().contains(".okstra/tasks/auth`: no permission"), "{document}");
    allow(&tasks, 0o777);
    let ran = run();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let found = files(&story);
    assert_eq!(found.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
    // Where nothing is missing nothing has to be written.
    allow(&okstra, 0o555);
    let ran = run();
    assert_eq!((ran.code, &ran.json()["restored"]), (Some(0), &json!([])), "{ran:?}");
    allow(&okstra, 0o777);
}

#[test]
fn a_machine_without_a_place_for_okstra_is_an_error_before_anything_is_written() {
    let story = project();
    lose_okstra(&story);
    let mut command = super::command(&story, &["--restore", "--json"]);
    let ran = command.env_remove("OKSTRA_HOME").env_remove("HOME").ran();
    assert_eq!((ran.code, &ran.json()["code"]), (Some(1), &json!("no-home")), "{ran:?}");
    assert!(!story.shop.join(".okstra").exists());
    // A file in the way of the registry's folder: the files come back, and the row does once the file is gone.
    lose_home(&story);
    write(&story.home(), "a file");
    let ran = doctor(&story, &["--restore", "--json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    fs::remove_file(story.home()).unwrap();
    assert_eq!(restore(&story, 0, &[])["registry"], json!([KEY]));
}

#[test]
fn people_are_told_what_came_back_and_what_comes_next() {
    let story = project();
    lose_okstra(&story);
    lose_home(&story);
    let said = doctor(&story, &["--restore"]).stdout;
    assert!(said.starts_with("restored  7 files and 1 registry row brought back\n"), "{said}");
    assert!(said.contains("\n  restored  .okstra/project.json\n") && said.contains("\n  registry  shop/auth/login\n"));
    assert!(
        said.ends_with("\nnext: see whether the recorded commits hold\n  okstra git-reconcile --task auth/login\n")
    );
    let root = story.shop.to_str().unwrap();
    let said = doctor(&story, &["--restore", "--project-root", root]).stdout;
    assert!(said.starts_with("ok  nothing that is mirrored was missing; 6 files were already there\n"), "{said}");
    assert!(said.ends_with(&format!("--task auth/login --project-root '{root}'\n")), "{said}");
}
