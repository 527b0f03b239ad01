//! State files, seen from other processes: two writers, writers that are killed, folders that cannot be written to, and
//! bytes that mean nothing.

#[cfg(unix)]
mod access;
mod garbage;
#[cfg(unix)]
mod killed;
#[cfg(unix)]
mod together;

use std::path::Path;

use okstra::context::{Context, Environment};
use okstra::store::Error;
use okstra::store::consumers::LogText;

/// The stages of each row of the log `path` with the task it is of, in order.
fn rows(path: &Path) -> Result<Vec<(String, u32)>, Error> {
    let context = Context::new("/", Environment::default());
    let text = LogText::read(path)?;
    let log = text.rows(&context)?;
    Ok(log.rows().iter().map(|row| (row.impl_task_key.as_deref().unwrap().to_owned(), row.stage.unwrap())).collect())
}
