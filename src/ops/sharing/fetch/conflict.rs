//! What only a person can decide, with how to look at it.

use std::path::Path;

use super::theirs::Theirs;
use crate::domain::digest::sha256;
use crate::domain::ids::short;
use crate::domain::lifecycle::RunName;
use crate::domain::sharing::{Difference, Split, run_of};
use crate::domain::shell;
use serde::Serialize;

/// What differs here and there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConflictKind {
    /// The commit of a stage.
    Stage,
    /// A run: both have one of this name.
    Run,
    /// A file.
    File,
    /// A field of the task's manifest.
    Manifest,
    /// Something that the registry holds.
    Registry,
}

/// Something that is one thing here and another there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Conflict {
    /// What kind of thing.
    pub kind: ConflictKind,
    /// What it is.
    pub what: String,
    /// The stage that it is about.
    pub stage: Option<u32>,
    /// The run that it is about.
    pub run: Option<String>,
    /// The files that differ, from the project root.
    pub paths: Vec<String>,
    /// What is here.
    pub ours: String,
    /// What is there.
    pub theirs: String,
    /// Commands that show both.
    pub look: Vec<String>,
    /// What takes over what is there.
    pub way_out: String,
}

/// A file that differs.
pub(super) struct Differing {
    /// Its path below `.okstra/`, and below the folder of the task.
    pub(super) shown: String,
    pub(super) below: String,
    /// What is here; `None` for something else than a file.
    pub(super) ours: Option<Vec<u8>>,
    pub(super) theirs: Vec<u8>,
    /// Whether this makes the run exist.
    pub(super) makes_run: Option<RunName>,
}

/// Where it is looked at.
pub(super) struct Where<'a> {
    pub(super) root: &'a Path,
    pub(super) theirs: &'a Theirs,
}

impl Where<'_> {
    pub(super) fn stage(&self, split: Split) -> Conflict {
        let task = self.theirs.key.task.to_string();
        let stage = split.stage.to_string();
        let words =
            ["okstra", "git-reconcile", "--task", &task, "--apply", "--stage", &stage, "--use-ref", &split.theirs];
        Conflict {
            kind: ConflictKind::Stage,
            what: format!("stage {stage} is done at another commit"),
            stage: Some(split.stage),
            run: None,
            paths: Vec::new(),
            look: vec![self.git(&["diff", &split.ours, &split.theirs])],
            way_out: format!("to go by the commit there: {}", shell::command(words)),
            ours: split.ours,
            theirs: split.theirs,
        }
    }

    pub(super) fn field(&self, difference: Difference, kind: ConflictKind) -> Conflict {
        let Difference { of, ours, theirs } = difference;
        let task = self.theirs.key.task.to_string();
        let (file, way_out) = match (kind, of.as_str()) {
            (ConflictKind::Registry, "anchor") => {
                let words = ["okstra", "git-reconcile", "--task", &task, "--apply", "--reset-anchor", &theirs];
                ("registry.json".to_owned(), format!("to go by the anchor there: {}", shell::command(words)))
            }
            (ConflictKind::Registry, _) => (
                "registry.json".to_owned(),
                "a branch keeps its name once work is on it: go on in one of the clones".to_owned(),
            ),
            _ => {
                let file = format!("tasks/{task}/task-manifest.json");
                (file.clone(), format!("to go by what is there, write it into .okstra/{file}"))
            }
        };
        let what = match kind {
            ConflictKind::Registry => format!("the registry has another {of}"),
            _ => format!("the manifest of the task has another {of}"),
        };
        let look = vec![self.show(&file)];
        let paths = Vec::new();
        Conflict { kind, what, stage: None, run: None, paths, ours, theirs, look, way_out }
    }

    /// The files that differ; those of a run that is another one there are one conflict.
    pub(super) fn files(&self, differing: Vec<Differing>) -> Vec<Conflict> {
        let runs: Vec<RunName> = differing.iter().filter_map(|file| file.makes_run).collect();
        let of_run = |file: &Differing| run_of(&file.below).filter(|run| runs.contains(run));
        let mut conflicts: Vec<Conflict> = runs.iter().map(|run| self.run(*run, &differing)).collect();
        conflicts.extend(differing.iter().filter(|file| of_run(file).is_none()).map(|file| self.file(file)));
        conflicts
    }

    fn run(&self, run: RunName, differing: &[Differing]) -> Conflict {
        let own: Vec<&Differing> = differing.iter().filter(|file| run_of(&file.below) == Some(run)).collect();
        let manifest = own.iter().find(|file| file.makes_run == Some(run));
        let (look, ours, theirs) = manifest
            .map(|file| (self.show(&file.shown), told(file.ours.as_deref()), told(Some(&file.theirs))))
            .unwrap_or_default();
        Conflict {
            kind: ConflictKind::Run,
            what: format!("{run} is another run there"),
            stage: None,
            run: Some(run.to_string()),
            paths: own.iter().map(|file| format!(".okstra/{}", file.shown)).collect(),
            ours,
            theirs,
            look: vec![look],
            way_out: "to go by the run there, move the files of the one here away".to_owned(),
        }
    }

    fn file(&self, file: &Differing) -> Conflict {
        Conflict {
            kind: ConflictKind::File,
            what: format!(".okstra/{} has another content", file.shown),
            stage: None,
            run: run_of(&file.below).map(|run| run.to_string()),
            paths: vec![format!(".okstra/{}", file.shown)],
            ours: told(file.ours.as_deref()),
            theirs: told(Some(&file.theirs)),
            look: vec![self.show(&file.shown)],
            way_out: "to go by the file there, move the one here away".to_owned(),
        }
    }

    fn show(&self, path: &str) -> String {
        self.git(&["show", &format!("{}:{path}", self.theirs.reference)])
    }

    fn git(&self, words: &[&str]) -> String {
        let root = self.root.to_string_lossy();
        shell::command([&["git", "-C", &root], words].concat())
    }
}

/// A content, as it is told from another.
fn told(content: Option<&[u8]>) -> String {
    let Some(content) = content else { return "no file".to_owned() };
    format!("{} bytes, SHA-256 {}…", content.len(), short(&sha256(content)))
}
