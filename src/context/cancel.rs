//! The cancel flag: set by Ctrl-C or an AbortSignal, polled by long work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that asks running work to stop. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

/// The work was asked to stop, and did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped on request")]
pub struct Cancelled;

impl Cancel {
    /// Ask the work to stop. Work that has already ended is not touched.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// For use with `?` inside a loop: an error once the work was asked to stop.
    ///
    /// # Errors
    /// [`Cancelled`] when [`Cancel::cancel`] was called on any clone.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// The flag itself, for a signal handler that can only store into an atomic.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}
