//! Bytes that mean nothing, or almost something, for every reader: a named error or a value, never a panic.

use std::fs;
use std::path::Path;

use okstra::context::{Context, Environment};
use okstra::domain::records::{Reappend, Record, Status};
use okstra::store::registry::Registry;
use okstra::store::runs::{self, StateGuard};
use okstra::store::{Error, LatestTask, Layout, Manifest, Project, consumers, plans, timeline};
use proptest::prelude::*;

const ROW: &str = concat!(
    r#"{"impl_task_key":"p/g/t","stage":1,"status":"done","head_commit":"abababababababababababababababababababab","#,
    r#""content":{"v":1,"paths":["ä"]},"reconcile_reason":"user-ref","branch_tip":null}"#,
    "\n"
);
const REGISTRY: &str = concat!(
    r#"{"schemaVersion":"1.0","tasks":{"p/g/t":{"worktree_path":"/w","branch":"b","base_ref":"r","stages":"#,
    r#"{"1":{"branch":"b-s1","reserved_by":{"run":"r","pid":7}}},"integrations":[{"commit":"c"}]},"q/g/\u0074":{}}}"#
);
const PROJECT: &str = r#"{"schemaVersion":"1.0","projectId":"shop","config":{"workers":["a"]}}"#;
const MANIFEST: &str = concat!(
    r#"{"schemaVersion":"1.0","taskKey":"p/g/t","title":"T","category":"fix","brief":{"sha256":"00"},"route":"full","#,
    r#""createdAt":"t","currentPhase":"implementation","phases":{"implementation":{"status":"open","runs":[{"run":"#,
    r#""implementation-001","status":"prepared","preparedAt":"t"}]}},"workflow":{"lastRun":"implementation-001"}}"#
);
const RUN: &str = concat!(
    r#"{"schemaVersion":"1.0","run":"implementation-001","taskKey":"p/g/t","taskType":"implementation","category":"fix","#,
    r#""createdAt":"t","okstraVersion":"0","runRoot":"r","baseCommit":"ab","brief":{"path":"b","sha256":"00"},"#,
    r#""stages":[{"stage":1,"title":"t","hash":"h","branch":"b","worktree":"w","base":"c"}],"lead":{"vendor":"claude","#,
    r#""sessionId":"s","promptPath":"p","folder":"f","moreFolders":[]},"workers":[],"instructionSet":[],"paths":{},"#,
    r#""convergence":{"enabled":true,"maxRounds":2,"adversarial":false,"verificationMode":"lightweight"}}"#
);
const STATE: &str = concat!(
    r#"{"schemaVersion":"1.0","run":"implementation-001","status":"running","workers":[{"name":"a","vendor":"codex","#,
    r#""round":1,"attempt":1,"usage":{"x":1}}]}"#
);
const PLAN: &str = concat!(
    r#"{"id":"state","taskKey":"p/g/t","approvedBy":"A","approvedAt":"2026-01-01T00:00:00Z","sha256":"00","#,
    r#""stages":[{"stage":1,"title":"t","dependsOn":[],"hash":"h"}]}"#
);

/// Reads the file `state.json` in `folder` as everything that there is, and tries to write to it (not always, since disks
/// are slow). An error must name it, and leave it as it is.
fn read_as_everything(folder: &Path, bytes: &[u8]) {
    let path = folder.join("state.json");
    let context = Context::new(folder, Environment::default());
    let key = "p/g/t".parse().unwrap();
    let registry = Registry::new(&path);
    let row = Record::new("p/g/t", 1, Status::Started, "ab");
    let run = "implementation-001".parse().unwrap();
    let readers: [&dyn Fn() -> Result<(), Error>; 13] = [
        &|| runs::read_manifest(&path, &key, run).map(drop),
        &|| runs::read_state(&path, run).map(drop),
        &|| LatestTask::read(&path).map(drop),
        &|| Manifest::read(&path)?.map_or(Ok(()), |manifest| manifest.lifecycle(&path).map(drop)),
        &|| consumers::read_done(&path, &context, &key, None).map(drop),
        &|| registry.read(&key).map(drop),
        &|| registry.read_all().map(drop),
        &|| Project::read(&path).map(drop),
        &|| Manifest::read(&path).map(drop),
        &|| plans::read_plans(folder, &key).map(drop),
        &|| timeline::read(&path, &context).map(drop),
        &|| consumers::append(&path, &context, &row, Reappend::Never).map(drop),
        &|| registry.lock(&context)?.set_implementation_base(&key, "ab").map(drop),
    ];
    let tried = if bytes.len().is_multiple_of(4) { readers.len() } else { readers.len() - 2 };
    for reader in &readers[..tried] {
        fs::write(&path, bytes).unwrap();
        if let Err(error) = reader() {
            let text = error.to_string();
            assert!(text.contains("state.json"), "{text}");
            assert_eq!(fs::read(&path).unwrap(), bytes, "{text}");
        }
    }
}

/// A good file, damaged: cut, with a byte changed, with bytes put in.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let good = prop::sample::select(vec![ROW, REGISTRY, PROJECT, MANIFEST, PLAN, RUN, STATE]);
    let pieces = prop::sample::select(vec![
        "",
        "{",
        "}",
        "[",
        "]",
        "\"",
        ",",
        ":",
        "\n",
        "\0",
        "null",
        "1e999",
        "-0",
        "\\u",
        "\\ud800",
        "\u{feff}",
        " #torn",
        "\"schemaVersion\":\"9.0\",",
        "18446744073709551616",
        "{}{}",
    ]);
    let places = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>());
    (good, pieces, places, 1..3_usize).prop_map(|(good, piece, (at, end, byte), copies)| {
        let mut bytes = good.repeat(copies).into_bytes();
        let at = at.index(bytes.len());
        if byte % 4 == 0 {
            bytes[at] = byte;
        }
        bytes.splice(at..at, piece.bytes());
        if byte % 3 == 0 {
            bytes.truncate(end.index(bytes.len() + 1));
        }
        bytes
    })
}

#[test]
fn random_bytes_are_an_error_or_a_value() {
    let folder = tempfile::tempdir().unwrap();
    proptest!(ProptestConfig::with_cases(200), |(bytes in prop::collection::vec(any::<u8>(), 0..200))| {
        read_as_everything(folder.path(), &bytes);
    });
}

#[test]
fn damaged_files_are_an_error_or_a_value() {
    let folder = tempfile::tempdir().unwrap();
    proptest!(ProptestConfig::with_cases(600), |(bytes in damaged())| {
        read_as_everything(folder.path(), &bytes);
    });
}

#[test]
fn hostile_files_neither_overflow_nor_hang() {
    let folder = tempfile::tempdir().unwrap();
    let deep = 200_000;
    for text in [
        "[".repeat(deep),
        "{\"a\":".repeat(deep),
        format!("{{\"tasks\":{{\"p/g/t\":{}{}}}}}", "[".repeat(deep), "]".repeat(deep)),
        format!("{{\"content\":{}{}}}\n", "{\"a\":".repeat(deep), "}".repeat(deep)),
        "\n".repeat(deep),
        "\"".repeat(deep),
        format!("{{\"schemaVersion\":\"{}.0\"}}", "9".repeat(deep)),
        "\\u0000".repeat(deep),
    ] {
        read_as_everything(folder.path(), text.as_bytes());
    }
}

/// A state that cannot be read is not written over either.
#[test]
fn a_damaged_team_state_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (layout, context) = (Layout::new(folder.path()), Context::new(folder.path(), Environment::default()));
    let (key, run) = ("p/g/t".parse().unwrap(), "implementation-001".parse().unwrap());
    let guard = StateGuard::lock(&context, &layout, &key, run).unwrap();
    let path = layout.team_state(&key.task, run);
    fs::write(&path, STATE).unwrap();
    let state = guard.read().unwrap();
    proptest!(ProptestConfig::with_cases(200), |(bytes in damaged())| {
        fs::write(&path, &bytes).unwrap();
        if guard.read().is_err() {
            assert!(guard.write(&state).is_err());
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    });
}
