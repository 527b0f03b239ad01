//! Runs a child on our own terminal, as a shell would.

use std::process::Stdio;
use std::time::Duration;
use std::{io, thread};

use super::child::{Reach, Running};
use super::{Command, Ending, Error, signals, stdio};
use crate::context::{Cancel, Context};

/// How often we look whether the child has ended, or whether we were asked to end it.
const PAUSE: Duration = Duration::from_millis(20);

/// Runs `command` with our three streams; see [`Command::run_on_terminal`].
///
/// The child stays in our process group, so that it may use the terminal and Ctrl-Z stops both of us. While it runs,
/// Ctrl-C and Ctrl-\ do nothing to us: our handlers are empty, and `exec` gives the child the defaults back.
pub(super) fn run(command: &Command, context: &Context) -> Result<Ending, Error> {
    stdio::make_inheritable();
    let mut std_command = command.to_std(context);
    std_command.stdin(Stdio::inherit());
    let _deaf = signals::ignore_interrupts();
    let terminal = stdio::TerminalState::save();
    let mut running = Running::start(command, std_command, Reach::Alone, context)?;
    let ending = wait(&mut running, context.cancel());
    if !matches!(ending, Ok(Ending::Code(_))) {
        // A program that was killed had no time to undo what it did to the terminal.
        terminal.restore();
    }
    ending.map_err(|source| Error::Lost { command: command.to_string(), source })
}

fn wait(running: &mut Running, cancel: &Cancel) -> io::Result<Ending> {
    loop {
        if let Some(ending) = running.ending()? {
            return Ok(ending);
        }
        if cancel.is_cancelled() {
            return running.end();
        }
        thread::sleep(PAUSE);
    }
}
