//! Which run a command is about.

use super::known::Known;
use crate::domain::lifecycle::RunName;
use crate::ops::Error;
use crate::store::runs::Run;

/// The run that is `named`; without a name the only one that is open.
///
/// # Errors
/// [`Error::UnknownRun`] when there is no such run, [`Error::WhichRun`] when none is named and not exactly one is open.
pub(in crate::ops) fn choose<'k>(known: &'k Known, named: Option<&str>) -> Result<&'k Run, Error> {
    let task = || known.manifest.key.task.clone();
    if let Some(text) = named {
        let name: RunName = text.parse()?;
        let all = || known.runs.iter().map(|run| run.name).collect();
        let found = known.runs.iter().find(|run| run.name == name);
        return found.ok_or_else(|| Error::UnknownRun { task: task(), run: name, known: all() });
    }
    let open: Vec<_> = known.runs.iter().filter(|run| !run.state.status.is_final()).collect();
    match open.as_slice() {
        [run] => Ok(run),
        several => Err(Error::WhichRun { task: task(), open: several.iter().map(|run| run.name).collect() }),
    }
}
