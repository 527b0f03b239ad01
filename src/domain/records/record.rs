//! A row in full: as okstra writes it, and as the few rows that matter are read.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::domain::equivalence::fingerprint::Content;

/// What a row says of its stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// A run was prepared for it.
    Started,
    /// It is done, at the row's commit.
    Done,
}

/// Why a repair row was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The landing was proved from the commits.
    AutoPatchId,
    /// The landing was proved from the recorded fingerprints.
    AutoFingerprint,
    /// A person named the ref.
    UserRef,
    /// What another program, or a newer version, wrote; such a row is taken for an automatic one.
    #[serde(untagged)]
    Other(String),
}

/// One row of `consumers.jsonl`, in the order in which its fields are written. Fields that okstra does not know are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The task key of the implementation, `PROJECT/GROUP/ID`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impl_task_key: Option<String>,
    /// The stage, from 1.
    pub stage: u32,
    /// Whether it was started or is done.
    pub status: Status,
    /// Started: HEAD of the project then. Done: the stage's commit. Full lower-case hex where okstra wrote it.
    pub head_commit: String,
    /// When it was started, RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// When it was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    /// The run that wrote it, as in `implementation-001`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The carry file of a done stage, relative to the project root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carry_path: Option<String>,
    /// The commit that the stage started from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_commit: Option<String>,
    /// The content fingerprints, as they stand; see [`Record::fingerprints`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Value>,
    /// The id of the frozen plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// The hash of this stage in that plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage_hash: Option<String>,
    /// Automatic repairs: the head of the witness that the proof started from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness_commit: Option<String>,
    /// True in a repair row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconciled: Option<bool>,
    /// What repaired it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconcile_reason: Option<Reason>,
    /// The commit that it replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_commit: Option<String>,
    /// The ref on which the landing was found, or that the user named, in full.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Repair rows: where the stage branch stood then, `Some(None)` when it was gone.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub branch_tip: Option<Option<String>>,
    /// What other programs, or newer versions, wrote besides.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

impl Record {
    /// A row with nothing but what every row has.
    pub fn new(key: &str, stage: u32, status: Status, head_commit: &str) -> Self {
        Self {
            impl_task_key: Some(key.to_owned()),
            stage,
            status,
            head_commit: head_commit.to_owned(),
            started_at: None,
            completed_at: None,
            run: None,
            carry_path: None,
            base_commit: None,
            content: None,
            plan: None,
            stage_hash: None,
            witness_commit: None,
            reconciled: None,
            reconcile_reason: None,
            replaced_commit: None,
            reference: None,
            branch_tip: None,
            others: Map::new(),
        }
    }

    /// The content fingerprints, where there are any in a layout that okstra knows; others prove nothing.
    pub fn fingerprints(&self) -> Option<Content> {
        self.content.as_ref().and_then(|content| Content::deserialize(content).ok())
    }

    /// Whether a person named its commit.
    pub fn is_users(&self) -> bool {
        self.reconcile_reason == Some(Reason::UserRef)
    }
}

/// Tells a field that is null from one that is not there.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_survives_reading_and_writing() {
        let text = concat!(
            r#"{"impl_task_key":"p/g/t","stage":2,"status":"done","head_commit":"ab","content":{"v":9,"x":1},"#,
            r#""reconciled":true,"reconcile_reason":"user-ref","ref":"refs/heads/x","branch_tip":null,"new":[1]}"#
        );
        let record: Record = serde_json::from_str(text).unwrap();
        assert_eq!(record.branch_tip, Some(None));
        assert!(record.is_users() && record.fingerprints().is_none());
        assert_eq!(serde_json::to_string(&record).unwrap(), text);
        let plain = Record::new("p/g/t", 1, Status::Started, "cd");
        let written = serde_json::to_string(&plain).unwrap();
        assert_eq!(written, r#"{"impl_task_key":"p/g/t","stage":1,"status":"started","head_commit":"cd"}"#);
        assert_eq!(serde_json::from_str::<Record>(&written).unwrap(), plain);
    }
}
