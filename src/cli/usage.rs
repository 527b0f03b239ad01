//! Command lines that do not parse: clap's finding in okstra's words.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::ErrorKind;

use super::failure::Failure;

/// What a command line that was not a command asks for.
pub(super) enum Refusal {
    /// It asked for help or the version.
    Help(StyledStr),
    /// It asked for nothing: the help is the answer, and the request is wrong all the same.
    Nothing(StyledStr),
    /// It is wrong.
    Wrong(Failure),
}

/// What `error` means for who typed `arguments`.
pub(super) fn explain(error: &clap::Error, arguments: &[OsString]) -> Refusal {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => return Refusal::Help(error.render()),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => return Refusal::Nothing(error.render()),
        _ => {}
    }
    let text = error.render().to_string();
    Refusal::Wrong(match not_utf8(&text, error.kind(), arguments) {
        Some(message) => Failure::not_utf8(message),
        None => Failure::usage(message(&text), Some(hint(&text, arguments))),
    })
}

/// The message where `text` is about an argument that is not UTF-8; of clap's own it shows the bytes.
fn not_utf8(text: &str, kind: ErrorKind, arguments: &[OsString]) -> Option<String> {
    if kind == ErrorKind::InvalidUtf8 && text.contains("the value \"") {
        return Some(message(text));
    }
    let broken = arguments.iter().find(|argument| argument.to_str().is_none())?;
    let about_it = kind == ErrorKind::InvalidUtf8 || text.contains(char::REPLACEMENT_CHARACTER);
    about_it.then(|| format!("the argument {broken:?} is not UTF-8"))
}

/// The first paragraph on one line.
fn message(text: &str) -> String {
    let paragraph = text.split("\n\n").next().unwrap_or(text);
    let paragraph = paragraph.strip_prefix("error: ").unwrap_or(paragraph);
    let mut lines = paragraph.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default().to_owned();
    let rest: Vec<_> = lines.collect();
    match rest.is_empty() {
        true => first,
        false if first.ends_with(':') => format!("{first} {}", rest.join(", ")),
        false => format!("{first} {}", rest.join(" ")),
    }
}

/// The nearest thing that would have been right, and where the rest is written.
fn hint(text: &str, arguments: &[OsString]) -> String {
    let see = format!("see `{} --help`", addressed(arguments).join(" "));
    let tips: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("  tip: ")).collect();
    if tips.is_empty() { see } else { format!("{}; {see}", tips.join("; ")) }
}

/// The names of the command that the arguments are for, as far as they name one.
fn addressed(arguments: &[OsString]) -> Vec<String> {
    let mut command = &super::command();
    let mut names = vec![command.get_name().to_owned()];
    for argument in arguments {
        if let Some(next) = command.find_subcommand(argument) {
            names.push(next.get_name().to_owned());
            command = next;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line() {
        let cases = [
            ("error: bad thing\n\n  tip: good thing\n", "bad thing"),
            ("error: these are missing:\n  --a <A>\n  --b <B>\n\nUsage: x\n", "these are missing: --a <A>, --b <B>"),
            ("error: bad value\n  [possible values: a, b]\n", "bad value [possible values: a, b]"),
        ];
        for (text, line) in cases {
            assert_eq!(message(text), line);
        }
    }
}
