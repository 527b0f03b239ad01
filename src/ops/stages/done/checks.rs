//! Running the commands of the plan, each with a log.

use std::path::PathBuf;

use super::super::{layout, to_recorded};
use super::ground::Ground;
use super::{Facts, StageError};
use crate::context::Context;
use crate::domain::stages::Check;
use crate::fs;
use crate::ops::Error;
use crate::ops::task::Task;
use crate::process::{self, Command};

/// How much of what a command says is kept: 256 KiB.
const LOG_BYTES: usize = 256 * 1024;
/// What would lead git elsewhere, where okstra itself was started by a hook.
const OF_ANOTHER: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
];

impl Facts {
    /// Runs every command of the plan at the commit.
    ///
    /// # Errors
    /// [`StageError::CheckFailed`] when one failed and no waiver was given, [`StageError::Changed`] when commit or files
    /// are then no longer what they were.
    pub(super) fn validate(&self, context: &Context, task: &Task) -> Result<Vec<Check>, Error> {
        let ground = Ground::open(context, task, self)?;
        let mut checks = Vec::new();
        for (command, number) in self.planned.post.iter().zip(1..) {
            checks.push(self.run_one(context, task, (&ground, command, number))?);
        }
        self.check_unchanged(context, task, &ground)?;
        let stage = self.planned.stage;
        let failed: Vec<Check> = checks.iter().filter(|check| check.exit_code != 0).cloned().collect();
        match (failed.is_empty(), &self.waiver) {
            (true, _) => Ok(checks),
            (false, Some(why)) => {
                context.warn(format!("stage {stage} has commands that failed; they were waived: {why}"));
                Ok(checks)
            }
            (false, None) => {
                let absolute = |log: String| to_recorded(task, &log).to_string_lossy().into_owned();
                let failed = failed.into_iter().map(|check| Check { log: check.log.map(absolute), ..check }).collect();
                Err(StageError::CheckFailed { stage, failed }.into())
            }
        }
    }

    fn run_one(
        &self,
        context: &Context,
        task: &Task,
        (ground, command, number): (&Ground<'_>, &str, u32),
    ) -> Result<Check, Error> {
        let watch = context.clock().start();
        let shell = Command::new("sh").args(["-c", &format!("exec 2>&1\n{command}")]);
        let shell = OF_ANOTHER.iter().fold(shell, |shell, name| shell.env_remove(*name));
        let ran = shell.keeping(LOG_BYTES).in_folder(&ground.folder).run(context);
        let (exit_code, said) = match ran {
            Ok(output) => (output.ending.code(), output.stdout),
            Err(process::Error::Cancelled(cancelled)) => return Err(cancelled.into()),
            Err(error) => (error.exit_code().unwrap_or(126), error.to_string().into_bytes()),
        };
        let duration_ms = u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX);
        let log = layout(task)?.recorded(&self.store_log(task, number, &said)?);
        let (tree, log) = (Some(self.tree.clone()), Some(log));
        Ok(Check { command: command.to_owned(), phase: "post".to_owned(), exit_code, duration_ms, tree, log })
    }

    /// Stores what a command said, in a file of its own.
    fn store_log(&self, task: &Task, number: u32, said: &[u8]) -> Result<PathBuf, Error> {
        let folder = layout(task)?.run_root(&task.key.task, "implementation").join("checks");
        fs::create_folder(&folder)?;
        let base = format!("{}-stage-{}-post-{number}", self.run, self.planned.stage);
        let mut attempt = 1;
        loop {
            let suffix = if attempt == 1 { String::new() } else { format!("-a{attempt}") };
            let path = folder.join(format!("{base}{suffix}.log"));
            if fs::create_new(&path, said)? {
                return Ok(path);
            }
            attempt += 1;
        }
    }

    fn check_unchanged(&self, context: &Context, task: &Task, ground: &Ground<'_>) -> Result<(), Error> {
        let stage = self.planned.stage;
        let path = ground.folder.to_string_lossy().into_owned();
        let changed = |what: String| Err(StageError::Changed { stage, what, path: path.clone() }.into());
        let files = ground.changed(context)?;
        if !files.is_empty() {
            let files: Vec<_> = files.iter().map(ToString::to_string).collect();
            return changed(files.join(", "));
        }
        let head = task.repository.head_of(context, &ground.folder)?.map(|head| head.commit);
        let is_id = self.head.name.parse::<crate::domain::ids::ObjectId>().is_ok();
        let tip = if is_id { Some(self.head.commit) } else { task.repository.ref_commit(context, &self.head.name)? };
        match head == Some(self.head.commit) && tip == Some(self.head.commit) {
            true => Ok(()),
            false => changed(format!("where `{}` is", self.head.name)),
        }
    }
}
