//! Child processes, seen from outside: what they inherit, how Ctrl-C reaches them, that none is left behind.
#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use okstra::context::{Cancel, Context};
use okstra::process::{Command, Ending, Error};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::common::pty::Pty;
use crate::common::{Run, Sandbox, Started, host};

const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn a_child_inherits_streams_that_libuv_has_treated() {
    let sandbox = Sandbox::new();
    let talk = ["sh", "-c", "cat; echo out; echo err >&2"];
    for (what, stdout, stderr) in
        [("inherit", "in\nout\nhost: child ended with 0\n", "err\n"), ("inherit-unprepared", "", "")]
    {
        let mut child = sandbox.command(host()).arg(what).args(talk).started();
        // The control's child has no input; its end of the pipe may be closed already.
        let _ = child.stdin.take().unwrap().write_all(b"in\n");
        let ran = child.ran();
        assert_eq!((ran.stdout.as_str(), ran.stderr.contains(stderr)), (stdout, true), "{what}");
    }
}

#[test]
fn a_slow_reader_loses_nothing_of_a_stream_that_was_non_blocking() {
    let script = ["inherit", "sh", "-c", "head -c 300000 /dev/zero"];
    let sandbox = Sandbox::new();
    let mut child = sandbox.command(host()).args(script).started();
    std::thread::sleep(Duration::from_millis(200));
    let mut bytes = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes.iter().filter(|&&byte| byte == 0).count(), 300_000);
    assert!(child.wait().unwrap().success());
}

#[test]
fn ctrl_c_is_the_interactive_childs_alone() {
    let (sandbox, host) = (Sandbox::new(), host_text());
    let (told, sleep) = ([host.as_str(), "told"], ["sh", "-c", "echo ready; exec sleep 60"]);
    for (child, code, said) in [(&told[..], 3, "told"), (&sleep[..], 130, "")] {
        let command = [&[host.as_str(), "interactive"], child].concat();
        let mut pty = Pty::start(&sandbox, 80, &[], &command);
        pty.wait_for("ready");
        pty.type_in("\x03");
        pty.wait_for(&format!("host: child ended with {code}"));
        let (status, screen) = pty.end();
        assert_eq!(status.code(), Some(code), "{screen}");
        assert!(screen.contains(said), "{screen}");
    }
}

#[test]
fn after_an_interactive_child_ctrl_c_is_ours_again() {
    let sandbox = Sandbox::new();
    let mut pty = Pty::start(&sandbox, 80, &[], &[&host_text(), "interactive-then-wait", "true"]);
    pty.wait_for("host: child ended with 0");
    pty.type_in("\x03");
    assert_eq!(pty.end().0.signal(), Some(Signal::INT.as_raw()));
}

#[test]
fn an_interactive_child_that_is_missing_is_127() {
    let ran = Sandbox::new().command(host()).args(["interactive", "no-such-program"]).ran();
    assert_eq!(ran.code, Some(127));
}

#[test]
fn a_request_to_end_reaches_the_interactive_child() {
    let sandbox = Sandbox::new();
    let mut child = sandbox.command(host()).arg("interactive").arg(host()).arg("told").started();
    child.stdout.as_mut().unwrap().read_exact(&mut [0; 5]).unwrap();
    let (status, said) = signal(child, Signal::TERM);
    assert_eq!(status.signal(), Some(Signal::TERM.as_raw()));
    assert!(said.ends_with("\ntold\nhost: child ended with 3\n"), "{said}");
}

#[test]
fn a_cancelled_command_leaves_no_orphan_and_the_process_ends_by_the_signal() {
    let sandbox = Sandbox::new();
    // The grandchild does not hear the request to end.
    let stubborn = r#"trap "" TERM; echo $$ >> pids; for n in $(seq 600); do sleep 0.05; done"#;
    let script = format!("sh -c '{stubborn}' & echo $$ >> pids; wait");
    for number in [Signal::INT, Signal::TERM, Signal::HUP] {
        let file = sandbox.path().join("pids");
        fs::write(&file, "").unwrap();
        let child = sandbox.command(host()).args(["capture", "sh", "-c", &script]).started();
        let pids = wait_for_pids(&file, 2);
        assert!(pids.iter().all(|pid| is_alive(*pid)), "{number:?}");
        let (status, stdout) = signal(child, number);
        assert_eq!((status.signal(), stdout.as_str()), (Some(number.as_raw()), "host: stopped on request\n"));
        assert!(pids.iter().all(|pid| is_soon_gone(*pid)), "{number:?}");
    }
}

#[test]
fn the_second_signal_ends_at_once() {
    let sandbox = Sandbox::new();
    let script = r#"trap "" TERM; echo $$ > pids; for n in $(seq 600); do sleep 0.05; done"#;
    let child = sandbox.command(host()).args(["capture", "sh", "-c", script]).started();
    let pids = wait_for_pids(&sandbox.path().join("pids"), 1);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let start = Instant::now();
    let (status, stdout) = signal(child, Signal::INT);
    assert_eq!((status.signal(), stdout.as_str()), (Some(Signal::INT.as_raw()), ""));
    assert!(start.elapsed() < Duration::from_secs(2));
    kill_process(pids[0], Signal::KILL).unwrap();
}

#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let sandbox = Sandbox::new();
    let script = r#"trap "" HUP; exec "$0" scratch ."#;
    let mut child = sandbox.command("sh").args(["-c", script]).arg(host()).started();
    child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none());
    assert_eq!(signal(child, Signal::TERM).0.signal(), Some(Signal::TERM.as_raw()));
}

#[test]
fn a_command_sees_the_contexts_machine_and_nothing_else() {
    let sandbox = Sandbox::new();
    let context = machine(&sandbox).with_cancel(Cancel::default());
    let output = Command::new("env").env("ADDED", "1").env_remove("GONE").run(&context).unwrap();
    let mut lines: Vec<_> = std::str::from_utf8(&output.stdout).unwrap().lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["ADDED=1", "HOME=/nowhere", "PATH=/usr/bin:/bin"]);
    let here = fs::canonicalize(sandbox.path()).unwrap();
    assert_eq!(Command::new("pwd").check(&context).unwrap(), format!("{}\n", here.display()).into_bytes());
    assert_eq!(Command::new("pwd").in_folder("/").check(&context).unwrap(), b"/\n");
    assert_eq!(Command::new("cat").check(&context).unwrap(), b"");
}

#[test]
fn large_streams_in_all_directions_do_not_block() {
    let bytes = vec![b'x'; 3_000_000];
    let command = Command::new("sh").args(["-c", "tee /dev/stderr"]).stdin(bytes.clone());
    let sandbox = Sandbox::new();
    let output = command.run(&machine(&sandbox)).unwrap();
    assert!(output.ending == Ending::Code(0) && output.stdout == bytes && output.stderr == bytes);
    let ignores_its_input = Command::new("true").stdin(bytes).run(&machine(&sandbox)).unwrap();
    assert_eq!(ignores_its_input.ending, Ending::Code(0));
}

#[test]
fn what_a_command_leaves_behind_does_not_hold_us_up() {
    let (sandbox, start) = (Sandbox::new(), Instant::now());
    let command = Command::new("sh").args(["-c", "echo said; sleep 30 & exit 4"]);
    let output = command.run(&machine(&sandbox)).unwrap();
    assert_eq!((output.ending, output.stdout.as_slice()), (Ending::Code(4), &b"said\n"[..]));
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn every_failure_has_its_name() {
    let sandbox = Sandbox::new();
    let context = machine(&sandbox);
    fs::write(sandbox.path().join("script"), "#!/no/such/interpreter\n").unwrap();
    sandbox.command("chmod").args(["+x", "script"]).ran();
    fs::write(sandbox.path().join("plain"), "").unwrap();
    let error = |command: Command| command.check(&context).unwrap_err();

    let missing = error(Command::new("no-such-program"));
    assert!(matches!(missing, Error::NotFound { .. }) && missing.exit_code() == Some(127), "{missing}");
    assert!(matches!(error(Command::new("true").in_folder("none")), Error::NoFolder { .. }));
    assert!(matches!(error(Command::new("./script")), Error::Start { .. }));
    assert!(matches!(error(Command::new("./plain")), Error::Start { .. }));
    let failed = error(Command::new("sh").args(["-c", "echo why >&2; exit 7"]));
    assert_eq!(failed.to_string(), r#"`sh -c "echo why >&2; exit 7"` ended with exit code 7: why"#);
    let killed = error(Command::new("sh").args(["-c", "kill -9 $$"]));
    assert!(matches!(killed, Error::Failed { ending: Ending::Signal(9), .. }), "{killed}");

    context.cancel().cancel();
    assert!(matches!(error(Command::new("true")), Error::Cancelled(_)));
}

fn machine(sandbox: &Sandbox) -> Context {
    let variables = [("PATH", "/usr/bin:/bin"), ("HOME", "/nowhere"), ("GONE", "x")];
    Context::new(sandbox.path(), variables.into_iter().collect())
}

fn host_text() -> String {
    host().into_os_string().into_string().unwrap()
}

/// Sends a signal and waits for the end; gives the status and what was said.
fn signal(mut child: Started, number: Signal) -> (ExitStatus, String) {
    kill_process(Pid::from_child(&child), number).unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < PATIENCE, "it does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    (child.wait().unwrap(), said)
}

fn wait_for_pids(file: &Path, count: usize) -> Vec<Pid> {
    let start = Instant::now();
    loop {
        let text = fs::read_to_string(file).unwrap_or_default();
        let pids: Vec<_> = text.lines().filter_map(|line| Pid::from_raw(line.parse().ok()?)).collect();
        if pids.len() == count && text.ends_with('\n') {
            return pids;
        }
        assert!(start.elapsed() < PATIENCE, "{text}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process runs; one that has ended and that nobody waited for does not.
fn is_alive(pid: Pid) -> bool {
    let state = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    test_kill_process(pid).is_ok() && !state.contains(") Z ")
}

/// A process that was killed takes a moment to go.
fn is_soon_gone(pid: Pid) -> bool {
    (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(5));
        !is_alive(pid)
    })
}
