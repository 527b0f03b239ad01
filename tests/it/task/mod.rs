//! `okstra task`: a task follows its base, and goes when it has landed there.

mod close;
mod killed;
mod shop;
mod sync;
