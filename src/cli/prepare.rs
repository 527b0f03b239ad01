//! What `run` and `render-bundle` have in common: the arguments of a run.

use std::path::PathBuf;

use super::args::Text;
use super::confirm::confirm;
use super::failure::Failure;
use super::output::Output;
use super::streams::read_standard_input;
use crate::context::Context;
use crate::ops;
use crate::ops::prepare::{Brief, Options};

/// What to prepare.
#[derive(Debug, clap::Args)]
pub(super) struct PrepareArgs {
    /// The task [default: the one of the worktree you stand in]
    #[arg(long, value_name = "GROUP/ID", value_parser = Text)]
    pub(super) task: Option<String>,
    /// The phase [default: what comes next]
    #[arg(long = "type", value_name = "TYPE", value_parser = Text)]
    task_type: Option<String>,
    /// The work category: feat, fix, refactor, perf, docs, test, chore; needed while the task has none
    #[arg(long, value_name = "CATEGORY", value_parser = Text)]
    category: Option<String>,
    /// What is asked for, as a file, or - for the standard input; needed while the task has no brief
    #[arg(long, value_name = "FILE")]
    brief: Option<PathBuf>,
    /// What is asked of this run besides
    #[arg(long, value_name = "TEXT", value_parser = Text)]
    directive: Option<String>,
    /// implementation: the stages to build, auto or the number of one [default: auto]
    #[arg(long, value_name = "N", value_parser = Text)]
    stage: Option<String>,
    /// implementation: take the stages of this open run over, which abandons it
    #[arg(long, value_name = "RUN", value_parser = Text)]
    take_over: Option<String>,
    /// implementation: let stages be recorded although their checks fail, and why
    #[arg(long, value_name = "REASON", value_parser = Text)]
    qa_waiver: Option<String>,
    /// implementation: what the task branch grows from [default: the remote's default branch, else the checked-out one]
    #[arg(long, value_name = "REF", value_parser = Text)]
    base: Option<String>,
    /// implementation: the name of the task branch [default: CATEGORY-ID]
    #[arg(long, value_name = "NAME", value_parser = Text)]
    branch: Option<String>,
    /// The workers [default: those whose command is on PATH]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = Text)]
    workers: Option<Vec<String>>,
    /// The model of a worker; may be given again
    #[arg(long, value_name = "WORKER=MODEL", value_parser = Text)]
    model: Vec<String>,
    /// The most convergence rounds
    #[arg(long, value_name = "N")]
    max_rounds: Option<u32>,
    /// Whether verifiers try to break claims
    #[arg(long, value_name = "BOOL")]
    adversarial: Option<bool>,
    /// What verifiers look at: lightweight or full-reanalysis
    #[arg(long, value_name = "MODE", value_parser = Text)]
    verification_mode: Option<String>,
    /// Answer the questions that --take-over and --qa-waiver raise
    #[arg(long)]
    yes: bool,
    /// The project [default: the main worktree of the repository here]
    #[arg(long, value_name = "DIR")]
    pub(super) project_root: Option<PathBuf>,
}

impl PrepareArgs {
    /// The options, with the brief read where it comes by the standard input, and a person asked where one decides.
    pub(super) fn into_options(mut self, context: &Context, output: &mut Output) -> Result<Options, Failure> {
        self.ask(context, output)?;
        let brief = match self.brief {
            Some(path) if path.as_os_str() == "-" => Some(Brief::Text(read_standard_input()?)),
            path => path.map(Brief::File),
        };
        Ok(Options {
            project_root: self.project_root,
            task: self.task,
            task_type: self.task_type,
            category: self.category,
            brief,
            directive: self.directive,
            workers: self.workers,
            models: self.model,
            stage: self.stage,
            take_over: self.take_over,
            qa_waiver: self.qa_waiver,
            max_rounds: self.max_rounds,
            adversarial: self.adversarial,
            verification_mode: self.verification_mode,
            base: self.base,
            branch: self.branch,
            yes: self.yes,
        })
    }

    /// Taking stages over and waiving checks are a person's decisions.
    fn ask(&mut self, context: &Context, output: &mut Output) -> Result<(), Failure> {
        let take_over = self.take_over.as_ref().map(|run| format!("{run} is abandoned, and its stages are taken over"));
        let waiver =
            self.qa_waiver.as_ref().map(|why| format!("stages may be recorded although their checks fail: {why}"));
        let decisions: Vec<String> = take_over.into_iter().chain(waiver).collect();
        if decisions.is_empty() || self.yes {
            return Ok(());
        }
        let take_over =
            self.take_over.as_ref().map(|run| format!("taking over the stages of {run}, which abandons it,"));
        let what = take_over.unwrap_or_else(|| "waiving failing checks".to_owned());
        let unasked = ops::Error::ConfirmationNeeded { what };
        confirm(context, output, "Go on?", unasked, |output| decisions.iter().for_each(|text| output.text(text)))?;
        self.yes = true;
        Ok(())
    }
}
