//! The front matter by which a client finds a skill or an agent.

use super::{Document, Finding, Kind, Rule};

/// The most characters of a description: all of them share a budget in the client's prompt.
const LONGEST_DESCRIPTION: usize = 150;
/// What a skill's front matter may hold.
const OF_SKILL: &[&str] = &["name", "description", "allowed-tools", "license", "metadata"];
/// What an agent's may.
const OF_AGENT: &[&str] = &["name", "description", "tools", "model", "color", "skills"];

/// What is wrong with the front matter of a skill or an agent. Texts of other kinds have none.
pub(super) fn check(document: &Document) -> Vec<Finding> {
    let (name, known, place) = match document.kind() {
        Kind::Skill(name) => (name, OF_SKILL, "the name of its folder"),
        Kind::Agent(name) => (name, OF_AGENT, "the name of its file"),
        _ => return Vec::new(),
    };
    let wrong = |line, message: String, mend: &str| document.finding(line, Rule::FrontMatter, message, mend);
    let Some(fields) = fields(&document.text) else {
        let message = "it does not begin with front matter, so that clients do not list it".to_owned();
        return vec![wrong(1, message, "begin it with `---`, `name:`, `description:` and `---`, a line each")];
    };
    let mut findings = Vec::new();
    for field in &fields {
        if !known.contains(&field.key) {
            let message = format!("clients know no `{}` there", field.key);
            findings.push(wrong(field.line, message, "leave the line out"));
        }
        if let Some(why) = unreadable(field.value) {
            let mend = "put it in words without that, or the whole value in double quotes";
            findings.push(wrong(field.line, format!("`{}` {why}", field.key), mend));
        }
    }
    match fields.iter().find(|field| field.key == "name") {
        Some(field) if field.value == name => {}
        Some(field) => {
            findings.push(wrong(
                field.line,
                format!("its name is `{}`, and not {place}", field.value),
                "name it the same",
            ));
        }
        None => findings.push(wrong(1, "it has no name".to_owned(), "add `name:`")),
    }
    match fields.iter().find(|field| field.key == "description") {
        Some(field) => findings.extend(of_description(document, field)),
        None => {
            findings.push(wrong(1, "it has no description".to_owned(), "add `description:`, which says when to use it"))
        }
    }
    findings
}

fn of_description(document: &Document, field: &Field<'_>) -> Option<Finding> {
    let length = field.value.chars().count();
    let (message, mend) = match length {
        0 => ("its description is empty, so that clients do not list it".to_owned(), "say when to use it"),
        _ if length > LONGEST_DESCRIPTION => {
            let message =
                format!("its description has {length} characters, and at most {LONGEST_DESCRIPTION} are good");
            (message, "say only when to use it")
        }
        _ => return None,
    };
    Some(document.finding(field.line, Rule::FrontMatter, message, mend))
}

/// A line of front matter.
struct Field<'a> {
    line: usize,
    key: &'a str,
    value: &'a str,
}

/// The lines of the front matter; `None` where the text does not begin with one that ends.
fn fields(text: &str) -> Option<Vec<Field<'_>>> {
    let mut lines = text.lines().enumerate();
    if lines.next()?.1 != "---" {
        return None;
    }
    let mut fields = Vec::new();
    for (index, line) in lines {
        if line == "---" {
            return Some(fields);
        }
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        // A line that goes on from the one before belongs to it.
        if !line.starts_with([' ', '\t']) && !line.trim().is_empty() {
            fields.push(Field { line: index + 1, key, value: value.trim() });
        }
    }
    None
}

/// Why a plain value would be read as something else by a parser of YAML, as a clause.
fn unreadable(value: &str) -> Option<&'static str> {
    let is_quoted = value.len() > 1 && value.starts_with('"') && value.ends_with('"');
    if is_quoted {
        return None;
    }
    if value.contains(": ") {
        return Some("holds a colon and a blank, which begins a mapping");
    }
    if value.contains(" #") {
        return Some("holds ` #`, after which all is a comment");
    }
    let begins = ['[', ']', '{', '}', '*', '&', '!', '|', '>', '@', '`', '%', '\'', '"', '#'];
    value.starts_with(begins).then_some("begins with a character that means something else there")
}

/// The description of a skill or an agent, where it has one.
pub(super) fn description(document: &Document) -> Option<String> {
    let described = matches!(document.kind(), Kind::Skill(_) | Kind::Agent(_));
    let fields = fields(&document.text).filter(|_| described)?;
    fields.into_iter().find(|field| field.key == "description").map(|field| field.value.to_owned())
}

/// How many lines the front matter takes; 0 where there is none.
pub(super) fn length(text: &str) -> usize {
    match text.lines().next() {
        Some("---") => text.lines().skip(1).position(|line| line == "---").map_or(0, |end| end + 2),
        _ => 0,
    }
}
