//! Floors: a room imports from the rooms below it, and rooms of floor 2 do not see each other.

use super::source::Source;

/// Each room, and the rooms that it may import from besides itself.
const ROOMS: &[(&str, &[&str])] = &[
    ("main", &["cli", "ops", "domain", "context"]),
    ("cli", &["ops", "domain", "context"]),
    ("bindings", &["cli", "ops", "domain", "context"]),
    ("ops", &["git", "store", "agents", "render", "fs", "process", "context", "domain"]),
    ("git", &["domain", "context", "process", "fs"]),
    ("store", &["domain", "context", "fs"]),
    ("agents", &["domain", "context", "process", "fs"]),
    ("render", &["domain", "context", "fs"]),
    ("fs", &["domain"]),
    ("process", &["domain", "context"]),
    ("context", &["domain"]),
    ("domain", &[]),
];

/// The imports of `source` that are not the table's.
pub(super) fn wrong_imports(source: &Source) -> Vec<String> {
    let path = source.path.strip_prefix("src/").unwrap();
    let room = path.split(['/', '.']).next().unwrap();
    // `lib.rs` names the rooms, which is its only line of work.
    if path == "lib.rs" {
        return Vec::new();
    }
    let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
        return vec![format!("{}: `{room}` is no room of the house", source.path)];
    };
    // The bindings are a package of their own: what they call `crate::` is theirs.
    let imports = if room == "bindings" {
        imports(source.code(), &["okstra::"])
    } else {
        imports(source.code(), &["crate::", &"super::".repeat(depth(path))])
    };
    let wrong = imports.into_iter().filter(|import| {
        let from = import.split("::").next().unwrap();
        from != room && !allowed.contains(&from)
    });
    wrong.map(|import| format!("{}: `{room}` may not import `{import}`", source.path)).collect()
}

/// How many `super::` lead from a file to the root of the crate.
fn depth(path: &str) -> usize {
    path.trim_end_matches("/mod.rs").split('/').count()
}

/// What the code takes from rooms, as `room::name`: every path that begins with one of the `roots`.
fn imports(code: &str, roots: &[&str]) -> Vec<String> {
    let mut imports = Vec::new();
    for root in roots {
        for (at, _) in code.match_indices(root) {
            let before = code[..at].chars().next_back();
            if before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':') {
                imports.extend(heads(&code[at + root.len()..]));
            }
        }
    }
    imports
}

/// The first two names of each path that begins here: `a::b` for `a::b::c`, `a::b` and `c::d` for `{a::{b, x}, c::d}`.
fn heads(rest: &str) -> Vec<String> {
    members(rest)
        .into_iter()
        .flat_map(|(room, rest)| {
            let names = rest.strip_prefix("::").map(members).unwrap_or_default();
            let none = names.is_empty().then(|| room.to_owned());
            let paths: Vec<_> = names.into_iter().map(|(name, _)| format!("{room}::{name}")).collect();
            none.into_iter().chain(paths)
        })
        .collect()
}

/// The names that stand here, one or a group in braces, each with what follows it.
fn members(text: &str) -> Vec<(&str, &str)> {
    let Some(group) = text.strip_prefix('{') else {
        return Some(name(text)).filter(|(name, _)| !name.is_empty()).into_iter().collect();
    };
    let (mut depth, mut starts_member, mut found) = (1, true, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => starts_member = true,
            _ if starts_member && !c.is_whitespace() => {
                found.push(name(&group[at..]));
                starts_member = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    found
}

/// The name that stands here, and what follows it.
fn name(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len()))
}

#[test]
fn imports_are_found_however_they_are_written() {
    let code = "use crate::{context::{Context, Cancel}, domain::x::y, fs};\nlet a = crate::git::open();\n\
                use super::super::ops::z; mycrate::no::no; use super::own; use okstra::cli;";
    let found = imports(code, &["crate::", "super::super::"]);
    let expected = ["context::Context", "context::Cancel", "domain::x", "fs", "git::open", "ops::z"];
    assert_eq!(found, expected);
}

#[test]
fn a_file_knows_how_deep_it_lies() {
    assert_eq!(["main.rs", "cli/run.rs", "cli/mod.rs", "cli/commands/mod.rs", "a/b/c.rs"].map(depth), [1, 2, 1, 2, 3]);
}
