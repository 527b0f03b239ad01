//! Plans: what `okstra plan` finds, freezes and draws, on real files with real processes.

mod approve;
mod check;
mod crash;
mod hostile;
#[cfg(unix)]
mod prompt;
mod shop;
mod show;
