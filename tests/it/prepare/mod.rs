//! Preparing runs, and starting the lead on them.

#[cfg(unix)]
mod changes;
#[cfg(unix)]
mod claims;
#[cfg(unix)]
mod lead;
#[cfg(unix)]
mod refused;
mod shop;
#[cfg(unix)]
mod state;
#[cfg(unix)]
mod stopped;
mod story;
#[cfg(unix)]
mod terminal;
