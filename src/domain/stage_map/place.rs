//! Where in a text something stands.

use std::ops::Range;

/// The beginnings of a text's lines.
pub(super) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// Lines end as in Markdown: with a line feed, a carriage return, or both.
    pub(super) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = |at: &usize| bytes[*at] == b'\n' || (bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
        let starts = (0..bytes.len()).filter(ends).map(|at| at + 1);
        Self { starts: std::iter::once(0).chain(starts).collect() }
    }

    /// The number of the line that holds the byte `at`, from 1.
    pub(super) fn number(&self, at: usize) -> usize {
        self.starts.partition_point(|&start| start <= at)
    }

    /// Where the line that holds the byte `at` begins.
    pub(super) fn start(&self, at: usize) -> usize {
        self.starts[self.number(at) - 1]
    }
}

/// `text` with line feeds alone at the ends of its lines.
pub(super) fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The text of a list item or a part of a section: its lines without what indents all but the first, by at most
/// `indent` columns, and without white space at its end.
pub(super) fn dedented(text: &str, range: Range<usize>, indent: usize) -> String {
    let source = with_line_feeds(text.get(range).unwrap_or_default());
    let mut lines = source.split('\n');
    let first = lines.next().unwrap_or_default().to_owned();
    let rest = lines.map(|line| {
        let spaces = line.bytes().take(indent).take_while(|&byte| byte == b' ').count();
        // A tab indents by up to four columns; one takes the place of the rest.
        let line = &line[spaces..];
        if spaces < indent { line.strip_prefix('\t').unwrap_or(line) } else { line }
    });
    rest.fold(first, |text, line| text + "\n" + line).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_in_markdown() {
        let text = "a\r\nb\rc\n\nd";
        let lines = Lines::of(text);
        let numbers: Vec<_> = (0..=text.len()).map(|at| lines.number(at)).collect();
        assert_eq!(numbers, [1, 1, 1, 2, 2, 3, 3, 4, 5, 5]);
        assert_eq!(lines.start(text.len()), 8);
        assert_eq!(Lines::of("").number(0), 1);
    }

    #[test]
    fn indentation_is_taken_off() {
        let text = "1. one\r\n   two\n     three\n four\n\tfive\n\n";
        assert_eq!(dedented(text, 3..text.len(), 3), "one\ntwo\n  three\nfour\nfive");
    }
}
