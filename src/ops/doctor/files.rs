//! The state files of a project: whether each of them can be read.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::check::{Examined, OnDisk};
use super::machine;
use super::restore::told;
use crate::context::{Context, Event, EventSink};
use crate::domain::doctor::{Fact, Fault, Sound};
use crate::domain::mirror::is_mirrored;
use crate::domain::names::{TaskKey, TaskName};
use crate::domain::plan::{self, Plan};
use crate::fs;
use crate::ops::{Error, mirror};
use crate::store::consumers::LogText;
use crate::store::json::{Document, SchemaVersion};
use crate::store::{self, Manifest, Project, carry, plans, runs, timeline};

/// What a reader warns of while it reads.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

impl Examined<'_> {
    /// Reads every state file; what cannot be read is a fact.
    pub(super) fn read_files(&mut self) -> Result<(), Error> {
        let before = self.facts.len();
        let mut read = 0;
        let path = self.layout.project();
        if let Some(project) = self.accept(None, &path, Project::read(&path)).flatten() {
            self.project = Some(project.id().clone());
            read += 1;
        }
        for path in [self.layout.catalog(), self.layout.latest_task()] {
            let document = Document::read(&path, SchemaVersion::OLDEST);
            read += usize::from(self.accept(None, &path, document).flatten().is_some());
        }
        for task in self.tasks_on_disk()? {
            self.context.cancel().check()?;
            let (on_disk, files) = self.read_task(&task);
            read += files;
            self.tasks.insert(task, on_disk);
        }
        if self.project.is_none() && !path.exists() && !self.tasks.is_empty() && self.mirrors.is_empty() {
            let error = format!("there are tasks, and no `{}`", path.display());
            self.facts.push(Fact::BadFile(Fault { error, hint: None, mirrored: None }));
        }
        if self.facts.len() == before && read > 0 {
            self.facts.push(Fact::Sound(Sound::Files, read));
        }
        Ok(())
    }

    /// The tasks that have a folder with anything in it but what a creation leaves that was killed before it wrote the
    /// manifest. A folder that is named for no task is a fact.
    fn tasks_on_disk(&mut self) -> Result<Vec<TaskName>, Error> {
        let tasks = self.layout.tasks();
        let mut found = Vec::new();
        for group in folders_in(&tasks)? {
            for id in folders_in(&tasks.join(&group))? {
                let folder = tasks.join(&group).join(&id);
                let is_left = |name: &String| {
                    !is_mirrored(name.as_bytes()) || ["task-index.md", "timeline.jsonl"].contains(&name.as_str())
                };
                if fs::names_in(&folder)?.iter().all(is_left) {
                    continue;
                }
                match format!("{group}/{id}").parse() {
                    Ok(task) => found.push(task),
                    Err(error) => {
                        let error = format!("`{}` is no folder of a task: {}", folder.display(), told(&error));
                        self.facts.push(Fact::BadFile(Fault { error, hint: None, mirrored: None }));
                    }
                }
            }
        }
        Ok(found)
    }

    /// Reads the files of one task; counts those that could be read.
    fn read_task(&mut self, task: &TaskName) -> (OnDisk, usize) {
        let mut read = 0;
        let path = self.layout.manifest(task);
        let manifest = self.accept(Some(task), &path, Manifest::read(&path));
        if manifest == Some(None) {
            self.facts.push(Fact::NoManifest { task: task.clone(), is_mirrored: self.is_mirrored(task) });
        }
        let manifest = manifest.flatten();
        read += usize::from(manifest.is_some());
        let named = manifest.map(|manifest| manifest.key);
        if let Some(key) = named.as_ref().filter(|key| !self.is_key_of(task, key)) {
            let error = format!("`{}` is the manifest of another task, `{key}`", path.display());
            let mirrored = self.copy_of(task, &path);
            self.facts.push(Fact::BadFile(Fault { error, hint: None, mirrored }));
        }
        let path = self.layout.timeline(task);
        let warnings = Warnings::default();
        let events = timeline::read(&path, &warnings.listening(self.context));
        read += usize::from(self.accept(Some(task), &path, events).is_some() && path.exists());
        self.facts.extend(warnings.take().map(Fact::Torn));
        let key = self.key(task).or(named).filter(|key| key.task == *task);
        let (plans, current) = key.as_ref().map(|key| self.read_plans(key)).unwrap_or_default();
        read += key.as_ref().map(|key| self.read_runs(key)).unwrap_or_default();
        let log = self.layout.consumers(task);
        let mut on_disk = self.read_log(task, key.as_ref(), current.as_ref());
        read += plans + usize::from(on_disk.heads.is_some() && log.exists());
        on_disk.has_records = plans > 0 || log.exists();
        (on_disk, read)
    }

    fn is_key_of(&self, task: &TaskName, key: &TaskKey) -> bool {
        key.task == *task && self.project.as_ref().is_none_or(|project| key.project == *project)
    }

    /// Reads the plans of a task: how many there are, and the one that holds.
    fn read_plans(&mut self, key: &TaskKey) -> (usize, Option<Plan>) {
        let folder = self.layout.plans(&key.task);
        let Some(found) = self.accept(Some(&key.task), &folder, plans::read_each(&folder, key)) else {
            return (0, None);
        };
        let mut plans = Vec::new();
        for (path, plan) in found {
            let Some(plan) = self.accept(Some(&key.task), &path, plan) else { continue };
            let text = plans::approved_text(&folder, &plan);
            // A file that is gone is told by the mirror.
            let text = if path.with_extension("md").exists() { text.map(drop) } else { Ok(()) };
            let changed = match &text {
                Err(store::Error::BadPlan { path, .. }) => path.clone(),
                _ => path.with_extension("md"),
            };
            self.accept(Some(&key.task), &changed, text);
            plans.push(plan);
        }
        (plans.len(), plan::current(plans))
    }

    /// Reads the manifests, the states and the carries of a task's runs; counts those that could be read.
    fn read_runs(&mut self, key: &TaskKey) -> usize {
        let (folder, task) = (self.layout.runs(&key.task), Some(&key.task));
        let names = self.accept(task, &folder, runs::names(&self.layout, key)).unwrap_or_default();
        let mut read = 0;
        for name in names {
            let path = self.layout.run_manifest(&key.task, name);
            read += usize::from(self.accept(task, &path, runs::read_manifest(&path, key, name)).flatten().is_some());
            let path = self.layout.team_state(&key.task, name);
            read += usize::from(self.accept(task, &path, runs::read_state(&path, name)).is_some() && path.exists());
        }
        let folder = self.layout.carry(&key.task);
        for name in fs::names_in(&folder).unwrap_or_default() {
            let path = folder.join(&name);
            if name.ends_with(".json") && !name.starts_with('.') {
                read += usize::from(self.accept(task, &path, carry::read(&path)).flatten().is_some());
            }
        }
        read
    }

    fn read_log(&mut self, task: &TaskName, key: Option<&TaskKey>, plan: Option<&Plan>) -> OnDisk {
        let path = self.layout.consumers(task);
        let warnings = Warnings::default();
        let context = warnings.listening(self.context);
        let read = LogText::read(&path).and_then(|text| {
            let log = text.rows(&context)?;
            let done = key.map(|key| log.done(key, plan)).transpose()?.unwrap_or_default();
            let rows = log.rows().iter().filter(|row| row.is_done());
            let heads = rows.filter_map(|row| Some((row.stage?, row.head_commit.as_ref()?.to_string())));
            Ok((heads.collect(), done))
        });
        let read = self.accept(Some(task), &path, read);
        self.facts.extend(warnings.take().map(Fact::Torn));
        // A log that was lost says nothing of what was recorded.
        let is_lost = !path.exists() && self.copy_of(task, &path).is_some();
        match read {
            Some((heads, done)) => OnDisk { heads: Some(heads).filter(|_| !is_lost), done, has_records: false },
            None => OnDisk::default(),
        }
    }

    /// What was read; a fault becomes a fact.
    fn accept<T>(&mut self, task: Option<&TaskName>, path: &Path, read: Result<T, store::Error>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(error) => {
                let mirrored = task.and_then(|task| self.copy_of(task, path));
                self.facts.push(Fact::BadFile(Fault { mirrored, ..machine::fault(&error) }));
                None
            }
        }
    }

    /// Where git has another copy of the file in the mirror of `task`, as git names it.
    fn copy_of(&self, task: &TaskName, path: &Path) -> Option<String> {
        let below = mirror::below(&self.layout, path);
        let mirrored = self.mirrored(task)?.get(&below)?;
        let is_same = fs::read(path).is_ok_and(|bytes| bytes == *mirrored);
        let name = String::from_utf8(below).ok()?;
        (!is_same).then(|| format!("{}:{name}", mirror::ref_name(task)))
    }
}

impl Warnings {
    /// The same machine, whose warnings are kept here.
    fn listening(&self, context: &Context) -> Context {
        let kept = Arc::clone(&self.0);
        context.clone().with_events(EventSink::new(move |event| {
            if let Event::Warning(text) = event {
                kept.lock().unwrap_or_else(PoisonError::into_inner).push(text);
            }
        }))
    }

    fn take(self) -> impl Iterator<Item = String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_iter()
    }
}

/// The names of the folders in `folder`, without hidden ones.
fn folders_in(folder: &Path) -> Result<Vec<String>, Error> {
    let names = fs::names_in(folder)?.into_iter().filter(|name| !name.starts_with('.'));
    Ok(names.filter(|name| folder.join(name).is_dir()).collect())
}
