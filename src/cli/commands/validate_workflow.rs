//! `okstra validate-workflow`

use std::path::PathBuf;

use crate::cli::args::refusal;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, Tone};
use crate::context::Context;
use crate::ops::validate_workflow::{self, Options, Validated};

/// Check skills, agents and prompts against the program
///
/// Clients must find them by their front matter, they must not be longer than their reader bears, and every command and
/// file that they name must be there. Looks at what this okstra ships, or at a folder, as you write your own.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  okstra validate-workflow
  okstra validate-workflow .

Exit codes: 0 nothing is wrong, 2 something is, 1 error.")]
pub(in crate::cli) struct Args {
    /// A folder that holds skills/, agents/ and prompts/ [default: what this okstra ships]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let options = Options { folder: args.folder };
    let validated = validate_workflow::run(context, &options, &refusal)?;
    output.show(&validated, |output| print(&validated, output));
    Ok(if validated.findings.is_empty() { Exit::Done } else { Exit::Decide })
}

fn print(validated: &Validated, output: &mut Output) {
    let texts = validated.texts;
    match validated.findings.len() {
        0 => output.headline(Tone::Good, "ok", &format!("{texts} texts agree with the program")),
        1 => output.headline(Tone::Bad, "problem", &format!("one thing is wrong in {texts} texts")),
        count => output.headline(Tone::Bad, "problems", &format!("{count} things are wrong in {texts} texts")),
    }
    let finding = |finding: &crate::domain::workflow::Finding| {
        (
            format!("{}:{}", finding.path, finding.line),
            finding.rule.as_str(),
            finding.message.clone(),
            finding.mend.clone(),
        )
    };
    let found: Vec<_> = validated.findings.iter().map(finding).collect();
    let shown: Vec<_> = found
        .iter()
        .map(|(place, rule, message, mend)| (place.clone(), *rule, message.as_str(), mend.as_str()))
        .collect();
    output.findings(&shown);
}
