//! One command from its arguments to its exit code.

use std::ffi::OsString;

use super::args::{Cli, Globals};
use super::bug;
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;
use super::streams::Streams;
use super::usage::{self, Refusal};
use crate::context::Context;
use crate::ops::Session;

/// Runs one command that has the whole process: its streams, its signals, its environment. `arguments` are without
/// the program's name, `context` is a snapshot of the process. A command that a signal asked to stop ends the process by
/// that signal, once it has cleaned up.
pub fn main(arguments: impl IntoIterator<Item = OsString>, context: Context) -> Exit {
    bug::keep_quiet();
    let session = Session::open(context.cancel());
    let exit = run(arguments, context, Streams::from_process());
    session.close();
    exit
}

/// Runs one command on `context`, and prints to `streams`. `arguments` are without the program's name.
pub fn run(arguments: impl IntoIterator<Item = OsString>, context: Context, streams: Streams) -> Exit {
    let arguments: Vec<_> = arguments.into_iter().collect();
    let parsed = Failure::catch(|| Ok(Cli::parse_arguments(&arguments, streams.out.columns)));
    let globals = match &parsed {
        Ok(Ok(cli)) => cli.globals,
        _ => Globals::guess(&arguments),
    };
    let mut output = Output::new(streams, globals, &context);
    let context = context.with_events(output.listener());
    let exit = guard(&mut output, |output| match parsed {
        Ok(Ok(cli)) => cli.command.run(&context, output),
        Ok(Err(error)) => refuse(usage::explain(&error, &arguments), output),
        Err(bug) => Err(bug),
    });
    finish(exit, &mut output)
}

/// Does `work`, and shows how it failed or that it panicked.
fn guard(output: &mut Output, work: impl FnOnce(&mut Output) -> Result<Exit, Failure>) -> Exit {
    Failure::catch(|| work(output)).unwrap_or_else(|failure| {
        output.failure(&failure);
        failure.exit()
    })
}

fn refuse(refusal: Refusal, output: &mut Output) -> Result<Exit, Failure> {
    match refusal {
        Refusal::Help(help) => {
            output.help(&help);
            Ok(Exit::Done)
        }
        Refusal::Nothing(help) => {
            output.unasked_help(&help);
            Ok(Exit::Failed)
        }
        Refusal::Wrong(failure) => Err(failure),
    }
}

/// Results that could not be written are a failure, whatever the command said.
fn finish(exit: Exit, output: &mut Output) -> Exit {
    match output.finish() {
        Ok(()) => exit,
        Err(failure) => {
            output.failure_for_people(&failure);
            if exit == Exit::Done { failure.exit() } else { exit }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::output::tests::captured;

    #[test]
    fn a_panic_is_one_clear_message_and_exit_101() {
        for json in [false, true] {
            let (mut output, out, err) = captured(json);
            let exit = guard(&mut output, |_| panic!("index 3 of 2"));
            assert_eq!(exit.code(), 101);
            let (text, other) = if json { (out.text(), err.text()) } else { (err.text(), out.text()) };
            assert!(text.contains("this is a bug in okstra: index 3 of 2") && text.contains("--version"), "{text}");
            assert_eq!((other, text.matches("bug in okstra").count()), (String::new(), 1));
        }
    }
}
