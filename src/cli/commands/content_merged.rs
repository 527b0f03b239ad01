//! `okstra content-merged`

use std::path::PathBuf;

use crate::cli::args::Text;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::words;
use crate::context::Context;
use crate::ops::content_merged::{self, ContentMerged, Effect, Limits, Options, Status, Verdict};

/// Is this commit's content in that ref, and by which proof?
///
/// The safe answer to “is my branch in main?”: it holds also after a rebase, a squash merge or an amend, and says
/// `contained` only where the objects in git prove it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  okstra content-merged --commit 1a2b3c4d --candidate main

Exit codes: 0 contained, 2 not contained or not sure, 1 error.")]
pub(in crate::cli) struct Args {
    /// The commit whose content is looked for, with all that leads to it from the base; an id of at least 7 digits
    #[arg(long, value_name = "ID", value_parser = Text)]
    commit: String,
    /// The ref that should hold it: a full ref name, a branch, a remote branch, a tag, HEAD, or an id
    #[arg(long, value_name = "REF", value_parser = Text)]
    candidate: String,
    /// The commit where the work began, as an id [default: the merge base of commit and candidate]
    #[arg(long, value_name = "ID", value_parser = Text)]
    base: Option<String>,
    /// A folder of the repository [default: the current folder]
    #[arg(long, value_name = "DIR")]
    project_root: Option<PathBuf>,
    /// Look at no more than this many commits; what is not found by then is unknown
    #[arg(long, value_name = "N")]
    max_commits: Option<u64>,
    /// Search for no longer than this many seconds; what is not found by then is unknown
    #[arg(long, value_name = "N")]
    max_seconds: Option<u64>,
}

pub(super) fn run(args: Args, context: &Context, output: &mut Output) -> Result<Exit, Failure> {
    let Args { commit, candidate, base, project_root, max_commits, max_seconds } = args;
    let limits = Limits { max_commits, max_seconds };
    let options = Options { project_root, commit, candidate, base, limits };
    let answer = content_merged::run(context, &options)?;
    if let (Status::Ancestor, Effect::Absent | Effect::Partial) = (answer.status, answer.effect) {
        output.warning(&format!("the commit is in {}, but {}", options.candidate, words::effect(answer.effect).1));
    }
    output.show(&answer, |output| print(&options, &answer, output));
    Ok(if answer.verdict == Verdict::Contained { Exit::Done } else { Exit::Decide })
}

fn print(options: &Options, answer: &ContentMerged, output: &mut Output) {
    let (tone, word) = words::verdict(answer.verdict);
    output.headline(tone, word, &answer.reason);
    if answer.status == Status::Unresolvable {
        return output.next("check the ids and the ref, and ask again", &[]);
    }
    let landed = answer.matched_commit.map_or_else(|| "nowhere".to_owned(), |commit| commit.to_string());
    let (proof, proof_means) = words::proof(answer.proof);
    let (effect, mut effect_means) = words::effect(answer.effect);
    if answer.status == Status::Ancestor && options.base.is_none() {
        effect_means = "give --base to ask whether its content is still there";
    }
    output.fields(&[
        ("commit", &options.commit, ""),
        ("candidate", &options.candidate, ""),
        ("landed at", &landed, ""),
        ("proof", proof, proof_means),
        ("effect", effect, effect_means),
    ]);
    if answer.verdict == Verdict::Ask {
        let folder = options.project_root.as_deref().map(|folder| folder.to_string_lossy());
        let mut command = vec!["git"];
        command.extend(folder.iter().flat_map(|folder| ["-C", folder.as_ref()]));
        let since = answer.matched_commit.map(|at| format!("{at}..{}", options.candidate));
        match &since {
            Some(since) => {
                command.extend(["log", "-p", since]);
                output.next("look at what became of it", &command);
            }
            None => {
                command.extend(["diff", &options.candidate, &options.commit]);
                output.next("compare what is there with it", &command);
            }
        }
    }
}
