//! Skills and agents call okstra by a path that works, wherever they are read.
//!
//! They are written with plain commands, `okstra status --json`, which a test parses. Installing puts the executable's
//! path in the place of the word `okstra` where it is a command: at the beginning of a code span or of a line of a code
//! block, and behind what begins a command there (`$ `, `$(`, `| `, `&& `, `|| `, `; `); and in rules, `Bash(okstra …)`.
//! Anything else is text and stays as it is.

use crate::domain::shell;

/// The command as it is written.
const COMMAND: &str = "okstra ";
/// What stands before a command.
const BEGINNINGS: [&str; 6] = ["$ ", "$(", "| ", "&& ", "|| ", "; "];
/// How a rule begins that allows a command.
const RULE: &str = "Bash(";

/// `text` with the executable at `path` for the command `okstra`.
pub fn render(text: &str, path: &str) -> String {
    let command = format!("{} ", shell::word(path));
    let mut rendered = String::with_capacity(text.len() + 256);
    let mut fence: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let marker = fence_of(line);
        match (fence, marker) {
            (None, Some(_)) => fence = marker,
            (Some(open), Some(close)) if close.starts_with(open) && line.trim() == close => fence = None,
            (Some(_), _) => {
                rendered.push_str(&in_code(line, &command));
                continue;
            }
            (None, None) => {
                rendered.push_str(&in_text(line, &command));
                continue;
            }
        }
        rendered.push_str(line);
    }
    rendered
}

/// The backticks or tildes that open or close a code block.
fn fence_of(line: &str) -> Option<&str> {
    let line = line.trim();
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let marks = &line[..line.len() - line.trim_start_matches(mark).len()];
    (marks.len() >= 3 && !line[marks.len()..].contains('`')).then_some(marks)
}

/// A line of text, with its code spans and rules.
fn in_text(line: &str, command: &str) -> String {
    let mut parts = line.split('`');
    let mut rendered = with_rules(parts.next().unwrap_or_default(), command);
    for (index, part) in parts.enumerate() {
        rendered.push('`');
        let is_code = index % 2 == 0;
        rendered.push_str(&if is_code { in_code(part, command) } else { with_rules(part, command) });
    }
    rendered
}

fn in_code(code: &str, command: &str) -> String {
    let start = code.len() - code.trim_start().len();
    let (indent, rest) = code.split_at(start);
    let first = rest.strip_prefix(COMMAND).map(|rest| format!("{command}{rest}"));
    let mut code = format!("{indent}{}", first.as_deref().unwrap_or(rest));
    for beginning in BEGINNINGS {
        code = code.replace(&format!("{beginning}{COMMAND}"), &format!("{beginning}{command}"));
    }
    with_rules(&code, command)
}

fn with_rules(text: &str, command: &str) -> String {
    text.replace(&format!("{RULE}{COMMAND}"), &format!("{RULE}{command}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_get_the_path_and_text_stays() {
        let cases = [
            (
                "okstra is a program, `okstra status` a command.\n",
                "okstra is a program, `/o/okstra status` a command.\n",
            ),
            ("`okstra` and `okstra-run` are names\n", "`okstra` and `okstra-run` are names\n"),
            (
                "```sh\nokstra status\n$ okstra tasks\n```\nokstra x\n",
                "```sh\n/o/okstra status\n$ /o/okstra tasks\n```\nokstra x\n",
            ),
            ("  ```\n  okstra a\n  ```\n", "  ```\n  /o/okstra a\n  ```\n"),
            (
                "```\na && okstra b | okstra c; okstra d || okstra e\nx=$(okstra f)\n```",
                "```\na && /o/okstra b | /o/okstra c; /o/okstra d || /o/okstra e\nx=$(/o/okstra f)\n```",
            ),
            ("```\necho okstra is\nmyokstra x\n```\n", "```\necho okstra is\nmyokstra x\n```\n"),
            (
                "allowed-tools: Bash(okstra status:*), Bash(okstra logs)\n",
                "allowed-tools: Bash(/o/okstra status:*), Bash(/o/okstra logs)\n",
            ),
            ("````\n```\nokstra a\n````\n`okstra b`\n", "````\n```\n/o/okstra a\n````\n`/o/okstra b`\n"),
            ("~~~\nokstra a\n~~~\nokstra a\n", "~~~\n/o/okstra a\n~~~\nokstra a\n"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(render(text, "/o/okstra"), expected);
            assert_eq!(render(expected, "/o/okstra"), expected, "twice");
        }
    }

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        assert_eq!(render("`okstra tasks`", "/a b/okstra"), "`'/a b/okstra' tasks`");
    }
}
