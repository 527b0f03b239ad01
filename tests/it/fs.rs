//! Files, seen from other processes: what a reader sees, that no line is lost, who holds a lock.
#![cfg(unix)]

use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::{Duration, Instant};

use okstra::fs::{Error, LockGuard};
use rustix::process::{Pid, Signal, kill_process};

use crate::common::{Run, Sandbox, host};

#[test]
fn a_reader_sees_the_old_file_or_the_new_one_also_when_the_writer_is_killed() {
    let sandbox = Sandbox::new();
    let file = sandbox.path().join("file");
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..20 {
        let mut writer = sandbox.command(host()).arg("replace").arg(&file).started();
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(40) {
            seen.extend(whole_content(&file));
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        seen.extend(whole_content(&file));
    }
    assert!(seen.len() > 2, "the writers wrote too little to prove anything: {seen:?}");
}

/// The one byte that all of the file consists of; `None` where it is not there yet.
fn whole_content(file: &Path) -> Option<u8> {
    let bytes = fs::read(file).ok()?;
    assert_eq!(bytes.len(), 100_000, "a part");
    assert!(bytes.iter().all(|byte| *byte == bytes[0]), "a mixture");
    Some(bytes[0])
}

#[test]
fn two_processes_that_append_lose_no_line_and_repeat_none() {
    let sandbox = Sandbox::new();
    let log = sandbox.path().join("log");
    let start = |name| sandbox.command(host()).arg("append").arg(&log).args([name, "1000"]).started();
    for child in [start("a"), start("b")] {
        let ran = child.ran();
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    let text = fs::read_to_string(&log).unwrap();
    for name in ["a", "b"] {
        let of_one: Vec<_> = text.lines().filter(|line| line.starts_with(name)).collect();
        let expected: Vec<_> = (0..1000).map(|number| format!("{name} {number}")).collect();
        assert_eq!(of_one, expected);
    }
    assert_eq!(text.lines().count(), 2000);
}

#[test]
fn a_lock_names_its_holder_and_goes_when_the_holder_is_killed() {
    let sandbox = Sandbox::new();
    let path = sandbox.path().join("lock");
    let mut holder = sandbox.command(host()).arg("hold").arg(&path).started();
    holder.stdout.as_mut().unwrap().read_exact(&mut [0; 4]).unwrap();

    let error = LockGuard::acquire(&path, Duration::from_millis(50), || false).unwrap_err();
    assert!(matches!(error, Error::Locked { holder: Some(pid), .. } if pid == holder.id()), "{error}");
    assert!(error.to_string().contains(&format!("is locked by process {}", holder.id())), "{error}");

    holder.kill().unwrap();
    holder.wait().unwrap();
    LockGuard::acquire(&path, Duration::from_millis(500), || false).unwrap();
}

#[test]
fn a_scratch_folder_goes_when_the_command_is_stopped() {
    let sandbox = Sandbox::new();
    for number in [Signal::INT, Signal::TERM] {
        let mut child = sandbox.command(host()).args(["scratch", "."]).started();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 2]).unwrap();
        assert_eq!(scratch_folders(sandbox.path()), 1);
        kill_process(Pid::from_child(&child), number).unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(number.as_raw()));
        assert_eq!(scratch_folders(sandbox.path()), 0);
    }
}

fn scratch_folders(folder: &Path) -> usize {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().starts_with("scratch-")).count()
}
