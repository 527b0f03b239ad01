//! What is planted in a project, and what doctor says of it.

use std::fs;

use serde_json::Value;

use super::{MIRROR, Said, doctor, entry, files, found, lose_okstra, project, said, write};
use crate::common::story::Story;
use crate::common::{Run, Sandbox};

/// The plan run root of the story's task.
pub(super) const PLANNING: &str = ".okstra/tasks/auth/login/runs/implementation-planning";

/// Runs an advised command, with the `okstra` and the home of the test.
pub(super) fn follow(story: &Story, advice: &str) {
    let command = advice.rsplit_once(": ").unwrap().1;
    let okstra = std::path::Path::new(crate::common::OKSTRA).parent().unwrap();
    let outside = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths(std::iter::once(okstra.to_owned()).chain(std::env::split_paths(&outside))).unwrap();
    let mut shell = story.sandbox.command("sh");
    let ran =
        shell.current_dir(&story.shop).env("PATH", path).env("OKSTRA_HOME", story.home()).args(["-c", command]).ran();
    assert_eq!(ran.code, Some(0), "{command}: {ran:?}");
}

/// The one thing that is not ok.
pub(super) fn one(story: &Story, code: i32) -> Said {
    let found = found(story, code);
    assert_eq!(found.len(), 1, "{found:#?}");
    found[0].clone()
}

/// Mirrors what is on disk.
pub(super) fn remirror(story: &Story) {
    assert_eq!(story.reconcile(&["--apply"]).code, Some(0));
}

#[test]
fn a_healthy_project_is_ok_and_stays_as_it_is() {
    let story = project();
    let state = |story: &Story| (files(story), story.records(), story.git(&["for-each-ref"]), entry(story));
    let before = state(&story);
    let ran = doctor(&story, &["--json"]);
    let names = "okstra git home locks installation agents agents agents tmux state-files commits worktrees mirror";
    let checks = said(&ran.json());
    let expected: Vec<_> = names.split(' ').map(|name| format!("ok {name}: ")).collect();
    assert_eq!((ran.code, checks.len()), (Some(0), expected.len()), "{ran:?}");
    assert!(checks.iter().zip(&expected).all(|((found, _), expected)| found.starts_with(expected)), "{checks:#?}");
    assert!(checks.iter().all(|(_, advice)| advice.is_empty()));
    let counted = ["5 state files can be read", "2 recorded commits are", "1 registry entry", "1 task is mirrored"];
    for (place, text) in counted.iter().enumerate() {
        assert!(checks[9 + place].0.contains(text), "{checks:#?}");
    }
    assert_eq!(state(&story), before);
    let left: Vec<_> = fs::read_dir(story.home()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["worktrees"]);
    let people = doctor(&story, &[]);
    assert!(people.code == Some(0) && people.stdout.starts_with("ok  everything is as it should be\n"), "{people:?}");
}

#[test]
fn every_file_that_cannot_be_read_is_one_problem_with_its_place() {
    let cases = [
        (".okstra/project.json", "{", "project.json:1:1` is not JSON"),
        (".okstra/project.json", r#"{"schemaVersion":"2.0","projectId":"shop"}"#, "schema version 2.0"),
        (".okstra/catalog.json", "{\n  x", "catalog.json:2:3` is not JSON"),
        (".okstra/latest-task.json", "[]", "latest-task.json` is not as it should be"),
        (".okstra/tasks/auth/login/task-manifest.json", "{}", "task-manifest.json` is not as it should be: `taskKey`"),
        (
            ".okstra/tasks/auth/login/task-manifest.json",
            r#"{"taskKey":"shop/auth/other","category":"fix"}"#,
            "task-manifest.json` is the manifest of another task, `shop/auth/other`",
        ),
        (".okstra/tasks/auth/login/timeline.jsonl", "{}\nx\n{}\n", "timeline.jsonl:2` is not a JSON object"),
        (&format!("{PLANNING}/plans/002.json"), "{}", "plans/002.json` is not as it should be: missing field"),
        (&format!("{PLANNING}/plans/001.json"), "x", "plans/001.json:1:1` is not JSON"),
    ];
    for (path, content, expected) in cases {
        let story = project();
        fs::write(story.shop.join(path), content).unwrap();
        let found = found(&story, 2);
        let problems: Vec<_> = found.iter().filter(|(text, _)| text.starts_with("problem ")).collect();
        assert_eq!(problems.len(), 1, "{path}: {found:#?}");
        let (text, advice) = problems[0];
        assert!(text.starts_with("problem state-files: ") && text.contains(expected), "{expected}: {text}");
        let is_mirrored = path.contains("/tasks/") && !path.ends_with("002.json");
        match is_mirrored {
            true => assert!(advice.contains(&format!("show {MIRROR}:tasks/auth/login/")), "{advice}"),
            false => assert!(!advice.is_empty() && !advice.contains("show"), "{path}: {advice}"),
        }
        if is_mirrored {
            follow(&story, advice);
        }
    }
}

#[test]
fn several_bad_files_are_several_problems() {
    let story = project();
    fs::write(story.shop.join(format!("{PLANNING}/plans/002.json")), "x").unwrap();
    fs::write(story.shop.join(format!("{PLANNING}/plans/003.json")), "x").unwrap();
    fs::write(story.shop.join(".okstra/catalog.json"), "x").unwrap();
    write(&story.shop.join(".okstra/tasks/auth/b d/x"), "");
    fs::create_dir_all(story.shop.join(".okstra/tasks/auth/empty")).unwrap();
    let log = fs::read_to_string(story.log()).unwrap();
    fs::write(story.log(), format!("{log}{{\"stage\":1,\"status\":\"done\"}}\nnonsense\n")).unwrap();
    let found = found(&story, 2);
    let problems = found.iter().filter(|(text, _)| text.starts_with("problem state-files: "));
    let places: Vec<_> =
        problems.map(|(text, _)| text.split('`').nth(1).unwrap().rsplit('/').next().unwrap()).collect();
    assert_eq!(places, ["catalog.json:1:1", "b d", "002.json:1:1", "003.json:1:1", "consumers.jsonl:3"], "{found:#?}");
    // What a log that cannot be read names is not known, so no ref is called stray.
    assert!(found.iter().all(|(text, _)| !text.contains("keep-refs")), "{found:#?}");
}

#[test]
fn torn_lines_are_a_warning() {
    let story = project();
    for path in [story.log(), story.shop.join(".okstra/tasks/auth/login/timeline.jsonl")] {
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}{{\"half")).unwrap();
    }
    remirror(&story);
    let found = found(&story, 0);
    assert_eq!(found.len(), 2, "{found:#?}");
    for ((text, advice), name) in found.iter().zip(["timeline.jsonl:3", "consumers.jsonl:3"]) {
        assert!(text.starts_with("warning state-files: ") && text.contains(&format!("{name}` was torn")), "{text}");
        assert!(advice.contains("nothing has to be done"), "{advice}");
    }
}

#[test]
fn a_registry_that_cannot_be_read_is_a_problem() {
    let story = project();
    fs::write(story.registry(), "{\n\"tasks\": 1}").unwrap();
    let (text, advice) = one(&story, 2);
    assert!(text.starts_with("problem registry: `") && text.contains("registry.json"), "{text}");
    assert!(advice.contains("registry.json.damaged' && okstra doctor --restore"), "{advice}");
    // Also where there is no project.
    let outside = Sandbox::new();
    let mut command = outside.command(crate::common::OKSTRA);
    let ran = command.env("OKSTRA_HOME", story.home()).args(["doctor", "--json"]).ran();
    assert_eq!(ran.code, Some(2), "{ran:?}");
}

#[test]
fn tasks_without_a_project_file_are_a_problem() {
    let story = project();
    story.git(&["update-ref", "-d", MIRROR]);
    fs::remove_file(story.shop.join(".okstra/project.json")).unwrap();
    let all = found(&story, 2);
    assert!(all[0].0.starts_with("problem state-files: there are tasks, and no `"), "{all:#?}");
    assert!(all[1].0.contains("is not mirrored"), "{all:#?}");
}

#[test]
fn people_are_shown_every_check_and_what_to_paste() {
    let story = project();
    lose_okstra(&story);
    write(&story.home().join("worktrees/shop/auth/x/y"), "");
    let ran = doctor(&story, &["--project-root", story.shop.to_str().unwrap()]);
    assert_eq!(ran.code, Some(2));
    let said = ran.stdout;
    assert!(
        said.starts_with("problem  2 problems\n\n  status   what          found\n  ok       okstra        "),
        "{said}"
    );
    assert!(said.contains("\n  problem  mirror        task auth/login is mirrored and not on disk\n"), "{said}");
    let next = format!(
        "\nnext: mirror: bring it back\n  okstra doctor --restore --task auth/login --project-root '{}'\n",
        story.shop.display()
    );
    assert_eq!(said.matches("next: ").count(), 2, "{said}");
    assert!(said.contains(&next), "{said}");
    let document: Value = doctor(&story, &["--json"]).json();
    let fields: Vec<_> = document["checks"][0].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["name", "status", "message", "advice"]);
}
