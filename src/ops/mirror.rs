//! The mirror: a task's records as a commit below `refs/okstra/state/`, from which they can be brought back.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Error;
use super::task::Task;
use crate::context::Context;
use crate::domain::equivalence::RepoPath;
use crate::domain::ids::CommitId;
use crate::domain::lifecycle::{RunName, TaskType};
use crate::domain::mirror::{Place, REGISTRY_ROW, is_log, is_mirrored, is_same_log, place};
use crate::domain::names::{TaskKey, TaskName};
use crate::domain::registry::{StageEntry, TaskEntry};
use crate::fs::{LOCK_WAIT, LockGuard};
use crate::git::{NewSnapshot, Repository, SnapshotFile};
use crate::store;
use crate::store::json::{Document, SchemaVersion};
use crate::store::{Layout, runs};

/// Files larger than this are not mirrored: 1 MiB.
const LARGEST: usize = 1 << 20;
/// The prefix of all mirror refs.
pub(super) const PREFIX: &str = "refs/okstra/state/";
/// The schema of the registry row. 1.0: `key`, `entry`.
const ROW_SCHEMA: SchemaVersion = SchemaVersion { major: 1, minor: 0 };

/// The mirror of a task.
#[derive(Clone, Debug)]
pub(super) struct Mirror {
    pub(super) task: TaskName,
    pub(super) commit: CommitId,
    /// When it was written, in seconds since 1970; `None` when that cannot be read.
    pub(super) written: Option<i64>,
}

/// The registry row as it is mirrored.
#[derive(Debug, Deserialize)]
pub(super) struct Row {
    pub(super) key: String,
    pub(super) entry: TaskEntry,
}

/// Writes what is recorded of `task` to its mirror. Without `.okstra/` there is nothing to mirror; what is mirrored
/// already makes no new commit.
///
/// # Errors
/// When a record cannot be read, or git cannot write it. The records themselves are not touched.
pub(super) fn write(context: &Context, task: &Task) -> Result<(), Error> {
    write_onto(context, task, &[])
}

/// As [`write`], on top of `others`, too: mirrors of other clones, of which the records on disk now have everything.
///
/// # Errors
/// As [`write`].
pub(super) fn write_onto(context: &Context, task: &Task, others: &[CommitId]) -> Result<(), Error> {
    let Some(layout) = &task.layout else { return Ok(()) };
    let name = &task.key.task;
    // Whoever writes last must have read last: of two at once one would else mirror what the other has changed since.
    let _alone = alone(context, layout, name)?;
    for other in others {
        task.repository.advance_snapshot(context, &ref_name(name), *other)?;
    }
    let mut files = collect(context, layout, &layout.task(name))?;
    let unprepared = unprepared(layout, task)?;
    files.retain(|file| !unprepared.iter().any(|run| is_text_of(task, layout, *run, file)));
    for path in [layout.project(), layout.prompts()] {
        files.extend(collect(context, layout, &path)?);
    }
    let logs = task.repository.read_of_snapshot(context, &ref_name(name), |path| is_log(path.as_bytes()))?;
    keep_order(&mut files, &logs.unwrap_or_default());
    let entry = task.registry().read(&task.key)?;
    let is_row = |path: &RepoPath| path.as_bytes() == REGISTRY_ROW.as_bytes();
    // What is lost must not leave the mirror, which is all that is left of it: files of the task, and its registry row.
    let is_kept = |path: &RepoPath| is_lost(task, layout, path) || (entry.is_none() && is_row(path));
    files.extend(task.repository.read_of_snapshot(context, &ref_name(name), is_kept)?.unwrap_or_default());
    files.extend(entry.as_ref().map(|entry| file(REGISTRY_ROW.as_bytes(), row(&task.key, entry))));
    let message = format!("okstra: state of {name}");
    let new = NewSnapshot { files: &files, message: &message, at: context.clock().moment(), more_parents: others };
    task.repository.write_snapshot(context, &ref_name(name), &new)?;
    Ok(())
}

/// Lets one process at a time mirror a task.
fn alone(context: &Context, layout: &Layout, name: &TaskName) -> Result<LockGuard, Error> {
    let folder = layout.task(name);
    crate::fs::create_folder(&folder)?;
    let stop = || context.cancel().is_cancelled();
    Ok(LockGuard::acquire(&folder.join("mirror.lock"), LOCK_WAIT, stop)?)
}

/// The runs whose number is claimed and that do not exist: what is there of them may go again, so it is not mirrored.
fn unprepared(layout: &Layout, task: &Task) -> Result<Vec<RunName>, Error> {
    let (known, mut unprepared) = (runs::names(layout, &task.key)?, Vec::new());
    for task_type in TaskType::ALL {
        let numbers = crate::fs::names_in(&layout.instruction_sets(&task.key.task, task_type))?;
        let names = numbers.iter().filter_map(|number| Some(RunName { task_type, number: number.parse().ok()? }));
        unprepared.extend(names.filter(|name| !known.contains(name)));
    }
    Ok(unprepared)
}

/// Whether a file is one of the texts that a prepare makes for `run`.
fn is_text_of(task: &Task, layout: &Layout, run: RunName, file: &SnapshotFile) -> bool {
    let (name, path) = (&task.key.task, file.path.as_bytes());
    let in_folder = |folder: &Path| path.starts_with(&[&below(layout, folder)[..], b"/"].concat());
    let prompts = layout.root_of_run(name, run).join("prompts");
    in_folder(&layout.instruction_set(name, run))
        || (in_folder(&prompts) && path.ends_with(format!("-{run}.md").as_bytes()))
}

/// Logs that only stand in another order are mirrored as they were, so that two clones that have told each other everything
/// have the same mirror.
fn keep_order(files: &mut [SnapshotFile], mirrored: &[SnapshotFile]) {
    for file in files {
        let before = mirrored.iter().find(|before| before.path == file.path);
        if let Some(before) = before.filter(|before| is_same_log(file.path.as_bytes(), &file.content, &before.content))
        {
            file.content.clone_from(&before.content);
        }
    }
}

/// Whether a file of the task that is mirrored is not on disk: okstra removes nothing from a task's folder.
fn is_lost(task: &Task, layout: &Layout, path: &RepoPath) -> bool {
    let folder = format!("tasks/{}/", task.key.task);
    let path = path.as_bytes();
    let on_disk = std::str::from_utf8(path).map(|path| layout.folder().join(path));
    path.starts_with(folder.as_bytes()) && on_disk.is_ok_and(|path| path.symlink_metadata().is_err())
}

/// Refuses to go on as if nothing were recorded of a task whose log is mirrored and not on disk.
pub(super) fn refuse_lost_log(context: &Context, task: &Task) -> Result<(), Error> {
    if task.layout.is_none() || task.log().exists() {
        return Ok(());
    }
    let path = format!("tasks/{}/runs/implementation-planning/consumers.jsonl", task.key.task);
    let is_log = |file: &RepoPath| file.as_bytes() == path.as_bytes();
    match task.repository.read_of_snapshot(context, &ref_name(&task.key.task), is_log)? {
        Some(files) if !files.is_empty() => Err(Error::LostLog { task: task.key.task.clone(), path: task.log() }),
        _ => Ok(()),
    }
}

/// Refuses to make a task that is mirrored, as if there had never been one of that name.
pub(super) fn refuse_lost_task(context: &Context, task: &Task) -> Result<(), Error> {
    let name = &task.key.task;
    let mirrored = task.repository.snapshot_paths(context, &ref_name(name))?.unwrap_or_default();
    match mirrored.iter().any(|path| place(name, path.as_bytes()) == Place::Own) {
        true => Err(Error::LostTask { task: name.clone() }),
        false => Ok(()),
    }
}

/// Whether the mirror of a task has its manifest as it is on disk. What cannot be read is not.
pub(super) fn has_manifest(context: &Context, task: &Task, layout: &Layout) -> bool {
    let path = layout.manifest(&task.key.task);
    let below = below(layout, &path);
    let is_manifest = |file: &RepoPath| file.as_bytes() == below;
    let mirrored = task.repository.read_of_snapshot(context, &ref_name(&task.key.task), is_manifest).ok().flatten();
    let mirrored = mirrored.unwrap_or_default().pop().map(|file| file.content);
    crate::fs::read(&path).is_ok_and(|bytes| mirrored == Some(bytes))
}

/// The names of the mirrored files that lie in one of `folders` of the task. Of a mirror that cannot be read `context` is
/// warned; it is then as if there were none.
///
/// # Errors
/// Only when the work was cancelled.
pub(super) fn files_below(context: &Context, task: &Task, folders: &[PathBuf]) -> Result<Vec<String>, Error> {
    let (Some(layout), reference) = (&task.layout, ref_name(&task.key.task)) else { return Ok(Vec::new()) };
    let paths = match task.repository.snapshot_paths(context, &reference) {
        Ok(paths) => paths.unwrap_or_default(),
        Err(crate::git::Error::Cancelled(cancelled)) => return Err(cancelled.into()),
        Err(error) => {
            context.warn(format!("`{reference}` cannot be read: {error}"));
            Vec::new()
        }
    };
    let folders: Vec<_> = folders.iter().map(|folder| below(layout, folder)).collect();
    let in_folder = |path: &RepoPath| {
        let cut = path.as_bytes().iter().rposition(|&byte| byte == b'/')?;
        let (folder, name) = path.as_bytes().split_at(cut);
        folders.iter().any(|one| one == folder).then(|| String::from_utf8_lossy(&name[1..]).into_owned())
    };
    Ok(paths.iter().filter_map(in_folder).collect())
}

/// As [`write`], for after the records were written: that only the mirror failed is told, and made good by the next
/// command that writes it.
///
/// # Errors
/// Only when the work was cancelled.
pub(super) fn write_or_warn(context: &Context, task: &Task) -> Result<(), Error> {
    match write(context, task) {
        Err(error @ Error::Cancelled(_)) => Err(error),
        Err(error) => {
            context.warn(format!("the records are written, but not mirrored to {}: {error}", ref_name(&task.key.task)));
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// The mirrors that the repository has, sorted by task. Refs that are named for no task are left out, with a warning.
pub(super) fn all(context: &Context, repository: &Repository) -> Result<Vec<Mirror>, Error> {
    let mut mirrors = Vec::new();
    for (name, commit) in repository.refs_below(context, PREFIX)? {
        match name.strip_prefix(PREFIX).unwrap_or_default().parse() {
            Ok(task) => mirrors.push(Mirror { task, commit, written: repository.snapshot_time(commit) }),
            Err(error) => context.warn(format!("`{name}` is no mirror of a task: {error}")),
        }
    }
    mirrors.sort_by(|a, b| a.task.cmp(&b.task));
    Ok(mirrors)
}

/// Reads the registry row of a mirror.
pub(super) fn parse_row(content: &[u8]) -> Result<Row, store::Error> {
    let path = Path::new(REGISTRY_ROW);
    let text = String::from_utf8_lossy(content);
    Document::parse(path, &text, ROW_SCHEMA)?.to(path)
}

/// The ref of the mirror of a task.
pub(super) fn ref_name(task: &TaskName) -> String {
    format!("{PREFIX}{task}")
}

/// The registry row as it is mirrored: what is true in every clone, without paths and reservations.
pub(super) fn row(key: &TaskKey, entry: &TaskEntry) -> Vec<u8> {
    let stages = entry.stages.iter().map(|(number, stage)| {
        let kept =
            StageEntry { branch: stage.branch.clone(), base_ref: stage.base_ref.clone(), ..StageEntry::default() };
        (*number, kept)
    });
    let portable = TaskEntry { worktree_path: None, git_common_dir: None, stages: stages.collect(), ..entry.clone() };
    let mut document = Document::new(ROW_SCHEMA);
    document.set("key", key.to_string());
    document.set("entry", serde_json::to_value(portable).unwrap_or_default());
    document.to_text().into_bytes()
}

/// The files at or below `path`, with their paths below `.okstra/`: regular files of at most 1 MiB, without live logs,
/// locks and what a crash left of a write.
pub(super) fn collect(context: &Context, layout: &Layout, path: &Path) -> Result<Vec<SnapshotFile>, Error> {
    if path.is_file() {
        return Ok(vec![file(&below(layout, path), crate::fs::read(path)?)]);
    }
    let listing = crate::fs::list_files(path)?;
    let mut files = Vec::new();
    let is_mirrored = |file: &&PathBuf| is_mirrored(file.file_name().unwrap_or_default().as_encoded_bytes());
    for relative in listing.files.iter().filter(is_mirrored) {
        let full = path.join(relative);
        let bytes = match crate::fs::read(&full) {
            Ok(bytes) => bytes,
            // It went between the listing and the reading.
            Err(error) if error.is_missing() => continue,
            Err(error) => return Err(error.into()),
        };
        match bytes.len() <= LARGEST {
            true => files.push(file(&below(layout, &full), bytes)),
            false => context.warn(format!("`{}` is larger than 1 MiB and is not mirrored", full.display())),
        }
    }
    Ok(files)
}

fn file(path: &[u8], content: Vec<u8>) -> SnapshotFile {
    SnapshotFile { path: RepoPath::from(path), content }
}

/// The path below `.okstra/`, with `/` between its parts.
pub(super) fn below(layout: &Layout, path: &Path) -> Vec<u8> {
    let relative = path.strip_prefix(layout.folder()).unwrap_or(path);
    let parts: Vec<_> = relative.components().map(|part| part.as_os_str().as_encoded_bytes().to_vec()).collect();
    parts.join(&b'/')
}
