//! What is one thing here and another there: shown, and nothing is written.

use std::fs;

use serde_json::{Value, json};

use super::{FETCHED, LOG, Place, World, conflicts};

/// Fetches, which must find just these conflicts and change nothing; gives what it said.
fn refused(place: Place<'_>, expected: &[(&str, &str)]) -> Value {
    let before = place.everything();
    let outcome = place.fetch(2);
    let expected: Vec<_> = expected.iter().map(|(kind, of)| ((*kind).to_owned(), (*of).to_owned())).collect();
    assert_eq!(conflicts(&outcome), expected, "{outcome}");
    assert_eq!(outcome["state"], "conflict");
    assert!(before == place.everything(), "{outcome}");
    // What is to be pasted can be pasted.
    for look in
        outcome["conflicts"].as_array().unwrap().iter().flat_map(|conflict| conflict["look"].as_array().unwrap())
    {
        let mut shell = place.world.sandbox.command("sh");
        let ran = crate::common::Run::ran(shell.arg("-c").arg(look.as_str().unwrap()));
        assert!(ran.code == Some(0) && !ran.stdout.is_empty(), "{look}: {ran:?}");
    }
    outcome
}

#[test]
fn a_stage_that_was_done_twice() {
    let world = World::planned();
    let (a, b) = (world.place("a"), world.place("b"));
    a.prepare(&["--stage", "1"]);
    a.share();
    b.fetch(0);
    b.prepare(&["--stage", "1"]);
    let (mine, theirs) = (a.build(1), b.build(1));
    b.share();
    // The carries have one name as well.
    let carry = fs::read_dir(a.path("runs/implementation/carry")).unwrap().next().unwrap().unwrap().file_name();
    let carry = format!(".okstra/tasks/auth/login/runs/implementation/carry/{}", carry.to_str().unwrap());
    let outcome = refused(a, &[("stage", "1"), ("file", &carry)]);
    let stage = &outcome["conflicts"][0];
    assert_eq!((&stage["ours"], &stage["theirs"]), (&json!(mine), &json!(theirs)));
    let people = a.okstra(&["task", "fetch", "--task", "auth/login"]);
    assert!(people.stdout.contains("nothing was written") && people.stdout.contains(&theirs), "{people:?}");

    // A person goes by what is there.
    let way_out = format!("git-reconcile --task auth/login --apply --stage 1 --use-ref {theirs}");
    assert!(stage["wayOut"].as_str().unwrap().ends_with(&format!("okstra {way_out}")), "{stage}");
    a.json(0, &way_out.split(' ').collect::<Vec<_>>());
    fs::rename(a.folder().join(&carry), a.machine().join("carry")).unwrap();
    let fetched = a.fetch(0);
    assert_eq!(fetched["state"], "merged", "{fetched}");
    assert_eq!(a.stages()[0].2, theirs);
    a.share();
    assert_eq!(b.fetch(0)["state"], "merged");
    assert_eq!(b.stages()[0].2, theirs);
}

#[test]
fn two_runs_of_one_number() {
    let world = World::planned();
    let (a, b) = (world.place("a"), world.place("b"));
    a.share();
    b.fetch(0);
    a.prepare(&["--stage", "1"]);
    b.prepare(&["--stage", "2"]);
    b.share();
    let outcome = refused(a, &[("run", "implementation-001")]);
    let paths = outcome["conflicts"][0]["paths"].as_array().unwrap().clone();
    assert!(paths.len() > 2 && paths.iter().all(|path| path.as_str().unwrap().contains("001")), "{outcome}");
    let look = outcome["conflicts"][0]["look"][0].as_str().unwrap();
    assert!(look.contains(FETCHED) && look.ends_with("run-manifest-implementation-001.json"), "{look}");
}

#[test]
fn a_file_that_both_wrote() {
    let world = World::planned();
    let (a, b) = (world.place("a"), world.place("b"));
    a.share();
    b.fetch(0);
    let note = "runs/implementation-planning/note 'q'.md";
    a.write(note, "mine\n");
    b.write(note, "theirs\n");
    b.share();
    let shown = format!(".okstra/tasks/auth/login/{note}");
    let outcome = refused(a, &[("file", &shown)]);
    let file = &outcome["conflicts"][0];
    assert!(file["ours"].as_str().unwrap().starts_with("5 bytes"), "{file}");
    assert!(file["theirs"].as_str().unwrap().starts_with("7 bytes"), "{file}");
    // A folder, or a link, in its place is none to be written over either.
    fs::remove_file(a.path(note)).unwrap();
    fs::create_dir(a.path(note)).unwrap();
    refused(a, &[("file", &shown)]);
    fs::remove_dir(a.path(note)).unwrap();
    a.fetch(0);
    assert_eq!(a.read(note), "theirs\n");
}

#[test]
fn what_the_manifest_and_the_registry_say() {
    let world = World::planned();
    let (a, b) = (world.place("a"), world.place("b"));
    a.prepare(&["--stage", "1"]);
    a.share();
    b.fetch(0);
    let title = |place: Place<'_>, title: &str| {
        let old = place.read("task-manifest.json");
        let mut manifest: Value = serde_json::from_str(&old).unwrap();
        manifest["title"] = json!(title);
        place.write("task-manifest.json", &format!("{manifest:#}\n"));
        // What a person wrote there is taken up by whichever command comes next, even if it does nothing else.
        place.okstra(&["task", "sync", "--task", "auth/login"]);
    };
    title(a, "Mine");
    title(b, "Theirs");
    // Both move the anchor, each to another commit.
    let moved = |place: Place<'_>, file: &str| {
        let commit = world.sandbox.commit(&place.folder(), file, "x\n", file);
        place.of_task(0, &["git-reconcile", "--apply", "--reset-anchor", &commit]);
    };
    moved(a, "x.txt");
    moved(b, "y.txt");
    b.share();
    let (manifest, registry) =
        (("manifest", "the manifest of the task has another title"), ("registry", "the registry has another anchor"));
    refused(a, &[manifest, registry]);
    // One side takes what is there, as it is told.
    title(a, "Theirs");
    let outcome = refused(a, &[registry]);
    let way_out = outcome["conflicts"][0]["wayOut"].as_str().unwrap().split_once("okstra ").unwrap().1.to_owned();
    a.json(0, &way_out.split(' ').collect::<Vec<_>>());
    assert_eq!(a.fetch(0)["state"], "merged");
}

#[test]
fn who_only_went_on_is_followed() {
    let world = World::planned();
    let (a, b) = (world.place("a"), world.place("b"));
    a.prepare(&["--stage", "1"]);
    let first = a.build(1);
    a.share();
    b.fetch(0);
    // Only there: a person chose another commit, and moved the anchor.
    let chosen = world.sandbox.commit(&b.folder(), "z.txt", "z\n", "chosen");
    let words = ["git-reconcile", "--apply", "--stage", "1", "--use-ref", &chosen, "--reset-anchor", &chosen];
    b.of_task(0, &words);
    b.share();
    let fetched = a.fetch(0);
    assert_eq!((&fetched["state"], &fetched["registry"]), (&json!("merged"), &json!(true)), "{fetched}");
    let rows: Vec<Value> = a.read(LOG).lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let done: Vec<_> = rows.iter().filter(|row| row["status"] == "done").map(|row| &row["head_commit"]).collect();
    assert_eq!(done, [&json!(first), &json!(chosen)]);
    let registry: Value =
        serde_json::from_str(&fs::read_to_string(a.home().join("worktrees/registry.json")).unwrap()).unwrap();
    assert_eq!(registry["tasks"]["shop/auth/login"]["implementation_base_commit"], json!(chosen));
}

#[test]
fn a_second_clone_on_one_machine_does_not_take_the_task() {
    let world = World::planned();
    let (a, b) = (world.place("a"), world.place("b"));
    a.prepare(&["--stage", "1"]);
    a.share();
    let mut command = b.command(&["task", "fetch", "--task", "auth/login", "--json"]);
    command.env("OKSTRA_HOME", a.home());
    let refused = crate::common::Run::ran(&mut command).json();
    assert_eq!(refused["code"], "registry-conflict", "{refused}");
    assert!(!b.folder().join(".okstra").exists());
}

#[test]
fn lost_records_are_brought_back_first() {
    let world = World::planned();
    let (a, b) = (world.place("a"), world.place("b"));
    a.prepare(&["--stage", "1"]);
    a.share();
    b.fetch(0);
    b.append("timeline.jsonl", r#"{"at":"2026-01-01T00:00:00Z","event":"x"}"#);
    b.share();
    for file in [LOG, "timeline.jsonl", "task-manifest.json"] {
        let kept = a.read(file);
        fs::remove_file(a.path(file)).unwrap();
        let refused = a.of_task(1, &["task", "fetch"]);
        assert_eq!(refused["code"], "lost-records", "{file}: {refused}");
        a.json(0, &["doctor", "--restore", "--task", "auth/login"]);
        assert_eq!(a.read(file), kept);
    }
    assert_eq!(a.fetch(0)["state"], "merged");
}
