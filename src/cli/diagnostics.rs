//! Everything that goes to stderr: warnings, notices, failures, and the progress line between them.

use std::collections::HashSet;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use super::output::{Tone, paint};
use super::progress::{Progress, SharedWriter};
use super::text::tame;
use crate::context::{Event, EventSink};

/// The printer for stderr. Clones write to the same stream, one whole line at a time.
#[derive(Clone)]
pub(super) struct Diagnostics {
    writer: SharedWriter,
    color: bool,
    /// The progress line, where stderr is a terminal.
    progress: Option<Progress>,
    /// The warnings that were given: each is given once, however often what it is about is read.
    warned: Arc<Mutex<HashSet<String>>>,
}

impl Diagnostics {
    pub(super) fn new(writer: SharedWriter, color: bool, progress: Option<Progress>) -> Self {
        Self { writer, color, progress, warned: Arc::default() }
    }

    /// Says what the work reports while it runs: progress on a terminal only, everything else always.
    pub(super) fn listener(&self) -> EventSink {
        let own = self.clone();
        EventSink::new(move |event| match event {
            Event::Searched { commits } => own.progress.iter().for_each(|progress| progress.searched(commits)),
            Event::Warning(text) => own.warning(&text),
            Event::Notice(text) => own.line(&tame(&text)),
        })
    }

    /// Something that does not stop the work but should be known. It is said once.
    pub(super) fn warning(&self, text: &str) {
        let is_new = self.warned.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned());
        if is_new {
            self.line(&format!("{} {}", self.paint("warning:", Tone::Doubtful), tame(text)));
        }
    }

    /// A line as it is, already safe for a terminal.
    pub(super) fn line(&self, text: &str) {
        self.erase_progress();
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        // There is nowhere left to say that stderr is closed.
        let _ = writeln!(writer, "{text}").and_then(|()| writer.flush());
    }

    /// `text` in the colour of its meaning, where stderr has colours.
    pub(super) fn paint(&self, text: &str, tone: Tone) -> String {
        paint(text, tone, self.color)
    }

    /// Whether stderr has colours.
    pub(super) fn has_color(&self) -> bool {
        self.color
    }

    /// Takes the progress line away, if it is there.
    pub(super) fn erase_progress(&self) {
        if let Some(progress) = &self.progress {
            progress.erase();
        }
    }
}
