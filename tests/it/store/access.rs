//! Files and folders that may be read and not written, and files that are none.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;

use okstra::context::{Context, Environment};
use okstra::domain::records::{Reappend, Record, Status};
use okstra::fs as files;
use okstra::store::registry::Registry;
use okstra::store::{Error, consumers};

use super::rows;
use crate::common::{Run, Sandbox, host};

/// Nobody, who may write nothing.
const NOBODY: u32 = 65534;

fn context() -> Context {
    Context::new("/", Environment::default())
}

fn row() -> Record {
    Record::new("p/g/t", 1, Status::Done, &"ab".repeat(20))
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_read_only_folder_is_read_without_a_lock_and_never_written_to() {
    let sandbox = Sandbox::new();
    let state = sandbox.path().join("state");
    let (log, registry) = (state.join("consumers.jsonl"), state.join("registry.json"));
    consumers::append(&log, &context(), &row(), Reappend::Never).unwrap();
    fs::write(&registry, r#"{"tasks":{"p/g/t":{}}}"#).unwrap();
    fs::remove_file(state.join("consumers.jsonl.lock")).unwrap();
    let program = sandbox.path().join("host");
    fs::copy(host(), &program).unwrap();
    set_mode(sandbox.path(), 0o755);
    set_mode(&state, 0o555);
    let mut command = sandbox.command(program);
    if rustix::process::getuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    let ran = command.arg("read-state").args([&log, &registry]).ran();
    set_mode(&state, 0o755);
    let said: Vec<_> = ran.stdout.lines().collect();
    assert_eq!(said.len(), 4, "{ran:?}");
    assert_eq!(said[..2], ["Ok(Ok(1))", "Ok(1)"]);
    for (said, lock) in said[2..].iter().zip(["consumers.jsonl.lock", "registry.json.lock"]) {
        assert!(said.starts_with("cannot lock `") && said.ends_with(&format!("{lock}`: no permission")), "{said}");
    }
    assert_eq!(fs::read_dir(&state).unwrap().count(), 2);
}

#[test]
fn a_lock_that_is_no_file_is_named_and_not_touched() {
    let sandbox = Sandbox::new();
    let log = sandbox.path().join("consumers.jsonl");
    let lock = sandbox.path().join("consumers.jsonl.lock");
    let append = || consumers::append(&log, &context(), &row(), Reappend::Never).unwrap_err();
    fs::create_dir(&lock).unwrap();
    assert!(matches!(append(), Error::Fs(files::Error::IsAFolder { .. })));
    fs::remove_dir(&lock).unwrap();
    let precious = sandbox.path().join("precious");
    fs::write(&precious, "precious").unwrap();
    symlink(&precious, &lock).unwrap();
    assert!(matches!(append(), Error::Fs(files::Error::NotAFile { .. })));
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
    assert!(!log.exists());
}

#[test]
fn links_to_state_files_stay_links() {
    let sandbox = Sandbox::new();
    let behind = sandbox.path().join("behind");
    let (log, registry) = (sandbox.path().join("consumers.jsonl"), Registry::new(sandbox.path().join("registry.json")));
    fs::create_dir(&behind).unwrap();
    for name in ["consumers.jsonl", "registry.json"] {
        symlink(behind.join(name), sandbox.path().join(name)).unwrap();
    }
    fs::write(behind.join("registry.json"), "{}").unwrap();
    consumers::append(&log, &context(), &row(), Reappend::Never).unwrap();
    let key = "p/g/t".parse().unwrap();
    registry.lock(&context()).unwrap().insert_restored(&key, &okstra::domain::registry::TaskEntry::default()).unwrap();
    assert_eq!((rows(&log).unwrap().len(), registry.read_all().unwrap().len()), (1, 1));
    for path in [log.as_path(), registry.path()] {
        assert!(fs::symlink_metadata(path).unwrap().is_symlink(), "{}", path.display());
    }
}

#[test]
fn a_folder_in_place_of_a_state_file_is_named() {
    let sandbox = Sandbox::new();
    let path = sandbox.path().join("state");
    fs::create_dir(&path).unwrap();
    let error = rows(&path).unwrap_err();
    assert!(matches!(error, Error::Fs(files::Error::IsAFolder { .. })), "{error}");
    let error = Registry::new(&path).read_all().unwrap_err();
    assert!(matches!(error, Error::Fs(files::Error::IsAFolder { .. })), "{error}");
}
