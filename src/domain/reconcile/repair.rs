//! The rows that repair the log: made from the witness and the latest row, never in their place.

use crate::domain::equivalence::Proof;
use crate::domain::equivalence::fingerprint::Content;
use crate::domain::ids::CommitId;
use crate::domain::moment::Moment;
use crate::domain::records::{Reason, Record, Status};

/// Where a stage landed, as a row: what proves it stays the witness's.
pub fn automatic(
    (latest, witness): (&Record, &Record),
    (landed, proof): (CommitId, Option<Proof>),
    (on, branch_tip): (&str, Option<CommitId>),
    now: Moment,
) -> Record {
    let reason = match proof {
        Some(Proof::Fingerprint) => Reason::AutoFingerprint,
        _ => Reason::AutoPatchId,
    };
    Record {
        base_commit: witness.base_commit.clone(),
        content: witness.content.clone(),
        plan: witness.plan.clone(),
        stage_hash: witness.stage_hash.clone(),
        carry_path: witness.carry_path.clone(),
        witness_commit: Some(witness.head_commit.clone()),
        ..repair(latest, reason, landed, (on, branch_tip), now)
    }
}

/// The commit that a person named, as a row: a new witness. `base` and `content` are those of the new work, where there
/// is any.
pub fn by_person(
    latest: &Record,
    named: CommitId,
    (on, branch_tip): (&str, Option<CommitId>),
    (base, content): (Option<CommitId>, Option<Content>),
    now: Moment,
) -> Record {
    Record {
        base_commit: base.map(|base| base.to_string()),
        content: content.and_then(|content| serde_json::to_value(content).ok()),
        plan: latest.plan.clone(),
        stage_hash: latest.stage_hash.clone(),
        carry_path: latest.carry_path.clone(),
        ..repair(latest, Reason::UserRef, named, (on, branch_tip), now)
    }
}

/// The latest row once more, with the fingerprints that it lacks.
pub fn with_content(latest: &Record, content: &Content) -> Record {
    Record { content: serde_json::to_value(content).ok(), ..latest.clone() }
}

fn repair(
    latest: &Record,
    reason: Reason,
    commit: CommitId,
    (on, branch_tip): (&str, Option<CommitId>),
    now: Moment,
) -> Record {
    let key = latest.impl_task_key.clone();
    Record {
        impl_task_key: key,
        completed_at: Some(now.to_string()),
        reconciled: Some(true),
        reconcile_reason: Some(reason),
        replaced_commit: Some(latest.head_commit.clone()),
        reference: Some(on.to_owned()),
        branch_tip: Some(branch_tip.map(|tip| tip.to_string())),
        ..Record::new("", latest.stage, Status::Done, &commit.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(digit: char) -> CommitId {
        CommitId(digit.to_string().repeat(40).parse().unwrap())
    }

    fn witness() -> Record {
        Record {
            base_commit: Some("base".to_owned()),
            content: Some(serde_json::json!({"v": 1})),
            plan: Some("001".to_owned()),
            stage_hash: Some("hash".to_owned()),
            carry_path: Some("carry".to_owned()),
            run: Some("implementation-001".to_owned()),
            ..Record::new("p/g/t", 2, Status::Done, &commit('a').to_string())
        }
    }

    #[test]
    fn an_automatic_row_keeps_what_the_witness_says() {
        let latest = Record { plan: None, ..Record::new("p/g/t", 2, Status::Done, &commit('b').to_string()) };
        let row = automatic(
            (&latest, &witness()),
            (commit('c'), Some(Proof::Replay)),
            ("refs/heads/x", None),
            Moment::from_seconds(0),
        );
        let expected = Record {
            head_commit: commit('c').to_string(),
            run: None,
            completed_at: Some("1970-01-01T00:00:00Z".to_owned()),
            witness_commit: Some(commit('a').to_string()),
            reconciled: Some(true),
            reconcile_reason: Some(Reason::AutoPatchId),
            replaced_commit: Some(commit('b').to_string()),
            reference: Some("refs/heads/x".to_owned()),
            branch_tip: Some(None),
            ..witness()
        };
        assert_eq!(row, expected);
        let lost = automatic(
            (&latest, &witness()),
            (commit('c'), Some(Proof::Fingerprint)),
            ("refs/heads/x", Some(commit('d'))),
            Moment::from_seconds(0),
        );
        assert_eq!(lost.reconcile_reason, Some(Reason::AutoFingerprint));
        assert_eq!(lost.branch_tip, Some(Some(commit('d').to_string())));
    }

    #[test]
    fn a_persons_row_is_a_new_witness() {
        let row = by_person(
            &witness(),
            commit('c'),
            ("refs/heads/x", Some(commit('c'))),
            (Some(commit('e')), None),
            Moment::from_seconds(0),
        );
        assert_eq!((row.base_commit, row.content), (Some(commit('e').to_string()), None));
        assert_eq!(
            (row.plan, row.stage_hash, row.carry_path),
            (witness().plan, witness().stage_hash, witness().carry_path)
        );
        assert_eq!((row.witness_commit, row.reconcile_reason), (None, Some(Reason::UserRef)));
    }
}
