//! Where the files of a run are.

use std::path::{Path, PathBuf};

use super::Layout;
use crate::domain::lifecycle::{RunName, TaskType};
use crate::domain::names::TaskName;

/// One file that a worker reads or leaves: the first one of its kind is round 0, attempt 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerFile<'a> {
    /// The worker's name.
    pub worker: &'a str,
    /// The convergence round; 0 is the analysis.
    pub round: u32,
    /// The attempt, from 1.
    pub attempt: u32,
}

impl<'a> WorkerFile<'a> {
    /// The file of the first dispatch of `worker`.
    pub fn first(worker: &'a str) -> Self {
        Self { worker, round: 0, attempt: 1 }
    }

    /// The name without its extension: `claude-implementation-001-r1-a2`.
    fn stem(self, run: RunName, what: &str) -> String {
        let Self { worker, round, attempt } = self;
        let round = if round == 0 { String::new() } else { format!("-r{round}") };
        let attempt = if attempt <= 1 { String::new() } else { format!("-a{attempt}") };
        format!("{worker}-{run}{what}{round}{attempt}")
    }
}

impl Layout {
    /// `runs/`: a folder for each task type that has begun.
    pub fn runs(&self, task: &TaskName) -> PathBuf {
        self.task(task).join("runs")
    }

    /// The root of the runs that `run` is one of.
    pub fn root_of_run(&self, task: &TaskName, run: RunName) -> PathBuf {
        self.run_root(task, run.task_type.as_str())
    }

    /// `instruction-set/<seq>/`: what the agents of the run read. Whoever creates it has claimed the number.
    pub fn instruction_set(&self, task: &TaskName, run: RunName) -> PathBuf {
        self.instruction_sets(task, run.task_type).join(run.seq())
    }

    /// `instruction-set/`: a folder for each number that was claimed.
    pub fn instruction_sets(&self, task: &TaskName, task_type: TaskType) -> PathBuf {
        self.run_root(task, task_type.as_str()).join("instruction-set")
    }

    /// `manifests/`: what makes runs of this type exist.
    pub fn run_manifests(&self, task: &TaskName, task_type: TaskType) -> PathBuf {
        self.run_root(task, task_type.as_str()).join("manifests")
    }

    /// `run-manifest-<task-type>-<seq>.json`.
    pub fn run_manifest(&self, task: &TaskName, run: RunName) -> PathBuf {
        self.run_manifests(task, run.task_type).join(format!("run-manifest-{run}.json"))
    }

    /// `team-state-<task-type>-<seq>.json`.
    pub fn team_state(&self, task: &TaskName, run: RunName) -> PathBuf {
        self.root_of_run(task, run).join("state").join(format!("team-state-{run}.json"))
    }

    /// `convergence-<task-type>-<seq>.json`.
    pub fn convergence(&self, task: &TaskName, run: RunName) -> PathBuf {
        self.root_of_run(task, run).join("state").join(format!("convergence-{run}.json"))
    }

    /// The prompt of a worker; its live log lies beside it, with `.log` after the whole name.
    pub fn worker_prompt(&self, task: &TaskName, run: RunName, file: WorkerFile<'_>) -> PathBuf {
        self.root_of_run(task, run).join("prompts").join(format!("{}.md", file.stem(run, "")))
    }

    /// The result of a worker.
    pub fn worker_result(&self, task: &TaskName, run: RunName, file: WorkerFile<'_>) -> PathBuf {
        self.worker_results(task, run).join(format!("{}.md", file.stem(run, "")))
    }

    /// What a worker says went wrong.
    pub fn worker_errors(&self, task: &TaskName, run: RunName, file: WorkerFile<'_>) -> PathBuf {
        self.worker_results(task, run).join(format!("{}.json", file.stem(run, "-errors")))
    }

    /// `worker-results/`.
    pub fn worker_results(&self, task: &TaskName, run: RunName) -> PathBuf {
        self.root_of_run(task, run).join("worker-results")
    }

    /// `final-report-<task-type>-<seq>.<extension>`: `md`, `data.json` or `html`.
    pub fn report(&self, task: &TaskName, run: RunName, extension: &str) -> PathBuf {
        self.root_of_run(task, run).join("reports").join(format!("final-report-{run}.{extension}"))
    }

    /// `pull-request-<seq>.md`.
    pub fn pull_request(&self, task: &TaskName, run: RunName) -> PathBuf {
        self.root_of_run(task, run).join("reports").join(format!("pull-request-{}.md", run.seq()))
    }

    /// The file behind a path as state files write it; see [`Layout::recorded`].
    pub fn file(&self, recorded: &str) -> PathBuf {
        self.root().join(Path::new(recorded))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_run_has_its_place() {
        let (layout, task) = (Layout::new("/p"), "auth/login".parse().unwrap());
        let run: RunName = "error-analysis-012".parse().unwrap();
        let again = WorkerFile { worker: "codex", round: 2, attempt: 3 };
        let first = WorkerFile::first("claude");
        let cases = [
            (layout.instruction_set(&task, run), "instruction-set/012"),
            (layout.run_manifest(&task, run), "manifests/run-manifest-error-analysis-012.json"),
            (layout.team_state(&task, run), "state/team-state-error-analysis-012.json"),
            (layout.convergence(&task, run), "state/convergence-error-analysis-012.json"),
            (layout.worker_prompt(&task, run, first), "prompts/claude-error-analysis-012.md"),
            (layout.worker_result(&task, run, again), "worker-results/codex-error-analysis-012-r2-a3.md"),
            (layout.worker_errors(&task, run, first), "worker-results/claude-error-analysis-012-errors.json"),
            (layout.worker_errors(&task, run, again), "worker-results/codex-error-analysis-012-errors-r2-a3.json"),
            (layout.report(&task, run, "data.json"), "reports/final-report-error-analysis-012.data.json"),
            (layout.pull_request(&task, run), "reports/pull-request-012.md"),
        ];
        for (path, below) in cases {
            let recorded = layout.recorded(&path);
            assert_eq!(recorded, format!(".okstra/tasks/auth/login/runs/error-analysis/{below}"));
            assert_eq!(layout.file(&recorded), path);
        }
        assert_eq!(layout.file("/elsewhere/x"), Path::new("/elsewhere/x"));
    }
}
