//! Records a stage as done, through the operation that later commands use, for scenarios that have no such command.
//!
//! Usage: `recorder ROOT PLAN_RUN_ROOT PROJECT/GROUP/TASK CATEGORY STAGE BASE HEAD`

use std::path::PathBuf;

use okstra::context::Context;
use okstra::ops::record_done::{self, Done};
use okstra::ops::task::{FullSelector, Selector, Task};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = okstra::context::process_arguments()
        .into_iter()
        .skip(1)
        .map(|argument| argument.into_string().unwrap_or_default())
        .collect();
    let [root, plan_run_root, key, category, stage, base, head] = arguments.as_slice() else {
        anyhow::bail!("recorder ROOT PLAN_RUN_ROOT PROJECT/GROUP/TASK CATEGORY STAGE BASE HEAD");
    };
    let names: Vec<&str> = key.split('/').collect();
    let [project, group, task] = names.as_slice() else { anyhow::bail!("`{key}` is no task key") };
    let selector = Selector::Full(Box::new(FullSelector {
        plan_run_root: plan_run_root.into(),
        project_id: (*project).to_owned(),
        task_group: (*group).to_owned(),
        task_id: (*task).to_owned(),
        work_category: category.clone(),
    }));
    let context = Context::from_process();
    let task = Task::find(&context, Some(&PathBuf::from(root)), &selector)?;
    let commit = |text: &str| anyhow::Ok(task.repository.commit_by_id(text)??);
    let done = Done {
        stage: stage.parse()?,
        head: commit(head)?,
        base: commit(base)?,
        run: "implementation-001".to_owned(),
        plan: None,
        carry_path: None,
    };
    record_done::run(&context, &task, &done)?;
    Ok(())
}
