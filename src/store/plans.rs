//! The frozen plans of a task: `plans/<id>.md`, a copy of what was approved, and `plans/<id>.json`, what it says.
//!
//! Only the second makes a plan: it is written last, and in one piece. A copy without it was left behind by an approval
//! that was cut short; no reader takes it for anything, and its number is not used again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Error;
use super::consumers::LogGuard;
use super::json::{Document, SchemaVersion};
use crate::domain::moment::Moment;
use crate::domain::names::TaskKey;
use crate::domain::plan::{self, Plan};
use crate::domain::stage_map;
use crate::fs;

/// The newest schema that is understood. 1.0: `id`, `taskKey`, `approvedBy`, `approvedAt`, `sha256`, and of each of
/// `stages` `stage`, `title`, `dependsOn`, `stepCount`, `files`, `hash`. 1.1: `title`, `source`, and of each stage
/// `sectionLine`, `steps`, `pre`, `post`, `exitContract`, `rollback`.
const SCHEMA: SchemaVersion = SchemaVersion { major: 1, minor: 1 };

/// A plan's file, and the plan, or why it cannot be gone by.
pub type Frozen = (PathBuf, Result<Plan, Error>);

/// Every plan in `folder`, by id; none where there is no such folder. Files without the extension `json` and hidden
/// ones are none.
///
/// # Errors
/// [`Error::BadPlan`] for a plan whose id is not its file's name, that was approved for another task than `task`, or
/// whose time or stages are wrong; and the errors of [`Document::read`].
pub fn read_plans(folder: &Path, task: &TaskKey) -> Result<Vec<Plan>, Error> {
    read_each(folder, task)?.into_iter().map(|(_, plan)| plan).collect()
}

/// The same, each plan with its file, whether it can be gone by or not.
///
/// # Errors
/// [`Error::Fs`] when the folder cannot be read.
pub fn read_each(folder: &Path, task: &TaskKey) -> Result<Vec<Frozen>, Error> {
    let names = fs::names_in(folder)?;
    let ids = names.iter().filter(|name| !name.starts_with('.')).filter_map(|name| name.strip_suffix(".json"));
    let plan = |id: &str| {
        let path = folder.join(format!("{id}.json"));
        let plan = read_plan(&path, id, task);
        (path, plan)
    };
    Ok(ids.map(plan).collect())
}

/// The plan in `folder` that holds now: the one that was approved last.
///
/// # Errors
/// As [`read_plans`].
pub fn current(folder: &Path, task: &TaskKey) -> Result<Option<Plan>, Error> {
    Ok(plan::current(read_plans(folder, task)?))
}

/// The text of `plan` in `folder`: exactly what was approved, in which the stages stand as the plan says.
///
/// # Errors
/// [`Error::BadPlan`] where the text or the plan was changed since, and [`Error::Fs`].
pub fn approved_text(folder: &Path, plan: &Plan) -> Result<String, Error> {
    let path = folder.join(format!("{}.md", plan.id));
    let text = fs::read_text(&path)?;
    let found = stage_map::check(&text);
    if found.sha256 != plan.sha256 {
        return Err(Error::BadPlan { path, why: "it is not what was approved: it was changed since".to_owned() });
    }
    let is_as_approved = found.stages.len() == plan.stages.len()
        && found.stages.iter().zip(&plan.stages).all(|(found, planned)| found.binds_as(planned));
    if !is_as_approved {
        let path = path.with_extension("json");
        let why = "its stages are not those of the text that was approved: it was changed since".to_owned();
        return Err(Error::BadPlan { path, why });
    }
    Ok(text)
}

/// Freezes `plan`, whose text is `text`, under the next free id in `folder`, and gives it with that id.
///
/// # Errors
/// [`Error::Fs`]; there is then no new plan.
pub fn freeze(alone: &LogGuard<'_>, folder: &Path, plan: Plan, text: &[u8]) -> Result<Plan, Error> {
    debug_assert_eq!(alone.path().parent(), folder.parent(), "the log that is locked is that of the plans");
    fs::create_folder(folder)?;
    loop {
        let id = plan::next_id(fs::names_in(folder)?.iter().map(String::as_str), &plan.sha256);
        // Somebody who minds no lock may have made the file since: it is not written over.
        if !fs::create_new(&folder.join(format!("{id}.md")), text)? {
            continue;
        }
        let plan = Plan { id, ..plan.clone() };
        let path = folder.join(format!("{}.json", plan.id));
        if fs::create_new(&path, document(&plan).to_text().as_bytes())? {
            return Ok(plan);
        }
    }
}

/// The task for which the Markdown file `path` was frozen; nothing where it is no frozen plan.
///
/// # Errors
/// [`Error::Fs`] and the like when what lies beside it cannot be read.
pub fn frozen_for(path: &Path) -> Result<Option<String>, Error> {
    let in_plans = path.parent().and_then(Path::file_name).is_some_and(|folder| folder == "plans");
    if !in_plans {
        return Ok(None);
    }
    let json = path.with_extension("json");
    let Some(document) = Document::read(&json, SCHEMA)? else { return Ok(None) };
    Ok(document.text("taskKey", &json)?.map(str::to_owned))
}

fn document(plan: &Plan) -> Document {
    let mut document = Document::new(SCHEMA);
    if let Ok(Value::Object(fields)) = serde_json::to_value(plan) {
        fields.into_iter().for_each(|(name, value)| document.set(&name, value));
    }
    document
}

fn read_plan(path: &Path, id: &str, task: &TaskKey) -> Result<Plan, Error> {
    let missing = || Error::BadPlan { path: path.to_owned(), why: "it is there no longer".to_owned() };
    plan_of(&Document::read(path, SCHEMA)?.ok_or_else(missing)?, path, (id, task))
}

/// The plan of `task` that is `text`; `path`, which ends in the plan's own name, is named in errors only.
///
/// # Errors
/// As [`read_plans`].
pub fn parse(path: &Path, text: &str, task: &TaskKey) -> Result<Plan, Error> {
    let id = path.file_stem().unwrap_or_default().to_string_lossy();
    plan_of(&Document::parse(path, text, SCHEMA)?, path, (&id, task))
}

fn plan_of(document: &Document, path: &Path, (id, task): (&str, &TaskKey)) -> Result<Plan, Error> {
    let plan: Plan = document.to(path)?;
    match fault(&plan, id, task) {
        Some(why) => Err(Error::BadPlan { path: path.to_owned(), why }),
        None => Ok(plan),
    }
}

/// What is wrong with a plan, as a clause.
fn fault(plan: &Plan, id: &str, task: &TaskKey) -> Option<String> {
    if plan.id != id {
        return Some(format!("its id is `{}`, and its file is named for `{id}`", plan.id));
    }
    if plan.task_key != task.to_string() {
        return Some(format!("it was approved for `{}`, and not for `{task}`", plan.task_key));
    }
    if let Err(error) = plan.approved_at.parse::<Moment>() {
        return Some(format!("when it was approved is not known: {error}"));
    }
    let mut seen = BTreeSet::new();
    plan.stages.iter().map(|stage| stage.stage).find_map(|stage| {
        let again = (!seen.insert(stage)).then(|| format!("it has stage {stage} twice"));
        if stage == 0 { Some("it has a stage 0, and stages are numbered from 1".to_owned()) } else { again }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::{Context, Environment};
    use crate::domain::plan::PlanStage;

    fn plan(id: &str, task: &str, at: &str, stages: &[u32]) -> String {
        let stages: Vec<_> =
            stages.iter().map(|n| serde_json::json!({"stage": n, "title": "t", "hash": "h"})).collect();
        let plan = serde_json::json!({
            "schemaVersion": "1.0", "id": id, "taskKey": task, "approvedBy": "Ann", "approvedAt": at,
            "sha256": "00", "stages": stages, "new": 1,
        });
        plan.to_string()
    }

    #[test]
    fn plans_are_read_and_the_last_holds() {
        let folder = tempfile::tempdir().unwrap();
        let task: TaskKey = "p/g/t".parse().unwrap();
        assert!(read_plans(&folder.path().join("none"), &task).unwrap().is_empty());
        assert_eq!(current(folder.path(), &task).unwrap(), None);
        for (id, at) in [("a", "2026-01-02T00:00:00Z"), ("b", "2026-01-01T00:00:00Z")] {
            fs::replace(&folder.path().join(format!("{id}.json")), plan(id, "p/g/t", at, &[1, 2]).as_bytes()).unwrap();
        }
        for other in ["a.md", ".a.json", "a.json.bak"] {
            fs::replace(&folder.path().join(other), b"no plan").unwrap();
        }
        assert_eq!(read_plans(folder.path(), &task).unwrap().len(), 2);
        assert_eq!(current(folder.path(), &task).unwrap().unwrap().id, "a");
    }

    #[test]
    fn a_frozen_plan_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let plans = folder.path().join("plans");
        let context = Context::new(folder.path(), Environment::default());
        let log = LogGuard::lock(&folder.path().join("consumers.jsonl"), &context).unwrap();
        let stage = PlanStage { stage: 1, post: vec!["true".to_owned()], hash: "h".to_owned(), ..PlanStage::default() };
        let plan = Plan {
            task_key: "p/g/t".to_owned(),
            approved_at: "2026-01-01T00:00:00Z".to_owned(),
            sha256: "0123456789".to_owned(),
            title: Some("Log in".to_owned()),
            stages: vec![stage],
            ..Plan::default()
        };
        let first = freeze(&log, &plans, plan.clone(), b"# Log in\r\n\xff").unwrap();
        assert_eq!(fs::read(&plans.join("001-01234567.md")).unwrap(), b"# Log in\r\n\xff");
        // What an approval that was cut short left behind.
        fs::replace(&plans.join("002-76543210.md"), b"x").unwrap();
        let task: TaskKey = "p/g/t".parse().unwrap();
        assert_eq!(read_plans(&plans, &task).unwrap(), [first]);
        assert_eq!(freeze(&log, &plans, plan, b"y").unwrap().id, "003-01234567");
        assert_eq!(current(&plans, &task).unwrap().unwrap().id, "003-01234567");
        let text = fs::read_text(&plans.join("001-01234567.json")).unwrap();
        assert!(
            text.starts_with("{\n  \"schemaVersion\": \"1.1\",\n  \"id\": \"001-01234567\",\n  \"taskKey\": \"p/g/t\""),
            "{text}"
        );
        assert!(text.contains("\"exitContract\"") && text.contains("\"sectionLine\""), "{text}");
        assert_eq!(frozen_for(&plans.join("001-01234567.md")).unwrap().as_deref(), Some("p/g/t"));
        for other in [plans.join("002-76543210.md"), folder.path().join("001-01234567.md")] {
            assert_eq!(frozen_for(&other).unwrap(), None);
        }
    }

    #[test]
    fn a_plan_that_cannot_be_gone_by_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let task: TaskKey = "p/g/t".parse().unwrap();
        let good = "2026-01-01T00:00:00Z";
        let cases = [
            (plan("b", "p/g/t", good, &[1]), "named for `a`"),
            (plan("a", "p/g/u", good, &[1]), "approved for `p/g/u`"),
            (plan("a", "p/g/t", "yesterday", &[1]), "`yesterday` is no time"),
            (plan("a", "p/g/t", good, &[1, 2, 1]), "stage 1 twice"),
            (plan("a", "p/g/t", good, &[0]), "stage 0"),
            ("{}".to_owned(), "missing field"),
            (plan("a", "p/g/t", good, &[1]).replace("\"1.0\"", "\"2.0\""), "schema version 2.0"),
            ("{".to_owned(), "is not JSON"),
        ];
        for (text, said) in cases {
            fs::replace(&folder.path().join("a.json"), text.as_bytes()).unwrap();
            let error = read_plans(folder.path(), &task).unwrap_err().to_string();
            assert!(error.contains(said) && error.contains("a.json"), "{error}");
        }
    }
}
