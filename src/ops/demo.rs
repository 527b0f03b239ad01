//! The story of okstra on a scratch project: what people do to git, and what okstra says of it and why.

mod files;
mod project;
mod question;
mod records;
mod script;
mod shop;
mod told;

use std::path::PathBuf;

use super::Error;
use crate::context::Context;
use crate::domain::shell;
use crate::fs::ScratchFolder;
use shop::Shop;
pub use told::{Call, Demo, GitFacts, LogRow, PreparedRun, Scene, StageLine, StageStart, Step, TaskStory};

/// How the demo is told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Leave the scratch project to look at.
    pub keep: bool,
}

/// Plays the story below one scratch folder, with an `OKSTRA_HOME` of its own in it.
///
/// # Errors
/// When the scratch folder cannot be written, git is not installed, or the work was cancelled. The scratch folder is
/// removed then as well.
pub fn run(context: &Context, options: &Options) -> Result<Demo, Error> {
    let parent = context.absolute(&context.environment().temp_folder());
    let scratch =
        ScratchFolder::create_in(&parent, "okstra-demo-").map_err(|error| in_scratch(error.into(), &parent))?;
    let mut demo = play(context, &scratch).map_err(|error| in_scratch(error, &parent))?;
    if options.keep {
        let folder = scratch.keep();
        demo.look = commands_to_look(&Shop::new(context, &folder));
        demo.folder = Some(folder);
    } else {
        scratch.remove()?;
    }
    Ok(demo)
}

fn play(context: &Context, scratch: &ScratchFolder) -> Result<Demo, Error> {
    let mut shop = Shop::new(context, scratch.path());
    let scenes = question::play(&mut shop)?;
    let task = records::play(&mut shop)?;
    Ok(Demo { folder: None, look: Vec::new(), scenes, moral: script::DAYS_MORAL, task })
}

/// What to type in order to look around in a project that was kept.
fn commands_to_look(shop: &Shop<'_>) -> Vec<String> {
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    vec![
        shell::command(["cd", &text(shop.root())]),
        shell::command(["export", &format!("OKSTRA_HOME={}", text(shop.home()))]),
        shell::command(["okstra", "git-reconcile", "--task", script::TASK, "--all"]),
        shell::command(["git", "log", "--oneline", "--graph", "--all"]),
    ]
}

/// What went wrong while the story was played, with a way out where the temporary folder may be the reason.
fn in_scratch(error: Error, parent: &std::path::Path) -> Error {
    match error {
        Error::Cancelled(_) | Error::Git(crate::git::Error::NoGit { .. }) => error,
        other => Error::Scratch { parent: parent.to_owned(), source: Box::new(other) },
    }
}
