//! Asking a person, at a terminal.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::failure::Failure;
use super::output::Output;
use crate::context::Context;
use crate::ops;

/// How long a signal may wait until it is noticed.
const NOTICE: Duration = Duration::from_millis(50);

/// Whether there is somebody who can be asked and can see the question.
pub(super) fn is_possible() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks a question that is answered with yes or no; anything but a yes is a no.
///
/// # Errors
/// When the work was cancelled.
pub(super) fn agrees(context: &Context, output: &mut Output, question: &str) -> Result<bool, Failure> {
    let answer = ask(context, output, &format!("{question} [y/N] "))?;
    Ok(answer.is_some_and(|answer| matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes")))
}

/// Asks for a text; an empty answer is `default`. `None` where the terminal was closed, as by Ctrl-D.
///
/// # Errors
/// When the work was cancelled.
pub(super) fn text(
    context: &Context,
    output: &mut Output,
    question: &str,
    default: &str,
) -> Result<Option<String>, Failure> {
    let answer = ask(context, output, &format!("{question} [{default}] "))?;
    Ok(answer.map(|answer| if answer.is_empty() { default.to_owned() } else { answer }))
}

/// One line from the terminal, without white space at its ends. The line is read beside, since a read is not ended by a
/// signal.
fn ask(context: &Context, output: &mut Output, question: &str) -> Result<Option<String>, Failure> {
    output.question(question);
    let (sender, line) = channel();
    thread::spawn(move || {
        let mut line = String::new();
        let read = std::io::stdin().read_line(&mut line);
        // Nobody waits any more when the work was cancelled.
        let _ = sender.send(read.is_ok_and(|count| count > 0).then_some(line));
    });
    loop {
        match line.recv_timeout(NOTICE) {
            Ok(line) => {
                if line.is_none() {
                    output.question("\n");
                }
                return Ok(line.map(|line| line.trim().to_owned()));
            }
            Err(RecvTimeoutError::Timeout) => context.cancel().check().map_err(ops::Error::from)?,
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
}
