//! Bytes that mean nothing, or almost something, for every reader: a named error or a value, never a panic.

use std::fs;
use std::path::Path;

use okstra::context::{Context, Environment};
use okstra::domain::records::{Reappend, Record, Status};
use okstra::store::registry::Registry;
use okstra::store::{Error, Manifest, Project, consumers, plans, timeline};
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
const MANIFEST: &str = r#"{"schemaVersion":"1.0","taskKey":"p/g/t","title":"T","category":"fix"}"#;
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
    let readers: [&dyn Fn() -> Result<(), Error>; 9] = [
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
    let good = prop::sample::select(vec![ROW, REGISTRY, PROJECT, MANIFEST, PLAN]);
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
