//! One line on the terminal while long work runs.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::context::{Clock, Stopwatch};

/// Work that is done before this shows nothing.
const QUIET: Duration = Duration::from_millis(500);
/// The least time between two drawings.
const REDRAW: Duration = Duration::from_millis(100);
/// Back to the start of the line, and erase it.
const ERASE: &str = "\r\x1b[K";

/// The standard error stream, shared with the threads that report progress.
pub(super) type SharedWriter = Arc<Mutex<Box<dyn Write + Send>>>;

/// The progress line. It is drawn over and over, and erased before anything else is written.
#[derive(Clone)]
pub(super) struct Progress {
    writer: SharedWriter,
    line: Arc<Mutex<Line>>,
}

struct Line {
    running: Stopwatch,
    next: Duration,
    shown: bool,
}

impl Progress {
    /// A line on `writer`, a terminal, that appears when work has run for a while.
    pub(super) fn new(writer: SharedWriter, clock: &Clock) -> Self {
        let line = Line { running: clock.start(), next: QUIET, shown: false };
        Self { writer, line: Arc::new(Mutex::new(line)) }
    }

    /// Draws that a search has looked at so many commits.
    pub(super) fn searched(&self, commits: usize) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let elapsed = line.running.elapsed();
        if elapsed < line.next {
            return;
        }
        line.next = elapsed + REDRAW;
        line.shown = true;
        self.write(&format!("{ERASE}searched {} commits…", grouped(commits)));
    }

    /// Erases the line if it is there.
    pub(super) fn erase(&self) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::take(&mut line.shown) {
            self.write(ERASE);
        }
    }

    fn write(&self, text: &str) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        // Progress that cannot be shown is no reason to fail.
        let _ = writer.write_all(text.as_bytes()).and_then(|()| writer.flush());
    }
}

/// `1234567` as `1,234,567`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut text = digits[..first].to_owned();
    for start in (first..digits.len()).step_by(3) {
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(&digits[start..start + 3]);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::cli::output::tests::Captured;

    #[test]
    fn numbers_are_grouped_by_three() {
        let numbers = [0, 12, 999, 1000, 123_456, 1_234_567];
        assert_eq!(numbers.map(grouped), ["0", "12", "999", "1,000", "123,456", "1,234,567"]);
    }

    #[test]
    fn short_work_shows_nothing_and_long_work_leaves_nothing() {
        let captured = Captured::default();
        let progress = Progress::new(captured.shared(), &Clock::Fixed(SystemTime::UNIX_EPOCH));
        progress.searched(1);
        progress.erase();
        assert_eq!(captured.text(), "");

        progress.line.lock().unwrap().next = Duration::ZERO;
        progress.searched(2000);
        progress.searched(2001);
        progress.erase();
        progress.erase();
        assert_eq!(captured.text(), "\r\x1b[Ksearched 2,000 commits…\r\x1b[K");
    }
}
