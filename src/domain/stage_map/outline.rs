//! A plan cut at its headings: the Stage Map, the sections of the stages, and headings that look like them.

use std::collections::HashMap;
use std::ops::Range;

use super::blocks::{self, Block, Kind};
use super::place::Lines;
use super::section::Section;

/// The name of the section with the table.
pub(super) const MAP: &str = "Stage Map";

/// A plan, cut.
pub(super) struct Outline<'a> {
    /// The text, without a byte order mark.
    pub(super) text: &'a str,
    pub(super) lines: Lines,
    /// The first heading of all.
    pub(super) title: Option<String>,
    /// The sections named [`MAP`].
    pub(super) maps: Vec<MapSection>,
    /// The sections of stages, in order.
    pub(super) sections: Vec<Section>,
    /// The place of the first section of each stage.
    places: HashMap<u32, usize>,
    /// For the stages, and for the Stage Map, the first heading that is nearly theirs: of another level, or without the
    /// colon.
    near: HashMap<Option<u32>, Near>,
}

/// A section that should hold the Stage Map.
pub(super) struct MapSection {
    pub(super) line: usize,
    /// Its tables.
    pub(super) tables: Vec<Block>,
}

/// A heading that is nearly one of the plan's.
pub(super) struct Near {
    pub(super) line: usize,
    level: u8,
    text: String,
}

impl<'a> Outline<'a> {
    /// Reads a plan.
    pub(super) fn read(text: &'a str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut outline = Self {
            text,
            lines: Lines::of(text),
            title: None,
            maps: Vec::new(),
            sections: Vec::new(),
            places: HashMap::new(),
            near: HashMap::new(),
        };
        let mut part: Option<Part> = None;
        for block in blocks::read(text) {
            if let Kind::Heading { level, text } = &block.kind {
                outline.title.get_or_insert_with(|| text.clone());
                if *level <= 2 {
                    let next = outline.begin(*level, text, &block.range);
                    let end = next.start;
                    outline.finish(part.replace(next), end);
                    continue;
                }
                outline.note(*level, text, outline.lines.number(block.range.start));
            }
            if let Some(part) = &mut part {
                part.blocks.push(block);
            }
        }
        outline.finish(part, text.len());
        outline
    }

    /// The first section of a stage.
    pub(super) fn section(&self, stage: u32) -> Option<&Section> {
        self.places.get(&stage).and_then(|&place| self.sections.get(place))
    }

    /// A heading that is nearly that of a stage's section; without a number, of the Stage Map.
    pub(super) fn near(&self, stage: Option<u32>) -> Option<&Near> {
        self.near.get(&stage)
    }

    /// What begins with a heading of level 1 or 2.
    fn begin(&mut self, level: u8, text: &str, range: &Range<usize>) -> Part {
        let name = if level == 2 { part_name(text) } else { Name::Other };
        let line = self.lines.number(range.start);
        if matches!(name, Name::Other) {
            self.note(level, text, line);
        }
        Part { name, line, start: self.lines.start(range.start), blocks: Vec::new() }
    }

    /// Keeps a heading that is none of the plan's, where it looks like one.
    fn note(&mut self, level: u8, text: &str, line: usize) {
        if let Some(wanted) = nearly(text) {
            self.near.entry(wanted).or_insert_with(|| Near { line, level, text: text.to_owned() });
        }
    }

    /// Takes in a part that ends where the next begins.
    fn finish(&mut self, part: Option<Part>, end: usize) {
        let Some(Part { name, line, start, blocks }) = part else { return };
        match name {
            Name::Map => {
                let tables = blocks.into_iter().filter(|block| matches!(block.kind, Kind::Table { .. })).collect();
                self.maps.push(MapSection { line, tables });
            }
            Name::Stage(number, title) => {
                let range = start..end;
                self.places.entry(number).or_insert(self.sections.len());
                self.sections.push(Section::read(self.text, &self.lines, (number, title, line, range), &blocks));
            }
            Name::Other => {}
        }
    }
}

/// What stands below one heading of level 1 or 2.
struct Part {
    name: Name,
    line: usize,
    start: usize,
    blocks: Vec<Block>,
}

enum Name {
    Map,
    Stage(u32, String),
    Other,
}

/// What a heading of level 2 begins.
fn part_name(text: &str) -> Name {
    if text.eq_ignore_ascii_case(MAP) {
        return Name::Map;
    }
    let stage = text.split_once(':').and_then(|(stage, title)| Some((stage_number(stage)?, title)));
    match stage {
        Some((number, title)) => Name::Stage(number, title.trim().to_owned()),
        None => Name::Other,
    }
}

/// The number in `Stage 12`. One that no stage can have is the greatest.
fn stage_number(text: &str) -> Option<u32> {
    let (word, digits) = text.trim().split_once(' ')?;
    let digits = digits.trim();
    let fits = word.eq_ignore_ascii_case("stage") && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    fits.then(|| digits.parse().unwrap_or(u32::MAX))
}

/// What a heading was likely meant for: a stage, or the Stage Map, which is `None`.
fn nearly(text: &str) -> Option<Option<u32>> {
    let (word, rest) = text.split_once(' ')?;
    let second = rest.split(' ').next().filter(|_| word.eq_ignore_ascii_case("stage"))?;
    let digits = second.bytes().take_while(u8::is_ascii_digit).count();
    match second.eq_ignore_ascii_case("map") {
        true => Some(None),
        false => second[..digits].parse().ok().map(Some),
    }
}

impl Near {
    /// It, as it is written.
    pub(super) fn shown(&self) -> String {
        format!("line {} has `{} {}`", self.line, "#".repeat(self.level.into()), self.text)
    }
}
