//! The table of the Stage Map, row by row.

use super::blocks::{Block, Cell, Kind, Row, Span, plain};
use super::hash;
use super::outline::Outline;
use crate::domain::glob::{Glob, GlobError};
use crate::domain::plan::PlanStage;

/// The columns that the table must have.
pub(super) const COLUMNS: [&str; 5] = ["stage", "title", "depends-on", "step-count", "files"];

/// The table, or why there is none.
pub(super) enum Table {
    /// There is no one table.
    None,
    /// The table, which may lack columns.
    Found {
        line: usize,
        /// Columns that are missing, or there more than once.
        missing: Vec<&'static str>,
        repeated: Vec<&'static str>,
        rows: Vec<MapRow>,
    },
}

/// A row of the table. What cannot be read is kept as it is written.
pub(super) struct MapRow {
    pub(super) line: usize,
    pub(super) stage: Result<u32, String>,
    pub(super) title: String,
    pub(super) depends_on: Result<Vec<u32>, String>,
    pub(super) step_count: Result<u32, String>,
    /// Why the cell is no list of paths, where it is none.
    pub(super) files: Result<Vec<File>, &'static str>,
    pub(super) has_more_cells: bool,
    /// All cells with the names of their columns, for the hash.
    cells: Vec<(String, String)>,
}

/// A path that a stage may touch.
pub(super) struct File {
    /// As it is written.
    pub(super) path: String,
    pub(super) glob: Result<Glob, GlobError>,
}

impl Table {
    pub(super) fn rows(&self) -> &[MapRow] {
        match self {
            Self::None => &[],
            Self::Found { rows, .. } => rows,
        }
    }
}

/// The table of the plan, where there is one Stage Map with one table.
pub(super) fn find(outline: &Outline<'_>) -> Table {
    let [map] = outline.maps.as_slice() else { return Table::None };
    let [Block { range, kind: Kind::Table { header, rows } }] = map.tables.as_slice() else { return Table::None };
    let names: Vec<_> = header.cells.iter().map(|cell| plain(&cell.spans).to_ascii_lowercase()).collect();
    let count = |column: &str| names.iter().filter(|name| *name == column).count();
    let missing: Vec<_> = COLUMNS.into_iter().filter(|column| count(column) == 0).collect();
    let repeated: Vec<_> = COLUMNS.into_iter().filter(|column| count(column) > 1).collect();
    let readable = missing.is_empty() && repeated.is_empty();
    let rows = if readable { rows.as_slice() } else { &[] };
    let places = COLUMNS.map(|column| names.iter().position(|name| name == column).unwrap_or_default());
    let order = hash_order(&names, places);
    Table::Found {
        line: outline.lines.number(range.start),
        missing,
        repeated,
        rows: rows.iter().map(|row| MapRow::read(outline, row, places, &order)).collect(),
    }
}

/// The names of the columns with their places: the five in their order, then all others in theirs.
fn hash_order(names: &[String], places: [usize; 5]) -> Vec<(String, usize)> {
    let others = (0..names.len()).filter(|place| !places.contains(place));
    places.into_iter().chain(others).map(|place| (names.get(place).cloned().unwrap_or_default(), place)).collect()
}

impl MapRow {
    fn read(outline: &Outline<'_>, row: &Row, places: [usize; 5], order: &[(String, usize)]) -> Self {
        let text = |column: usize| row.cells.get(places[column]).map(|cell| plain(&cell.spans)).unwrap_or_default();
        let source = |place: usize| row.cells.get(place).map(|cell| cell.source.clone()).unwrap_or_default();
        Self {
            line: outline.lines.number(row.range.start),
            stage: number(&text(0)).ok_or_else(|| text(0)),
            title: text(1),
            depends_on: dependencies(&text(2)).ok_or_else(|| text(2)),
            step_count: number(&text(3)).ok_or_else(|| text(3)),
            files: row.cells.get(places[4]).map_or(Err(NO_FILES), files),
            has_more_cells: row.has_more,
            cells: order.iter().map(|(name, place)| (name.clone(), source(*place))).collect(),
        }
    }

    /// Its globs that can be gone by, as they are written.
    pub(super) fn globs(&self) -> impl Iterator<Item = &Glob> {
        self.files.iter().flatten().filter_map(|file| file.glob.as_ref().ok())
    }

    /// The stage, as far as row and section say what it is; nothing without a number.
    pub(super) fn to_stage(&self, outline: &Outline<'_>) -> Option<PlanStage> {
        let stage = *self.stage.as_ref().ok()?;
        let section = outline.section(stage);
        let (pre, post) = section.map(super::section::Section::commands).unwrap_or_default();
        let lines = section.and_then(|section| outline.text.get(section.range.clone()));
        Some(PlanStage {
            stage,
            title: self.title.clone(),
            depends_on: self.depends_on.clone().unwrap_or_default(),
            step_count: self.step_count.clone().unwrap_or_default(),
            files: self.files.iter().flatten().map(|file| file.path.clone()).collect(),
            hash: hash::of_stage(&self.cells, lines.unwrap_or_default()),
            section_line: section.map_or(0, |section| section.line),
            steps: section.map(|section| section.steps.clone()).unwrap_or_default(),
            pre,
            post,
            exit_contract: section.map(|section| section.exit_contract.clone()).unwrap_or_default(),
            rollback: section.map(|section| section.rollback.clone()).unwrap_or_default(),
        })
    }
}

const NO_FILES: &str = "it names no files";
const NOT_FILES: &str = "its files are not paths in backticks with commas between them";

/// The paths in a cell: code spans with commas between them.
fn files(cell: &Cell) -> Result<Vec<File>, &'static str> {
    let mut files = Vec::new();
    let mut wants_comma = false;
    for span in &cell.spans {
        match span {
            Span::Code(path) if !wants_comma => {
                files.push(File { path: path.clone(), glob: Glob::parse(path) });
                wants_comma = true;
            }
            Span::Text(text) if text.trim() == "," && wants_comma => wants_comma = false,
            Span::Text(text) if text.trim().is_empty() => {}
            _ => return Err(NOT_FILES),
        }
    }
    match (files.is_empty(), wants_comma) {
        (true, _) => Err(NO_FILES),
        (_, false) => Err(NOT_FILES),
        _ => Ok(files),
    }
}

/// The stages in a cell: `(none)`, or numbers with commas between them, each once.
fn dependencies(text: &str) -> Option<Vec<u32>> {
    if text.eq_ignore_ascii_case("(none)") {
        return Some(Vec::new());
    }
    text.split(',').map(|part| number(part.trim())).collect()
}

/// A number in digits; one that is too great is the greatest.
fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u32::MAX))
}
