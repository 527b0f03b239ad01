//! Worktrees: those that the registry names and that are gone, and those that it does not name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::check::Examined;
use crate::domain::doctor::{Fact, Sound};
use crate::domain::names::{TaskKey, TaskName};
use crate::fs;
use crate::ops::{Error, task};
use crate::store::SNAPSHOTS;

impl Examined<'_> {
    /// Compares the registry's entries of this project with what is on disk.
    pub(super) fn check_worktrees(&mut self) -> Result<(), Error> {
        let (Some(project), Some(registry)) = (self.project.clone(), &self.registry) else { return Ok(()) };
        let (mut found, mut count) = (Vec::new(), 0);
        for (text, entry) in registry {
            let is_own = text.parse::<TaskKey>().is_ok_and(|key| key.project == project);
            if !is_own || !self.is_ours(entry) {
                continue;
            }
            count += 1;
            let own = (text.clone(), &entry.worktree_path, entry.branch.clone());
            let stages = entry.stages.iter().map(|(number, stage)| {
                (format!("stage {number} of {text}"), &stage.worktree_path, entry.stage_branch(*number))
            });
            for (of, path, branch) in std::iter::once(own).chain(stages) {
                let Some(path) = path.clone().filter(|path| !Path::new(path).is_dir()) else { continue };
                let branch = branch.filter(|branch| self.has_branch(branch));
                found.push(Fact::WorktreeGone { of, path, branch });
            }
        }
        for (path, candidates) in self.folders(project.as_str())? {
            let lost = candidates.into_iter().find(|task| self.is_mirrored(task) && self.entry(task).is_none());
            let root = self.repository.worktree_root(&path).ok().flatten();
            let is_ours = root.is_some_and(|root| task::is_same_folder(&root, &path));
            found.push(Fact::WorktreeStray { path: path.to_string_lossy().into_owned(), lost, is_ours });
        }
        if found.is_empty() && count > 0 {
            found.push(Fact::Sound(Sound::Worktrees, count));
        }
        self.facts.extend(found);
        Ok(())
    }

    fn has_branch(&self, branch: &str) -> bool {
        let name = if branch.starts_with("refs/") { branch.to_owned() } else { format!("refs/heads/{branch}") };
        self.repository.ref_commit(self.context, &name).is_ok_and(|commit| commit.is_some())
    }

    /// The folders where worktrees of the project are that no entry names, with the tasks that they may be of.
    fn folders(&self, project: &str) -> Result<Vec<(PathBuf, Vec<TaskName>)>, Error> {
        let Some(home) = self.home else { return Ok(Vec::new()) };
        let entries = self.registry.iter().flat_map(|registry| registry.values());
        let paths = entries.flat_map(|entry| {
            std::iter::once(&entry.worktree_path).chain(entry.stages.values().map(|stage| &stage.worktree_path))
        });
        let named: BTreeSet<PathBuf> = paths.flatten().filter_map(|path| Path::new(path).canonicalize().ok()).collect();
        let mut strays = Vec::new();
        let above = home.worktrees().join(project);
        for group in fs::names_in(&above)? {
            // No task's name begins with a dot; the snapshots of runs are kept so.
            let names = fs::names_in(&above.join(&group)).unwrap_or_default().into_iter();
            for name in names.filter(|name| !name.starts_with('.')) {
                let path = above.join(&group).join(&name);
                let is_named = path.canonicalize().is_ok_and(|path| named.contains(&path));
                if path.is_dir() && !is_named && name != SNAPSHOTS {
                    let without = name.rsplit_once("-s").map(|(id, _)| id);
                    let ids = std::iter::once(name.as_str()).chain(without);
                    strays.push((path, ids.filter_map(|id| format!("{group}/{id}").parse().ok()).collect()));
                }
            }
        }
        Ok(strays)
    }
}
