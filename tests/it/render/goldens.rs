//! Each template, rendered from a checked-in context, against its golden in `tests/fixtures/prompts/`.
//!
//! `UPDATE_GOLDENS=1 cargo test --test it render` writes them anew; `git diff` then shows what agents will read.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use okstra::domain::lifecycle::TaskType;
use okstra::render::{Overrides, names, template, variables};

use super::{Context, fixtures};

/// Which contexts a template is rendered from, and for which worker.
fn contexts(template: &str) -> Vec<(&'static str, Option<&'static str>)> {
    let all = || TaskType::ALL.into_iter().map(|each| (each.as_str(), None)).collect();
    match template {
        "launch.md" => {
            ["requirements-discovery", "implementation", "release-handoff"].map(|each| (each, None)).to_vec()
        }
        "instruction-set/analysis-material.md" => vec![("requirements-discovery", None), ("implementation", None)],
        "instruction-set/reference-expectations.md" | "reports/final-report-template.md" => all(),
        "workers/analyst.md" => vec![("requirements-discovery", Some("codex"))],
        "workers/executor.md" | "profiles/_implementation-executor.md" => vec![("implementation", Some("claude"))],
        "workers/verifier.md" | "workers/_assignment.md" => vec![("implementation", Some("codex"))],
        "workers/report-writer.md" => {
            ["implementation-planning", "implementation"].map(|each| (each, Some("report-writer"))).to_vec()
        }
        "profiles/_implementation-deliverable.md" => vec![("implementation", None)],
        _ => {
            let own = template.strip_prefix("profiles/").and_then(|name| name.strip_suffix(".md")?.parse().ok());
            vec![(own.unwrap_or(TaskType::RequirementsDiscovery).as_str(), None)]
        }
    }
}

#[test]
fn every_template_renders_as_its_golden_says() {
    let mut wrong = Vec::new();
    for name in names() {
        for (context, worker) in contexts(name) {
            let given = Context::read(context);
            let values = variables(&given.input(), worker).unwrap();
            let rendered = template(name, &values, &Overrides::none()).unwrap_or_else(|error| panic!("{error}"));
            wrong.extend(difference(&golden(name, context), &rendered));
        }
    }
    assert!(wrong.is_empty(), "\n{}\nif this is meant: UPDATE_GOLDENS=1 cargo test --test it render", wrong.join("\n"));
}

#[test]
fn every_golden_has_its_template() {
    let expected: BTreeSet<_> =
        names().flat_map(|name| contexts(name).into_iter().map(move |(context, _)| golden(name, context))).collect();
    let mut found = BTreeSet::new();
    collect(&fixtures().join("prompts"), &mut found);
    assert_eq!(found.difference(&expected).collect::<Vec<_>>(), Vec::<&PathBuf>::new());
}

#[test]
fn no_golden_has_a_trace_of_the_template_language() {
    for name in names() {
        for (context, _) in contexts(name) {
            let text = fs::read_to_string(golden(name, context)).unwrap();
            let found = text.lines().find(|line| ["{{", "{%", "{#"].iter().any(|mark| line.contains(mark)));
            assert_eq!(found, None, "{name}, {context}");
            assert!(!text.contains("\n\n\n") && text.ends_with('\n'), "{name}, {context}: blank lines");
        }
    }
}

fn golden(template: &str, context: &str) -> PathBuf {
    fixtures().join("prompts").join(template.strip_suffix(".md").unwrap()).join(context).with_extension("md")
}

/// What is different from the file; nothing once it is written anew.
pub(super) fn difference(path: &Path, rendered: &str) -> Option<String> {
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, rendered).unwrap();
        return None;
    }
    let golden = fs::read_to_string(path).unwrap_or_default();
    if golden == rendered {
        return None;
    }
    let line = 1 + golden.lines().zip(rendered.lines()).take_while(|(a, b)| a == b).count();
    let shown = |text: &str| text.lines().nth(line - 1).unwrap_or("(its end)").to_owned();
    Some(format!("{}:{line}:\n  golden:   {}\n  rendered: {}", path.display(), shown(&golden), shown(rendered)))
}

fn collect(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else {
            found.insert(path);
        }
    }
}
