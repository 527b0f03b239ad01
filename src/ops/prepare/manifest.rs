//! The manifest of a run, as far as it is known before the texts are rendered.

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::claim::Claim;
use super::input::Input;
use super::work::Work;
use crate::context::Context;
use crate::domain::lifecycle::RunName;
use crate::domain::roster::Chosen;
use crate::domain::run::{Brief, Lead, PlanOfRun, RunManifest, RunWorker, Vendor, WorkerRole};
use crate::ops::Error;
use crate::ops::task::Task;
use crate::render;
use crate::store::{Layout, WorkerFile};

/// Everything but `instructionSet` and `overrides`.
pub(super) fn draft(
    context: &Context,
    task: &Task,
    layout: &Layout,
    (input, claim, work): (&Input, &Claim<'_>, &Work<'_>),
) -> Result<RunManifest, Error> {
    let (name, run) = (&task.key.task, claim.run());
    let created_at = context.clock().moment().to_string();
    let recorded = |path: &Path| layout.recorded(path);
    let run_root = recorded(&layout.root_of_run(name, run));
    let seed = format!("{}\n{run}\n{created_at}", task.key);
    let is_building = input.task_type.edits_source();
    let worktree = work.worktree.as_ref().map(|(_, path)| path.to_string_lossy().into_owned());
    let folder = worktree.clone().filter(|_| is_building).unwrap_or_else(|| task.root.to_string_lossy().into_owned());
    let more_folders = more_folders(layout, task, run, work, &folder);
    Ok(RunManifest {
        run: run.to_string(),
        task_key: task.key.to_string(),
        task_type: input.task_type,
        category: task.category.to_string(),
        okstra_version: env!("CARGO_PKG_VERSION").to_owned(),
        base_commit: work.base.to_string(),
        brief: Brief {
            path: format!("{run_root}/{}/task-brief.md", render::instruction_folder(run)),
            sha256: input.brief_sha256.clone(),
        },
        plan: work.plan.as_ref().map(|plan| PlanOfRun {
            id: plan.id.clone(),
            path: recorded(&task.plans().join(format!("{}.md", plan.id))),
        }),
        stages: work.stages(),
        task_branch: work.worktree.as_ref().map(|(branch, _)| branch.clone()),
        task_worktree: worktree.clone(),
        qa_waiver: input.qa_waiver.clone(),
        lead: Lead {
            vendor: Vendor::Claude,
            session_id: session_id(&seed, "lead"),
            prompt_path: format!("{run_root}/{}/claude-execution-prompt.md", render::instruction_folder(run)),
            folder,
            more_folders,
        },
        workers: input
            .roster
            .iter()
            .map(|chosen| worker(task, layout, (run, chosen), (&seed, &run_root, &worktree)))
            .collect(),
        convergence: input.convergence,
        instruction_set: Vec::new(),
        overrides: Vec::new(),
        paths: paths(layout, task, run),
        run_root,
        created_at,
    })
}

fn worker(
    task: &Task,
    layout: &Layout,
    (run, chosen): (RunName, &Chosen),
    (seed, run_root, task_worktree): (&str, &str, &Option<String>),
) -> RunWorker {
    let file = WorkerFile::first(&chosen.name);
    let key = &task.key;
    let snapshot = || task.home.snapshot(key, &run.to_string(), &chosen.name).to_string_lossy().into_owned();
    RunWorker {
        name: chosen.name.clone(),
        vendor: chosen.vendor,
        role: chosen.role,
        model: chosen.model.clone(),
        session_id: session_id(seed, &chosen.name),
        prompt_path: format!("{run_root}/{}", render::prompt_path(&chosen.name, run)),
        result_path: layout.recorded(&layout.worker_result(&key.task, run, file)),
        errors_path: layout.recorded(&layout.worker_errors(&key.task, run, file)),
        worktree: match chosen.role {
            WorkerRole::Executor => task_worktree.clone(),
            WorkerRole::ReportWriter => None,
            WorkerRole::Analyst | WorkerRole::Verifier => Some(snapshot()),
        },
        deadline_seconds: u64::from(run.task_type.deadline_minutes()) * 60,
    }
}

/// The folders that the lead must reach besides its own.
fn more_folders(layout: &Layout, task: &Task, run: RunName, work: &Work<'_>, folder: &str) -> Vec<String> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let worktrees = work.stages().into_iter().map(|stage| stage.worktree);
    let own = work.worktree.iter().map(|(_, path)| text(path));
    let all = [text(&layout.root_of_run(&task.key.task, run))].into_iter().chain(own).chain(worktrees);
    all.filter(|more| more != folder).collect()
}

fn paths(layout: &Layout, task: &Task, run: RunName) -> BTreeMap<String, String> {
    let name = &task.key.task;
    let mut paths = BTreeMap::from([
        ("report", layout.report(name, run, "md")),
        ("reportData", layout.report(name, run, "data.json")),
        ("reportHtml", layout.report(name, run, "html")),
        ("teamState", layout.team_state(name, run)),
        ("convergence", layout.convergence(name, run)),
    ]);
    if run.task_type.edits_source() {
        paths.insert("pullRequest", layout.pull_request(name, run));
        paths.insert("carry", layout.carry(name));
    }
    paths.into_iter().map(|(what, path)| (what.to_owned(), layout.recorded(&path))).collect()
}

/// A session id, a UUID of version 8 (RFC 9562): made from what names the run and its worker, so that the same prepare
/// makes the same one.
fn session_id(seed: &str, worker: &str) -> String {
    let mut bytes = [0_u8; 16];
    bytes.copy_from_slice(&Sha256::digest(format!("{seed}\n{worker}"))[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}
