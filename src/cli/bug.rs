//! Panics: what one said is kept for one clear message, instead of being printed twice.

use std::panic::{AssertUnwindSafe, PanicHookInfo};
use std::sync::{Mutex, PoisonError};

/// What the first panic said. A scope whose thread panicked panics again, and knows less.
static FIRST: Mutex<Option<String>> = Mutex::new(None);

/// From now on panics are kept, not printed. For a process that belongs to one command.
pub(super) fn keep_quiet() {
    std::panic::set_hook(Box::new(|info| {
        first().get_or_insert_with(|| describe(info));
    }));
}

/// Does `work`; when it panics, the error is what the panic said.
pub(super) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    std::panic::catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let kept = first().take();
        kept.unwrap_or_else(|| said(payload.as_ref()))
    })
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let what = said(info.payload());
    info.location().map_or_else(|| what.clone(), |place| format!("{what} ({place})"))
}

fn said(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}

fn first() -> std::sync::MutexGuard<'static, Option<String>> {
    FIRST.lock().unwrap_or_else(PoisonError::into_inner)
}
