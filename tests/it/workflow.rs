//! The texts that okstra ships agree with it, and one that does not is named.

use std::fs;

use serde_json::json;

use crate::common::{OKSTRA, Run, Sandbox};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn what_is_shipped_agrees_with_the_program() {
    let sandbox = Sandbox::new();
    for folder in [&[][..], &[ROOT]] {
        let ran = sandbox.command(OKSTRA).arg("validate-workflow").args(folder).arg("--json").ran();
        let document = ran.json();
        assert_eq!((ran.code, &document["findings"]), (Some(0), &json!([])), "{document}");
        assert!(document["texts"].as_u64().unwrap() >= 24, "{document}");
    }
    let ran = sandbox.command(OKSTRA).arg("validate-workflow").ran();
    assert!(ran.stdout.starts_with("ok  ") && ran.stdout.contains("agree with the program"), "{ran:?}");
}

#[test]
fn everything_that_lies_in_the_folders_is_shipped() {
    let sandbox = Sandbox::new();
    let count = |folder: &[&str]| {
        let ran = sandbox.command(OKSTRA).arg("validate-workflow").args(folder).arg("--json").ran();
        ran.json()["texts"].as_u64().unwrap()
    };
    assert_eq!(count(&[]), count(&[ROOT]));
}

#[test]
fn what_does_not_is_named_with_place_and_way_out() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path().join("my texts");
    let skill = folder.join("skills/okstra-x/SKILL.md");
    fs::create_dir_all(skill.parent().unwrap()).unwrap();
    fs::write(
        &skill,
        "---\nname: okstra-y\ndescription: Use it.\n---\n\nRun `okstra nonsense`, see `references/none.md`.\n",
    )
    .unwrap();
    let run =
        |more: &[&str]| sandbox.command(OKSTRA).args(["validate-workflow", folder.to_str().unwrap()]).args(more).ran();
    let found = run(&["--json"]);
    let findings = found.json()["findings"].clone();
    let told = findings.as_array().unwrap().iter().map(|one| (one["rule"].clone(), one["line"].clone()));
    let expected = [("front-matter", 2), ("command", 6), ("reference", 6)];
    assert_eq!(told.collect::<Vec<_>>(), expected.map(|(rule, line)| (json!(rule), json!(line))), "{findings}");
    let people = run(&[]);
    assert_eq!((found.code, people.code), (Some(2), Some(2)));
    for said in ["3 things are wrong in 1 texts", "skills/okstra-x/SKILL.md:6", "okstra --help"] {
        assert!(people.stdout.contains(said), "{said}: {people:?}");
    }
    fs::remove_dir_all(folder.join("skills")).unwrap();
    let empty = run(&["--json"]);
    assert_eq!((empty.code, &empty.json()["code"]), (Some(1), &json!("usage")), "{empty:?}");
}
