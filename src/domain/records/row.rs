//! A row as it is read: borrowed from the text, since logs grow long and few of their rows are looked at.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A text of a row; borrowed unless it holds escapes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

/// One row of the log as any program may have written it: unknown fields are passed over, every field may be missing.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Row<'a> {
    /// The task key of the implementation.
    #[serde(borrow, default)]
    pub impl_task_key: Option<Text<'a>>,
    /// The stage, from 1; `None` for what is no such number.
    #[serde(default, deserialize_with = "stage_number")]
    pub stage: Option<u32>,
    /// `started` or `done`.
    #[serde(borrow, default)]
    pub status: Option<Text<'a>>,
    /// The recorded commit.
    #[serde(borrow, default)]
    pub head_commit: Option<Text<'a>>,
    /// The run that wrote it.
    #[serde(borrow, default)]
    pub run: Option<Text<'a>>,
    /// The content fingerprints, as they stand there.
    #[serde(borrow, default)]
    pub content: Option<&'a RawValue>,
    /// The hash of the stage's section in the plan.
    #[serde(borrow, default)]
    pub stage_hash: Option<Text<'a>>,
    /// Whether it is a repair.
    #[serde(default)]
    pub reconciled: Option<bool>,
    /// What repaired it.
    #[serde(borrow, default)]
    pub reconcile_reason: Option<Text<'a>>,
    /// Where the stage branch stood then.
    #[serde(borrow, default)]
    pub branch_tip: Option<Text<'a>>,
}

impl Row<'_> {
    /// Whether it says that its stage is done.
    pub fn is_done(&self) -> bool {
        self.status.as_deref() == Some("done")
    }

    /// Whether it says that a run has begun its stage.
    pub fn is_started(&self) -> bool {
        self.status.as_deref() == Some("started")
    }

    /// Whether okstra itself wrote it after finding where the stage landed. Such a row is never evidence.
    pub fn is_automatic(&self) -> bool {
        match self.reconcile_reason.as_deref() {
            Some("user-ref") => false,
            Some(_) => true,
            None => self.reconciled == Some(true),
        }
    }

    /// Whether a person named its commit.
    pub fn is_users(&self) -> bool {
        self.reconcile_reason.as_deref() == Some("user-ref")
    }
}

/// A stage number, or `None` for any other value: rows of other programs are not an error for that.
fn stage_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    deserializer.deserialize_any(AnyStage)
}

struct AnyStage;

impl<'de> Visitor<'de> for AnyStage {
    type Value = Option<u32>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a stage number")
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(u32::try_from(number).ok().filter(|&number| number > 0))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_other_programs_are_read() {
        let text = r#" { "x": [1, {"y": 2}], "status" : "done","stage":3, "head_commit":"abc\u0041", "run": null } "#;
        let row: Row<'_> = serde_json::from_str(text).unwrap();
        assert_eq!((row.stage, row.is_done(), row.head_commit.as_deref()), (Some(3), true, Some("abcA")));
        assert!(row.run.is_none() && row.impl_task_key.is_none());
    }

    #[test]
    fn a_stage_that_is_no_number_is_none() {
        for stage in ["0", "-1", "1.0", "\"1\"", "null", "true", "[1]", "{\"a\":1}", "4294967296", "1e3"] {
            let text = format!("{{\"stage\":{stage},\"status\":\"done\"}}");
            let row: Row<'_> = serde_json::from_str(&text).unwrap();
            assert_eq!((row.stage, row.is_done()), (None, true), "{stage}");
        }
    }

    #[test]
    fn a_row_is_automatic_unless_a_person_or_stage_done_wrote_it() {
        let cases = [
            ("{}", false),
            (r#"{"reconciled":false}"#, false),
            (r#"{"reconciled":true}"#, true),
            (r#"{"reconciled":true,"reconcile_reason":"auto-patch-id"}"#, true),
            (r#"{"reconciled":true,"reconcile_reason":"auto-fingerprint"}"#, true),
            (r#"{"reconciled":true,"reconcile_reason":"user-ref"}"#, false),
            (r#"{"reconciled":true,"reconcile_reason":"something-new"}"#, true),
        ];
        for (text, automatic) in cases {
            assert_eq!(serde_json::from_str::<Row<'_>>(text).unwrap().is_automatic(), automatic, "{text}");
        }
    }
}
