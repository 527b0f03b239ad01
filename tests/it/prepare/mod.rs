//! Preparing runs, and starting the lead on them.

#[cfg(unix)]
mod lead;
mod shop;
mod story;
