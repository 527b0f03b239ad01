//! The machine enters here, once: environment, current folder, home, clock, cancel flag, event sink.
//!
//! Everything else in okstra takes a [`Context`] instead of asking the process, so that a test can make its own.

mod cancel;
mod clock;
mod environment;
mod events;

use std::path::{Path, PathBuf};

pub use cancel::{Cancel, Cancelled};
pub use clock::{Clock, Stopwatch};
pub use environment::{Environment, process_arguments};
pub use events::{Event, EventSink};

/// One snapshot of the machine that a command runs on.
#[derive(Clone, Debug)]
pub struct Context {
    cwd: Option<PathBuf>,
    environment: Environment,
    clock: Clock,
    cancel: Cancel,
    events: EventSink,
    executable: Option<PathBuf>,
    node: Option<String>,
}

impl Context {
    /// The snapshot of this process: its environment, its current folder, the system clock, and no one listening.
    ///
    /// The current folder is kept as unknown when it was deleted; who needs it reports that then.
    #[expect(clippy::disallowed_methods, reason = "this is the one gate by which the machine enters")]
    pub fn from_process() -> Self {
        Self {
            cwd: std::env::current_dir().ok(),
            environment: std::env::vars_os().collect(),
            clock: Clock::System,
            cancel: Cancel::default(),
            events: EventSink::default(),
            executable: std::env::current_exe().ok(),
            node: None,
        }
    }

    /// A snapshot made by hand: what a test or a library caller wants the machine to be.
    pub fn new(cwd: impl Into<PathBuf>, environment: Environment) -> Self {
        Self {
            cwd: Some(cwd.into()),
            environment,
            clock: Clock::System,
            cancel: Cancel::default(),
            events: EventSink::default(),
            executable: None,
            node: None,
        }
    }

    /// The same machine, where okstra is part of Node of the version `node`; `executable` is the one that was built with it.
    pub fn in_node(self, executable: Option<PathBuf>, node: Option<String>) -> Self {
        Self { executable, node, ..self }
    }

    /// The same machine with another clock.
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// The same machine with another cancel flag, shared with whoever may set it.
    pub fn with_cancel(self, cancel: Cancel) -> Self {
        Self { cancel, ..self }
    }

    /// The same machine with someone who listens to events.
    pub fn with_events(self, events: EventSink) -> Self {
        Self { events, ..self }
    }

    /// The current folder; `None` when it no longer exists.
    pub fn cwd(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }

    /// `path` seen from the current folder: absolute where the current folder is known.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        match &self.cwd {
            Some(cwd) => cwd.join(path),
            None => path.to_owned(),
        }
    }

    /// The environment variables.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The executable `okstra` of this very build: the one that runs, or that came with the addon. `None` where nobody has
    /// said which that is.
    pub fn executable(&self) -> Option<&Path> {
        self.executable.as_deref()
    }

    /// The version of the Node that okstra is a part of, where it is.
    pub fn node(&self) -> Option<&str> {
        self.node.as_deref()
    }

    /// The clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The flag that asks running work to stop.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Where progress is reported.
    pub fn events(&self) -> &EventSink {
        &self.events
    }

    /// Tells whoever listens of something that does not stop the work but should be known.
    pub fn warn(&self, text: impl Into<String>) {
        self.events.send(Event::Warning(text.into()));
    }

    /// Tells whoever listens of something that was done.
    pub fn notice(&self, text: impl Into<String>) {
        self.events.send(Event::Notice(text.into()));
    }
}
