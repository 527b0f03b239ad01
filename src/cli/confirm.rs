//! Asks a person whether to do what was shown. Every command that leaves a decision with a person asks through here.

use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::failure::Failure;
use super::output::Output;
use super::streams::Keyboard;
use crate::context::{Cancelled, Context};
use crate::ops;

/// How long Ctrl-C may go unnoticed.
const TICK: Duration = Duration::from_millis(20);

/// Shows what will happen, and asks `question`, a sentence with its question mark. Whatever is answered but `y` or `yes`
/// means no, and so does the end of the input.
///
/// A person is asked only where one types and sees what is shown: with the standard input and the standard output on a
/// terminal, and without `--json`. Anywhere else nothing is shown, and nothing is read.
///
/// # Errors
/// `unasked` where nobody can be asked; a failure with the code `declined` when the answer is no, and `cancelled` when
/// Ctrl-C is.
pub(super) fn confirm(
    context: &Context,
    output: &mut Output,
    question: &str,
    unasked: ops::Error,
    show: impl FnOnce(&mut Output),
) -> Result<(), Failure> {
    if output.keyboard().is_none() {
        return Err(unasked.into());
    }
    if agrees(context, output, question, show)? { Ok(()) } else { Err(Failure::declined()) }
}

/// As [`confirm`], for something that can be left out: answers whether the person agrees. Where nobody can be asked,
/// nobody does.
///
/// # Errors
/// `cancelled` when Ctrl-C is.
pub(super) fn agrees(
    context: &Context,
    output: &mut Output,
    question: &str,
    show: impl FnOnce(&mut Output),
) -> Result<bool, Failure> {
    let Some(keyboard) = output.keyboard() else { return Ok(false) };
    show(output);
    let answer = answer(context, output, keyboard, &format!("{question} [y/N]"))?;
    Ok(is_yes(&answer))
}

/// Asks for a text; an empty answer is `default`. `None` where nobody can be asked.
///
/// # Errors
/// A failure with the code `declined` at the end of the input, and for what is not UTF-8; `cancelled` when Ctrl-C is.
pub(super) fn ask(
    context: &Context,
    output: &mut Output,
    question: &str,
    default: &str,
) -> Result<Option<String>, Failure> {
    let Some(keyboard) = output.keyboard() else { return Ok(None) };
    let answer = answer(context, output, keyboard, &format!("{question} [{default}]"))?;
    match String::from_utf8(answer) {
        Ok(answer) if answer.ends_with('\n') => {
            let answer = answer.trim();
            Ok(Some(if answer.is_empty() { default } else { answer }.to_owned()))
        }
        _ => Err(Failure::declined()),
    }
}

/// The line that is typed behind `question`; cut short at the end of the input.
fn answer(context: &Context, output: &mut Output, keyboard: Keyboard, question: &str) -> Result<Vec<u8>, Failure> {
    output.question(question);
    let answers = listen(keyboard);
    let answer = loop {
        match answers.recv_timeout(TICK) {
            Ok(answer) => break answer,
            Err(RecvTimeoutError::Timeout) if context.cancel().is_cancelled() => {
                output.end_of_question();
                return Err(ops::Error::from(Cancelled).into());
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break Vec::new(),
        }
    };
    if !answer.ends_with(b"\n") {
        output.end_of_question();
    }
    Ok(answer)
}

/// Reads a line on a thread of its own: a read from a terminal cannot be stopped. Where nobody answers, the thread ends
/// with the process, which Ctrl-C ends.
fn listen(keyboard: Keyboard) -> Receiver<Vec<u8>> {
    let (sender, answers) = channel();
    thread::spawn(move || {
        let mut line = Vec::new();
        let mut reader = keyboard.reader.lock().unwrap_or_else(PoisonError::into_inner);
        // An error is no answer.
        let read = reader.read_until(b'\n', &mut line);
        let _ = sender.send(if read.is_ok() { line } else { Vec::new() });
    });
    answers
}

fn is_yes(answer: &[u8]) -> bool {
    let answer = answer.trim_ascii();
    answer.eq_ignore_ascii_case(b"y") || answer.eq_ignore_ascii_case(b"yes")
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::cli::output::tests::{at_a_terminal, captured};
    use crate::context::Environment;

    fn context() -> Context {
        Context::new("/", Environment::default())
    }

    fn unasked() -> ops::Error {
        ops::Error::ConfirmationNeeded { what: "it".to_owned() }
    }

    #[test]
    fn only_a_clear_yes_is_one() {
        let cases: [(&'static [u8], bool); 12] = [
            (b"y\n", true),
            (b"yes\n", true),
            (b" YES \r\n", true),
            (b"Y", true),
            (b"\n", false),
            (b"", false),
            (b"n\n", false),
            (b"no\n", false),
            (b"yess\n", false),
            (b"y y\n", false),
            (b"\xff\n", false),
            (b"n\ny\n", false),
        ];
        for (keys, agreed) in cases {
            let (mut output, out) = at_a_terminal(keys, false);
            let asked = confirm(&context(), &mut output, "Do it?", unasked(), |output| output.text("it is done"));
            let code = asked.as_ref().err().map(Failure::code);
            assert_eq!(code, if agreed { None } else { Some("declined") }, "{keys:?}");
            let (mut other, _) = at_a_terminal(keys, false);
            assert_eq!(agrees(&context(), &mut other, "Do it?", |_| {}).unwrap(), agreed, "{keys:?}");
            assert!(out.text().starts_with("it is done\n\nDo it? [y/N] "), "{}", out.text());
        }
    }

    #[test]
    fn a_text_is_asked_for_and_nothing_typed_is_the_default() {
        let cases: [(&'static [u8], Option<&str>); 5] =
            [(b"\n", Some("shop")), (b"  store \r\n", Some("store")), (b"", None), (b"sto", None), (b"\xff\n", None)];
        for (keys, expected) in cases {
            let (mut output, out) = at_a_terminal(keys, false);
            let answer = ask(&context(), &mut output, "project id", "shop");
            assert_eq!(answer.ok().flatten().as_deref(), expected, "{keys:?}");
            assert!(out.text().starts_with("\nproject id [shop] "), "{}", out.text());
        }
        let (mut piped, ..) = captured(false);
        assert_eq!(ask(&context(), &mut piped, "project id", "shop").unwrap(), None);
    }

    #[test]
    fn where_nobody_can_be_asked_nothing_is_shown() {
        let shown = Cell::new(false);
        let (piped, ..) = captured(false);
        let (document, _) = at_a_terminal(b"y\n", true);
        for mut output in [piped, document] {
            let asked = confirm(&context(), &mut output, "Do it?", unasked(), |_| shown.set(true));
            assert_eq!(asked.unwrap_err().code(), "confirmation-needed");
            assert!(!agrees(&context(), &mut output, "Do it?", |_| shown.set(true)).unwrap());
        }
        assert!(!shown.get());
    }

    #[test]
    fn a_cancelled_question_is_no_answer() {
        struct Silent;
        impl std::io::Read for Silent {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                thread::sleep(Duration::from_secs(5));
                Ok(0)
            }
        }
        let reader = std::sync::Arc::new(std::sync::Mutex::new(std::io::BufReader::new(Silent)));
        let (mut output, _) = at_a_terminal(b"", false);
        output.type_from(Keyboard { reader, terminal: true });
        let context = context();
        context.cancel().cancel();
        let asked = confirm(&context, &mut output, "Do it?", unasked(), |_| {});
        assert_eq!(asked.unwrap_err().code(), "cancelled");
    }
}
