//! All tasks of a project: the folders below `tasks/`, `catalog.json`, which is made from them, and `latest-task.json`.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::json::{Document, SchemaVersion};
use super::{Error, Layout, Manifest, lines};
use crate::context::Context;
use crate::domain::lifecycle::TaskType;
use crate::domain::names::{Name, TaskKey, TaskName};
use crate::fs;

/// The newest schema that is understood. 1.0: `tasks`, each a [`CatalogEntry`].
const SCHEMA: SchemaVersion = SchemaVersion { major: 1, minor: 0 };
/// The newest schema of the latest task that is understood. 1.0: the fields of [`LatestTask`].
const LATEST_SCHEMA: SchemaVersion = SchemaVersion { major: 1, minor: 0 };

/// A task, as the catalog lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CatalogEntry {
    /// The task key.
    pub task_key: String,
    /// What people call it.
    pub title: Option<String>,
    /// The kind of work.
    pub category: Option<String>,
    /// The phase of the last run.
    pub current_phase: Option<TaskType>,
    /// The last run.
    pub last_run: Option<String>,
    /// When a run of it last changed, or else when it came into being.
    pub updated_at: Option<String>,
    /// When it was closed; null while it is not.
    #[serde(default)]
    pub closed_at: Option<String>,
}

/// All tasks, sorted by key.
#[derive(Debug, Default)]
pub struct Catalog {
    /// Those whose manifest could be read.
    pub tasks: Vec<CatalogEntry>,
    /// The others, with why not.
    pub unreadable: Vec<(TaskName, Error)>,
}

/// The task that was worked on last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LatestTask {
    /// The task key.
    pub task_key: String,
}

/// The tasks that have a folder with a manifest, sorted. Folders whose names cannot be a task's are none.
///
/// # Errors
/// [`Error::Fs`].
pub fn task_names(layout: &Layout) -> Result<Vec<TaskName>, Error> {
    let mut tasks = Vec::new();
    for group in fs::names_in(&layout.tasks())? {
        let folder = layout.tasks().join(&group);
        let Some(group) = Name::parse(&group, "a task group").ok().filter(|_| folder.is_dir()) else { continue };
        let ids = fs::names_in(&folder)?.into_iter().filter_map(|id| Name::parse(&id, "a task id").ok());
        let of_group = ids.map(|id| TaskName { group: group.clone(), id });
        tasks.extend(of_group.filter(|task| layout.manifest(task).is_file()));
    }
    tasks.sort();
    Ok(tasks)
}

/// Every task of the project as the catalog lists it.
///
/// # Errors
/// [`Error::Fs`] when the folders cannot be listed.
pub fn read_tasks(layout: &Layout) -> Result<Catalog, Error> {
    let mut catalog = Catalog::default();
    for task in task_names(layout)? {
        match read_entry(&layout.manifest(&task)) {
            Ok(entry) => catalog.tasks.extend(entry),
            Err(error) => catalog.unreadable.push((task, error)),
        }
    }
    Ok(catalog)
}

fn read_entry(path: &Path) -> Result<Option<CatalogEntry>, Error> {
    let Some(manifest) = Manifest::read(path)? else { return Ok(None) };
    let lifecycle = manifest.lifecycle(path)?;
    Ok(Some(CatalogEntry {
        task_key: manifest.key.to_string(),
        title: manifest.title,
        category: manifest.category.map(|category| category.to_string()),
        current_phase: lifecycle.current_phase,
        last_run: lifecycle.workflow.last_run,
        updated_at: lifecycle.workflow.updated_at.or(lifecycle.created_at),
        closed_at: lifecycle.closed_at,
    }))
}

/// Makes `catalog.json` anew from the tasks, of which those that cannot be read are left out.
///
/// # Errors
/// [`Error::Fs`].
pub fn rebuild_catalog(context: &Context, layout: &Layout) -> Result<(), Error> {
    let _alone = lines::lock(&layout.catalog(), context)?;
    let entries = read_tasks(layout)?.tasks;
    let mut document = Document::new(SCHEMA);
    document.set("tasks", serde_json::to_value(entries).unwrap_or(Value::Null));
    replace_if_new(&layout.catalog(), &document.to_text())
}

impl LatestTask {
    /// Reads the latest task; `None` where none is recorded.
    ///
    /// # Errors
    /// Those of [`Document::read`] and [`Document::to`].
    pub fn read(path: &Path) -> Result<Option<Self>, Error> {
        Document::read(path, LATEST_SCHEMA)?.map(|document| document.to(path)).transpose()
    }

    /// Records that `key` was worked on last.
    ///
    /// # Errors
    /// [`Error::Fs`].
    pub fn write(layout: &Layout, key: &TaskKey) -> Result<(), Error> {
        let mut document = Document::new(LATEST_SCHEMA);
        document.set("taskKey", key.to_string());
        replace_if_new(&layout.latest_task(), &document.to_text())
    }
}

/// Writes `text` into the file `path`, unless that holds it.
fn replace_if_new(path: &Path, text: &str) -> Result<(), Error> {
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    Ok(fs::replace(path, text.as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_folders_with_a_manifest() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        assert!(task_names(&layout).unwrap().is_empty());
        for name in ["b/y", "a/z", "a/x"] {
            let task: TaskName = name.parse().unwrap();
            fs::create_folder(&layout.task(&task)).unwrap();
            fs::replace(&layout.manifest(&task), b"{}").unwrap();
        }
        fs::create_folder(&layout.tasks().join("a/empty")).unwrap();
        fs::create_folder(&layout.tasks().join("a/b c")).unwrap();
        fs::replace(&layout.tasks().join("file"), b"").unwrap();
        let names: Vec<_> = task_names(&layout).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(names, ["a/x", "a/z", "b/y"]);
    }

    #[test]
    fn the_latest_task_and_the_catalog_are_written_once() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        fs::create_folder(&layout.folder()).unwrap();
        let key: TaskKey = "p/g/t".parse().unwrap();
        assert_eq!(LatestTask::read(&layout.latest_task()).unwrap(), None);
        LatestTask::write(&layout, &key).unwrap();
        assert_eq!(LatestTask::read(&layout.latest_task()).unwrap().unwrap().task_key, "p/g/t");
        let task = layout.task(&key.task);
        fs::create_folder(&task).unwrap();
        Manifest::new(key, Some("T".to_owned()), None).write(&task.join("task-manifest.json")).unwrap();
        fs::create_folder(&layout.tasks().join("g/bad")).unwrap();
        fs::replace(&layout.tasks().join("g/bad/task-manifest.json"), b"{").unwrap();
        let context = Context::new(folder.path(), crate::context::Environment::default());
        rebuild_catalog(&context, &layout).unwrap();
        let text = fs::read_text(&layout.catalog()).unwrap();
        assert!(text.contains("\"taskKey\": \"p/g/t\"") && text.matches("taskKey").count() == 1, "{text}");
        let Catalog { tasks: entries, unreadable } = read_tasks(&layout).unwrap();
        assert_eq!((entries.len(), unreadable.len(), unreadable[0].0.to_string().as_str()), (1, 1, "g/bad"));
        fs::replace(&layout.latest_task(), b"{}").unwrap();
        assert!(matches!(LatestTask::read(&layout.latest_task()), Err(Error::WrongShape { .. })));
    }
}
