//! What taking okstra out removes: what it wrote, and nobody changed.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Found, Recorded};

/// What happens to a file when okstra is taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Removal {
    /// It is as okstra wrote it, and goes.
    Remove,
    /// Somebody changed it: it stays.
    Keep,
}

/// One file, and what happens to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RemovalStep {
    /// Its absolute path.
    pub path: String,
    /// What happens to it.
    pub action: Removal,
}

/// Decides what happens to each recorded file that is there, from what stands at its path.
pub fn plan_removal(recorded: &BTreeMap<String, Recorded>, found: &BTreeMap<String, Found>) -> Vec<RemovalStep> {
    let step = |(path, recorded): (&String, &Recorded)| {
        let action = match found.get(path).unwrap_or(&Found::Missing) {
            Found::Missing => return None,
            found if recorded.is_of(found) => Removal::Remove,
            _ => Removal::Keep,
        };
        Some(RemovalStep { path: path.clone(), action })
    };
    recorded.iter().filter_map(step).collect()
}
