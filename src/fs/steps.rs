//! Who is told of every change to a file: a test that stops the process between any two of them.

use std::path::Path;
use std::sync::OnceLock;

/// What is told; see [`watch`].
static WATCHER: OnceLock<fn(&Path)> = OnceLock::new();

/// From now on `watcher` is called, for the whole process, before every change that this room makes to a file or a folder,
/// and before the second step of those that have two. Only the first watcher counts.
pub fn watch(watcher: fn(&Path)) {
    let _ = WATCHER.set(watcher);
}

/// A change of `path` begins here, or goes on.
pub(super) fn step(path: &Path) {
    if let Some(watcher) = WATCHER.get() {
        watcher(path);
    }
}
