//! The second part: a task with recorded stages, what people do to the commits behind them, and `git-reconcile`.

use std::path::Path;

use super::project::{self, Work, branch};
use super::script::{self, StepScript};
use super::shop::Shop;
use super::told::{Call, GitFacts, LogRow, PreparedRun, StageLine, StageStart, Step, TaskStory};
use crate::domain::ids::CommitId;
use crate::domain::records::Status;
use crate::domain::shell;
use crate::ops::Error;
use crate::ops::prepare::PreparedStage;
use crate::ops::reconcile::{self, Options};
use crate::store::consumers::LogText;

/// Plans a task of three stages, builds them, and lets people squash, rebase and amend.
pub(super) fn play(shop: &mut Shop<'_>) -> Result<TaskStory, Error> {
    let work = project::prepare(shop)?;
    work.prepare_run(shop)?;
    let first = work.build(shop, 1, script::FIRST)?;
    let second = work.build(shop, 2, script::SECOND)?;
    work.integrate(shop)?;
    work.finish(shop)?;
    let stages = stage_lines(&work, &[(1, first), (2, second)]);
    let squashed = squash(shop, &work, &[first, second])?;
    let gone_on = go_on(shop, &work)?;
    let worktree = shop.worktree(&work.task.key, Some(3))?;
    let rebased = rebase(shop, &worktree)?;
    let amended = amend(shop, &worktree)?;
    let last = look(shop, &worktree)?;
    Ok(TaskStory {
        task: script::TASK.to_owned(),
        stages,
        steps: vec![squashed, gone_on, rebased, amended, last],
        log: log(shop, &work)?,
        moral: script::LOG_MORAL,
    })
}

fn stage_lines(work: &Work, done: &[(u32, CommitId)]) -> Vec<StageLine> {
    let line = |planned: &crate::domain::plan::PlanStage| StageLine {
        stage: planned.stage,
        title: planned.title.clone(),
        depends_on: planned.depends_on.clone(),
        commit: done.iter().find(|(stage, _)| *stage == planned.stage).map(|(_, commit)| commit.to_string()),
    };
    work.plan.stages.iter().map(line).collect()
}

/// The pull request: a review commit on top, all of it squashed, every branch deleted, and git collects.
fn squash(shop: &mut Shop<'_>, work: &Work, recorded: &[CommitId]) -> Result<Step, Error> {
    shop.begin_day(3);
    let (root, worktree) = (shop.root(), shop.worktree(&work.task.key, None)?);
    let mut commands = shop.act(&worktree, script::REVIEW)?;
    work.remove_worktrees(shop, &[1, 2])?;
    commands.extend(shop.act(&root, script::SQUASH)?);
    let git = recorded.iter().map(|commit| facts(shop, work, *commit)).collect::<Result<_, _>>()?;
    let (task, into) = (Some(script::TASK.to_owned()), Some("main".to_owned()));
    let ask = call(shop, &root, Options { task, into, ..Options::default() })?;
    Ok(step(&script::SQUASHED, commands, git, vec![ask]))
}

/// Stage 3: the run is prepared, with all branches gone, and built.
fn go_on(shop: &mut Shop<'_>, work: &Work) -> Result<Step, Error> {
    shop.begin_day(4);
    let (prepared, notices) = work.prepare_run(shop)?;
    work.build(shop, 3, script::THIRD)?;
    let command = shell::command(["okstra", "render-bundle", "--task", script::TASK]);
    let start = |stage: PreparedStage| StageStart { stage: stage.stage, base: stage.base, branch: stage.branch };
    let stages = prepared.stages.into_iter().map(start).collect();
    let run = Some(PreparedRun { command, notices, run: prepared.run, stages });
    Ok(Step { run, ..step(&script::GOES_ON, Vec::new(), Vec::new(), Vec::new()) })
}

fn rebase(shop: &mut Shop<'_>, worktree: &Path) -> Result<Step, Error> {
    let root = shop.root();
    shop.act(&root, script::MAIN_MOVES)?;
    let commands = shop.act(worktree, script::REBASE)?;
    let ask = call(shop, worktree, Options::default())?;
    let apply = call(shop, worktree, Options { apply: true, ..Options::default() })?;
    Ok(step(&script::REBASED, commands, Vec::new(), vec![ask, apply]))
}

fn amend(shop: &mut Shop<'_>, worktree: &Path) -> Result<Step, Error> {
    let commands = shop.act(worktree, script::AMEND)?;
    let ask = call(shop, worktree, Options::default())?;
    let chosen = Options { apply: true, stage: Some(3), use_ref: Some(branch(3)), ..Options::default() };
    let answer = call(shop, worktree, chosen)?;
    Ok(step(&script::AMENDED, commands, Vec::new(), vec![ask, answer]))
}

fn look(shop: &mut Shop<'_>, worktree: &Path) -> Result<Step, Error> {
    let calls = vec![call(shop, worktree, Options::default())?];
    Ok(step(&script::LOOKED, Vec::new(), Vec::new(), calls))
}

fn step(script: &StepScript, commands: Vec<String>, git: Vec<GitFacts>, calls: Vec<Call>) -> Step {
    let StepScript { title, story, moral } = *script;
    Step { title, story, commands, git, run: None, calls, moral }
}

/// Asks `git-reconcile`, for someone who stands in `folder`.
fn call(shop: &mut Shop<'_>, folder: &Path, options: Options) -> Result<Call, Error> {
    let reconciled = reconcile::run(&shop.machine(folder), &options)?;
    Ok(Call { command: typed(&options), options, reconciled })
}

/// The command of these options.
fn typed(options: &Options) -> String {
    let value = |flag: &str, value: &Option<String>| {
        value.iter().flat_map(|value| [flag.to_owned(), value.clone()]).collect::<Vec<_>>()
    };
    let mut words = ["okstra", "git-reconcile"].map(str::to_owned).to_vec();
    words.extend(value("--task", &options.task));
    words.extend(value("--into", &options.into));
    words.extend(options.apply.then(|| "--apply".to_owned()));
    words.extend(value("--stage", &options.stage.map(|stage| stage.to_string())));
    words.extend(value("--use-ref", &options.use_ref));
    shell::command(words)
}

/// What plain git knows of a recorded commit now.
fn facts(shop: &mut Shop<'_>, work: &Work, commit: CommitId) -> Result<GitFacts, Error> {
    let (root, id) = (shop.root(), commit.to_string());
    let branches = shop.git(&root, &["for-each-ref", "--contains", &id, "refs/heads"])?;
    let cherry = shop.git(&root, &["cherry", "main", &id])?;
    let kept = work.task.repository.kept(&shop.machine(&root), &work.task.key.task)?;
    Ok(GitFacts {
        commit: id,
        on_a_branch: !branches.is_empty(),
        found_by_cherry: !cherry.lines().any(|line| line.starts_with('+')),
        kept_by: kept.into_iter().find(|(_, kept)| *kept == commit).map(|(name, _)| name),
    })
}

fn log(shop: &mut Shop<'_>, work: &Work) -> Result<Vec<LogRow>, Error> {
    let root = shop.root();
    let records = LogText::read(&work.task.log())?.rows(&shop.machine(&root))?.records()?;
    let row = |record: crate::domain::records::Record| LogRow {
        stage: record.stage,
        commit: record.head_commit,
        replaced: record.replaced_commit,
        run: record.run.filter(|_| record.reconcile_reason.is_none()),
        reason: record.reconcile_reason,
        reference: record.reference,
    };
    Ok(records.into_iter().filter(|record| record.status == Status::Done).map(row).collect())
}
