//! The `okstra …` lines in what people and agents read: each must parse with clap's own tree.

use std::fs;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;

use super::root;

/// Where such lines stand.
const PLACES: &[&str] = &["README.md", "AGENTS.md", "ARCHITECTURE.md", "docs", "skills", "prompts"];

/// Commands that prompts already name and that come with the next capability. Each goes from here when it is there.
const COMING: &[&str] = &["task"];

/// Every line in a code block that does not parse, and every name in running text, with its place. A name, between
/// backticks, may lack what its command requires.
pub(super) fn wrong_commands() -> Vec<String> {
    let mut files = Vec::new();
    for place in PLACES {
        collect(&root().join(place), &mut files);
    }
    files.iter().flat_map(|file| wrong_in(file)).collect()
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), files);
        }
    } else if path.exists() && path.extension().is_some_and(|extension| extension == "md") {
        files.push(path.to_owned());
    }
}

fn wrong_in(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let found = found_commands(&text);
    let place = file.strip_prefix(root()).unwrap().display();
    let wrong = found.into_iter().filter_map(|(line, command)| {
        let error = refusal(&command)?;
        Some(format!("{place}:{line}: `{command}`: {error}"))
    });
    wrong.collect()
}

/// The commands in a Markdown text, with their line numbers. A line that ends with `\` goes on. A block marked `text`
/// is what something printed.
fn found_commands(text: &str) -> Vec<(usize, String)> {
    let (mut found, mut in_block, mut printed, mut carried) = (Vec::new(), false, false, String::new());
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with("```") {
            in_block = !in_block;
            printed = line == "```text";
            continue;
        }
        if printed {
            continue;
        }
        if !in_block {
            let names = line.split('`').skip(1).step_by(2).filter_map(okstra_part);
            found.extend(names.map(|name| (index + 1, format!("{name} …"))));
            continue;
        }
        if let Some(first) = line.strip_suffix('\\') {
            carried.push_str(first);
            continue;
        }
        let whole = std::mem::take(&mut carried) + line;
        found.extend(okstra_part(&whole).map(|command| (index + 1, command)));
    }
    found
}

/// The okstra command in a line of shell: without prompt, environment, the way to start it, and what follows it.
fn okstra_part(line: &str) -> Option<String> {
    let line = line.strip_prefix("$ ").unwrap_or(line);
    let start = line.split(' ').take_while(|word| word.contains('=') && !word.starts_with('-'));
    let line = line[start.map(|word| word.len() + 1).sum::<usize>().min(line.len())..].trim_start();
    let rest = ["npx -y okstra@latest", "npx okstra", "node bin/okstra", "okstra"]
        .iter()
        .find_map(|program| line.strip_prefix(program).filter(|rest| rest.is_empty() || rest.starts_with(' ')))?;
    let end = [" | ", " > ", " 2> ", " && ", " || ", "; ", " #", " &"].iter().filter_map(|end| rest.find(end)).min();
    Some(format!("okstra{}", &rest[..end.unwrap_or(rest.len())]).trim_end().to_owned())
}

/// Why clap refuses a command; `None` where it parses. Square brackets around what may be left out are taken off, and
/// an ellipsis stands for the rest. In prompts, `{{ … }}` stands for a task, and `<N>` for a number.
fn refusal(command: &str) -> Option<String> {
    if command.split_whitespace().nth(1).is_some_and(|word| COMING.contains(&word)) {
        return None;
    }
    let plain = filled_in(command).replace(['[', ']'], "");
    let (words, whole) = match plain.split_once('…') {
        Some((start, _)) => (start, false),
        None => (plain.as_str(), true),
    };
    let words = words.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
    let error = okstra::cli::command().try_get_matches_from(words).err()?;
    let fine = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => true,
        ErrorKind::MissingRequiredArgument
        | ErrorKind::MissingSubcommand
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => !whole,
        _ => false,
    };
    (!fine).then(|| error.to_string().lines().next().unwrap_or_default().to_owned())
}

/// A command of a template, with values.
fn filled_in(command: &str) -> String {
    let mut pieces = command.split("{{");
    let first = pieces.next().unwrap_or_default().to_owned();
    let values = pieces.map(|piece| format!("group/task{}", piece.split_once("}}").map_or(piece, |(_, rest)| rest)));
    (first + &values.collect::<String>()).replace("<N>", "1")
}

#[test]
fn commands_of_templates_are_filled_in() {
    let filled = filled_in("okstra git-reconcile --task {{ task }} --apply --stage <N> --use-ref REF");
    assert_eq!(filled, "okstra git-reconcile --task group/task --apply --stage 1 --use-ref REF");
    assert_eq!(refusal(&filled), None);
}

#[test]
fn a_command_that_is_coming_is_not_there_yet() {
    let commands = okstra::cli::command();
    let there: Vec<_> = COMING.iter().filter(|name| commands.find_subcommand(name).is_some()).collect();
    assert!(there.is_empty(), "take these from COMING, they are there: {there:?}");
}

#[test]
fn commands_are_found_and_tried() {
    let text = "okstra not-code, `okstra content-merged` a name, `okstra nonsense` none\n```\n$ okstra --version # comment\nA=1 npx -y okstra@latest content-merged \\\n  \
                --commit 1a2b3c4d --candidate main | jq\nokstra content-merged …\nokstra content-merged\n\
                okstra nonsense\nother okstra x\n```\n```text\nokstra  ask: printed\n```\n";
    let found = found_commands(text);
    let lines: Vec<_> = found.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [1, 1, 3, 5, 6, 7, 8], "{found:?}");
    let refused: Vec<_> = found.iter().map(|(_, command)| refusal(command).is_some()).collect();
    assert_eq!(refused, [false, true, false, false, false, true, true], "{found:?}");
}
