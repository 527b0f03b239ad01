//! Does to a log what later commands will do, for scenarios that have no such command yet.
//!
//! - `recorder ROOT PLAN_RUN_ROOT PROJECT/GROUP/TASK CATEGORY STAGE BASE HEAD` records a stage as done.
//! - `recorder --many N LOG PROJECT/GROUP/TASK FIRST` appends the rows of N started stages, from stage FIRST, one by one;
//!   prints the stage of each when it is on the disk.
//! - `recorder --hold LOG` locks the log, prints `held`, and holds it for a minute, or until it is killed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use okstra::context::Context;
use okstra::domain::records::{Append, Reappend, Record, Status};
use okstra::ops::record_done::{self, Done};
use okstra::ops::task::{FullSelector, Selector, Task};
use okstra::store::consumers::{self, LogGuard};

const USAGE: &str = "recorder ROOT PLAN_RUN_ROOT PROJECT/GROUP/TASK CATEGORY STAGE BASE HEAD
recorder --many N LOG PROJECT/GROUP/TASK FIRST
recorder --hold LOG";

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = okstra::context::process_arguments()
        .into_iter()
        .skip(1)
        .map(|argument| argument.into_string().unwrap_or_default())
        .collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let context = Context::from_process();
    match arguments.as_slice() {
        ["--many", count, log, key, first] => many(&context, count.parse()?, Path::new(log), key, first.parse()?),
        ["--hold", log] => hold(&context, Path::new(log)),
        [root, plan_run_root, key, category, stage, base, head] => {
            let task = find(&context, (root, plan_run_root), key, category)?;
            done(&context, &task, stage.parse()?, (base, head))
        }
        _ => anyhow::bail!(USAGE),
    }
}

fn find(context: &Context, (root, plan_run_root): (&str, &str), key: &str, category: &str) -> anyhow::Result<Task> {
    let names: Vec<&str> = key.split('/').collect();
    let [project, group, task] = names.as_slice() else { anyhow::bail!("`{key}` is no task key") };
    let selector = Selector::Full(Box::new(FullSelector {
        plan_run_root: plan_run_root.into(),
        project_id: (*project).to_owned(),
        task_group: (*group).to_owned(),
        task_id: (*task).to_owned(),
        work_category: category.to_owned(),
    }));
    Ok(Task::find(context, Some(&PathBuf::from(root)), &selector)?)
}

fn done(context: &Context, task: &Task, stage: u32, (base, head): (&str, &str)) -> anyhow::Result<()> {
    let commit = |text: &str| anyhow::Ok(task.repository.commit_by_id(text)??);
    let done = Done {
        stage,
        head: commit(head)?,
        base: commit(base)?,
        run: "implementation-001".to_owned(),
        plan: None,
        carry_path: None,
    };
    record_done::run(context, task, &done)?;
    Ok(())
}

fn many(context: &Context, count: u32, log: &Path, key: &str, first: u32) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    for stage in first..first + count {
        let row = Record {
            run: Some("implementation-001".to_owned()),
            ..Record::new(key, stage, Status::Started, &"0".repeat(40))
        };
        if consumers::append(log, context, &row, Reappend::Never)? == Append::Write {
            writeln!(out, "{stage}")?;
            out.flush()?;
        }
    }
    Ok(())
}

fn hold(context: &Context, log: &Path) -> anyhow::Result<()> {
    let _alone = LogGuard::lock(log, context)?;
    let mut out = std::io::stdout();
    writeln!(out, "held")?;
    out.flush()?;
    std::thread::sleep(Duration::from_secs(60));
    Ok(())
}
