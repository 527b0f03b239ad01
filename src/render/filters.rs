//! How values become Markdown that they cannot leave.

use std::iter;

/// A text as a block of its own: fenced with more backticks than it holds in a row, so that nothing in it ends the block.
pub(super) fn fenced(text: &str) -> String {
    let fence = "`".repeat(2.max(longest_run(text)) + 1);
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}text\n{text}{end}{fence}")
}

/// A text as inline code.
pub(super) fn code(text: &str) -> String {
    let text = one_line(text);
    let ticks = "`".repeat(if text.contains('`') { longest_run(&text) + 1 } else { 1 });
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// A path as the rest of a line; as a string of JSON where it has characters that would end the line.
pub(super) fn path(text: &str) -> String {
    if text.chars().any(char::is_control) { format!("{text:?}") } else { text.to_owned() }
}

/// A text as a part of a line: what would end it becomes a blank.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// How many backticks stand in a row at most.
fn longest_run(text: &str) -> usize {
    let mut run = 0;
    let runs = text.bytes().map(|byte| {
        run = if byte == b'`' { run + 1 } else { 0 };
        run
    });
    iter::once(0).chain(runs).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_ends_its_block() {
        let cases = [
            ("", "```text\n```"),
            ("a", "```text\na\n```"),
            ("a\r\n", "```text\na\r\n```"),
            ("```\nout", "````text\n```\nout\n````"),
            ("~~~\n``````", "```````text\n~~~\n``````\n```````"),
        ];
        for (text, expected) in cases {
            assert_eq!(fenced(text), expected, "{text:?}");
        }
    }

    #[test]
    fn inline_values_stay_on_their_line() {
        let cases = [("a b", "`a b`"), ("a`b", "``a`b``"), ("`a", "`` `a ``"), ("a\nb\0", "`a b `")];
        for (text, expected) in cases {
            assert_eq!(code(text), expected, "{text:?}");
        }
        assert_eq!(path("/a b/ü`"), "/a b/ü`");
        assert_eq!(path("/a\nb"), "\"/a\\nb\"");
        assert_eq!(one_line("a\r\nb"), "a  b");
    }
}
