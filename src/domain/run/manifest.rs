//! The run manifest, `run-manifest-<task-type>-<seq>.json`: it makes the run exist. Paths are relative to the project root
//! where they lie in the project, absolute elsewhere; times are RFC 3339 in UTC.

use serde::{Deserialize, Serialize};

use crate::domain::lifecycle::TaskType;

/// Everything that was decided when the run was prepared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunManifest {
    /// The run, as in `implementation-001`.
    pub run: String,
    /// The task, `PROJECT/GROUP/ID`.
    pub task_key: String,
    /// What the run executes.
    pub task_type: TaskType,
    /// The work category of the task.
    pub category: String,
    /// When it was prepared.
    pub created_at: String,
    /// The okstra that prepared it.
    pub okstra_version: String,
    /// The run root, `<task folder>/runs/<task-type>`.
    pub run_root: String,
    /// The commit that the run starts from: of the task worktree where it edits source, of the project otherwise.
    pub base_commit: String,
    /// What is asked for.
    pub brief: Brief,
    /// The plan that it goes by; only `implementation` and `final-verification` have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanOfRun>,
    /// The batch: the stages that this run owns, ascending. Empty outside `implementation`.
    #[serde(default)]
    pub stages: Vec<RunStage>,
    /// The branch of the task, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_branch: Option<String>,
    /// The worktree of the task, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_worktree: Option<String>,
    /// Why a failing `post` command may be waived, where that was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qa_waiver: Option<String>,
    /// The lead: how it is started.
    pub lead: Lead,
    /// The roster.
    pub workers: Vec<RunWorker>,
    /// How findings converge.
    pub convergence: ConvergenceSettings,
    /// What the agents read, with what each file holds.
    pub instruction_set: Vec<Instruction>,
    /// The templates that the project replaced.
    #[serde(default)]
    pub overrides: Vec<Override>,
    /// The files that the run is to leave, by what they are: `report`, `reportData`, `reportHtml`, `teamState`,
    /// `convergence`, `pullRequest`, `carry`.
    pub paths: std::collections::BTreeMap<String, String>,
}

/// The brief of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Brief {
    /// Where it lies, in the instruction set.
    pub path: String,
    /// Its SHA-256, lower-case hex.
    pub sha256: String,
}

/// The frozen plan that a run goes by.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanOfRun {
    /// Its id.
    pub id: String,
    /// The frozen Markdown.
    pub path: String,
}

/// A stage that the run owns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunStage {
    /// Its number.
    pub stage: u32,
    /// Its title.
    pub title: String,
    /// The hash of its section in the plan.
    pub hash: String,
    /// Its branch, a short name.
    pub branch: String,
    /// Its worktree.
    pub worktree: String,
    /// The commit that it starts from.
    pub base: String,
}

/// How the lead is started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lead {
    /// The vendor of its CLI.
    pub vendor: Vendor,
    /// Its session id, a UUID.
    pub session_id: String,
    /// The launch prompt.
    pub prompt_path: String,
    /// The folder that it works in.
    pub folder: String,
    /// The folders that it must reach besides.
    pub more_folders: Vec<String>,
}

/// Who makes an agent CLI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Vendor {
    /// Claude Code.
    #[default]
    Claude,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
}

/// What a worker is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorkerRole {
    /// Looks at the task and reports findings.
    Analyst,
    /// Builds the stages; the only one that edits.
    Executor,
    /// Looks at what was built.
    Verifier,
    /// Writes the report; never votes.
    ReportWriter,
}

/// A worker of the roster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunWorker {
    /// Its name, unique in the run: `claude`, `codex`, `gemini`, `report-writer`.
    pub name: String,
    /// Whose CLI it is.
    pub vendor: Vendor,
    /// What it is there for.
    pub role: WorkerRole,
    /// The model, where one was asked for.
    #[serde(default)]
    pub model: Option<String>,
    /// Its session id, a UUID, for the CLIs that take one.
    pub session_id: String,
    /// Its prompt.
    pub prompt_path: String,
    /// Where its result must be.
    pub result_path: String,
    /// Where it reports errors.
    pub errors_path: String,
    /// The folder that it works in: the executor's is the task worktree, the others' a snapshot of their own.
    pub worktree: Option<String>,
    /// How long it may take, in seconds.
    pub deadline_seconds: u64,
}

/// How findings converge in this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConvergenceSettings {
    /// Whether they do at all.
    pub enabled: bool,
    /// The most rounds after the first.
    pub max_rounds: u32,
    /// Whether verifiers try to break a claim.
    pub adversarial: bool,
    /// What they look at.
    pub verification_mode: VerificationMode,
}

/// What a verifier looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerificationMode {
    /// The quoted evidence only.
    Lightweight,
    /// The analysis inputs, or the cited files.
    FullReanalysis,
}

/// A text that is no verification mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no verification mode: there are lightweight and full-reanalysis")]
pub struct VerificationModeError {
    /// The text as given.
    pub text: String,
}

impl std::str::FromStr for VerificationMode {
    type Err = VerificationModeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "lightweight" => Ok(Self::Lightweight),
            "full-reanalysis" => Ok(Self::FullReanalysis),
            _ => Err(VerificationModeError { text: text.to_owned() }),
        }
    }
}

/// A file that agents read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Instruction {
    /// Where it lies.
    pub path: String,
    /// Its SHA-256, lower-case hex.
    pub sha256: String,
    /// Its size.
    pub bytes: u64,
}

/// A template that the project replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Override {
    /// The template, as in `profiles/implementation.md`.
    pub template: String,
    /// The SHA-256 of what took its place.
    pub sha256: String,
}
