//! The team state, `team-state-<task-type>-<seq>.json`: what has become of a run and of its workers. It alone says
//! whether a run is open.

use serde::{Deserialize, Serialize};

use super::manifest::Vendor;

/// Where a run stands. Finished and abandoned are final.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunStatus {
    /// It exists, and no lead has been started by okstra.
    #[default]
    Prepared,
    /// okstra started a lead on it.
    Running,
    /// It came to its end.
    Finished,
    /// A person gave it up.
    Abandoned,
}

/// The state of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TeamState {
    /// The run, as in `implementation-001`.
    pub run: String,
    /// Where it stands.
    pub status: RunStatus,
    /// When it was finished or abandoned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Why it was abandoned, or finished by force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// One entry for each dispatch of a worker.
    #[serde(default)]
    pub workers: Vec<TeamWorker>,
    /// Tokens and cost, once they were counted.
    #[serde(default)]
    pub usage_summary: Option<serde_json::Value>,
}

/// A worker, dispatched once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TeamWorker {
    /// Its name.
    pub name: String,
    /// Whose CLI it is.
    pub vendor: Vendor,
    /// The model, where it is known.
    #[serde(default)]
    pub model: Option<String>,
    /// The convergence round; 0 is the analysis.
    #[serde(default)]
    pub round: u32,
    /// The attempt, from 1.
    #[serde(default)]
    pub attempt: u32,
    /// When it was started.
    #[serde(default)]
    pub dispatched_at: Option<String>,
    /// When it ended.
    #[serde(default)]
    pub ended_at: Option<String>,
    /// How long it took.
    #[serde(default)]
    pub duration_ms: Option<u64>,
    /// How it ended, one word.
    #[serde(default)]
    pub ending: Option<String>,
    /// Its result.
    #[serde(default)]
    pub result_path: Option<String>,
    /// The sessions that its CLI says it had.
    #[serde(default)]
    pub session_ids: Vec<String>,
    /// What it used.
    #[serde(default)]
    pub usage: Option<serde_json::Value>,
}

impl RunStatus {
    /// Its word, as it is written everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Prepared => "prepared",
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Abandoned => "abandoned",
        }
    }

    /// Whether the run has come to its end.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Finished | Self::Abandoned)
    }
}
