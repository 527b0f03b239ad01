//! What is to be written here of what was fetched, as a value; or what only a person can decide.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use serde_json::Value;

use super::conflict::{Conflict, ConflictKind, Differing, Where};
use super::theirs::{TheirFile, Theirs};
use crate::context::Context;
use crate::domain::ids::CommitId;
use crate::domain::mirror::{REGISTRY_ROW, rank};
use crate::domain::registry::TaskEntry;
use crate::domain::sharing::{
    Choice, Difference, EntryChanges, Kind, LogLine, Split, choose, fold_entry, fold_log, fold_manifest, later_state,
    missing,
};
use crate::git::{History, Limits, Repository};
use crate::ops::reconcile::is_of_this_clone;
use crate::ops::sharing::SharingError;
use crate::ops::{Error, doctor, mirror};
use crate::store::consumers::LogText;
use crate::store::registry::Registry;
use crate::store::{Home, Layout, Manifest, runs, timeline};
use crate::{fs, store};

/// Where the records are to be written.
pub(super) struct Here<'a> {
    pub(super) repository: &'a Repository,
    pub(super) layout: &'a Layout,
    pub(super) home: &'a Home,
    /// The mirror of the task, where there is one.
    pub(super) mirror: Option<CommitId>,
    /// Whether there is a `project.json`.
    pub(super) is_project: bool,
}

/// What is to be written. Nothing is taken away.
#[derive(Default)]
pub(super) struct Plan {
    /// Whether the task is new here.
    pub(super) is_new: bool,
    /// Files, in the order in which they are written.
    pub(super) writes: Vec<Write>,
    /// Rows that the log lacks.
    pub(super) rows: Vec<String>,
    /// Lines that the timeline lacks.
    pub(super) events: Vec<String>,
    /// Fields of the task's manifest.
    pub(super) fields: Vec<(String, Value)>,
    pub(super) entry: EntryPlan,
}

/// A file to write.
pub(super) struct Write {
    /// Its path below `.okstra/`, for people and for the system.
    pub(super) shown: String,
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
    /// What is there now; `None` where nothing is.
    pub(super) before: Option<Vec<u8>>,
    pub(super) content: Vec<u8>,
}

/// What is to be written into the registry.
#[derive(Default)]
pub(super) enum EntryPlan {
    /// Nothing.
    #[default]
    Nothing,
    /// The whole entry, with this machine's paths.
    New(Box<TaskEntry>),
    /// What the entry lacks.
    Changes(EntryChanges),
}

/// What was decided.
pub(super) enum Decided {
    Plan(Plan),
    Conflicts(Vec<Conflict>),
}

/// The files of a mirror that both sides have in their history.
type Common = HashMap<Vec<u8>, Vec<u8>>;

/// A plan in the making.
struct Planning<'a> {
    context: &'a Context,
    here: &'a Here<'a>,
    theirs: &'a Theirs,
    common: Vec<Common>,
    plan: Plan,
    differing: Vec<Differing>,
    conflicts: Vec<Conflict>,
}

/// Decides what is to be written. Reads only.
///
/// # Errors
/// When what is here cannot be read, was lost, or belongs to another clone.
pub(super) fn decide(context: &Context, here: &Here<'_>, theirs: &Theirs) -> Result<Decided, Error> {
    let common = common(context, here, theirs)?;
    let (plan, differing, conflicts) = (Plan::default(), Vec::new(), Vec::new());
    let mut planning = Planning { context, here, theirs, common, plan, differing, conflicts };
    here.layout.check_case(&theirs.key.task)?;
    here.home.check_case(&theirs.key)?;
    planning.check_lost()?;
    planning.plan.is_new = !here.layout.manifest(&theirs.key.task).exists();
    for file in &theirs.files {
        planning.file(file)?;
    }
    planning.log()?;
    planning.timeline()?;
    planning.registry()?;
    if !here.is_project {
        for file in &theirs.shared {
            planning.file(file)?;
        }
    }
    Ok(planning.done())
}

/// What the records here and there were made from.
fn common(context: &Context, here: &Here<'_>, theirs: &Theirs) -> Result<Vec<Common>, Error> {
    let Some(mirror) = here.mirror else { return Ok(Vec::new()) };
    let mut history = History::new(here.repository);
    let bases = history.merge_bases(context, mirror, theirs.commit, Limits::default())?;
    let mut common = Vec::new();
    for base in bases.commits {
        let files = here.repository.read_snapshot_at(base)?;
        common.push(files.into_iter().map(|file| (file.path.as_bytes().to_vec(), file.content)).collect());
    }
    Ok(common)
}

impl Planning<'_> {
    /// What is only added to must be there, where it is mirrored: else what is added now would count for all there ever was.
    fn check_lost(&self) -> Result<(), Error> {
        let Some(mirror) = self.here.mirror else { return Ok(()) };
        let (layout, task) = (self.here.layout, &self.theirs.key.task);
        let mirrored = self.here.repository.read_snapshot_at(mirror)?;
        for path in [layout.manifest(task), layout.timeline(task), layout.consumers(task)] {
            let below = mirror::below(layout, &path);
            if !path.exists() && mirrored.iter().any(|file| file.path.as_bytes() == below) {
                return Err(SharingError::Lost { task: task.clone(), path }.into());
            }
        }
        Ok(())
    }

    fn file(&mut self, file: &TheirFile) -> Result<(), Error> {
        let path = self.here.layout.folder().join(&file.path);
        let ours = match path.symlink_metadata() {
            Err(_) => None,
            Ok(metadata) if metadata.is_file() => Some(fs::read(&path)?),
            Ok(_) => {
                self.differs(file, None);
                return Ok(());
            }
        };
        let common: Vec<&[u8]> =
            self.common.iter().filter_map(|common| common.get(file.shown.as_bytes())).map(Vec::as_slice).collect();
        let mut choice = choose(ours.as_deref(), &file.content, &common);
        if let (Choice::Split, Some(ours)) = (choice, &ours) {
            choice = match file.kind {
                Kind::Manifest => return self.manifest(&path, ours),
                Kind::TeamState(run) => {
                    let state = |bytes: &[u8]| runs::parse_state(&path, &String::from_utf8_lossy(bytes), run);
                    later_state(&state(ours)?, &state(&file.content)?)
                }
                _ => choice,
            };
        }
        match choice {
            Choice::Keep => {}
            Choice::Split => self.differs(file, ours),
            Choice::Take => self.plan.writes.push(Write {
                shown: file.shown.clone(),
                path: file.path.clone(),
                kind: file.kind,
                before: ours,
                content: file.content.clone(),
            }),
        }
        Ok(())
    }

    fn differs(&mut self, file: &TheirFile, ours: Option<Vec<u8>>) {
        let makes_run = match file.kind {
            Kind::RunManifest(run) => Some(run),
            _ => None,
        };
        let (shown, below) = (file.shown.clone(), file.below.clone());
        self.differing.push(Differing { shown, below, ours, theirs: file.content.clone(), makes_run });
    }

    /// The manifest of the task, which both have changed.
    fn manifest(&mut self, path: &std::path::Path, ours: &[u8]) -> Result<(), Error> {
        let ours = Manifest::parse(path, &String::from_utf8_lossy(ours))?;
        let name = format!("tasks/{}/task-manifest.json", self.theirs.key.task);
        let read = |common: &Common| {
            let text = String::from_utf8_lossy(common.get(name.as_bytes())?).into_owned();
            Some(Manifest::parse(path, &text).ok()?.document().fields().clone())
        };
        let common: Vec<_> = self.common.iter().filter_map(read).collect();
        let theirs = self.theirs.manifest.document().fields();
        match fold_manifest(ours.document().fields(), theirs, &common) {
            Ok(fields) => self.plan.fields = fields,
            Err(split) => self.disagree(split, ConflictKind::Manifest),
        }
        Ok(())
    }

    fn log(&mut self) -> Result<(), Error> {
        let ours = LogText::read(&self.here.layout.consumers(&self.theirs.key.task))?;
        match missing_rows(self.context, &ours, self.theirs)? {
            Ok(rows) => self.plan.rows = rows,
            Err(splits) => {
                let at = Where { root: self.here.layout.root(), theirs: self.theirs };
                self.conflicts.extend(splits.into_iter().map(|split| at.stage(split)));
            }
        }
        Ok(())
    }

    fn timeline(&mut self) -> Result<(), Error> {
        let path = self.here.layout.timeline(&self.theirs.key.task);
        let ours = match fs::read(&path) {
            Err(error) if error.is_missing() => Vec::new(),
            bytes => timeline::parse(&path, self.context, bytes?)?,
        };
        let here: Vec<&str> = ours.iter().map(String::as_str).collect();
        let there: Vec<&str> = self.theirs.events.iter().map(String::as_str).collect();
        self.plan.events = missing(&here, &there).into_iter().map(|place| there[place].to_owned()).collect();
        Ok(())
    }

    fn registry(&mut self) -> Result<(), Error> {
        let key = &self.theirs.key;
        let registry = Registry::new(self.here.home.registry());
        let ours = registry.read(key)?;
        if let Some(entry) = &ours {
            is_of_this_clone(key, (self.here.repository, &registry), entry)?;
        }
        let Some(theirs) = &self.theirs.entry else { return Ok(()) };
        let Some(ours) = ours else {
            let entry = doctor::of_this_machine(self.here.home, self.here.repository, key, theirs.clone());
            self.plan.entry = EntryPlan::New(Box::new(entry));
            return Ok(());
        };
        let rows = self.common.iter().filter_map(|common| mirror::parse_row(common.get(REGISTRY_ROW.as_bytes())?).ok());
        let common: Vec<TaskEntry> = rows.map(|row| row.entry).collect();
        match fold_entry(&ours, theirs, &common) {
            Ok(changes) if changes.is_empty() => {}
            Ok(changes) => self.plan.entry = EntryPlan::Changes(changes),
            Err(split) => self.disagree(split, ConflictKind::Registry),
        }
        Ok(())
    }

    fn disagree(&mut self, split: Vec<Difference>, kind: ConflictKind) {
        let at = Where { root: self.here.layout.root(), theirs: self.theirs };
        self.conflicts.extend(split.into_iter().map(|difference| at.field(difference, kind)));
    }

    fn done(self) -> Decided {
        let Self { here, theirs, mut plan, differing, mut conflicts, .. } = self;
        conflicts.extend(Where { root: here.layout.root(), theirs }.files(differing));
        if !conflicts.is_empty() {
            return Decided::Conflicts(conflicts);
        }
        // What makes a thing exist comes after what it is made of: of a plan its text is there first.
        plan.writes.sort_by_key(|write| (rank(write.shown.as_bytes()), write.kind == Kind::Plan));
        Decided::Plan(plan)
    }
}

/// The rows that the log here lacks, or the stages of which both say something else.
pub(super) fn missing_rows(
    context: &Context,
    ours: &LogText,
    theirs: &Theirs,
) -> Result<Result<Vec<String>, Vec<Split>>, store::Error> {
    let (here, there) = (ours.rows(context)?, theirs.log.rows(context)?);
    let ours: Vec<LogLine<'_>> = here.lines().map(|(text, row)| LogLine { text, row }).collect();
    let theirs_lines: Vec<LogLine<'_>> = there.lines().map(|(text, row)| LogLine { text, row }).collect();
    let folded = fold_log(&theirs.key.to_string(), &ours, &theirs_lines);
    Ok(folded.map(|places| places.into_iter().map(|place| theirs_lines[place].text.to_owned()).collect()))
}

/// The recorded commits that are not in the repository, each with what it is of.
pub(super) fn lost_commits(
    context: &Context,
    repository: &Repository,
    theirs: &Theirs,
) -> Result<BTreeSet<String>, Error> {
    let done = theirs.log.rows(context)?.done(&theirs.key, None)?;
    let mut recorded: Vec<(String, String)> =
        done.into_iter().map(|(stage, done)| (format!("stage {stage}"), done.latest.head_commit)).collect();
    if let Some(entry) = &theirs.entry {
        recorded.extend(entry.implementation_base_commit.iter().map(|id| ("the anchor".to_owned(), id.clone())));
        recorded.extend(entry.integrations.iter().map(|made| ("an integration".to_owned(), made.commit.clone())));
    }
    let mut lost = BTreeSet::new();
    for (what, id) in recorded {
        if repository.commit_by_id(&id)?.is_err() {
            lost.insert(format!("the commit of {what}, {id}, is not here, and was not shared"));
        }
    }
    Ok(lost)
}
