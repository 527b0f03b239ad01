//! What surrounds a command that has the process to itself: the executable's, or Node's while it runs `bin/okstra`.

use super::{signals, stdio};
use crate::context::Cancel;

/// A command has the process: its streams can be handed on to children, and signals ask it to stop.
#[derive(Debug)]
pub struct Session {
    received: signals::Received,
}

impl Session {
    /// Takes over the standard streams and the signals; from now on SIGINT, SIGTERM and SIGHUP set `cancel`, and
    /// a second one ends the process at once.
    pub fn open(cancel: &Cancel) -> Self {
        stdio::make_inheritable();
        Self { received: signals::install(cancel) }
    }

    /// Call when the command has cleaned up after itself. If a signal asked it to stop, the process ends here, by that
    /// same signal; otherwise this returns.
    pub fn close(self) {
        self.received.end_process();
    }
}
