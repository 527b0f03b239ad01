//! Tables for people: columns as wide as they must be, the last one wrapped to what is left of the terminal, or put below
//! where that is little. A column that says nothing is left out.

use super::output::{Tone, paint};
use super::text::{tame, width, wrap};

/// Two spaces stand between columns.
const GAP: usize = 2;
/// In a last column narrower than this nothing is wrapped: what does not fit goes onto lines of its own.
const NARROWEST: usize = 40;
/// How far those are indented.
const BELOW: usize = 6;

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
    let widths: Vec<Option<usize>> = (0..last).map(|column| column_width(headers[column], column, rows)).collect();
    let indent = 2 + widths.iter().flatten().map(|width| width + GAP).sum::<usize>();
    let room = columns.map_or(usize::MAX, |columns| columns.saturating_sub(indent));
    let header: Vec<Cell> = headers.iter().map(|header| Cell::of(Tone::Quiet, header)).collect();
    let mut lines = Vec::new();
    for row in std::iter::once(&header).chain(rows) {
        let mut line = String::from("  ");
        for (cell, column) in row.iter().zip(&widths) {
            let Some(column) = column else { continue };
            line.push_str(&painted(cell, &cell.text, color));
            line.push_str(&" ".repeat(column - width(&cell.text) + GAP));
        }
        let cell = &row[last];
        if width(&cell.text) <= room || room >= NARROWEST {
            line.push_str(&painted(cell, &wrap(&cell.text, indent, columns), color));
            lines.push(line.trim_end().to_owned());
        } else if lines.is_empty() {
            lines.push(line.trim_end().to_owned());
        } else {
            let below = painted(cell, &wrap(&cell.text, BELOW, columns), color);
            lines.extend([line.trim_end().to_owned(), format!("{}{below}", " ".repeat(BELOW))]);
        }
    }
    lines
}

/// How wide a column is; `None` when it says nothing.
fn column_width(header: &str, column: usize, rows: &[Vec<Cell>]) -> Option<usize> {
    let widest = rows.iter().map(|row| width(&row[column].text)).max().unwrap_or_default();
    (widest > 0 || rows.is_empty()).then(|| widest.max(width(header)))
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
        let long = vec![vec![Cell::from("x"), Cell::from("a reason of some length that goes on and on")]];
        let wrapped = lines(&["what", "reason"], &long, Some(48), false);
        assert_eq!(wrapped[1], "  x     a reason of some length that goes on and\n        on");
    }

    #[test]
    fn where_there_is_little_room_what_does_not_fit_goes_below() {
        let expected = [
            "  what     class    reason",
            "  stage 1  ok       it is there",
            "  anchor   confirm",
            "      gone, and nobody knows\n      where to",
        ];
        assert_eq!(table(Some(31), false), expected);
        assert_eq!(table(Some(25), false)[0], "  what     class");
    }

    #[test]
    fn a_column_that_says_nothing_is_left_out() {
        let rows = vec![vec![Cell::from("x"), Cell::from(""), Cell::from("why")]];
        assert_eq!(lines(&["what", "proof", "reason"], &rows, None, false), ["  what  reason", "  x     why"]);
    }

    #[test]
    fn colours_take_no_room() {
        let colored = table(None, true);
        assert_eq!(colored[1], "  stage 1  \u{1b}[1m\u{1b}[32mok\u{1b}[0m       it is there");
    }
}
