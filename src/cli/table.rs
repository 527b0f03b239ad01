//! Tables for people: columns as wide as they must be, the last one wrapped to what is left of the terminal.

use super::output::{Tone, paint};
use super::text::{tame, width, wrap};

/// Two spaces stand between columns.
const GAP: usize = 2;
/// A last column narrower than this is not worth wrapping: it goes onto lines of its own.
const NARROWEST: usize = 24;

/// One cell: its text, and its colour where it has one.
pub(super) struct Cell {
    text: String,
    tone: Option<Tone>,
}

impl Cell {
    /// A cell in the colour of its meaning.
    pub(super) fn of(tone: Tone, text: &str) -> Self {
        Self { text: tame(text), tone: Some(tone) }
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: tame(text.as_ref()), tone: None }
    }
}

/// The lines of a table. Every row has as many cells as there are `headers`.
pub(super) fn lines(headers: &[&str], rows: &[Vec<Cell>], columns: Option<usize>, color: bool) -> Vec<String> {
    let Some(last) = headers.len().checked_sub(1) else { return Vec::new() };
    let widths: Vec<usize> = (0..last)
        .map(|column| {
            let cells = rows.iter().map(|row| width(&row[column].text));
            cells.chain([width(headers[column])]).max().unwrap_or_default()
        })
        .collect();
    let indent = 2 + widths.iter().map(|width| width + GAP).sum::<usize>();
    // What does not fit beside the others goes below them.
    let below = columns.is_some_and(|columns| columns < indent + NARROWEST);
    let header: Vec<Cell> = headers.iter().map(|header| Cell::of(Tone::Quiet, header)).collect();
    let mut lines = Vec::new();
    for (number, row) in std::iter::once(&header).chain(rows).enumerate() {
        let mut line = String::from("  ");
        for (cell, column) in row.iter().zip(&widths) {
            line.push_str(&painted(cell, &cell.text, color));
            line.push_str(&" ".repeat(column - width(&cell.text) + GAP));
        }
        let text = &row[last].text;
        if below {
            lines.push(line.trim_end().to_owned());
            if number > 0 && !text.is_empty() {
                lines.push(format!("      {}", painted(&row[last], &wrap(text, 6, columns), color)));
            }
        } else {
            line.push_str(&painted(&row[last], &wrap(text, indent, columns), color));
            lines.push(line.trim_end().to_owned());
        }
    }
    lines
}

fn painted(cell: &Cell, text: &str, color: bool) -> String {
    match cell.tone {
        Some(tone) if !text.is_empty() => paint(text, tone, color),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: Option<usize>, color: bool) -> Vec<String> {
        let rows = vec![
            vec![Cell::from("stage 1"), Cell::of(Tone::Good, "ok"), Cell::from("it is there")],
            vec![
                Cell::from("anchor"),
                Cell::of(Tone::Doubtful, "confirm"),
                Cell::from("gone, and nobody knows where to"),
            ],
        ];
        lines(&["what", "class", "reason"], &rows, columns, color)
    }

    #[test]
    fn columns_are_aligned_and_the_last_is_wrapped() {
        let expected = [
            "  what     class    reason",
            "  stage 1  ok       it is there",
            "  anchor   confirm  gone, and nobody knows where to",
        ];
        assert_eq!(table(None, false), expected);
        let wrapped = table(Some(46), false);
        assert_eq!(wrapped[2], "  anchor   confirm  gone, and nobody knows\n                    where to");
    }

    #[test]
    fn on_a_narrow_terminal_the_last_column_goes_below() {
        let expected = [
            "  what     class",
            "  stage 1  ok",
            "      it is there",
            "  anchor   confirm",
            "      gone, and nobody knows\n      where to",
        ];
        assert_eq!(table(Some(30), false), expected);
    }

    #[test]
    fn colours_take_no_room() {
        let colored = table(None, true);
        assert_eq!(colored[1], "  stage 1  \u{1b}[1m\u{1b}[32mok\u{1b}[0m       it is there");
    }
}
