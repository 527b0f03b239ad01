//! A child that is running, and that never outlives the value that holds it.

use std::process::Child;
use std::time::Duration;
use std::{io, thread};

use super::{Command, Ending, Error};
use crate::context::Context;

/// How often a wait looks whether something happened that does not wake it.
pub(super) const TICK: Duration = Duration::from_millis(10);
/// How many ticks a process gets to end by itself once it was asked to.
const GRACE_TICKS: u32 = 500;

/// Whom the ending of a child takes along.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// The child leads a process group of its own; the whole group ends with it.
    Group,
    /// The child shares our process group; it ends alone.
    Alone,
}

/// A running child. Dropped before it was waited for (an error, a panic), it is killed.
pub(super) struct Running {
    pub(super) child: Child,
    #[cfg_attr(not(unix), expect(dead_code, reason = "only Unix has process groups that one can signal"))]
    reach: Reach,
    reaped: bool,
}

impl Running {
    /// Starts `std_command`, the standard library's form of `command`.
    pub(super) fn start(
        command: &Command,
        mut std_command: std::process::Command,
        reach: Reach,
        context: &Context,
    ) -> Result<Self, Error> {
        context.cancel().check()?;
        if reach == Reach::Group {
            lead_a_group(&mut std_command);
        }
        match std_command.spawn() {
            Ok(child) => Ok(Self { child, reach, reaped: false }),
            Err(source) => Err(why_not(command, context, source)),
        }
    }

    /// How the child ended; `None` while it runs.
    pub(super) fn ending(&mut self) -> io::Result<Option<Ending>> {
        let status = self.child.try_wait()?;
        self.reaped |= status.is_some();
        Ok(status.map(Ending::from))
    }

    /// Asks the child to end, and kills it when it does not; afterwards nothing within its reach is left.
    pub(super) fn end(&mut self) -> io::Result<Ending> {
        self.ask();
        for _ in 0..GRACE_TICKS {
            if self.has_ended() {
                break;
            }
            thread::sleep(TICK);
        }
        self.kill();
        let status = self.child.wait()?;
        self.reaped = true;
        Ok(status.into())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.reaped {
            self.kill();
            // An error here leaves a zombie at worst, which ends with this process.
            let _ = self.child.wait();
        }
    }
}

/// The error for a program that could not be started; the system says “not found” for three different causes.
fn why_not(command: &Command, context: &Context, source: io::Error) -> Error {
    if let Some(folder) = command.folder(context).filter(|folder| !folder.is_dir()) {
        return Error::NoFolder { command: command.to_string(), path: folder.to_owned(), source };
    }
    let program = std::path::Path::new(command.program());
    // A path that exists and is “not found” is a script whose interpreter is missing.
    let there = program.components().count() > 1 && context.absolute(program).exists();
    if source.kind() == io::ErrorKind::NotFound && !there {
        return Error::NotFound { program: program.display().to_string(), source };
    }
    Error::Start { command: command.to_string(), source }
}

#[cfg(unix)]
fn lead_a_group(command: &mut std::process::Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn lead_a_group(_: &mut std::process::Command) {}

#[cfg(unix)]
impl Running {
    /// Whether the child has ended. It is not reaped, so that its id, and its group's, stay its own.
    fn has_ended(&self) -> bool {
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        let peek = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(self.pid()), peek).is_ok_and(|status| status.is_some())
    }

    fn ask(&self) {
        self.signal(rustix::process::Signal::TERM);
    }

    fn kill(&self) {
        self.signal(rustix::process::Signal::KILL);
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let _ = match self.reach {
            Reach::Group => rustix::process::kill_process_group(self.pid(), signal),
            Reach::Alone => rustix::process::kill_process(self.pid(), signal),
        };
    }

    fn pid(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.child)
    }
}

#[cfg(not(unix))]
impl Running {
    fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    /// Windows has no request that every program hears; [`Running::kill`] follows.
    fn ask(&mut self) {
        self.kill();
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
    }
}
