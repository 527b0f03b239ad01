//! The files of a task here and there: which of two of one name is taken.

use crate::domain::lifecycle::{RunName, TaskType};
use crate::domain::run::{RunStatus, TeamState};

/// What a file of a task's folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The log of its stages.
    Log,
    /// Its timeline.
    Timeline,
    /// Its manifest.
    Manifest,
    /// Its index, which is made from other files.
    Index,
    /// The manifest of a run.
    RunManifest(RunName),
    /// The state of a run.
    TeamState(RunName),
    /// A frozen plan.
    Plan,
    /// What a stage handed on.
    Carry,
    /// Any other file. It is not changed once it is written, or by one run alone.
    Other,
}

/// Which of two is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// What is here stays.
    Keep,
    /// What is there.
    Take,
    /// A person has to look.
    Split,
}

/// What the file with this path below the folder of its task is.
pub fn kind(path: &str) -> Kind {
    match path {
        "task-manifest.json" => return Kind::Manifest,
        "task-index.md" => return Kind::Index,
        "timeline.jsonl" => return Kind::Timeline,
        "runs/implementation-planning/consumers.jsonl" => return Kind::Log,
        _ => {}
    }
    let Some((task_type, folder, name)) = parts(path) else { return Kind::Other };
    let run = |prefix: &str| {
        let run: RunName = name.strip_prefix(prefix)?.strip_suffix(".json")?.parse().ok()?;
        (run.task_type == task_type).then_some(run)
    };
    let is_json = name.ends_with(".json") && !name.starts_with('.');
    match folder {
        "manifests" => run("run-manifest-").map_or(Kind::Other, Kind::RunManifest),
        "state" => run("team-state-").map_or(Kind::Other, Kind::TeamState),
        "plans" if is_json && task_type == TaskType::ImplementationPlanning => Kind::Plan,
        "carry" if is_json && task_type == TaskType::Implementation => Kind::Carry,
        _ => Kind::Other,
    }
}

/// The run that the file with this path below the folder of its task belongs to.
pub fn run_of(path: &str) -> Option<RunName> {
    let rest = path.strip_prefix("runs/")?;
    let (task_type, below) = rest.split_once('/')?;
    let task_type: TaskType = task_type.parse().ok()?;
    let number = match below.strip_prefix("instruction-set/") {
        Some(rest) => rest.split('/').next()?,
        None => {
            let name = below.rsplit('/').next()?;
            let marks = [format!("-{task_type}-"), "pull-request-".to_owned()];
            let after = marks.iter().find_map(|mark| name.split_once(mark.as_str()))?.1;
            after.split(|c: char| !c.is_ascii_digit()).next()?
        }
    };
    Some(RunName { task_type, number: number.parse().ok()? })
}

/// The type of the runs, the folder and the name of a file three levels below `runs/`.
fn parts(path: &str) -> Option<(TaskType, &str, &str)> {
    let (task_type, rest) = path.strip_prefix("runs/")?.split_once('/')?;
    let (folder, name) = rest.split_once('/').filter(|(_, name)| !name.contains('/'))?;
    Some((task_type.parse().ok()?, folder, name))
}

/// Chooses between what is here and what is there, given what both had in `common`: who has changed nothing since then
/// takes what the other made of it.
pub fn choose(ours: Option<&[u8]>, theirs: &[u8], common: &[&[u8]]) -> Choice {
    let Some(ours) = ours else { return Choice::Take };
    if ours == theirs {
        return Choice::Keep;
    }
    match (common.contains(&ours), common.contains(&theirs)) {
        (true, false) => Choice::Take,
        (false, true) => Choice::Keep,
        _ => Choice::Split,
    }
}

/// Chooses between two states of a run that both went on: the one that is further.
pub fn later_state(ours: &TeamState, theirs: &TeamState) -> Choice {
    let rank = |state: &TeamState| match state.status {
        RunStatus::Prepared => 0,
        RunStatus::Running => 1,
        RunStatus::Finished | RunStatus::Abandoned => 2,
    };
    match rank(ours).cmp(&rank(theirs)) {
        std::cmp::Ordering::Less => Choice::Take,
        std::cmp::Ordering::Greater => Choice::Keep,
        std::cmp::Ordering::Equal => Choice::Split,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_place() {
        let run = |name: &str| name.parse::<RunName>().unwrap();
        let planning = "runs/implementation-planning";
        let cases = [
            ("task-manifest.json".to_owned(), Kind::Manifest),
            ("task-index.md".to_owned(), Kind::Index),
            ("timeline.jsonl".to_owned(), Kind::Timeline),
            (format!("{planning}/consumers.jsonl"), Kind::Log),
            ("runs/implementation/consumers.jsonl".to_owned(), Kind::Other),
            (format!("{planning}/plans/001-a.json"), Kind::Plan),
            (format!("{planning}/plans/001-a.md"), Kind::Other),
            (format!("{planning}/plans/.x.json"), Kind::Other),
            (format!("{planning}/plans/x/001.json"), Kind::Other),
            ("runs/implementation/plans/001.json".to_owned(), Kind::Other),
            ("runs/implementation/carry/stage-1-a.json".to_owned(), Kind::Carry),
            (
                "runs/implementation/manifests/run-manifest-implementation-002.json".to_owned(),
                Kind::RunManifest(run("implementation-002")),
            ),
            ("runs/implementation/manifests/run-manifest-error-analysis-002.json".to_owned(), Kind::Other),
            (
                "runs/error-analysis/state/team-state-error-analysis-001.json".to_owned(),
                Kind::TeamState(run("error-analysis-001")),
            ),
            ("runs/error-analysis/state/convergence-error-analysis-001.json".to_owned(), Kind::Other),
            ("runs/unheard-of/state/team-state-unheard-of-001.json".to_owned(), Kind::Other),
        ];
        for (path, expected) in cases {
            assert_eq!(kind(&path), expected, "{path}");
        }
    }

    #[test]
    fn a_file_belongs_to_its_run() {
        let cases = [
            ("runs/implementation/instruction-set/002/task-brief.md", Some("implementation-002")),
            ("runs/implementation/manifests/run-manifest-implementation-002.json", Some("implementation-002")),
            ("runs/error-analysis/worker-results/codex-error-analysis-012-r2-a3.md", Some("error-analysis-012")),
            ("runs/implementation/reports/pull-request-003.md", Some("implementation-003")),
            ("runs/implementation/reports/final-report-implementation-004.data.json", Some("implementation-004")),
            ("runs/implementation/carry/stage-1-0000.json", None),
            ("runs/implementation-planning/plans/001-a.md", None),
            ("task-manifest.json", None),
        ];
        for (path, expected) in cases {
            assert_eq!(run_of(path).map(|run| run.to_string()).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn who_changed_nothing_follows_the_other() {
        let (a, b, c): (&[u8], &[u8], &[u8]) = (b"a", b"b", b"c");
        let cases = [
            (None, a, vec![], Choice::Take),
            (Some(a), a, vec![], Choice::Keep),
            (Some(a), a, vec![b], Choice::Keep),
            (Some(a), b, vec![], Choice::Split),
            (Some(a), b, vec![a], Choice::Take),
            (Some(a), b, vec![b], Choice::Keep),
            (Some(a), b, vec![c], Choice::Split),
            (Some(a), b, vec![a, b], Choice::Split),
        ];
        for (ours, theirs, common, expected) in cases {
            assert_eq!(choose(ours, theirs, &common), expected, "{ours:?} {theirs:?} {common:?}");
        }
    }

    #[test]
    fn what_has_ended_stays_so() {
        use RunStatus::{Abandoned, Finished, Prepared, Running};
        let cases = [
            (Prepared, Running, Choice::Take),
            (Prepared, Finished, Choice::Take),
            (Running, Abandoned, Choice::Take),
            (Running, Prepared, Choice::Keep),
            (Finished, Running, Choice::Keep),
            (Running, Running, Choice::Split),
            (Finished, Abandoned, Choice::Split),
            (Finished, Finished, Choice::Split),
        ];
        for (ours, theirs, expected) in cases {
            let state = |status| TeamState { status, ..TeamState::default() };
            assert_eq!(later_state(&state(ours), &state(theirs)), expected, "{ours:?} {theirs:?}");
        }
    }
}
