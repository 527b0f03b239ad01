//! Signals: the first asks for an orderly end, the second ends at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use signal_hook::SigId;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

use crate::context::Cancel;

#[cfg(unix)]
const ENDING: &[i32] = &[SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const ENDING: &[i32] = &[SIGINT, SIGTERM];

/// What the terminal sends when someone types Ctrl-C or Ctrl-\.
#[cfg(unix)]
const INTERRUPTS: &[i32] = &[SIGINT, signal_hook::consts::SIGQUIT];
#[cfg(not(unix))]
const INTERRUPTS: &[i32] = &[SIGINT];

/// The handlers belong to the process, so what they do is kept once for all of it.
static HANDLERS: Mutex<Option<Handlers>> = Mutex::new(None);

struct Handlers {
    cancel: Arc<AtomicBool>,
    received: Arc<AtomicUsize>,
    /// What SIGINT does at present.
    interrupt: Vec<SigId>,
}

/// The signal that asked this process to end, if one did.
#[derive(Clone, Debug, Default)]
pub(super) struct Received(Arc<AtomicUsize>);

impl Received {
    /// Ends the process by the signal that was received, as if it had not been handled; returns when there was none.
    ///
    /// A shell sees by this that its user pressed Ctrl-C, and leaves its loop.
    pub(super) fn end_process(&self) {
        if let Ok(signal @ 1..) = i32::try_from(self.0.load(Ordering::SeqCst)) {
            let _ = low_level::emulate_default_handler(signal);
        }
    }
}

/// From now on SIGINT, SIGTERM and SIGHUP set `cancel`; once it is set they end the process at once.
///
/// A signal that this process was started to ignore (`nohup`, a background job of a script) stays ignored.
pub(super) fn install(cancel: &Cancel) -> Received {
    let received = Received::default();
    let mut handlers = Handlers { cancel: cancel.flag(), received: Arc::clone(&received.0), interrupt: Vec::new() };
    for &signal in ENDING.iter().filter(|&&signal| !is_ignored(signal)) {
        let ids = handlers.listen(signal);
        if signal == SIGINT {
            handlers.interrupt = ids;
        }
    }
    *lock() = Some(handlers);
    received
}

impl Handlers {
    /// The order matters: the first signal must find the flag unset where the second one looks.
    fn listen(&self, signal: i32) -> Vec<SigId> {
        [
            flag::register_conditional_default(signal, Arc::clone(&self.cancel)),
            flag::register(signal, Arc::clone(&self.cancel)),
            flag::register_usize(signal, Arc::clone(&self.received), usize::try_from(signal).unwrap_or_default()),
        ]
        .into_iter()
        .filter_map(Result::ok)
        .collect()
    }
}

/// While this lives, SIGINT and SIGQUIT do nothing to this process, and everything to the children it starts.
pub(super) struct InterruptsIgnored(Vec<(i32, SigId)>);

/// Makes this process deaf to Ctrl-C.
pub(super) fn ignore_interrupts() -> InterruptsIgnored {
    let nothing = Arc::new(AtomicBool::new(false));
    let mut handlers = lock();
    let ids = INTERRUPTS
        .iter()
        .filter(|&&signal| !is_ignored(signal))
        .filter_map(|&signal| Some((signal, flag::register(signal, Arc::clone(&nothing)).ok()?)))
        .collect();
    if let Some(handlers) = handlers.as_mut() {
        for id in handlers.interrupt.drain(..) {
            low_level::unregister(id);
        }
    }
    InterruptsIgnored(ids)
}

impl Drop for InterruptsIgnored {
    fn drop(&mut self) {
        let mut handlers = lock();
        for (signal, id) in self.0.drain(..) {
            match handlers.as_mut() {
                Some(handlers) if signal == SIGINT => handlers.interrupt = handlers.listen(signal),
                // Without an action the signal would be swallowed from now on: the empty handler stays in place.
                _ => drop(flag::register_conditional_default(signal, Arc::new(AtomicBool::new(true)))),
            }
            low_level::unregister(id);
        }
    }
}

fn lock() -> std::sync::MutexGuard<'static, Option<Handlers>> {
    HANDLERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether this process was started with `signal` ignored. Only Linux tells without unsafe code; a handler that is in
/// place already counts as not ignored.
#[cfg(target_os = "linux")]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    mask >> (signal - 1) & 1 == 1
}

#[cfg(not(target_os = "linux"))]
fn is_ignored(_: i32) -> bool {
    false
}
