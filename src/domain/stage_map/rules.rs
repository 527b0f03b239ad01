//! The rules S1 to S8; `overlap.rs` has S9.

use std::collections::{HashMap, HashSet};

use super::MAX_STEPS;
use super::graph::Graph;
use super::outline::{MAP, Outline};
use super::rows::{COLUMNS, MapRow, Table};
use super::section::{CheckKind, Part, Section};
use super::violation::{Rule, Violation};

/// What a plan breaks of them.
pub(super) fn check(outline: &Outline<'_>, table: &Table) -> Vec<Violation> {
    let mut violations = map(outline, table);
    let rows = table.rows();
    violations.extend(numbers(rows));
    violations.extend(sections(outline, rows));
    violations.extend(dependencies(rows));
    violations.extend(cycles(rows));
    violations.extend(rows.iter().filter_map(step_count));
    let known = by_number(rows);
    violations.extend(outline.sections.iter().flat_map(|section| steps(section, known.get(&section.number).copied())));
    violations.extend(outline.sections.iter().flat_map(validation));
    violations
}

/// S1.
fn map(outline: &Outline<'_>, table: &Table) -> Vec<Violation> {
    let new = |line, message: String, mend: &str| Violation::new(Rule::S1, line, message, mend);
    match (outline.maps.as_slice(), table) {
        ([], _) => {
            let near = outline.near(None);
            let but = near.map(|near| format!("; {}", near.shown())).unwrap_or_default();
            let line = near.map_or(1, |near| near.line);
            vec![new(line, format!("there is no section `## {MAP}`{but}"), "add it, with the table of the stages")]
        }
        ([map], Table::None) => match map.tables.as_slice() {
            [] => vec![new(map.line, "the Stage Map has no table".to_owned(), COLUMNS_MEND)],
            [_, second, ..] => {
                let line = outline.lines.number(second.range.start);
                vec![new(line, "the Stage Map has more than one table".to_owned(), "put all stages into one table")]
            }
            [_] => Vec::new(),
        },
        ([_], Table::Found { line, missing, repeated, rows }) => columns(*line, missing, repeated, rows),
        ([first, others @ ..], _) => others
            .iter()
            .map(|map| {
                let message = format!("there is a Stage Map already, on line {}", first.line);
                new(map.line, message, "keep one section of that name, with all stages")
            })
            .collect(),
    }
}

const COLUMNS_MEND: &str = "give it a table with the columns stage, title, depends-on, step-count and files";

fn columns(line: usize, missing: &[&str], repeated: &[&str], rows: &[MapRow]) -> Vec<Violation> {
    let new = |line, message: String, mend: &str| Violation::new(Rule::S1, line, message, mend);
    let mut violations = Vec::new();
    if !missing.is_empty() {
        violations.push(new(line, format!("the table has no column {}", listed(missing)), COLUMNS_MEND));
    }
    if !repeated.is_empty() {
        let mend = format!("keep one of each; the columns are {}", COLUMNS.join(", "));
        violations.push(new(line, format!("the table has {} more than once", listed(repeated)), &mend));
    }
    if violations.is_empty() && rows.is_empty() {
        violations.push(new(line, "the table has no stages".to_owned(), "add a row for each stage"));
    }
    let wide = rows.iter().filter(|row| row.has_more_cells);
    violations.extend(wide.map(|row| {
        let message = "the row has more cells than the table has columns".to_owned();
        new(row.line, message, "write `\\|` for a `|` within a cell, also in backticks")
    }));
    violations
}

/// S2.
fn numbers(rows: &[MapRow]) -> Vec<Violation> {
    let (mut violations, mut lines, mut expected) = (Vec::new(), HashMap::new(), 1_u32);
    for row in rows {
        let new = |message: String| {
            Violation::new(Rule::S2, row.line, message, "number the stages 1, 2, 3 … in the order of the rows")
        };
        match &row.stage {
            Err(text) => violations.push(new(format!("`{text}` is no stage number; {expected} is expected"))),
            Ok(stage) => {
                if let Some(line) = lines.insert(*stage, row.line) {
                    violations.push(new(format!("stage {stage} is here already, on line {line}")));
                } else if *stage != expected {
                    violations.push(new(format!("stage {stage} is here, and {expected} is expected")));
                }
                expected = *stage;
            }
        }
        expected = expected.saturating_add(1);
    }
    violations
}

/// S3.
fn sections(outline: &Outline<'_>, rows: &[MapRow]) -> Vec<Violation> {
    let new = |line, message: String, mend: String| Violation::new(Rule::S3, line, message, mend);
    let mut violations = Vec::new();
    let again = outline.sections.iter().filter_map(|section| {
        let first = outline.section(section.number).filter(|first| first.line != section.line)?;
        let message = format!("stage {} has a section already, on line {}", section.number, first.line);
        Some(new(section.line, message, "keep one section for each stage".to_owned()))
    });
    violations.extend(again);
    let known = by_number(rows);
    for row in rows {
        let Ok(stage) = row.stage else { continue };
        match outline.section(stage) {
            Some(section) => violations.extend(titles(row, section)),
            None => violations.push(no_section(outline, row, stage)),
        }
    }
    // Where there is no table, S1 says so once.
    let lost = outline.sections.iter().filter(|section| !rows.is_empty() && !known.contains_key(&section.number));
    violations.extend(lost.map(|section| {
        let message = format!("stage {} has a section and no row in the Stage Map", section.number);
        new(section.line, message, "add its row, or take the section out".to_owned())
    }));
    violations
}

fn no_section(outline: &Outline<'_>, row: &MapRow, stage: u32) -> Violation {
    let near = outline.near(Some(stage));
    let but = near.map(|near| format!("; {}", near.shown())).unwrap_or_default();
    let mend = format!("begin its section with `## Stage {stage}: {}`", row.title);
    Violation::new(Rule::S3, row.line, format!("stage {stage} has no section{but}"), mend)
}

fn titles(row: &MapRow, section: &Section) -> Option<Violation> {
    let number = section.number;
    if row.title.is_empty() {
        let mend = "write the title of its section into the row";
        return Some(Violation::new(Rule::S3, row.line, format!("stage {number} has no title"), mend));
    }
    let message = format!(
        "stage {number} is “{}” here and “{}” in the Stage Map, on line {}",
        section.title, row.title, row.line
    );
    (row.title != section.title)
        .then(|| Violation::new(Rule::S3, section.line, message, "write one title in both places"))
}

/// S4.
fn dependencies(rows: &[MapRow]) -> Vec<Violation> {
    const MEND: &str = "write `(none)`, or the numbers of other stages with commas between them";
    let known = by_number(rows);
    let mut violations = Vec::new();
    for row in rows {
        let new = |message: String| Violation::new(Rule::S4, row.line, message, MEND);
        let named = match &row.depends_on {
            Ok(named) => named,
            Err(text) => {
                violations.push(new(format!("{} depends on `{text}`, which names no stages", name(row))));
                continue;
            }
        };
        let mut seen = HashSet::new();
        for stage in named {
            let wrong = match seen.insert(stage) {
                false => " twice",
                true if row.stage == Ok(*stage) => ", which is itself",
                true if !known.contains_key(stage) => ", which is not in the Stage Map",
                true => continue,
            };
            violations.push(new(format!("{} depends on stage {stage}{wrong}", name(row))));
        }
    }
    violations
}

/// S5.
fn cycles(rows: &[MapRow]) -> Vec<Violation> {
    let cycles = Graph::of(rows).cycles().into_iter();
    cycles
        .map(|cycle| {
            // A cycle of a thousand stages is not read by anyone.
            const SHOWN: usize = 12;
            let mut shown: Vec<_> = cycle.iter().take(SHOWN).map(|&place| number(&rows[place])).collect();
            if cycle.len() > SHOWN {
                shown.extend(["…".to_owned(), number(&rows[cycle[0]])]);
            }
            let message = format!("stages wait for one another: {}", shown.join(" → "));
            Violation::new(Rule::S5, rows[cycle[0]].line, message, "take one of these dependencies out")
        })
        .collect()
}

/// S6.
fn step_count(row: &MapRow) -> Option<Violation> {
    let message = match &row.step_count {
        Ok(1..=MAX_STEPS) => return None,
        Ok(count) => format!("{} has {count} steps, and 1 to {MAX_STEPS} are allowed", name(row)),
        Err(text) => format!("{} has `{text}` as its number of steps", name(row)),
    };
    let mend = format!("give the stage 1 to {MAX_STEPS} steps; cut it where what belongs together ends");
    Some(Violation::new(Rule::S6, row.line, message, mend))
}

/// S7.
fn steps(section: &Section, row: Option<&MapRow>) -> Vec<Violation> {
    let line = section.line_of(Part::Steps);
    let stage = section.number;
    let mut violations = Vec::new();
    if section.count(Part::Steps) > 1 {
        let message = format!("stage {stage} has `### Steps` more than once");
        violations.push(Violation::new(Rule::S7, line, message, "keep one, with all steps"));
        return violations;
    }
    if let Some(empty) = section.steps.iter().position(String::is_empty) {
        let message = format!("step {} of stage {stage} says nothing", empty + 1);
        violations.push(Violation::new(Rule::S7, line, message, "say what is to be done, or take it out"));
    }
    let Some((row, Ok(count))) = row.map(|row| (row, &row.step_count)) else { return violations };
    let there = section.steps.len();
    if u32::try_from(there).ok() != Some(*count) {
        let how = match section.count(Part::Steps) {
            0 => format!("stage {stage} has no `### Steps`"),
            _ if there == 0 && section.has_other_list_of_steps => {
                format!("the steps of stage {stage} are no numbered list")
            }
            _ => format!("stage {stage} has {}", counted(there, "step")),
        };
        let message = format!("{how}, and its row on line {} says {count}", row.line);
        violations.push(Violation::new(
            Rule::S7,
            line,
            message,
            "number the steps in a list, and write their number into the row",
        ));
    }
    violations
}

/// S8.
fn validation(section: &Section) -> Vec<Violation> {
    const CHECK_MEND: &str = "write each as an item like: - post: `cargo test`";
    let stage = section.number;
    let new = |line, message: String, mend: &str| Violation::new(Rule::S8, line, message, mend);
    let mut violations: Vec<_> = section
        .checks
        .iter()
        .filter_map(|check| match check.kind {
            CheckKind::Wrong(why) => Some(new(
                check.line,
                format!("an item of the Stage Validation of stage {stage} is wrong: {why}"),
                CHECK_MEND,
            )),
            _ => None,
        })
        .collect();
    let asked = [
        (Part::Validation, section.checks.iter().any(|check| matches!(check.kind, CheckKind::Post(_))), CHECK_MEND),
        (Part::ExitContract, !section.exit_contract.is_empty(), "list what must hold when the stage is done"),
        (Part::Rollback, !section.rollback.is_empty(), "say how the stage is taken back"),
    ];
    for (part, is_there, mend) in asked {
        let part_name = part.name();
        match section.count(part) {
            0 => violations.push(new(section.line, format!("stage {stage} has no `### {part_name}`"), mend)),
            1 if !is_there => {
                let lacks = if part == Part::Validation { "has no `post` command" } else { "says nothing" };
                violations.push(new(section.line_of(part), format!("the {part_name} of stage {stage} {lacks}"), mend));
            }
            1 => {}
            _ => {
                let message = format!("stage {stage} has `### {part_name}` more than once");
                violations.push(new(section.line_of(part), message, "keep one"));
            }
        }
    }
    violations
}

/// The first row of each stage.
fn by_number(rows: &[MapRow]) -> HashMap<u32, &MapRow> {
    // Of two entries the later one stays.
    rows.iter().rev().filter_map(|row| Some((*row.stage.as_ref().ok()?, row))).collect()
}

fn name(row: &MapRow) -> String {
    format!("stage {}", number(row))
}

fn number(row: &MapRow) -> String {
    row.stage.as_ref().map_or_else(|text| format!("`{text}`"), ToString::to_string)
}

fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn counted(count: usize, what: &str) -> String {
    match count {
        0 => format!("no {what}s"),
        1 => format!("one {what}"),
        _ => format!("{count} {what}s"),
    }
}
