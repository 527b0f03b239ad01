//! What a run must have left before it is finished. Each check says what it misses.

use crate::domain::lifecycle::{Route, TaskType};
use crate::ops::lifecycle::known::Known;
use crate::store::Layout;
use crate::store::runs::Run;

/// A run, and what is known of its task.
struct Checked<'k> {
    known: &'k Known,
    layout: &'k Layout,
    run: &'k Run,
    route: Option<Route>,
}

/// The checks, in the order in which what they miss is told.
const CHECKS: [fn(&Checked<'_>) -> Vec<String>; 4] = [stages_done, stages_integrated, report, route];

/// What is missing, a clause each.
pub(super) fn missing(known: &Known, layout: &Layout, run: &Run, route: Option<Route>) -> Vec<String> {
    let checked = Checked { known, layout, run, route };
    CHECKS.iter().flat_map(|check| check(&checked)).collect()
}

fn stages_done(checked: &Checked<'_>) -> Vec<String> {
    let owned = checked.run.manifest.stages.iter();
    let open = owned.filter(|stage| !checked.known.done.contains_key(&stage.stage));
    open.map(|stage| format!("stage {} is not done", stage.stage)).collect()
}

fn stages_integrated(checked: &Checked<'_>) -> Vec<String> {
    let Checked { known, run, .. } = checked;
    let done = run.manifest.stages.iter().map(|stage| stage.stage).filter(|stage| known.done.contains_key(stage));
    let open = done.filter(|stage| !known.integrated.contains(stage));
    open.map(|stage| format!("stage {stage} is not in the task branch")).collect()
}

fn report(checked: &Checked<'_>) -> Vec<String> {
    let Checked { known, layout, run, .. } = checked;
    let path = match run.manifest.paths.get("report") {
        Some(recorded) => layout.file(recorded),
        None => layout.report(&known.manifest.key.task, run.name, "md"),
    };
    let text = crate::fs::read_text(&path);
    match text {
        Ok(text) if !text.trim().is_empty() => Vec::new(),
        Ok(_) => vec![format!("the report `{}` is empty", layout.recorded(&path))],
        Err(error) if error.is_missing() => vec![format!("there is no report `{}`", layout.recorded(&path))],
        Err(error) => vec![error.to_string()],
    }
}

fn route(checked: &Checked<'_>) -> Vec<String> {
    let is_chosen = checked.route.or(checked.known.lifecycle.route).is_some();
    if checked.run.name.task_type != TaskType::RequirementsDiscovery || is_chosen {
        return Vec::new();
    }
    vec![format!("no route was chosen: --route {}", Route::ALL.map(Route::as_str).join("|"))]
}
