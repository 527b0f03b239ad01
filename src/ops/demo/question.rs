//! The first part: one question about one commit, asked on three days.

use super::script::{self, Day};
use super::shop::Shop;
use super::told::Scene;
use crate::domain::ids::CommitId;
use crate::ops::Error;
use crate::ops::content_merged::{self, Options};

/// Makes the project and the work, and asks on each day whether that work is in `main`.
pub(super) fn play(shop: &mut Shop<'_>) -> Result<Vec<Scene>, Error> {
    let root = shop.root();
    crate::fs::create_folder(&root)?;
    shop.act(&root, script::PROLOGUE)?;
    shop.act(&root, script::WORK)?;
    let commit = shop.commit(script::BRANCH)?;
    let mut scenes = Vec::new();
    for (number, day) in (0..).zip(script::DAYS) {
        shop.begin_day(number);
        scenes.push(ask(shop, commit, day)?);
    }
    shop.begin_day(scenes.len() as u64);
    Ok(scenes)
}

fn ask(shop: &mut Shop<'_>, commit: CommitId, day: &Day) -> Result<Scene, Error> {
    let root = shop.root();
    let commands = shop.act(&root, day.acts)?;
    let asked = Options { commit: commit.to_string(), candidate: "main".to_owned(), ..Options::default() };
    Ok(Scene {
        title: day.title,
        story: day.story,
        commands,
        reachable: shop.is_reachable(commit)?,
        question: format!("okstra content-merged --commit {} --candidate main", commit.short()),
        answer: content_merged::run(&shop.machine(&root), &asked)?,
    })
}
