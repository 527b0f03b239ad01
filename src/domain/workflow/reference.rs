//! The files that a text refers to.

use super::{Document, Finding, Kind, Rule};

/// Each file that a text names and that is not shipped: `references/…` of the same skill, `prompts/…` and `skills/…`, and
/// what a template includes.
pub(super) fn check(document: &Document, documents: &[Document]) -> Vec<Finding> {
    let folder = document.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut findings = Vec::new();
    for (index, line) in document.text.lines().enumerate() {
        let named = line.split('`').skip(1).step_by(2).filter_map(|span| in_span(span, folder, document.kind()));
        for (name, path) in named.chain(included(line)) {
            if !documents.iter().any(|other| other.path == path) {
                let message = format!("`{name}` is not there");
                findings.push(document.finding(
                    index + 1,
                    Rule::Reference,
                    message,
                    format!("add {path}, or name another"),
                ));
            }
        }
    }
    findings
}

/// The file that a code span names, and where it has to be.
fn in_span(span: &str, folder: &str, kind: Kind<'_>) -> Option<(String, String)> {
    let is_file = span.ends_with(".md") && !span.contains(['<', '{', ' ', '*']);
    if !is_file {
        return None;
    }
    let path = match kind {
        Kind::Skill(_) if span.starts_with("references/") => format!("{folder}/{span}"),
        Kind::SkillReference if span.starts_with("references/") => {
            format!("{}/{span}", folder.rsplit_once('/').map_or("", |(above, _)| above))
        }
        _ if ["prompts/", "skills/", "agents/"].iter().any(|start| span.starts_with(start)) => span.to_owned(),
        _ => return None,
    };
    Some((span.to_owned(), path))
}

/// The template that a line includes.
fn included(line: &str) -> Option<(String, String)> {
    let rest = line.split_once("{% include \"").or_else(|| line.split_once("{%- include \""))?.1;
    let (name, rest) = rest.split_once('"')?;
    // What goes on is an expression, and its value is not known here.
    rest.trim_start().trim_start_matches('-').starts_with("%}").then(|| (name.to_owned(), format!("prompts/{name}")))
}
