//! The `okstra …` lines in what people and agents read: each must parse with clap's own tree.

use std::fs;
use std::path::{Path, PathBuf};

use okstra::domain::workflow::{Command, commands};

use super::root;

/// Where such lines stand.
const PLACES: &[&str] = &["README.md", "AGENTS.md", "ARCHITECTURE.md", "docs", "skills", "agents", "prompts"];

/// Commands that prompts already name and that come with the next capability. Each goes from here when it is there.
const COMING: &[&str] = &[];

/// Every command that does not parse, with its place.
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
    let place = file.strip_prefix(root()).unwrap().display();
    let wrong = commands(&text).into_iter().filter_map(|command| {
        let error = refusal(&command)?;
        Some(format!("{place}:{}: `{}`: {error}", command.line, command.text))
    });
    wrong.collect()
}

fn refusal(command: &Command) -> Option<String> {
    let is_coming = command.words.get(1).is_some_and(|word| COMING.contains(&word.as_str()));
    if is_coming { None } else { okstra::cli::refusal(command) }
}

#[test]
fn a_command_that_is_coming_is_not_there_yet() {
    let commands = okstra::cli::command();
    let there: Vec<_> = COMING.iter().filter(|name| commands.find_subcommand(name).is_some()).collect();
    assert!(there.is_empty(), "take these from COMING, they are there: {there:?}");
}

#[test]
fn commands_are_tried() {
    let text = "`okstra content-merged` `okstra nonsense`\n```\n$ okstra --version\nokstra content-merged …\nokstra content-merged\n\
                okstra git-reconcile --task {{ task }} --apply --stage <N> --use-ref REF\nokstra nonsense\n```\n";
    let refused: Vec<_> = commands(text).iter().map(|command| refusal(command).is_some()).collect();
    assert_eq!(refused, [false, true, false, false, true, false, true]);
}
