//! The skills and agents: each file in `skills/` and `agents/` is embedded in the program and shipped, and each is as the
//! clients want it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use okstra::agents::shipped;

use super::root;

/// The longest description: those of all skills share the agent's budget.
const LONGEST_DESCRIPTION: usize = 150;
/// The most words of a skill; what is more goes into `references/`.
const MOST_WORDS: usize = 500;

/// What is wrong with them.
pub(super) fn wrong_skills() -> Vec<String> {
    let mut wrong = Vec::new();
    let package = fs::read_to_string(root().join("package.json")).unwrap();
    for (folder, embedded) in [("skills", names(shipped::skills())), ("agents", names(shipped::agents()))] {
        let mut files = BTreeSet::new();
        collect(&root().join(folder), &root().join(folder), &mut files);
        wrong.extend(files.difference(&embedded).map(|name| format!("{folder}/{name}: not in src/agents/shipped.rs")));
        if !package.contains(&format!("\"{folder}/\"")) {
            wrong.push(format!("package.json: `files` lacks {folder}/"));
        }
    }
    let skills = shipped::skills().filter(|(name, _)| name.ends_with("/SKILL.md"));
    for (name, text) in skills {
        let folder = name.split('/').next().unwrap_or_default();
        wrong.extend(wrong_head(&format!("skills/{name}"), folder, text));
        let words = text.split_whitespace().count();
        wrong.extend((words > MOST_WORDS).then(|| format!("skills/{name}: {words} words, {MOST_WORDS} are the most")));
    }
    for (name, text) in shipped::agents() {
        wrong.extend(wrong_head(&format!("agents/{name}"), name.trim_end_matches(".md"), text));
    }
    wrong
}

/// What is wrong with the front matter: it has to have the name of the file and a description of one line.
fn wrong_head(path: &str, name: &str, text: &str) -> Option<String> {
    let head = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).map(|(head, _)| head);
    let field = |field: &str| head?.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(": "));
    let description = field("description").unwrap_or_default();
    if field("name") != Some(name) {
        return Some(format!("{path}: its front matter has to say `name: {name}`"));
    }
    let length = description.chars().count();
    (length == 0 || length > LONGEST_DESCRIPTION)
        .then(|| format!("{path}: its description has {length} characters; 1 to {LONGEST_DESCRIPTION} are good"))
}

fn names(files: impl Iterator<Item = (&'static str, &'static str)>) -> BTreeSet<String> {
    files.map(|(name, _)| name.to_owned()).collect()
}

fn collect(folder: &Path, base: &Path, files: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, base, files);
        } else {
            files.insert(path.strip_prefix(base).unwrap().to_str().unwrap().replace('\\', "/"));
        }
    }
}

#[test]
fn a_head_names_its_file_and_says_when() {
    let good = "---\nname: x\ndescription: Use when\n---\ntext\n";
    assert_eq!(wrong_head("p", "x", good), None);
    for bad in [
        good.replace("x\n", "y\n"),
        good.replace("Use when", ""),
        good.replace("Use", &"Use ".repeat(50)),
        "x".to_owned(),
    ] {
        assert!(wrong_head("p", "x", &bad).is_some(), "{bad}");
    }
}
