//! What `okstra status` says to people.

use std::path::Path;

use crate::cli::commands::{next_reconcile, say_stale};
use crate::cli::output::{Output, Tone};
use crate::cli::table::Cell;
use crate::domain::moment::for_people;
use crate::domain::run::{RunStatus, Vendor};
use crate::ops::status::{OpenRun, PhaseState, PhaseStatus, PlanStatus, StageStatus, Status};

/// More stages than this are counted, and only those that are not in the task branch yet are listed.
const MOST_STAGES: usize = 12;

pub(super) fn print(status: &Status, project_root: Option<&Path>, output: &mut Output) {
    output.headline(Tone::Strong, &status.task, &heading(status));
    let rows: Vec<_> = status.phases.iter().map(|phase| phase_row(status, phase)).collect();
    output.table(&["phase", "state", ""], &rows);
    if let Some(plan) = &status.plan {
        print_stages(plan, output);
    }
    if !status.kept.is_empty() {
        let kept = status.kept.iter().map(|kept| {
            let what = format!("stage {} of {}", kept.stage, kept.run);
            vec![Cell::from(what), Cell::from(&kept.worktree)]
        });
        output.table(&["kept of abandoned runs", "worktree"], &kept.collect::<Vec<_>>());
    }
    let stages = status.plan.iter().flat_map(|plan| &plan.stages);
    let stale = stages.filter_map(|stage| Some((stage.stage, stage.stale.as_deref()?)));
    if say_stale(stale, output) && status.next.step != "git-reconcile" {
        next_reconcile(&status.task, project_root, output);
    }
    output.next(&status.next.reason, &[]);
    if let Some(command) = &status.next.command {
        output.paste(command);
    }
}

fn heading(status: &Status) -> String {
    let route = status.route.map(|route| format!("route {route}"));
    let closed = status.closed_at.as_ref().map(|_| "closed".to_owned());
    let parts = [status.title.clone(), Some(status.category.clone()), route, closed];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn phase_row(status: &Status, phase: &PhaseStatus) -> Vec<Cell> {
    let (tone, word) = match phase.state {
        PhaseState::Done => (Tone::Good, "done"),
        PhaseState::Open => (Tone::Doubtful, "open"),
        PhaseState::Next => (Tone::Strong, "next"),
        PhaseState::LeftOut => (Tone::Quiet, "left out"),
        PhaseState::ToCome => (Tone::Quiet, "to come"),
    };
    let open = status.open.iter().filter(|open| phase.runs.iter().any(|run| run.run == open.run)).map(open_run);
    let ended = phase.runs.iter().filter(|run| run.status.is_final());
    let ended = ended.map(|run| match run.status {
        RunStatus::Abandoned => format!("{} abandoned", number(&run.run)),
        _ => number(&run.run).to_owned(),
    });
    let what: Vec<_> = phase.reason.iter().cloned().chain(ended).chain(open).collect();
    vec![Cell::from(phase.task_type.as_str()), Cell::of(tone, word), Cell::from(what.join(", "))]
}

/// `002 running for 2 h, led by claude, stages 1, 2, report there`
fn open_run(open: &OpenRun) -> String {
    let lead = match open.lead {
        Vendor::Claude => "claude",
        Vendor::Codex => "codex",
        Vendor::Gemini => "gemini",
    };
    let age = for_people(open.age_seconds);
    let stages: Vec<_> = open.stages.iter().map(ToString::to_string).collect();
    let stages = match stages.as_slice() {
        [] => String::new(),
        [one] => format!(", stage {one}"),
        several => format!(", stages {}", several.join(", ")),
    };
    let lead = match open.is_led {
        Some(false) => format!("its lead, {lead}, has ended"),
        _ => format!("led by {lead}"),
    };
    let report = if open.has_report { ", report there" } else { "" };
    format!("{} {} for {age}, {lead}{stages}{report}", number(&open.run), open.status.as_str())
}

fn print_stages(plan: &PlanStatus, output: &mut Output) {
    let progress = plan.progress;
    output.title(&format!(
        "plan {}: {} of {} stages done, {} integrated",
        plan.id, progress.done, progress.total, progress.integrated
    ));
    let all = plan.stages.len() <= MOST_STAGES;
    let rows: Vec<_> =
        plan.stages.iter().filter(|stage| all || !stage.integrated || stage.stale.is_some()).map(stage_row).collect();
    if !rows.is_empty() {
        output.table(&["stage", "state", "title"], &rows);
    }
}

fn stage_row(stage: &StageStatus) -> Vec<Cell> {
    let state = match (stage.done, stage.integrated, &stage.reserved_by) {
        _ if stage.stale.is_some() => Cell::of(Tone::Doubtful, "stale"),
        (_, true, _) => Cell::of(Tone::Good, "integrated"),
        (true, ..) => Cell::of(Tone::Good, "done"),
        (false, _, Some(run)) => Cell::of(Tone::Doubtful, run),
        (false, _, None) => Cell::of(Tone::Quiet, "to do"),
    };
    vec![Cell::from(stage.stage.to_string()), state, Cell::from(&stage.title)]
}

/// The number of a run, as it stands in its name.
fn number(run: &str) -> &str {
    run.rsplit_once('-').map_or(run, |(_, number)| number)
}
