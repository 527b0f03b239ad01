//! The prompts: each file in `prompts/` is embedded in the program, rendered in a test, and shipped.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::root;

/// What is missing of the files in `prompts/`.
pub(super) fn wrong_prompts() -> Vec<String> {
    let mut files = BTreeSet::new();
    collect(&root().join("prompts"), &mut files);
    let embedded: BTreeSet<_> = okstra::render::names().map(str::to_owned).collect();
    let not_embedded =
        files.difference(&embedded).map(|name| format!("prompts/{name}: not in src/render/templates.rs"));
    let no_fixture = embedded.iter().filter(|name| !has_golden(name));
    let no_fixture = no_fixture.map(|name| format!("prompts/{name}: no golden in tests/fixtures/prompts/"));
    let shipped = fs::read_to_string(root().join("package.json")).unwrap().contains("\"prompts/\"");
    let not_shipped = (!shipped).then(|| "package.json: `files` lacks prompts/".to_owned());
    not_embedded.chain(no_fixture).chain(not_shipped).collect()
}

fn has_golden(name: &str) -> bool {
    let folder = root().join("tests/fixtures/prompts").join(name.strip_suffix(".md").unwrap());
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

fn collect(folder: &Path, files: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            let below = path.strip_prefix(root().join("prompts")).unwrap();
            files.insert(below.to_str().unwrap().replace('\\', "/"));
        }
    }
}
