//! The section of a stage: its steps, how it is validated, when it is done, and how it is taken back.

use std::ops::Range;

use super::blocks::{Block, Item, Kind, Span, plain};
use super::place::{Lines, dedented};

/// The section of a stage.
pub(super) struct Section {
    /// As its heading has it.
    pub(super) number: u32,
    pub(super) title: String,
    /// The line of its heading.
    pub(super) line: usize,
    /// Its lines, the heading's first.
    pub(super) range: Range<usize>,
    /// What each step says, as Markdown.
    pub(super) steps: Vec<String>,
    pub(super) checks: Vec<Check>,
    /// What each item of the exit contract says, as Markdown.
    pub(super) exit_contract: Vec<String>,
    /// How it is taken back, as Markdown.
    pub(super) rollback: String,
    /// Where each of its parts begins, as often as it is there.
    pub(super) parts: Vec<(Part, usize)>,
    /// Whether something that looks like steps is no numbered list.
    pub(super) has_other_list_of_steps: bool,
}

/// A part of the section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Steps,
    Validation,
    ExitContract,
    Rollback,
}

/// An item of the Stage Validation.
pub(super) struct Check {
    pub(super) line: usize,
    pub(super) kind: CheckKind,
}

pub(super) enum CheckKind {
    Pre(String),
    Post(String),
    /// It is neither, as a clause.
    Wrong(&'static str),
}

impl Part {
    /// The text of its heading.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Steps => "Steps",
            Self::Validation => "Stage Validation",
            Self::ExitContract => "Stage Exit Contract",
            Self::Rollback => "Rollback",
        }
    }

    fn named(text: &str) -> Option<Self> {
        let all = [Self::Steps, Self::Validation, Self::ExitContract, Self::Rollback];
        all.into_iter().find(|part| part.name().eq_ignore_ascii_case(text))
    }
}

impl Section {
    /// Reads the blocks below the heading of a stage.
    pub(super) fn read(
        text: &str,
        lines: &Lines,
        (number, title, line, range): (u32, String, usize, Range<usize>),
        blocks: &[Block],
    ) -> Self {
        let mut section = Self {
            number,
            title,
            line,
            range: range.clone(),
            steps: Vec::new(),
            checks: Vec::new(),
            exit_contract: Vec::new(),
            rollback: String::new(),
            parts: Vec::new(),
            has_other_list_of_steps: false,
        };
        for (part, blocks) in parts(blocks) {
            section.parts.push((part, lines.number(blocks[0].range.start)));
            let blocks = &blocks[1..];
            match part {
                Part::Steps => section.read_steps(text, lines, blocks),
                Part::Validation => section.read_checks(lines, blocks),
                Part::ExitContract => section.read_exit_contract(text, lines, blocks),
                Part::Rollback => section.read_rollback(text, lines, blocks),
            }
        }
        section
    }

    /// How often it has a part.
    pub(super) fn count(&self, part: Part) -> usize {
        self.parts.iter().filter(|(there, _)| *there == part).count()
    }

    /// The line of a part, its last one, else that of the section.
    pub(super) fn line_of(&self, part: Part) -> usize {
        self.parts.iter().rev().find(|(there, _)| *there == part).map_or(self.line, |(_, line)| *line)
    }

    /// The commands that must succeed before it, and those that must succeed when it is done.
    pub(super) fn commands(&self) -> (Vec<String>, Vec<String>) {
        let pre = self.checks.iter().filter_map(|check| match &check.kind {
            CheckKind::Pre(command) => Some(command.clone()),
            _ => None,
        });
        let post = self.checks.iter().filter_map(|check| match &check.kind {
            CheckKind::Post(command) => Some(command.clone()),
            _ => None,
        });
        (pre.collect(), post.collect())
    }

    fn read_steps(&mut self, text: &str, lines: &Lines, blocks: &[Block]) {
        for block in blocks {
            match &block.kind {
                Kind::List { numbered: true, items } => {
                    self.steps.extend(items.iter().map(|item| source(text, lines, item)));
                }
                Kind::List { .. } => self.has_other_list_of_steps = true,
                _ => {}
            }
        }
    }

    fn read_checks(&mut self, lines: &Lines, blocks: &[Block]) {
        let items = blocks.iter().flat_map(|block| match &block.kind {
            Kind::List { items, .. } => items.as_slice(),
            _ => &[],
        });
        let checks = items.map(|item| Check { line: lines.number(item.range.start), kind: check_kind(item) });
        self.checks.extend(checks);
    }

    /// The items of its lists; without a list its paragraphs.
    fn read_exit_contract(&mut self, text: &str, lines: &Lines, blocks: &[Block]) {
        let items = blocks.iter().flat_map(|block| match &block.kind {
            Kind::List { items, .. } => items.as_slice(),
            _ => &[],
        });
        let said: Vec<_> = items.map(|item| source(text, lines, item)).filter(|item| !item.is_empty()).collect();
        let is_list = !said.is_empty();
        self.exit_contract.extend(said);
        if !is_list {
            let paragraphs = blocks.iter().filter(|block| matches!(block.kind, Kind::Paragraph));
            self.exit_contract.extend(paragraphs.map(|block| dedented(text, block.range.clone(), 0)));
        }
    }

    fn read_rollback(&mut self, text: &str, lines: &Lines, blocks: &[Block]) {
        let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else { return };
        let has_words = blocks.iter().any(|block| !matches!(block.kind, Kind::Other { has_words: false }));
        if has_words && self.rollback.is_empty() {
            self.rollback = dedented(text, lines.start(first.range.start)..last.range.end, 0).trim_start().to_owned();
        }
    }
}

/// The parts of a section, each with its blocks, its heading first. Deeper headings belong to their part.
fn parts(blocks: &[Block]) -> impl Iterator<Item = (Part, &[Block])> {
    let is_heading = |block: &Block| matches!(block.kind, Kind::Heading { level: 3, .. });
    let starts: Vec<_> = (0..blocks.len()).filter(|&index| is_heading(&blocks[index])).collect();
    let ends = starts.clone().into_iter().skip(1).chain([blocks.len()]);
    starts.into_iter().zip(ends).filter_map(|(start, end)| match &blocks[start].kind {
        Kind::Heading { text, .. } => Some((Part::named(text)?, &blocks[start..end])),
        _ => None,
    })
}

/// What an item says, as Markdown without its marker.
fn source(text: &str, lines: &Lines, item: &Item) -> String {
    let indent = item.indent_to.saturating_sub(lines.start(item.range.start));
    dedented(text, item.content..item.range.end.max(item.content), indent)
}

/// What an item of the Stage Validation asks for: `pre:` or `post:`, and one code span.
fn check_kind(item: &Item) -> CheckKind {
    let first = item.spans.iter().position(|span| matches!(span, Span::Code(_))).unwrap_or(item.spans.len());
    let lead = plain(&item.spans[..first]).to_ascii_lowercase();
    let mut commands = item.spans.iter().filter_map(|span| match span {
        Span::Code(command) => Some(command.trim().to_owned()),
        Span::Text(_) => None,
    });
    let is_post = match lead.as_str() {
        "pre:" | "pre :" => false,
        "post:" | "post :" => true,
        _ => return CheckKind::Wrong("it does not begin with `pre:` or `post:` and a command in backticks"),
    };
    match (commands.next(), commands.next()) {
        _ if item.has_code_block => CheckKind::Wrong("its command is a block of code"),
        (Some(command), None) if !command.is_empty() && is_post => CheckKind::Post(command),
        (Some(command), None) if !command.is_empty() => CheckKind::Pre(command),
        (_, Some(_)) => CheckKind::Wrong("it has more than one command"),
        _ => CheckKind::Wrong("it has no command in backticks"),
    }
}
