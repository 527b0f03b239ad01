//! What is said once a lead has ended: what became of its run, and what comes next.

use std::path::PathBuf;

use super::exit::Exit;
use super::output::Output;
use crate::context::Context;
use crate::domain::shell;
use crate::ops::lead::Ended;
use crate::ops::status::{self, Options, Status};

/// Says it on stderr, since stdout was the lead's, and gives the lead's own code. What cannot be told is left out: it
/// changes nothing that the lead has done.
pub(super) fn ended(ended: &Ended, project_root: Option<PathBuf>, context: &Context, output: &mut Output) -> Exit {
    let options = Options { project_root, task: Some(ended.task.clone()) };
    if let Ok(status) = status::run(context, &options) {
        match ending(&ended.run, &status) {
            Some(word) => {
                output.aside(&format!("{} is {word}", ended.run));
                output.next_aside(&status.next.reason, status.next.command.as_deref());
            }
            None => {
                output.aside(&format!("{} is still open: its lead ended before it was finished", ended.run));
                let root = options.project_root.map(|root| root.to_string_lossy().into_owned());
                let mut command = vec!["okstra", "resume", &ended.run, "--task", &ended.task];
                command.extend(root.iter().flat_map(|root| ["--project-root", root]));
                output.next_aside("go on with it", Some(&shell::command(command)));
            }
        }
    }
    Exit::Child(ended.code)
}

/// The word for how the run ended; none while it is open.
fn ending(run: &str, status: &Status) -> Option<&'static str> {
    let state = status.phases.iter().flat_map(|phase| &phase.runs).find(|other| other.run == run)?.status;
    state.is_final().then(|| state.as_str())
}
