//! The standard streams, made fit to be handed on, and the state of the terminal behind them.

/// Lets children inherit the file descriptors 0 to 2, and makes reading and writing them wait.
///
/// Under Node, libuv marks them close-on-exec (a child would start with closed streams, silently) and may leave them
/// non-blocking (a write into a full pipe would fail in the middle of a line).
#[cfg(unix)]
pub(super) fn make_inheritable() {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    use rustix::io::{FdFlags, fcntl_getfd, fcntl_setfd};
    use std::os::fd::AsFd;

    let (stdin, stdout, stderr) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
    for fd in [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()] {
        // A descriptor that is closed, the only thing that can fail here, needs nothing.
        if let Ok(flags) = fcntl_getfd(fd) {
            let _ = fcntl_setfd(fd, flags - FdFlags::CLOEXEC);
        }
        if let Ok(flags) = fcntl_getfl(fd) {
            let _ = fcntl_setfl(fd, flags - OFlags::NONBLOCK);
        }
    }
}

/// Windows hands handles on by other rules, which need no help.
#[cfg(not(unix))]
pub(super) fn make_inheritable() {}

/// How the terminal was set: whether it echoes, waits for whole lines, turns Ctrl-C into a signal.
#[cfg(unix)]
pub(super) struct TerminalState(Option<rustix::termios::Termios>);

#[cfg(unix)]
impl TerminalState {
    /// The state now; nothing where the standard input is no terminal.
    pub(super) fn save() -> Self {
        Self(rustix::termios::tcgetattr(std::io::stdin()).ok())
    }

    /// Puts the terminal back into this state.
    pub(super) fn restore(&self) {
        if let Some(state) = &self.0 {
            let _ = rustix::termios::tcsetattr(std::io::stdin(), rustix::termios::OptionalActions::Now, state);
        }
    }
}

/// Windows consoles belong to the programs in them.
#[cfg(not(unix))]
pub(super) struct TerminalState;

#[cfg(not(unix))]
impl TerminalState {
    pub(super) fn save() -> Self {
        Self
    }

    pub(super) fn restore(&self) {}
}
