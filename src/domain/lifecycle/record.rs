//! What the manifest of a task says of its lifecycle. All but brief, route and workflow follows from its runs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Route, RunName, TaskType};
use crate::domain::run::RunStatus;

/// The lifecycle part of `task-manifest.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lifecycle {
    /// What is asked for.
    #[serde(default)]
    pub brief: Option<TaskBrief>,
    /// The way that requirements-discovery chose.
    #[serde(default)]
    pub route: Option<Route>,
    /// When the task came into being, RFC 3339 in UTC.
    #[serde(default)]
    pub created_at: Option<String>,
    /// When the task was closed, RFC 3339 in UTC; `None` while it is not, or once it has a new run.
    #[serde(default)]
    pub closed_at: Option<String>,
    /// The phase of the last run; `None` while there is none.
    #[serde(default)]
    pub current_phase: Option<TaskType>,
    /// The phases that have runs.
    #[serde(default)]
    pub phases: BTreeMap<TaskType, Phase>,
    /// What happened last.
    #[serde(default)]
    pub workflow: Workflow,
}

/// The brief that a task began with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskBrief {
    /// Where it was read from; `None` where it was no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Its SHA-256, lower-case hex.
    pub sha256: String,
}

/// A phase with its runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Phase {
    /// Where it stands.
    pub status: PhaseStatus,
    /// Its runs, in order.
    #[serde(default)]
    pub runs: Vec<PhaseRun>,
}

/// Where a phase stands, as far as its runs say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseStatus {
    /// A run of it is open.
    #[default]
    Open,
    /// A run of it was finished, and none is open.
    Finished,
    /// All of its runs were given up.
    Abandoned,
}

/// A run, as the manifest of its task lists it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhaseRun {
    /// Its name.
    pub run: String,
    /// Where it stood when this was written; the team state alone knows.
    pub status: RunStatus,
    /// When it was prepared.
    pub prepared_at: String,
    /// When it came to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
}

/// What happened last to a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Workflow {
    /// The run that was prepared last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run: Option<String>,
    /// When that run, or another one, last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

impl Lifecycle {
    /// The same with the phases as `runs` make them; each comes with its name.
    pub fn with_runs(self, runs: &[(RunName, PhaseRun)]) -> Self {
        let mut phases = BTreeMap::<TaskType, Phase>::new();
        for (name, run) in runs {
            phases.entry(name.task_type).or_default().runs.push(run.clone());
        }
        phases.values_mut().for_each(|phase| phase.status = PhaseStatus::of(&phase.runs));
        let last = runs.iter().max_by(|(a, one), (b, other)| (&one.prepared_at, a).cmp(&(&other.prepared_at, b)));
        let changed = runs.iter().map(|(_, run)| run.ended_at.as_ref().unwrap_or(&run.prepared_at)).max();
        let workflow = Workflow { last_run: last.map(|(_, run)| run.run.clone()), updated_at: changed.cloned() };
        // A run that was not there before opens the task again.
        let closed_at = self.closed_at.clone().filter(|_| runs.iter().all(|(name, _)| self.run(*name).is_some()));
        Self { closed_at, current_phase: last.map(|(name, _)| name.task_type), phases, workflow, ..self }
    }

    /// The run `name`, as it is listed.
    pub fn run(&self, name: RunName) -> Option<&PhaseRun> {
        self.phases.get(&name.task_type)?.runs.iter().find(|run| run.run == name.to_string())
    }

    /// The last run and its phase, as it is listed.
    pub fn last_run(&self) -> Option<&PhaseRun> {
        let last = self.workflow.last_run.as_ref()?;
        self.phases.values().flat_map(|phase| &phase.runs).find(|run| run.run == *last)
    }
}

impl PhaseStatus {
    fn of(runs: &[PhaseRun]) -> Self {
        if runs.iter().any(|run| !run.status.is_final()) {
            Self::Open
        } else if runs.iter().any(|run| run.status == RunStatus::Finished) {
            Self::Finished
        } else {
            Self::Abandoned
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use RunStatus::{Abandoned, Finished, Prepared, Running};

    fn run(name: &str, status: RunStatus, prepared: u32, ended: Option<u32>) -> (RunName, PhaseRun) {
        let (prepared_at, ended_at) = (format!("t{prepared}"), ended.map(|at| format!("t{at}")));
        (name.parse().unwrap(), PhaseRun { run: name.to_owned(), status, prepared_at, ended_at })
    }

    #[test]
    fn a_phase_is_what_its_runs_make_it() {
        let cases = [
            (vec![Prepared], PhaseStatus::Open),
            (vec![Finished, Running], PhaseStatus::Open),
            (vec![Finished, Abandoned], PhaseStatus::Finished),
            (vec![Abandoned, Abandoned], PhaseStatus::Abandoned),
        ];
        for (statuses, expected) in cases {
            let runs: Vec<_> =
                statuses.into_iter().zip(1..).map(|(s, n)| run(&format!("implementation-00{n}"), s, n, None)).collect();
            let lifecycle = Lifecycle::default().with_runs(&runs);
            assert_eq!(lifecycle.phases[&TaskType::Implementation].status, expected);
        }
    }

    #[test]
    fn the_current_phase_is_that_of_the_last_run() {
        let runs = [
            run("requirements-discovery-001", Finished, 1, Some(9)),
            run("error-analysis-001", Prepared, 5, None),
            run("error-analysis-002", Prepared, 3, None),
        ];
        let lifecycle = Lifecycle { route: Some(Route::Full), ..Lifecycle::default() }.with_runs(&runs);
        assert_eq!(lifecycle.current_phase, Some(TaskType::ErrorAnalysis));
        assert_eq!(lifecycle.last_run().unwrap().run, "error-analysis-001");
        assert_eq!((lifecycle.workflow.updated_at.as_deref(), lifecycle.route), (Some("t9"), Some(Route::Full)));
        assert!(lifecycle.run(runs[2].0).is_some() && lifecycle.run("implementation-001".parse().unwrap()).is_none());
        let text = serde_json::to_string(&lifecycle).unwrap();
        assert!(text.contains(r#""phases":{"requirements-discovery":{"status":"finished","runs":[{"run":"#), "{text}");
        assert_eq!(serde_json::from_str::<Lifecycle>(&text).unwrap(), lifecycle);
        assert_eq!(lifecycle.clone().with_runs(&runs), lifecycle);
    }

    #[test]
    fn a_closed_task_is_opened_again_by_a_run_and_by_nothing_else() {
        let mut runs = vec![run("implementation-001", Finished, 1, Some(2))];
        let closed = Lifecycle { closed_at: Some("t3".to_owned()), ..Lifecycle::default().with_runs(&runs) };
        assert_eq!(closed.clone().with_runs(&runs), closed);
        // Whatever its clock says.
        runs.push(run("implementation-002", Finished, 1, Some(2)));
        assert_eq!(closed.with_runs(&runs).closed_at, None);
    }
}
