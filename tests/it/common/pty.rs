//! A pseudo-terminal with a program on it, typed into and read by a test.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::{Run, Sandbox, Started, host};

/// How long a test waits for something to appear before it gives up.
const PATIENCE: Duration = Duration::from_secs(20);

/// A program on a terminal of its own, of which it is the foreground process.
pub(crate) struct Pty {
    child: Started,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    /// As it came: a chunk may end in the middle of a character.
    seen: Vec<u8>,
}

impl Pty {
    /// Starts `program` with `arguments` on a terminal of `columns`, with `variables` in its environment.
    pub(crate) fn start(
        sandbox: &Sandbox,
        columns: u16,
        variables: &[(&str, &str)],
        program_and_arguments: &[&str],
    ) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        tcsetwinsize(&master, Winsize { ws_row: 40, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let device = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let mut command = sandbox.command(host());
        command.env("TERM", "xterm-256color").envs(variables.iter().copied());
        let child = command.arg("on-terminal").arg(device).args(program_and_arguments).started();
        let keyboard = File::from(master);
        let screen = watch(keyboard.try_clone().unwrap().into());
        Self { child, keyboard, screen, seen: Vec::new() }
    }

    /// Types `text`; `\x03` is Ctrl-C.
    pub(crate) fn type_in(&mut self, text: &str) {
        self.keyboard.write_all(text.as_bytes()).unwrap();
    }

    /// Makes the terminal so large, as a user does who drags its window.
    pub(crate) fn resize(&self, rows: u16, columns: u16) {
        tcsetwinsize(&self.keyboard, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    }

    /// Waits until `text` has appeared.
    pub(crate) fn wait_for(&mut self, text: &str) {
        let start = Instant::now();
        while !self.text().contains(text) {
            let left = PATIENCE.checked_sub(start.elapsed()).unwrap_or_default();
            match self.screen.recv_timeout(left) {
                Ok(bytes) => self.seen.extend(bytes),
                Err(error) => panic!("no {text:?} on the terminal ({error}), but: {:?}", self.text()),
            }
        }
    }

    /// Waits until the program has ended; gives its status and everything that appeared.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < PATIENCE, "it does not end; so far: {:?}", self.text());
            std::thread::sleep(Duration::from_millis(5));
        };
        while let Ok(bytes) = self.screen.recv_timeout(Duration::from_millis(200)) {
            self.seen.extend(bytes);
        }
        (status, self.text())
    }

    /// What has appeared so far.
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.seen).into_owned()
    }
}

/// Reads the terminal until its last program has closed it, which Linux reports as an error.
fn watch(master: OwnedFd) -> Receiver<Vec<u8>> {
    let (sender, screen) = channel();
    let mut master = File::from(master);
    std::thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(count @ 1..) = master.read(&mut chunk) {
            if sender.send(chunk[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    screen
}
