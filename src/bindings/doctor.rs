//! `doctor`: check the machine and the project, and bring back records that were lost.

use napi::bindgen_prelude::{AsyncTask, Either};
use napi_derive::napi;
use okstra::ops::doctor::{self, Options, Outcome};

use crate::content_merged::word;
use crate::job::{Cancel, Job, start};

/// What to do.
#[napi(object)]
pub struct DoctorOptions {
    /// The project root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<String>,
    /// Bring back what is mirrored and missing on disk, never over what is there; without it everything is checked.
    pub restore: Option<bool>,
    /// With `restore`: of this task only, `GROUP/ID`.
    pub task: Option<String>,
}

/// What was checked.
#[napi(object)]
pub struct DoctorReport {
    /// Every check, in the order in which they were made.
    pub checks: Vec<DoctorCheck>,
}

/// One thing that was checked.
#[napi(object, use_nullable = true)]
pub struct DoctorCheck {
    /// What was checked, a kebab-case word; several checks may have the same.
    pub name: String,
    /// It is as it should be; nothing is lost and it should be looked at; something is lost or does not work.
    #[napi(ts_type = "'ok' | 'warning' | 'problem'")]
    pub status: String,
    /// What was found, a sentence for people.
    pub message: String,
    /// What to do about it; a command, where there is one, stands at its end.
    pub advice: Option<String>,
}

/// What was brought back, and what was not.
#[napi(object)]
pub struct DoctorRestored {
    /// The tasks whose mirrors were gone through, `GROUP/ID`.
    pub tasks: Vec<String>,
    /// The files that were brought back, from the project root.
    pub restored: Vec<String>,
    /// The tasks whose registry rows were brought back, `PROJECT/GROUP/ID`.
    pub registry: Vec<String>,
    /// The tasks that this clone holds again after it was moved, `PROJECT/GROUP/ID`.
    pub moved: Vec<String>,
    /// How many mirrored files were there already; they stay as they are.
    pub kept: u32,
    /// Those of them that hold something else than the mirror.
    pub differing: Vec<String>,
    /// What a mirror holds and no okstra of this version writes; it was left there.
    pub ignored: Vec<String>,
    /// What could not be brought back; a person has to look at it.
    pub refused: Vec<DoctorRefused>,
}

/// Something that was not brought back.
#[napi(object, use_nullable = true)]
pub struct DoctorRefused {
    /// The task whose mirror holds it.
    pub task: String,
    /// The file, from the project root; null for the whole task, or its registry row.
    pub path: Option<String>,
    /// Why, a clause.
    pub reason: String,
}

/// Checks the machine and the project's records; with `restore` brings back what is mirrored and missing on disk.
#[napi(ts_return_type = "Promise<DoctorReport | DoctorRestored>")]
pub fn doctor(options: DoctorOptions, cancel: &Cancel) -> AsyncTask<Job<Either<DoctorReport, DoctorRestored>>> {
    start(cancel, |context| Ok(document(doctor::run(context, &options.into())?)))
}

impl From<DoctorOptions> for Options {
    fn from(options: DoctorOptions) -> Self {
        let DoctorOptions { project_root, restore, task } = options;
        Self { project_root: project_root.map(Into::into), restore: restore.unwrap_or(false), task }
    }
}

/// The document of an outcome.
fn document(outcome: Outcome) -> Either<DoctorReport, DoctorRestored> {
    match outcome {
        Outcome::Checked(report) => {
            Either::A(DoctorReport { checks: report.checks.into_iter().map(Into::into).collect() })
        }
        Outcome::Restored(restored) => Either::B(restored.into()),
    }
}

impl From<doctor::Check> for DoctorCheck {
    fn from(check: doctor::Check) -> Self {
        Self {
            name: check.name.to_owned(),
            status: word(check.status),
            message: check.message,
            advice: check.advice.map(|advice| advice.to_string()),
        }
    }
}

impl From<doctor::Restored> for DoctorRestored {
    fn from(restored: doctor::Restored) -> Self {
        let doctor::Restored { tasks, restored, registry, moved, kept, differing, ignored, refused } = restored;
        let kept = u32::try_from(kept).unwrap_or(u32::MAX);
        let refused = refused.into_iter().map(|one| {
            let doctor::Refused { task, path, reason } = one;
            DoctorRefused { task, path, reason }
        });
        Self { tasks, restored, registry, moved, kept, differing, ignored, refused: refused.collect() }
    }
}
