//! The okstra commands in a text.

use super::{Document, Finding, Rule};

/// A command that a text names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The line that it ends on, from 1.
    pub line: usize,
    /// As it stands there, from `okstra` on.
    pub text: String,
    /// Its words, with values for what stands for one.
    pub words: Vec<String>,
    /// Whether nothing is left out: a name in running text, or one with an ellipsis, may lack what it requires.
    pub is_whole: bool,
}

/// Each command that cannot be typed.
pub(super) fn check(document: &Document, refusal: &dyn Fn(&Command) -> Option<String>) -> Vec<Finding> {
    let wrong = commands(&document.text).into_iter().filter_map(|command| {
        let why = refusal(&command)?;
        let message = format!("`{}` cannot be typed: {why}", command.text);
        Some(document.finding(
            command.line,
            Rule::Command,
            message,
            "name a command that is there; see `okstra --help`",
        ))
    });
    wrong.collect()
}

/// The commands in a Markdown text: every line of a code block that begins with okstra, and every code span in running
/// text. A line that ends with `\` goes on. A block marked `text` is what something printed.
pub fn commands(text: &str) -> Vec<Command> {
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
            found.extend(names.map(|name| Command::new(index + 1, name, false)));
            continue;
        }
        if let Some(first) = line.strip_suffix('\\') {
            carried.push_str(first);
            continue;
        }
        let whole = std::mem::take(&mut carried) + line;
        found.extend(okstra_part(&whole).map(|command| Command::new(index + 1, command, true)));
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

impl Command {
    /// Square brackets around what may be left out are taken off, and an ellipsis stands for the rest. In templates
    /// `{{ … }}` stands for a task, and `<N>` and `N` for a number.
    fn new(line: usize, text: String, is_whole: bool) -> Self {
        let plain = filled_in(&text).replace(['[', ']'], "");
        let (start, is_whole) = match plain.split_once('…') {
            Some((start, _)) => (start, false),
            None => (plain.as_str(), is_whole),
        };
        let word = |word: &str| if word == "N" { "1".to_owned() } else { word.trim_matches(['"', '\'']).to_owned() };
        let words = start.split_whitespace().map(word).collect();
        Self { line, words, is_whole, text }
    }
}

/// A command of a template, with values.
fn filled_in(command: &str) -> String {
    let mut pieces = command.split("{{");
    let first = pieces.next().unwrap_or_default().to_owned();
    let values = pieces.map(|piece| format!("group/task{}", piece.split_once("}}").map_or(piece, |(_, rest)| rest)));
    (first + &values.collect::<String>()).replace("<N>", "1")
}
