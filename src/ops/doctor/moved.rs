//! A repository that was moved: the registry still names the folder where it was, and git's worktrees look for it there.

use std::collections::BTreeMap;
use std::path::Path;

use super::check::Examined;
use super::restore::Restoring;
use crate::domain::doctor::Fact;
use crate::domain::names::{Name, TaskKey, TaskName};
use crate::domain::registry::TaskEntry;
use crate::ops::Error;
use crate::store::registry::Registry;
use crate::store::{Layout, Project};

/// The tasks of the project that are held for a clone that is gone, and whose records are here.
fn moved<'a>(
    registry: &'a BTreeMap<String, TaskEntry>,
    project: &Name,
    layout: &Layout,
) -> Vec<(TaskKey, &'a TaskEntry, &'a str)> {
    let found = registry.iter().filter_map(|(key, entry)| {
        let key = key.parse::<TaskKey>().ok().filter(|key| key.project == *project)?;
        let clone = entry.git_common_dir.as_deref().filter(|clone| !Path::new(clone).exists())?;
        layout.task(&key.task).is_dir().then_some((key, entry, clone))
    });
    found.collect()
}

impl Examined<'_> {
    /// Finds what [`restore`] mends.
    pub(super) fn check_moved(&mut self) {
        let (Some(project), Some(registry)) = (&self.project, &self.registry) else { return };
        let found = moved(registry, project, &self.layout).into_iter();
        self.facts.extend(found.map(|(key, _, from)| Fact::Moved { key: key.to_string(), from: from.to_owned() }));
    }
}

/// Lets this clone hold what was held for the folder where it was before, of the task that is `named` or of all, and joins
/// the worktrees with it again.
pub(super) fn restore(restoring: &mut Restoring<'_>, named: Option<&TaskName>) -> Result<(), Error> {
    let registry = Registry::new(restoring.home.registry());
    // What cannot be read is told where a row is to be brought back.
    let Ok(Some(project)) = Project::read(&restoring.layout.project()) else { return Ok(()) };
    let Ok(entries) = registry.read_all() else { return Ok(()) };
    let here = restoring.repository.common_dir().to_string_lossy();
    for (key, entry, from) in moved(&entries, project.id(), &restoring.layout) {
        if named.is_some_and(|named| *named != key.task) {
            continue;
        }
        let stages = entry.stages.values().map(|stage| &stage.worktree_path);
        let paths = std::iter::once(&entry.worktree_path).chain(stages).flatten().map(String::as_str);
        let there: Vec<&str> = paths.filter(|path| Path::new(path).is_dir()).collect();
        // First git, which can be told twice: what is still held for the old folder is found again.
        restoring.repository.repair_worktrees(restoring.context, &there)?;
        registry.lock(restoring.context)?.move_clone(&key, from, &here)?;
        restoring.outcome.moved.push(key.to_string());
    }
    Ok(())
}
