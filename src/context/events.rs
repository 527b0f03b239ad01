//! Progress: what long work tells whoever listens.

use std::fmt;
use std::sync::Arc;

/// Something that happened in the middle of long work.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A history search has looked at this many commits so far.
    Searched {
        /// Commits walked since the search began.
        commits: usize,
    },
    /// Something that does not stop the work but should be known; one sentence without a full stop.
    Warning(String),
    /// Something that was done and has to be said, whatever is printed at the end.
    Notice(String),
}

/// Where events go. Without a listener they cost nothing.
#[derive(Clone, Default)]
pub struct EventSink(Option<Arc<dyn Fn(Event) + Send + Sync>>);

impl EventSink {
    /// Send every event to `listener`, possibly from several threads.
    pub fn new(listener: impl Fn(Event) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(listener)))
    }

    /// Tell the listener, if there is one.
    pub fn send(&self, event: Event) {
        if let Some(listener) = &self.0 {
            listener(event);
        }
    }
}

impl fmt::Debug for EventSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "EventSink(listening)" } else { "EventSink(silent)" })
    }
}
