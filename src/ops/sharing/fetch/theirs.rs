//! What was fetched of a task. It may come from anywhere, so all of it is read as what it should be before anything is
//! made of it.

use std::path::PathBuf;

use crate::context::Context;
use crate::domain::equivalence::RepoPath;
use crate::domain::ids::{CommitId, ObjectId};
use crate::domain::mirror::{Place, REGISTRY_ROW, place};
use crate::domain::names::{Name, TaskKey, TaskName};
use crate::domain::registry::TaskEntry;
use crate::domain::sharing::{Kind, kind};
use crate::git::{Repository, SnapshotFile};
use crate::ops::doctor::local;
use crate::ops::sharing::SharingError;
use crate::ops::{Error, mirror};
use crate::store::consumers::LogText;
use crate::store::{Manifest, Project, carry, plans, runs, timeline};

/// The records of a task as a remote has them.
pub(super) struct Theirs {
    /// The ref that they were fetched to.
    pub(super) reference: String,
    pub(super) commit: CommitId,
    pub(super) key: TaskKey,
    /// The files of the task, but for log, timeline and index.
    pub(super) files: Vec<TheirFile>,
    /// What all tasks share.
    pub(super) shared: Vec<TheirFile>,
    pub(super) manifest: Manifest,
    pub(super) log: LogText,
    pub(super) events: Vec<String>,
    pub(super) entry: Option<TaskEntry>,
    /// What no okstra of this version writes.
    pub(super) ignored: Vec<String>,
}

/// A file that was fetched.
pub(super) struct TheirFile {
    /// Its path below `.okstra/`, for people.
    pub(super) shown: String,
    /// Its path below the folder of its task; below `.okstra/` for what all tasks share.
    pub(super) below: String,
    /// Its path below `.okstra/`, as this system writes it.
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
    pub(super) content: Vec<u8>,
}

/// Where the records were fetched from, and to.
pub(super) struct Source<'a> {
    pub(super) repository: &'a Repository,
    pub(super) remote: &'a str,
    pub(super) task: &'a TaskName,
    pub(super) reference: String,
    /// The project here, where there is one.
    pub(super) project: Option<Name>,
}

impl Source<'_> {
    /// Reads what was fetched.
    ///
    /// # Errors
    /// [`SharingError::Unusable`] with what is wrong with it.
    pub(super) fn read(&self, context: &Context, commit: CommitId) -> Result<Theirs, Error> {
        self.read_all(context, commit).map_err(|error| match error {
            Error::Cancelled(_) => error,
            error => SharingError::Unusable {
                remote: self.remote.to_owned(),
                task: self.task.clone(),
                reference: self.reference.clone(),
                source: Box::new(error),
            }
            .into(),
        })
    }

    fn read_all(&self, context: &Context, commit: CommitId) -> Result<Theirs, Error> {
        let all = self.repository.read_snapshot_at(commit)?;
        let find = |path: &str| all.iter().find(|file| file.path.as_bytes() == path.as_bytes());
        let own = |name: &str| find(&format!("tasks/{}/{name}", self.task));
        let lacks = |file: &str| SharingError::Lacks { reference: self.reference.clone(), file: file.to_owned() };
        let project = self.project(find("project.json"))?;
        let manifest = own("task-manifest.json").ok_or_else(|| lacks("task-manifest.json"))?;
        let manifest = Manifest::parse(&self.place(&manifest.path), text(self, manifest)?)?;
        let key = TaskKey { project: project.ok_or_else(|| lacks("project.json"))?, task: self.task.clone() };
        self.is_of(&key, "task-manifest.json", &manifest.key.to_string())?;
        manifest.lifecycle(&self.place_of("task-manifest.json"))?;
        let content = |name: &str| own(name).map(|file| file.content.clone()).unwrap_or_default();
        let log = "runs/implementation-planning/consumers.jsonl";
        let mut theirs = Theirs {
            reference: self.reference.clone(),
            commit,
            log: LogText::parse(&self.place_of(log), content(log))?,
            events: timeline::parse(&self.place_of("timeline.jsonl"), context, content("timeline.jsonl"))?,
            entry: find(REGISTRY_ROW).map(|row| self.row(&key, row)).transpose()?,
            key,
            manifest,
            files: Vec::new(),
            shared: Vec::new(),
            ignored: Vec::new(),
        };
        theirs.log.rows(context)?.done(&theirs.key, None)?;
        for file in &all {
            context.cancel().check()?;
            self.sort_in(&mut theirs, file)?;
        }
        Ok(theirs)
    }

    /// Puts a file where it belongs.
    fn sort_in(&self, theirs: &mut Theirs, file: &SnapshotFile) -> Result<(), Error> {
        let shown = file.path.to_string();
        let of = place(self.task, file.path.as_bytes());
        let path = local(&file.path).filter(|_| matches!(of, Place::Own | Place::Shared));
        let Some(path) = path else {
            theirs.ignored.extend((of != Place::RegistryRow).then_some(shown));
            return Ok(());
        };
        let below =
            if of == Place::Own { shown.replacen(&format!("tasks/{}/", self.task), "", 1) } else { shown.clone() };
        let kind = if of == Place::Own { kind(&below) } else { Kind::Other };
        self.check(&theirs.key, kind, file)?;
        let file = TheirFile { shown, below, path, kind, content: file.content.clone() };
        match (of, kind) {
            (Place::Shared, _) => theirs.shared.push(file),
            (_, Kind::Log | Kind::Timeline | Kind::Index) => {}
            _ => theirs.files.push(file),
        }
        Ok(())
    }

    /// That a file can be read as what it is.
    fn check(&self, key: &TaskKey, kind: Kind, file: &SnapshotFile) -> Result<(), Error> {
        let place = self.place(&file.path);
        match kind {
            Kind::RunManifest(run) => drop(runs::parse_manifest(&place, text(self, file)?, key, run)?),
            Kind::TeamState(run) => drop(runs::parse_state(&place, text(self, file)?, run)?),
            Kind::Plan => drop(plans::parse(&place, text(self, file)?, key)?),
            Kind::Carry => drop(carry::parse(&place, text(self, file)?)?),
            Kind::Log | Kind::Timeline | Kind::Manifest | Kind::Index | Kind::Other => {}
        }
        Ok(())
    }

    /// The project that the records are of: that of here, which they must name where they name one.
    fn project(&self, file: Option<&SnapshotFile>) -> Result<Option<Name>, Error> {
        let there = match file {
            Some(file) => Some(Project::parse(&self.place(&file.path), text(self, file)?)?.id().clone()),
            None => None,
        };
        match (&self.project, there) {
            (Some(here), Some(there)) if *here != there => Err(SharingError::OtherTask {
                place: format!("{}:project.json", self.reference),
                found: there.to_string(),
                expected: here.to_string(),
            }
            .into()),
            (here, there) => Ok(here.clone().or(there)),
        }
    }

    fn row(&self, key: &TaskKey, file: &SnapshotFile) -> Result<TaskEntry, Error> {
        let row = mirror::parse_row(&file.content)?;
        self.is_of(key, REGISTRY_ROW, &row.key)?;
        let place = || format!("{}:{REGISTRY_ROW}", self.reference);
        let bad = |why: String| Error::from(SharingError::BadRow { place: place(), why });
        let entry = row.entry;
        let anchor = entry.implementation_base_commit.iter();
        let ids = anchor.chain(entry.stages.values().filter_map(|stage| stage.base_ref.as_ref()));
        for id in ids.chain(entry.integrations.iter().map(|made| &made.commit)) {
            id.parse::<ObjectId>().map_err(|error| bad(error.to_string()))?;
        }
        let own = entry.branch.iter().chain(&entry.last_branch);
        for branch in own.chain(entry.stages.values().filter_map(|stage| stage.branch.as_ref())) {
            if !self.repository.is_branch_name(branch) {
                return Err(bad(format!("`{branch}` is no name of a branch")));
            }
        }
        match entry.base_ref.as_ref().filter(|name| !name.starts_with("refs/")) {
            Some(name) => Err(bad(format!("`{name}` is no full name of a ref"))),
            None => Ok(entry),
        }
    }

    fn is_of(&self, key: &TaskKey, file: &str, found: &str) -> Result<(), Error> {
        if found == key.to_string() {
            return Ok(());
        }
        let place =
            if file == REGISTRY_ROW { format!("{}:{file}", self.reference) } else { shown(self.place_of(file)) };
        Err(SharingError::OtherTask { place, found: found.to_owned(), expected: key.to_string() }.into())
    }

    /// The name by which git knows the file of the task with this path below its folder.
    fn place_of(&self, below: &str) -> PathBuf {
        format!("{}:tasks/{}/{below}", self.reference, self.task).into()
    }

    fn place(&self, path: &RepoPath) -> PathBuf {
        format!("{}:{path}", self.reference).into()
    }
}

fn shown(place: PathBuf) -> String {
    place.to_string_lossy().into_owned()
}

/// A file that must be text.
fn text<'f>(source: &Source<'_>, file: &'f SnapshotFile) -> Result<&'f str, Error> {
    let before = |valid: usize| file.content[..valid].iter().filter(|byte| **byte == b'\n').count();
    std::str::from_utf8(&file.content).map_err(|error| {
        let line = before(error.valid_up_to()) + 1;
        crate::fs::Error::NotUtf8 { path: source.place(&file.path), line }.into()
    })
}
