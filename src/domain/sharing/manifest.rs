//! The manifest of a task here and there, field by field.

use serde_json::{Map, Value};

use super::Difference;

/// What follows from the runs of the task, and is made anew.
const DERIVED: &[&str] = &["phases", "currentPhase", "workflow"];
/// How it is written, which is no matter of the task.
const OF_THE_FILE: &str = "schemaVersion";

/// The fields that have to be set here to what they are there, given what both had in `common`.
///
/// # Errors
/// The fields that both have set otherwise.
pub fn fold_manifest(
    ours: &Map<String, Value>,
    theirs: &Map<String, Value>,
    common: &[Map<String, Value>],
) -> Result<Vec<(String, Value)>, Vec<Difference>> {
    let (mut taken, mut split) = (Vec::new(), Vec::new());
    for (field, there) in theirs.iter().filter(|(field, value)| !value.is_null() && is_told(field)) {
        let here = ours.get(field).unwrap_or(&Value::Null);
        let had = |value: &Value| common.iter().any(|common| common.get(field).unwrap_or(&Value::Null) == value);
        match (here.is_null(), here == there, had(here), had(there)) {
            (_, true, ..) | (false, false, false, true) => {}
            (true, ..) | (false, false, true, false) => taken.push((field.clone(), there.clone())),
            _ => split.push(Difference { of: field.clone(), ours: here.to_string(), theirs: there.to_string() }),
        }
    }
    if split.is_empty() { Ok(taken) } else { Err(split) }
}

fn is_told(field: &str) -> bool {
    field != OF_THE_FILE && !DERIVED.contains(&field)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn map(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_field_follows_who_changed_it() {
        let same = json!({"title": "T", "route": null});
        let cases = [
            (json!({}), json!({"title": "T"}), vec![], Ok(vec!["title"])),
            (json!({"title": null}), json!({"title": "T"}), vec![], Ok(vec!["title"])),
            (json!({"title": "T"}), json!({}), vec![], Ok(vec![])),
            (json!({"title": "T"}), json!({"title": null}), vec![], Ok(vec![])),
            (json!({"title": "T"}), json!({"title": "U"}), vec![], Err(vec!["title"])),
            (json!({"title": "T"}), json!({"title": "U"}), vec![same.clone()], Ok(vec!["title"])),
            (json!({"title": "U"}), json!({"title": "T"}), vec![same.clone()], Ok(vec![])),
            (json!({"title": "U"}), json!({"title": "V"}), vec![same.clone()], Err(vec!["title"])),
            (json!({"route": "full"}), json!({"title": "U"}), vec![same], Ok(vec!["title"])),
            (json!({"phases": 1, "workflow": 1}), json!({"phases": 2, "workflow": 2}), vec![], Ok(vec![])),
            (json!({"schemaVersion": "1.0"}), json!({"schemaVersion": "1.1"}), vec![], Ok(vec![])),
            (json!({"new": [1]}), json!({"new": [2], "more": 1}), vec![], Err(vec!["new"])),
        ];
        for (ours, theirs, common, expected) in cases {
            let common: Vec<_> = common.iter().map(map).collect();
            let found = fold_manifest(&map(&ours), &map(&theirs), &common);
            let names = found.map(|taken| taken.into_iter().map(|(field, _)| field).collect::<Vec<_>>());
            let names = names.map_err(|split| split.into_iter().map(|split| split.of).collect::<Vec<_>>());
            let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(names, expected.map(owned).map_err(owned), "{ours} {theirs} {common:?}");
        }
    }
}
