//! `okstra install`

mod print;

use std::path::PathBuf;

use crate::cli::args::Text;
use crate::cli::confirm::{agrees, confirm};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::context::Context;
use crate::ops::install::{self, Options, Proposal};

/// Put okstra into the folders of your agents, or bring it up to date there
///
/// Installs the executable, into okstra's own folder, and skills and agents for Claude Code, Codex and Gemini. What you
/// changed is kept, and the new one put beside it as NAME.new. No file of a shell is edited: how to put okstra on PATH is
/// said at the end. Doing it again changes nothing; `okstra uninstall` takes it all out.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  npx -y okstra@latest install
  okstra install --dry-run
  okstra install --target claude,codex
  okstra install --project")]
pub(in crate::cli) struct Args {
    /// For these agents as well: claude, codex, gemini [default: those it is installed for, else those that are here]
    #[arg(long, value_name = "AGENTS", value_delimiter = ',', value_parser = Text)]
    target: Vec<String>,
    /// Also make the repository here a project, and let agents run some commands there without asking you
    #[arg(long)]
    project: bool,
    /// With --project: its root [default: the main worktree of the repository here]
    #[arg(long, value_name = "DIR", requires = "project")]
    project_root: Option<PathBuf>,
    /// With --project: let agents run nothing without asking you
    #[arg(long, requires = "project")]
    no_permissions: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Do it without asking
    #[arg(long)]
    yes: bool,
}

impl From<Args> for Options {
    fn from(args: Args) -> Self {
        let Args { target, project, project_root, no_permissions, dry_run, yes } = args;
        Self { targets: target, project, project_root, no_permissions, dry_run, yes }
    }
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let mut options = Options::from(args);
    let proposal = install::propose(context, &options)?;
    if !options.dry_run && !options.yes && proposal.needs_a_person() {
        ask(context, output, &proposal, &mut options)?;
    }
    let done = install::run(context, &options)?;
    output.show(&done, |output| print::outcome(&done, output));
    Ok(Exit::Done)
}

/// Asks once whether to do it, and separately what agents may do.
fn ask(context: &Context, output: &mut Output, proposal: &Proposal, options: &mut Options) -> Result<(), Failure> {
    let unasked = proposal.unconfirmed();
    confirm(context, output, "Install this?", unasked, |output| print::plan(proposal.outcome(), output))?;
    if let Some(permissions) = proposal.allows() {
        let question = "Let agents run these here without asking you?";
        let executable = &proposal.outcome().executable;
        let agreed = agrees(context, output, question, |output| print::permissions(permissions, executable, output))?;
        options.no_permissions = !agreed;
    }
    options.yes = true;
    Ok(())
}
