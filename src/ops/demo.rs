//! The story of okstra on a scratch repository: what people do to git, and what okstra says of it and why.

mod script;

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Error;
use super::content_merged::{self, ContentMerged};
use crate::context::Context;
use crate::fs::ScratchFolder;
use crate::git::Git;
use script::{Act, Doing, SCENES, Scene};

/// How the demo is told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Leave the scratch repository to look at.
    pub keep: bool,
}

/// What was done, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Demo {
    /// The scratch repository; null when it was removed at the end.
    pub folder: Option<PathBuf>,
    /// The scenes, in order.
    pub scenes: Vec<SceneOutcome>,
}

/// One scene.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SceneOutcome {
    /// Its title.
    pub title: &'static str,
    /// What someone did.
    pub story: &'static str,
    /// The git commands behind it, without their options for quiet.
    pub commands: Vec<String>,
    /// What plain git says: whether the recorded commit is reachable from `main`.
    pub reachable: bool,
    /// The question put to okstra, as a command.
    pub question: String,
    /// What okstra says.
    pub answer: ContentMerged,
    /// What that means for the user.
    pub moral: &'static str,
}

/// Plays every scene, each in a repository of its own below one scratch folder.
///
/// # Errors
/// When the scratch folder cannot be written, git is not installed, or the work was cancelled. The scratch folder is
/// removed then as well.
pub fn run(context: &Context, options: &Options) -> Result<Demo, Error> {
    let scratch = ScratchFolder::create_in(&context.environment().temp_folder(), "okstra-demo-")?;
    let mut scenes = Vec::with_capacity(SCENES.len());
    for scene in SCENES {
        let folder = scratch.path().join(scene.name);
        crate::fs::create_folder(&folder)?;
        scenes.push(play(context, &folder, scene)?);
    }
    let folder = if options.keep {
        Some(scratch.keep())
    } else {
        scratch.remove()?;
        None
    };
    Ok(Demo { folder, scenes })
}

/// A repository in the middle of its story.
struct Stage<'a> {
    context: &'a Context,
    folder: &'a Path,
    /// Seconds since 1970; every command is a minute later than the one before.
    time: u64,
    commands: Vec<String>,
}

fn play(context: &Context, folder: &Path, scene: &Scene) -> Result<SceneOutcome, Error> {
    let mut stage = Stage { context, folder, time: script::BEGINNING, commands: Vec::new() };
    stage.act(script::PROLOGUE)?;
    let base = stage.commit_of("main")?;
    stage.act(script::WORK)?;
    let commit = stage.commit_of(script::BRANCH)?;
    stage.commands.clear();
    stage.act(scene.acts)?;
    let question = content_merged::Options {
        project_root: Some(folder.to_owned()),
        commit: commit.clone(),
        candidate: "main".to_owned(),
        base: Some(base.clone()),
        ..content_merged::Options::default()
    };
    let answer = content_merged::run(context, &question)?;
    let git = Git::at(folder);
    let reachable = git.ask(context, &["merge-base", "--is-ancestor", &commit, "main"])?.is_some();
    let short = |id: &str| id.chars().take(8).collect::<String>();
    Ok(SceneOutcome {
        title: scene.title,
        story: scene.story,
        commands: stage.commands,
        reachable,
        question: format!("okstra content-merged --commit {} --base {} --candidate main", short(&commit), short(&base)),
        answer,
        moral: scene.moral,
    })
}

impl Stage<'_> {
    fn act(&mut self, acts: &[Act]) -> Result<(), Error> {
        for act in acts {
            match act.doing {
                Doing::Write(file, text) => crate::fs::replace(&self.folder.join(file), text.as_bytes())?,
                Doing::Git(arguments) => {
                    self.time += 60;
                    let git = Git::at(self.folder).as_committer("Ada", "ada@example.com", self.time);
                    git.run(self.context, arguments)?;
                }
            }
            self.commands.extend(act.shown.map(str::to_owned));
        }
        Ok(())
    }

    fn commit_of(&self, branch: &str) -> Result<String, Error> {
        let id = Git::at(self.folder).run(self.context, &["rev-parse", "--verify", branch])?;
        Ok(String::from_utf8_lossy(&id).trim().to_owned())
    }
}
