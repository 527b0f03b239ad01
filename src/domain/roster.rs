//! Who works on a run, and as what.

use super::lifecycle::{Route, TaskType};
use super::run::{Vendor, WorkerRole};

/// The name of the worker that writes the report.
pub const REPORT_WRITER: &str = "report-writer";

/// What was asked for, by the command line or by the project's configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The workers, by name; those whose CLI is there where nothing was asked for.
    pub workers: Option<Vec<String>>,
    /// Models, by worker.
    pub models: Vec<(String, String)>,
    /// The models that the project sets for all its runs, by worker: those of workers that are not in this run are left out.
    pub project_models: Vec<(String, String)>,
}

/// A worker that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Its name.
    pub name: String,
    /// Whose CLI it is.
    pub vendor: Vendor,
    /// What it is there for.
    pub role: WorkerRole,
    /// The model, where one was asked for.
    pub model: Option<String>,
}

/// Why there is no roster.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RosterError {
    /// No worker has this name.
    #[error("there is no worker `{name}`: there are claude, codex, gemini and report-writer")]
    Unknown {
        /// The name as given.
        name: String,
    },
    /// A worker was named twice.
    #[error("worker `{name}` is named twice")]
    Twice {
        /// Its name.
        name: String,
    },
    /// A model for a worker that is not in the roster.
    #[error("a model is given for `{name}`, which does not work on this run")]
    ModelForNobody {
        /// The worker as given.
        name: String,
    },
    /// Nobody is left to do the work.
    #[error("no worker is left: none of claude, codex and gemini was found or named")]
    Nobody,
}

impl Vendor {
    /// All of them, in the order in which they are asked.
    pub const ALL: [Self; 3] = [Self::Claude, Self::Codex, Self::Gemini];

    /// Its name: that of its CLI, and of the worker.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }
}

/// The roster of a run of `task_type`. `found` are the vendors whose CLI is there.
///
/// The lead does a hand-off alone. In `implementation` claude builds, or the first worker where claude is not among them,
/// and the others verify. On the lite route one worker proposes and one verifies.
///
/// # Errors
/// [`RosterError`] for a request that names no roster.
pub fn roster(
    task_type: TaskType,
    route: Route,
    found: &[Vendor],
    wanted: &Wanted,
) -> Result<Vec<Chosen>, RosterError> {
    let vendors = match &wanted.workers {
        Some(names) => named(names)?,
        None => Vendor::ALL.into_iter().filter(|vendor| found.contains(vendor)).collect(),
    };
    if task_type == TaskType::ReleaseHandoff {
        return match wanted.models.first() {
            Some((name, _)) => Err(RosterError::ModelForNobody { name: name.clone() }),
            None => Ok(Vec::new()),
        };
    }
    if vendors.is_empty() {
        return Err(RosterError::Nobody);
    }
    let is_lite = task_type == TaskType::ImplementationPlanning && route == Route::LiteImplementationPlanning;
    let count = if is_lite && wanted.workers.is_none() { 2 } else { vendors.len() };
    let executor = vendors.iter().position(|vendor| *vendor == Vendor::Claude).unwrap_or(0);
    let role = |at: usize| match task_type.edits_source() {
        true if at == executor => WorkerRole::Executor,
        true => WorkerRole::Verifier,
        false => WorkerRole::Analyst,
    };
    let workers = vendors.iter().take(count).enumerate().map(|(at, vendor)| (vendor.as_str(), *vendor, role(at)));
    let writer = (REPORT_WRITER, Vendor::Claude, WorkerRole::ReportWriter);
    let roster: Vec<Chosen> = workers
        .chain([writer])
        .map(|(name, vendor, role)| {
            let models = wanted.project_models.iter().chain(&wanted.models);
            let model = models.rev().find(|(worker, _)| worker == name).map(|(_, model)| model.clone());
            Chosen { name: name.to_owned(), vendor, role, model }
        })
        .collect();
    let nobody = wanted.models.iter().find(|(worker, _)| !roster.iter().any(|chosen| chosen.name == *worker));
    match nobody {
        Some((name, _)) => Err(RosterError::ModelForNobody { name: name.clone() }),
        None => Ok(roster),
    }
}

/// The vendors named, in the order given; the report writer is always there and may be named.
fn named(names: &[String]) -> Result<Vec<Vendor>, RosterError> {
    let mut vendors = Vec::new();
    for name in names.iter().filter(|name| *name != REPORT_WRITER) {
        let vendor = Vendor::ALL.into_iter().find(|vendor| vendor.as_str() == name);
        let vendor = vendor.ok_or_else(|| RosterError::Unknown { name: name.clone() })?;
        if vendors.contains(&vendor) {
            return Err(RosterError::Twice { name: name.clone() });
        }
        vendors.push(vendor);
    }
    Ok(vendors)
}

/// Whether all that look at a run are of one vendor, which the run has to say.
pub fn is_one_vendor(roster: &[Chosen]) -> bool {
    let mut vendors =
        roster.iter().filter(|chosen| chosen.role != WorkerRole::ReportWriter).map(|chosen| chosen.vendor);
    let first = vendors.next();
    first.is_some() && vendors.all(|vendor| Some(vendor) == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(roster: &[Chosen]) -> String {
        let word = |chosen: &Chosen| {
            let role = match chosen.role {
                WorkerRole::Analyst => "analyst",
                WorkerRole::Executor => "executor",
                WorkerRole::Verifier => "verifier",
                WorkerRole::ReportWriter => "writer",
            };
            format!("{}:{role}", chosen.name)
        };
        roster.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    fn wanted(workers: &[&str], models: &[(&str, &str)]) -> Wanted {
        let workers = (!workers.is_empty()).then(|| workers.iter().map(|name| (*name).to_owned()).collect());
        let models = models.iter().map(|(name, model)| ((*name).to_owned(), (*model).to_owned())).collect();
        Wanted { workers, models, project_models: Vec::new() }
    }

    #[test]
    fn who_works_as_what() {
        use TaskType::{ErrorAnalysis, Implementation, ImplementationPlanning, ReleaseHandoff};
        let lite = Route::LiteImplementationPlanning;
        let cases = [
            (
                ErrorAnalysis,
                Route::Full,
                &Vendor::ALL[..],
                &[][..],
                "claude:analyst codex:analyst gemini:analyst report-writer:writer",
            ),
            (ErrorAnalysis, Route::Full, &[Vendor::Gemini], &[], "gemini:analyst report-writer:writer"),
            (
                Implementation,
                Route::Full,
                &Vendor::ALL,
                &[],
                "claude:executor codex:verifier gemini:verifier report-writer:writer",
            ),
            (
                Implementation,
                Route::Full,
                &[Vendor::Codex, Vendor::Gemini],
                &[],
                "codex:executor gemini:verifier report-writer:writer",
            ),
            (
                Implementation,
                Route::Full,
                &Vendor::ALL,
                &["gemini", "claude"],
                "gemini:verifier claude:executor report-writer:writer",
            ),
            (ImplementationPlanning, lite, &Vendor::ALL, &[], "claude:analyst codex:analyst report-writer:writer"),
            (
                ImplementationPlanning,
                lite,
                &Vendor::ALL,
                &["gemini", "codex", "claude"],
                "gemini:analyst codex:analyst claude:analyst report-writer:writer",
            ),
            (
                ImplementationPlanning,
                Route::Full,
                &[],
                &["codex", "report-writer"],
                "codex:analyst report-writer:writer",
            ),
            (ReleaseHandoff, Route::Full, &[], &[], ""),
        ];
        for (task_type, route, found, workers, expected) in cases {
            let roster = roster(task_type, route, found, &wanted(workers, &[])).unwrap();
            assert_eq!(words(&roster), expected, "{task_type} {found:?} {workers:?}");
        }
    }

    #[test]
    fn models_go_to_their_workers() {
        let wanted = wanted(&["claude", "codex"], &[("codex", "a"), ("codex", "b"), ("report-writer", "c")]);
        let roster = roster(TaskType::ErrorAnalysis, Route::Full, &[], &wanted).unwrap();
        let models: Vec<_> = roster.iter().map(|chosen| chosen.model.as_deref()).collect();
        assert_eq!(models, [None, Some("b"), Some("c")]);
        let project_models = ["claude", "codex", "gemini"].map(|name| (name.to_owned(), "p".to_owned())).to_vec();
        let roster = super::roster(TaskType::ErrorAnalysis, Route::Full, &[], &Wanted { project_models, ..wanted });
        let models: Vec<_> = roster.iter().flatten().map(|chosen| chosen.model.as_deref()).collect();
        assert_eq!(models, [Some("p"), Some("b"), Some("c")]);
    }

    #[test]
    fn what_names_no_roster_is_refused() {
        let ask = |found: &[Vendor], wanted: &Wanted| roster(TaskType::ErrorAnalysis, Route::Full, found, wanted);
        let name = |name: &str| name.to_owned();
        assert_eq!(ask(&[], &wanted(&[], &[])), Err(RosterError::Nobody));
        assert_eq!(ask(&[], &wanted(&["report-writer"], &[])), Err(RosterError::Nobody));
        assert_eq!(ask(&[], &wanted(&["grok"], &[])), Err(RosterError::Unknown { name: name("grok") }));
        assert_eq!(ask(&[], &wanted(&["codex", "codex"], &[])), Err(RosterError::Twice { name: name("codex") }));
        let model = wanted(&["codex"], &[("gemini", "x")]);
        assert_eq!(ask(&Vendor::ALL, &model), Err(RosterError::ModelForNobody { name: name("gemini") }));
    }

    #[test]
    fn one_vendor_has_to_be_said() {
        let of = |found: &[Vendor]| roster(TaskType::Implementation, Route::Full, found, &Wanted::default()).unwrap();
        assert!(is_one_vendor(&of(&[Vendor::Codex])) && !is_one_vendor(&of(&Vendor::ALL)) && !is_one_vendor(&[]));
    }
}
