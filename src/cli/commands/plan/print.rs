//! What the commands about plans say to people.

use crate::cli::output::{Output, Tone};
use crate::cli::table::Cell;
use crate::cli::words;
use crate::domain::stage_graph::{Layers, Slot};
use crate::ops::plan::approve::{Approval, Proposal};
use crate::ops::plan::show::Shown;
use crate::ops::plan::{PlanStage, Violation};

/// What is wrong with a plan: `file:line  RULE  message`, and below each how to mend it.
pub(super) fn violations(plan: &str, violations: &[Violation], output: &mut Output) {
    let findings: Vec<_> = violations
        .iter()
        .map(|found| {
            (format!("{plan}:{}", found.line), found.rule.as_str(), found.message.as_str(), found.mend.as_str())
        })
        .collect();
    output.findings(&findings);
    let count = counted(violations.len(), "violation");
    output.title(&format!("{count} to mend before anything can be built by this plan"));
}

/// What a person is asked to approve.
pub(super) fn proposal(proposal: &Proposal, output: &mut Output) {
    let preview = proposal.preview();
    output.text(&format!("{} ({})", proposal.title().unwrap_or("a plan without a title"), preview.plan));
    for stage in &preview.stages {
        print_stage(stage, output);
    }
    fates(&preview, output);
    let task = &preview.task_key;
    let category = proposal.task().category.to_string();
    let mut fields = vec![("task", task.as_str(), if proposal.makes_the_task() { "it is made" } else { "" })];
    fields.extend([("category", category.as_str(), ""), ("by", proposal.by(), "")]);
    fields.extend(proposal.replaces().map(|id| ("replaces", id, "")));
    fields.push(("sha256", preview.sha256.as_str(), ""));
    output.fields(&fields);
}

fn print_stage(stage: &PlanStage, output: &mut Output) {
    output.title(&format!("{}  {}", stage.stage, stage.title));
    let (after, files) = (numbers(&stage.depends_on), stage.files.join(", "));
    let steps: Vec<_> = stage.steps.iter().map(|step| first_line(step)).collect();
    let contract: Vec<_> = stage.exit_contract.iter().map(|item| first_line(item)).collect();
    let rollback = first_line(&stage.rollback);
    let mut fields = Vec::new();
    fields.extend((!after.is_empty()).then_some(("after", after.as_str(), "")));
    fields.push(("files", files.as_str(), ""));
    fields.extend(steps.iter().map(|step| ("steps", step.as_str(), "")));
    fields.extend(stage.pre.iter().map(|command| ("before", command.as_str(), "")));
    fields.extend(stage.post.iter().map(|command| ("checks", command.as_str(), "")));
    fields.extend(contract.iter().map(|item| ("done when", item.as_str(), "")));
    fields.push(("rollback", rollback.as_str(), ""));
    output.list(&fields);
}

/// What becomes of stages that are done.
pub(super) fn fates(approval: &Approval, output: &mut Output) {
    let fates = &approval.fates;
    let all = [
        (Tone::Good, "stay done", &fates.kept, "row and section are as they were"),
        (Tone::Doubtful, "reopened", &fates.reopened, "they are done, and the plan changes them"),
        (Tone::Doubtful, "removed", &fates.removed, "they are done, and the plan has them no longer"),
    ];
    let rows: Vec<Vec<Cell>> = all
        .into_iter()
        .filter(|(_, _, stages, _)| !stages.is_empty())
        .map(|(tone, word, stages, why)| vec![Cell::of(tone, word), Cell::from(numbers(stages)), Cell::from(why)])
        .collect();
    if !rows.is_empty() {
        output.table(&["done now", "stages", "since"], &rows);
    }
}

/// The stages below one another, each indented by how many layers stand above it.
pub(super) fn list(shown: &Shown, layers: Option<&Layers>, output: &mut Output) {
    let depth = |place: usize| {
        let holds = |layer: &Vec<Slot>| layer.contains(&Slot::Stage(place));
        layers.and_then(|layers| layers.slots.iter().position(holds)).unwrap_or_default()
    };
    output.text("");
    for (place, (stage, state)) in shown.standing().enumerate() {
        let after = match stage.depends_on.as_slice() {
            [] => String::new(),
            others => format!(", after {}", numbers(others)),
        };
        let remark = format!("{}{after}", steps(stage));
        output.entry(
            depth(place),
            &format!("{}  {}", stage.stage, stage.title),
            state.map(words::stage_state),
            &remark,
        );
    }
}

/// How many steps a stage has.
pub(super) fn steps(stage: &PlanStage) -> String {
    counted(usize::try_from(stage.step_count).unwrap_or_default(), "step")
}

fn numbers(stages: &[u32]) -> String {
    stages.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The first line of a text, with an ellipsis where there are more.
fn first_line(text: &str) -> String {
    match text.split_once('\n') {
        Some((first, _)) => format!("{first} …"),
        None => text.to_owned(),
    }
}

/// A number of things, in words for none and one.
pub(super) fn counted(count: usize, what: &str) -> String {
    match count {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
