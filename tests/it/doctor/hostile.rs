//! A mirror that somebody made to do harm, and folders that lead elsewhere.

use std::fs;
use std::path::PathBuf;

use okstra::domain::moment::Moment;
use okstra::git::{NewSnapshot, Repository, SnapshotFile};
use serde_json::json;

use super::{MIRROR, files, lose_okstra, project, restore, texts};
use crate::common::story::Story;

/// Replaces the mirror of the story's task by one with just these files.
fn mirror_of(story: &Story, files: &[(&str, &str)]) {
    story.git(&["update-ref", "-d", MIRROR]);
    let files: Vec<_> = files
        .iter()
        .map(|(path, content)| SnapshotFile { path: path.as_bytes().into(), content: content.as_bytes().to_vec() })
        .collect();
    let repository = Repository::discover(&story.shop).unwrap();
    let new = NewSnapshot { files: &files, message: "hostile", at: Moment::from_seconds(9), more_parents: &[] };
    repository.write_snapshot(&story.context(), MIRROR, &new).unwrap();
}

/// The id of a tree with these entries, as `git mktree` would make it, without its checks.
fn tree(story: &Story, entries: &[(&str, &str, &str)]) -> String {
    let mut raw = Vec::new();
    for (mode, name, object) in entries {
        raw.extend(format!("{mode} {name}\0").into_bytes());
        raw.extend((0..object.len()).step_by(2).map(|at| u8::from_str_radix(&object[at..at + 2], 16).unwrap()));
    }
    let path = story.sandbox.path().join("raw tree");
    fs::write(&path, raw).unwrap();
    story.git(&["hash-object", "-t", "tree", "-w", "--literally", path.to_str().unwrap()])
}

#[test]
fn a_path_that_leads_elsewhere_refuses_the_whole_mirror() {
    let story = project();
    lose_okstra(&story);
    let blob = story.git(&["rev-parse", "main:a.txt"]);
    let inner = tree(&story, &[("100644", "x", &blob)]);
    for (mode, name, object) in [
        ("100644", "../x", &blob),
        ("40000", "..", &inner),
        ("40000", ".git", &inner),
        ("120000", "link", &blob),
        ("160000", "module", &story.anchor),
    ] {
        let hostile = tree(&story, &[("100644", "ok", &blob), (mode, name, object)]);
        let whole = ["login", "auth", "tasks"].iter().fold(hostile, |id, name| tree(&story, &[("40000", name, &id)]));
        let commit = story.git(&["commit-tree", "-m", "hostile", &whole]);
        story.git(&["update-ref", MIRROR, &commit]);
        let outcome = restore(&story, 2, &[]);
        assert_eq!((&outcome["restored"], &outcome["registry"]), (&json!([]), &json!([])), "{name}");
        let reason = outcome["refused"][0]["reason"].as_str().unwrap();
        assert!(reason.contains(&format!("`tasks/auth/login/{name}`")), "{reason}");
        assert!(!story.shop.join(".okstra").exists() && !story.shop.join("x").exists(), "{name}");
    }
}

#[test]
fn one_bad_mirror_does_not_stop_the_others() {
    let story = project();
    let expected = files(&story);
    lose_okstra(&story);
    let missing = tree(&story, &[("100644", "project.json", &"1".repeat(40))]);
    let commit = story.git(&["commit-tree", "-m", "gap", &missing]);
    story.git(&["update-ref", "refs/okstra/state/auth/gap", &commit]);
    story.git(&["update-ref", "refs/okstra/state/deeper/than/that", "main"]);
    let ran = super::doctor(&story, &["--restore", "--json"]);
    let outcome = ran.json();
    assert_eq!((ran.code, texts(&outcome["tasks"])), (Some(2), vec!["auth/gap", "auth/login"]), "{outcome}");
    assert_eq!(outcome["refused"].as_array().unwrap().len(), 1, "{outcome}");
    assert_eq!((&outcome["refused"][0]["task"], &outcome["refused"][0]["path"]), (&json!("auth/gap"), &json!(null)));
    assert!(ran.stderr.contains("`refs/okstra/state/deeper/than/that` is no mirror of a task"), "{ran:?}");
    assert_eq!(files(&story).into_keys().collect::<Vec<_>>(), expected.into_keys().collect::<Vec<_>>());
}

#[test]
fn a_mirror_brings_back_its_own_task_only() {
    let story = project();
    lose_okstra(&story);
    let own = "tasks/auth/login/task-manifest.json";
    let foreign = [
        ".gitignore",
        "catalog.json",
        "config.toml",
        "tasks/auth/login/consumers.jsonl.lock",
        "tasks/auth/other/task-manifest.json",
        "tasks/Auth/login/task-manifest.json",
    ];
    let mut all: Vec<_> = foreign.iter().map(|path| (*path, "planted")).collect();
    all.push((own, "{}"));
    mirror_of(&story, &all);
    let outcome = restore(&story, 0, &[]);
    assert_eq!(texts(&outcome["restored"]), [".okstra/.gitignore".to_owned(), format!(".okstra/{own}")]);
    let mut ignored: Vec<_> = foreign.iter().map(|path| format!("{MIRROR}: {path}")).collect();
    ignored.sort();
    let mut said = texts(&outcome["ignored"]);
    said.sort_unstable();
    assert_eq!(said, ignored);
    assert_eq!(files(&story).len(), 2);
    assert!(!fs::read_to_string(story.shop.join(".okstra/.gitignore")).unwrap().contains("planted"));
}

/// Makes `path` a symbolic link to a folder outside, and gives that.
#[cfg(unix)]
fn lead_outside(story: &Story, path: &str) -> PathBuf {
    let outside = story.sandbox.path().join("outside");
    fs::create_dir_all(outside.join("login/runs")).unwrap();
    let link = story.shop.join(path);
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&outside, link).unwrap();
    outside
}

#[cfg(unix)]
#[test]
fn no_link_is_followed_out_of_the_folder() {
    let cases = [
        (".okstra/tasks", vec![".okstra/project.json", ".okstra/prompts/workers/ü b.md"]),
        (".okstra/tasks/auth", vec![".okstra/project.json", ".okstra/prompts/workers/ü b.md"]),
        (".okstra/prompts", vec![".okstra/project.json", ".okstra/tasks/auth/login/timeline.jsonl"]),
    ];
    for (link, others) in cases {
        let story = project();
        lose_okstra(&story);
        let outside = lead_outside(&story, link);
        let outcome = restore(&story, 2, &[]);
        let restored = texts(&outcome["restored"]);
        assert!(others.iter().all(|other| restored.contains(other)), "{link}: {outcome}");
        assert!(restored.iter().all(|path| !path.starts_with(&format!("{link}/"))), "{link}: {outcome}");
        let refused = outcome["refused"].as_array().unwrap();
        assert!(!refused.is_empty());
        for one in refused {
            assert!(one["reason"].as_str().unwrap().contains("no folder"), "{one}");
        }
        let mut found: Vec<_> = fs::read_dir(&outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        found.extend(fs::read_dir(outside.join("login")).unwrap().map(|entry| entry.unwrap().file_name()));
        found.extend(fs::read_dir(outside.join("login/runs")).unwrap().map(|entry| entry.unwrap().file_name()));
        assert_eq!(found, ["login", "runs"], "{link}");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_of_okstra_that_is_a_link_is_an_error() {
    let story = project();
    lose_okstra(&story);
    let outside = lead_outside(&story, ".okstra");
    let ran = super::doctor(&story, &["--restore", "--json"]);
    assert_eq!((ran.code, &ran.json()["code"]), (Some(1), &json!("wrong-kind-of-file")), "{ran:?}");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn what_stands_in_the_place_of_a_file_stays() {
    let story = project();
    lose_okstra(&story);
    let task = story.shop.join(".okstra/tasks/auth/login");
    fs::create_dir_all(task.join("timeline.jsonl")).unwrap();
    std::os::unix::fs::symlink(story.sandbox.path().join("nowhere"), task.join("task-manifest.json")).unwrap();
    fs::write(task.join("runs"), "a file").unwrap();
    let outcome = restore(&story, 2, &[]);
    assert_eq!(texts(&outcome["differing"]), [".okstra/tasks/auth/login/task-manifest.json"]);
    let refused: Vec<_> =
        outcome["refused"].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
    let runs = ".okstra/tasks/auth/login/runs/implementation-planning";
    let expected = [
        format!("{runs}/consumers.jsonl"),
        format!("{runs}/plans/001.json"),
        ".okstra/tasks/auth/login/timeline.jsonl".to_owned(),
    ];
    assert_eq!(refused, expected);
    assert!(!story.sandbox.path().join("nowhere").exists());
    assert_eq!(fs::read_to_string(task.join("runs")).unwrap(), "a file");
}

#[test]
fn a_task_that_differs_only_in_case_from_one_that_is_there_is_refused() {
    for folder in ["Auth/login", "auth/Login"] {
        let story = project();
        lose_okstra(&story);
        fs::create_dir_all(story.shop.join(".okstra/tasks").join(folder)).unwrap();
        let outcome = restore(&story, 2, &[]);
        let refused = &outcome["refused"][0];
        assert!(refused["reason"].as_str().unwrap().contains("differs only in case"), "{outcome}");
        let restored = texts(&outcome["restored"]);
        assert!(restored.iter().all(|path| !path.contains("tasks")), "{outcome}");
        assert!(restored.contains(&".okstra/project.json"), "{outcome}");
    }
}
