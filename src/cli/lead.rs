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
        output.aside(&outcome(&ended.run, &status));
        let command = status.next.command.as_deref();
        output.next_aside(&status.next.reason, command);
    }
    Exit::Child(ended.code)
}

fn outcome(run: &str, status: &Status) -> String {
    let state = status.phases.iter().flat_map(|phase| &phase.runs).find(|other| other.run == run);
    match state.map(|state| state.status) {
        Some(state) if state.is_final() => format!("{run} is {}", state.as_str()),
        _ => format!("{run} is still open: its lead ended before it was finished"),
    }
}
