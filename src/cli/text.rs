//! Text for a terminal: wrapped lines, and nothing in them that the terminal would obey.

use unicode_width::UnicodeWidthChar;

/// `text` with its control characters escaped: names and paths come from outside, and may hold any.
pub(super) fn tame(text: &str) -> String {
    let mut tamed = String::with_capacity(text.len());
    for c in text.chars() {
        // The invisible characters that turn the direction of text around could make a line read as another one.
        if c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') {
            tamed.extend(c.escape_default());
        } else {
            tamed.push(c);
        }
    }
    tamed
}

/// Like [`tame`], but several lines stay several lines.
pub(super) fn tame_lines(text: &str) -> String {
    text.split('\n').map(tame).collect::<Vec<_>>().join("\n")
}

/// Wraps `text` at its spaces into lines of at most `columns`; every line but the first is indented by `indent`, and
/// the first begins where something of that width already stands. A longer word stays whole.
pub(super) fn wrap(text: &str, indent: usize, columns: Option<usize>) -> String {
    let Some(columns) = columns else { return text.to_owned() };
    let mut wrapped = String::with_capacity(text.len());
    let mut at = indent;
    for (index, word) in text.split(' ').enumerate() {
        let width = width(word);
        if index > 0 && at + 1 + width > columns {
            wrapped.push('\n');
            wrapped.push_str(&" ".repeat(indent));
            at = indent;
        } else if index > 0 {
            wrapped.push(' ');
            at += 1;
        }
        wrapped.push_str(word);
        at += width;
    }
    wrapped
}

/// How many columns `text` takes.
pub(super) fn width(text: &str) -> usize {
    text.chars().filter_map(UnicodeWidthChar::width).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_escaped() {
        assert_eq!(tame("a\u{1b}[31mb\nc\u{202e}d é"), r"a\u{1b}[31mb\nc\u{202e}d é");
        assert_eq!(tame_lines("a\n\tb\u{7}"), "a\n\\tb\\u{7}");
    }

    #[test]
    fn lines_fit_and_long_words_stay_whole() {
        assert_eq!(wrap("one two three", 2, Some(9)), "one two\n  three");
        assert_eq!(wrap("one two three", 2, None), "one two three");
        assert_eq!(wrap("abcdefghijkl x", 2, Some(9)), "abcdefghijkl\n  x");
        assert_eq!(wrap("日本 語 x", 0, Some(4)), "日本\n語 x");
    }
}
