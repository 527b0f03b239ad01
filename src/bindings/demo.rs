//! `demo`: the story of okstra on scratch repositories.

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use okstra::ops::demo;

use crate::content_merged::ContentMerged;
use crate::job::{Cancel, Job, start};

/// How the demo is told.
#[napi(object)]
pub struct DemoOptions {
    /// Leave the scratch repositories to look at.
    pub keep: Option<bool>,
}

/// What was done, and what came of it.
#[napi(object, use_nullable = true)]
pub struct Demo {
    /// The folder of the scratch repositories, one for each scene; null when they were removed at the end.
    pub folder: Option<String>,
    /// The scenes, in order.
    pub scenes: Vec<DemoScene>,
}

/// One scene of the demo.
#[napi(object, use_nullable = true)]
pub struct DemoScene {
    /// Its title.
    pub title: String,
    /// What someone did.
    pub story: String,
    /// The git commands behind it.
    pub commands: Vec<String>,
    /// What plain git says: whether the recorded commit is reachable from `main`.
    pub reachable: bool,
    /// The question put to okstra, as a command.
    pub question: String,
    /// What okstra says.
    pub answer: ContentMerged,
    /// What that means for the user.
    pub moral: String,
}

/// Shows what okstra does, on scratch repositories in the temporary folder.
#[napi(ts_return_type = "Promise<Demo>")]
pub fn demo(options: DemoOptions, cancel: &Cancel) -> AsyncTask<Job<Demo>> {
    start(cancel, move |context| Ok(demo::run(context, &demo::Options { keep: options.keep.unwrap_or(false) })?.into()))
}

impl From<demo::Demo> for Demo {
    fn from(told: demo::Demo) -> Self {
        let folder = told.folder.map(|folder| folder.to_string_lossy().into_owned());
        Self { folder, scenes: told.scenes.into_iter().map(Into::into).collect() }
    }
}

impl From<demo::SceneOutcome> for DemoScene {
    fn from(scene: demo::SceneOutcome) -> Self {
        Self {
            title: scene.title.to_owned(),
            story: scene.story.to_owned(),
            commands: scene.commands,
            reachable: scene.reachable,
            question: scene.question,
            answer: scene.answer.into(),
            moral: scene.moral.to_owned(),
        }
    }
}
