//! Templates of the project: what they replace, and what is said of their mistakes.
//!
//! Each folder in `tests/fixtures/overrides/` is a `.okstra/prompts/` with one mistake, and `error.txt` is what okstra
//! says of it, with `PROMPTS` for the folder.

use std::fs;
use std::path::{Path, PathBuf};

use okstra::domain::hint::Hint as _;
use okstra::ops;
use okstra::render::{Error, Overrides, bundle};

use super::goldens::difference;
use super::{Context, fixtures};

fn error_of(folder: &Path) -> Error {
    let context = Context::read("implementation");
    let rendered = Overrides::read(folder).and_then(|overrides| bundle(&context.input(), &overrides));
    rendered.map(|_| ()).expect_err(&folder.display().to_string())
}

#[test]
fn a_mistake_is_named_with_template_line_variable_and_file() {
    let mut wrong = Vec::new();
    for entry in fs::read_dir(fixtures().join("overrides")).unwrap() {
        let folder = entry.unwrap().path();
        let error = ops::Error::from(error_of(&folder));
        let text = format!("error: {error}\ncode: {}\nhint: {}\n", error.code(), error.hint().unwrap_or_default());
        let text = text.replace(&folder.display().to_string(), "PROMPTS");
        wrong.extend(difference(&folder.join("error.txt"), &text));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_template_of_the_project_counts_and_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("workers")).unwrap();
    fs::write(folder.path().join("lead.md"), "# Ours: {{ run }}\n").unwrap();
    fs::write(folder.path().join("README.md"), "{{ not a template\n").unwrap();
    fs::write(folder.path().join("workers/notes.txt"), "neither\n").unwrap();
    let overrides = Overrides::read(folder.path()).unwrap();
    let context = Context::read("implementation");
    let rendered = bundle(&context.input(), &overrides).unwrap();
    let launch = rendered.files.iter().find(|file| file.path.ends_with("claude-execution-prompt.md")).unwrap();
    assert!(launch.bytes.starts_with(b"# Ours: implementation-001\n\n# What an implementation run delivers\n"));
    let recorded: Vec<_> = rendered.overrides.iter().map(|each| (each.template.as_str(), each.sha256.len())).collect();
    assert_eq!(recorded, [("lead.md", 64)]);
    assert_eq!(Overrides::read(&folder.path().join("none")).unwrap(), Overrides::none());
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("lead.md"), b"good\nb\xffd\n").unwrap();
    let error = error_of(folder.path()).to_string();
    assert!(error.contains("lead.md") && error.contains("line 2"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_link_is_no_template() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere: PathBuf = folder.path().join("secret");
    fs::write(&elsewhere, "secret\n").unwrap();
    fs::create_dir(folder.path().join("prompts")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, folder.path().join("prompts/lead.md")).unwrap();
    let error = error_of(&folder.path().join("prompts"));
    assert!(matches!(error, Error::Fs(_)), "{error}");
}

#[test]
fn a_manifest_that_names_no_run_is_refused() {
    let mut context = Context::read("error-analysis");
    context.manifest.run = "error-analysis-1".to_owned();
    let error = bundle(&context.input(), &Overrides::none()).unwrap_err();
    assert!(matches!(error, Error::Run(_)), "{error}");
}
