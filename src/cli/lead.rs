//! What is said once a lead has ended: what became of its run, and what comes next.

use std::path::PathBuf;

use super::exit::Exit;
use super::output::Output;
use crate::context::Context;
use crate::ops::lead::Ended;
use crate::ops::status::{self, Options, Status};

/// Says it on stderr, since stdout was the lead's, and gives the lead's own code. What cannot be told is left out: it
/// changes nothing that the lead has done.
pub(super) fn ended(ended: &Ended, project_root: Option<PathBuf>, context: &Context, output: &mut Output) -> Exit {
    let options = Options { project_root, task: Some(ended.task.clone()) };
    if let Ok(status) = status::run(context, &options) {
        let (outcome, advice) = match ending(&ended.run, &status) {
            Some(word) => (format!("{} is {word}", ended.run), status.next.reason.as_str()),
            None => (format!("{} is still open: its lead ended before it was finished", ended.run), "go on with it"),
        };
        output.aside(&outcome);
        output.next_aside(advice, status.next.command.as_deref());
    }
    Exit::Child(ended.code)
}

/// The word for how the run ended; none while it is open.
fn ending(run: &str, status: &Status) -> Option<&'static str> {
    let state = status.phases.iter().flat_map(|phase| &phase.runs).find(|other| other.run == run)?.status;
    state.is_final().then(|| state.as_str())
}
