//! What binds an approval to a plan, and a done row to a stage: SHA-256, as lower-case hex.

use super::place::with_line_feeds;
use crate::domain::digest::sha256;

/// The hash of a plan: of all its bytes, exactly as they are.
pub(super) fn of_plan(text: &str) -> String {
    sha256(text.as_bytes())
}

/// The hash of a stage: of its row in the Stage Map and of its section.
///
/// Hashed are, each with a line feed after it: the number of columns; for each column its name in lower case and its
/// cell as it is written, without white space around it, the five columns of the Stage Map first and in their order,
/// then any others in that of the table; and all lines of the section, from its heading to the last line that is not
/// blank, as they are written. So these change no hash: line endings, a table that was aligned anew, the order of the
/// five columns, blank lines at the end of the section, a byte order mark, and everything outside row and section.
/// Everything else does, white space within the section included: it can mean something in Markdown.
pub(super) fn of_stage(cells: &[(String, String)], section: &str) -> String {
    let mut text = format!("{}\n", cells.len());
    for (name, cell) in cells {
        text.extend([name, "\n", cell, "\n"]);
    }
    let section = with_line_feeds(section);
    let lines: Vec<_> = section.split('\n').collect();
    let last = lines.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |last| last + 1);
    for line in &lines[..last] {
        text.extend([line, "\n"]);
    }
    sha256(text.as_bytes())
}
