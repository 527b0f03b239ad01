//! The task of the story: the project becomes one of okstra's, its plan is approved, and its stages are built, with the
//! same operations as every other task's.

use std::sync::mpsc;

use super::script::{self, Act, PlannedStage};
use super::shop::Shop;
use crate::context::{Event, EventSink};
use crate::domain::ids::CommitId;
use crate::domain::plan::Plan;
use crate::ops::plan::approve;
use crate::ops::prepare::{self, Brief, Prepared};
use crate::ops::stages::{done, integrate};
use crate::ops::task::{Selector, Task};
use crate::ops::{Error, finish, init};
use crate::store::plans;

/// The task, with its plan.
pub(super) struct Work {
    pub(super) task: Task,
    pub(super) plan: Plan,
}

/// Makes the project one of okstra's, with a task whose plan is approved.
pub(super) fn prepare(shop: &mut Shop<'_>) -> Result<Work, Error> {
    let root = shop.root();
    let options = init::Options { project_id: Some("shop".to_owned()), yes: true, ..init::Options::default() };
    init::run(&shop.machine(&root), &options)?;
    shop.act(&root, script::INIT)?;
    let path = shop.beside("plan.md");
    crate::fs::replace(&path, markdown().as_bytes())?;
    let options = approve::Options {
        task: task(),
        plan: Some(path),
        category: Some(script::CATEGORY.to_owned()),
        by: Some("Ada".to_owned()),
        yes: true,
        ..approve::Options::default()
    };
    approve::run(&shop.machine(&root), &options)?;
    let task = Task::find(&shop.machine(&root), Some(&root), &Selector::Project(task()))?;
    let plan = plans::current(&task.plans(), &task.key)?;
    let no_plan = || crate::ops::stages::StageError::NoPlan { task: task.key.task.clone() };
    Ok(Work { plan: plan.ok_or_else(no_plan)?, task })
}

fn task() -> Option<String> {
    Some(script::TASK.to_owned())
}

/// The plan as its author wrote it.
fn markdown() -> String {
    let list = |texts: &[String], none: &str| match texts {
        [] => none.to_owned(),
        texts => texts.join(", "),
    };
    let mut text = format!("# {}\n\n## Stage Map\n\n", script::TASK_TITLE);
    text.push_str("| stage | title | depends-on | step-count | files |\n| --- | --- | --- | --- | --- |\n");
    for (number, stage) in (1..).zip(script::STAGES) {
        let needs: Vec<String> = stage.depends_on.iter().map(u32::to_string).collect();
        let files: Vec<String> = stage.files.iter().map(|file| format!("`{file}`")).collect();
        let (needs, files) = (list(&needs, "(none)"), list(&files, ""));
        text.push_str(&format!("| {number} | {} | {needs} | 1 | {files} |\n", stage.title));
    }
    (1..).zip(script::STAGES).for_each(|(number, stage)| text.push_str(&section(number, stage)));
    text
}

fn section(number: u32, stage: &PlannedStage) -> String {
    format!(
        "\n## Stage {number}: {}\n\n### Steps\n\n1. {}.\n\n### Stage Validation\n\n- post: `{}`\n\n\
         ### Stage Exit Contract\n\n- {}.\n\n### Rollback\n\nRevert its commit.\n",
        stage.title, stage.title, stage.check, stage.title
    )
}

impl Work {
    /// Prepares the next run of the task, which builds what is ready; gives what was said meanwhile as well.
    pub(super) fn prepare_run(&self, shop: &mut Shop<'_>) -> Result<(Prepared, Vec<String>), Error> {
        let root = shop.root();
        let options = prepare::Options {
            task: task(),
            task_type: Some("implementation".to_owned()),
            brief: Some(Brief::Text(script::BRIEF.to_owned())),
            workers: Some(vec!["claude".to_owned(), "codex".to_owned()]),
            ..prepare::Options::default()
        };
        let (listener, notices) = mpsc::channel();
        let sink = EventSink::new(move |event| {
            if let Event::Notice(text) = event {
                drop(listener.send(text));
            }
        });
        let prepared = prepare::run(&shop.machine(&root).with_events(sink), &options)?;
        Ok((prepared, notices.try_iter().collect()))
    }

    /// Builds a stage in its worktree, and records it as done.
    pub(super) fn build(&self, shop: &mut Shop<'_>, stage: u32, acts: &[Act]) -> Result<CommitId, Error> {
        let worktree = shop.worktree(&self.task.key, Some(stage))?;
        shop.act(&worktree, acts)?;
        let options = done::Options { task: task(), stage, ..done::Options::default() };
        done::run(&shop.machine(&worktree), &options)?;
        shop.commit(&branch(stage))
    }

    /// Merges the done stages of the open run into the task branch.
    pub(super) fn integrate(&self, shop: &mut Shop<'_>) -> Result<(), Error> {
        let root = shop.root();
        let options = integrate::Options { task: task(), ..integrate::Options::default() };
        integrate::run(&shop.machine(&root), &options).map(drop)
    }

    /// Ends the open run. Its agents are not played, so that they left nothing is waived.
    pub(super) fn finish(&self, shop: &mut Shop<'_>) -> Result<(), Error> {
        let root = shop.root();
        let force = Some("the demo has no agents".to_owned());
        let options = finish::Options { task: task(), force, yes: true, ..finish::Options::default() };
        finish::run(&shop.machine(&root), &options).map(drop)
    }

    /// Removes the worktrees of the task and of these stages; their branches stay.
    pub(super) fn remove_worktrees(&self, shop: &mut Shop<'_>, stages: &[u32]) -> Result<(), Error> {
        let root = shop.root();
        for stage in std::iter::once(None).chain(stages.iter().map(|stage| Some(*stage))) {
            let path = shop.worktree(&self.task.key, stage)?;
            shop.git(&root, &["worktree", "remove", &path.to_string_lossy()])?;
        }
        Ok(())
    }
}

/// The branch of a stage.
pub(super) fn branch(stage: u32) -> String {
    format!("{}-s{stage}", script::TASK_BRANCH)
}
