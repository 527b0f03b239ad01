//! Runs on disk: written once, read back, told apart; states that keep what others wrote.

use super::*;
use crate::context::Environment;
use crate::domain::run::{RunStatus, TeamWorker};

/// A manifest with all that a run must have, as text.
fn manifest(run: &str) -> RunManifest {
    let task_type = run.parse::<RunName>().unwrap().task_type;
    serde_json::from_value(serde_json::json!({
        "run": run, "taskKey": "p/g/t", "taskType": task_type, "category": "fix", "createdAt": "2026-01-01T00:00:00Z",
        "okstraVersion": "0.1.0", "runRoot": "r", "baseCommit": "ab", "brief": {"path": "b", "sha256": "00"},
        "lead": {"vendor": "claude", "sessionId": "s", "promptPath": "p", "folder": "f", "moreFolders": []},
        "workers": [], "instructionSet": [], "paths": {},
        "convergence": {"enabled": true, "maxRounds": 2, "adversarial": false, "verificationMode": "lightweight"},
    }))
    .unwrap()
}

struct Place {
    folder: tempfile::TempDir,
    layout: Layout,
    context: Context,
    key: TaskKey,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = Context::new(folder.path(), Environment::default());
        Self { layout: Layout::new(folder.path()), context, key: "p/g/t".parse().unwrap(), folder }
    }

    fn write(&self, run: &str) -> bool {
        write_manifest(&self.layout, &self.key, &manifest(run)).unwrap()
    }

    fn path(&self, run: &str) -> PathBuf {
        self.layout.run_manifest(&self.key.task, run.parse().unwrap())
    }
}

#[test]
fn a_run_is_written_once_and_read_with_its_state() {
    let place = Place::new();
    let run = "implementation-001";
    assert!(read_all(&place.layout, &place.key).unwrap().is_empty());
    assert!(place.write(run));
    let bytes = fs::read(&place.path(run)).unwrap();
    let mut other = manifest(run);
    other.category = "feat".to_owned();
    assert!(!write_manifest(&place.layout, &place.key, &other).unwrap());
    assert_eq!(fs::read(&place.path(run)).unwrap(), bytes);
    let read = read(&place.layout, &place.key, run.parse().unwrap()).unwrap().unwrap();
    assert_eq!((read.manifest, read.state.status, read.state.run.as_str()), (manifest(run), RunStatus::Prepared, run));
}

#[test]
fn runs_are_listed_in_order_over_all_types_and_other_files_are_none() {
    let place = Place::new();
    for run in ["implementation-002", "error-analysis-001", "implementation-001", "implementation-1000"] {
        place.write(run);
    }
    let manifests = place.layout.run_manifests(&place.key.task, TaskType::Implementation);
    for stray in ["run-manifest-implementation-7.json", "run-manifest-error-analysis-009.json", ".okstra-x.tmp", "x"] {
        fs::replace(&manifests.join(stray), b"{}").unwrap();
    }
    let names: Vec<_> = names(&place.layout, &place.key).unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["error-analysis-001", "implementation-001", "implementation-002", "implementation-1000"]);
}

#[test]
fn a_file_of_another_run_is_named_and_left() {
    let place = Place::new();
    place.write("implementation-001");
    let text = String::from_utf8(fs::read(&place.path("implementation-001")).unwrap()).unwrap();
    let cases = [
        (text.replace("p/g/t", "p/g/u"), "of the task `p/g/u`"),
        (text.replace("implementation-001", "implementation-002"), "of the run `implementation-002`"),
        (text.replace("\"taskType\": \"implementation\"", "\"taskType\": \"error-analysis\""), "(error-analysis)"),
        (text.replace("\"run\"", "\"ran\""), "missing field `run`"),
        (text.replace("\"1.0\"", "\"2.0\""), "schema version 2.0"),
        ("{".to_owned(), "is not JSON"),
    ];
    for (text, said) in cases {
        fs::replace(&place.path("implementation-001"), text.as_bytes()).unwrap();
        let error = read_all(&place.layout, &place.key).unwrap_err().to_string();
        assert!(error.contains(said) && error.contains("run-manifest-implementation-001.json"), "{error}");
        assert_eq!(fs::read(&place.path("implementation-001")).unwrap(), text.as_bytes());
    }
}

#[test]
fn a_state_keeps_what_others_wrote() {
    let place = Place::new();
    let run: RunName = "implementation-001".parse().unwrap();
    let guard = StateGuard::lock(&place.context, &place.layout, &place.key, run).unwrap();
    let path = place.layout.team_state(&place.key.task, run);
    let worker = |name: &str, round| TeamWorker { name: name.to_owned(), round, attempt: 1, ..TeamWorker::default() };
    let mut state = guard.read().unwrap();
    state.workers = vec![worker("codex", 0)];
    guard.write(&state).unwrap();
    let text = fs::read_text(&path).unwrap();
    assert!(text.starts_with("{\n  \"schemaVersion\": \"1.0\",\n  \"run\": \"implementation-001\""), "{text}");
    let more = text.replace("\"name\"", "\"seen\": 1, \"name\"").replace("\"run\"", "\"mine\": [], \"run\"");
    fs::replace(&path, more.as_bytes()).unwrap();
    state.status = RunStatus::Abandoned;
    state.reason = Some("no longer wanted".to_owned());
    state.workers.insert(0, worker("claude", 0));
    guard.write(&state).unwrap();
    let text = fs::read_text(&path).unwrap();
    assert!(text.contains("\"mine\": []") && text.matches("\"seen\": 1").count() == 1, "{text}");
    assert_eq!(guard.read().unwrap(), state);
    state.reason = None;
    guard.write(&state).unwrap();
    assert_eq!(guard.read().unwrap().reason, None);
    fs::replace(&path, text.replace("implementation-001", "implementation-002").as_bytes()).unwrap();
    assert!(matches!(guard.write(&state), Err(Error::BadRun { .. })));
    assert!(place.folder.path().exists());
}
