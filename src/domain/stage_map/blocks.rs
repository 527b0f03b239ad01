//! Markdown as a list of its outermost blocks, as far as a plan is made of them.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// An outermost block: one that is in no other.
pub(super) struct Block {
    /// The bytes of the text that it takes.
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
}

/// What a block is.
pub(super) enum Kind {
    Heading {
        /// From 1.
        level: u8,
        /// Its text, without markup.
        text: String,
    },
    Table {
        header: Row,
        rows: Vec<Row>,
    },
    List {
        /// Whether its items are numbered.
        numbered: bool,
        items: Vec<Item>,
    },
    Paragraph,
    Other {
        /// Whether a reader of the rendered text sees words.
        has_words: bool,
    },
}

/// A row of a table.
pub(super) struct Row {
    pub(super) range: Range<usize>,
    pub(super) cells: Vec<Cell>,
    /// Whether the row has more cells than the table has columns: they are not shown.
    pub(super) has_more: bool,
}

/// A cell of a table.
pub(super) struct Cell {
    /// As it is written, without what pads it.
    pub(super) source: String,
    /// What it shows.
    pub(super) spans: Vec<Span>,
}

/// A piece of running text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Span {
    Text(String),
    Code(String),
}

/// An item of a list, with all that is in it.
pub(super) struct Item {
    /// From its marker.
    pub(super) range: Range<usize>,
    /// Where its content begins, after the marker and a box to tick.
    pub(super) content: usize,
    /// Where the content would begin without a box.
    pub(super) indent_to: usize,
    /// All text and code spans in it, in order.
    pub(super) spans: Vec<Span>,
    /// Whether it holds a block of code.
    pub(super) has_code_block: bool,
}

type At<'a> = (Event<'a>, Range<usize>);

/// The outermost blocks of `text`, in order.
pub(super) fn read(text: &str) -> Vec<Block> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    let (mut blocks, mut open, mut depth) = (Vec::new(), Vec::new(), 0_usize);
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        open.push((event, range));
        if depth == 0 {
            blocks.extend(block(text, &open));
            open.clear();
        }
    }
    blocks
}

/// The block that `events`, from its start to its end, are about.
fn block(text: &str, events: &[At<'_>]) -> Option<Block> {
    let (first, range) = events.first()?;
    let kind = match first {
        Event::Start(Tag::Heading { level, .. }) => {
            Kind::Heading { level: number(*level), text: plain(&spans(events)) }
        }
        Event::Start(Tag::Table(_)) => table(text, events),
        Event::Start(Tag::List(start)) => Kind::List { numbered: start.is_some(), items: items(events) },
        Event::Start(Tag::Paragraph) if has_words(events) => Kind::Paragraph,
        _ => Kind::Other { has_words: has_words(events) },
    };
    Some(Block { range: range.clone(), kind })
}

fn table(text: &str, events: &[At<'_>]) -> Kind {
    let mut rows: Vec<Row> = Vec::new();
    let mut cell_from = 0;
    for (index, (event, range)) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                rows.push(Row { range: range.clone(), cells: Vec::new(), has_more: false });
            }
            Event::Start(Tag::TableCell) => cell_from = index,
            Event::End(TagEnd::TableCell) => {
                let source = text.get(range.clone()).unwrap_or_default().trim().to_owned();
                let spans = spans(&events[cell_from..index]);
                if let Some(row) = rows.last_mut() {
                    let rest = text.get(range.end..row.range.end).unwrap_or_default();
                    row.has_more = rest.contains(|c: char| c != '|' && !c.is_whitespace());
                    row.cells.push(Cell { source, spans });
                }
            }
            _ => {}
        }
    }
    let mut rows = rows.into_iter();
    match rows.next() {
        Some(header) => Kind::Table { header, rows: rows.collect() },
        None => Kind::Other { has_words: false },
    }
}

/// The items of the list that `events` are about, not those of lists in it.
fn items(events: &[At<'_>]) -> Vec<Item> {
    let (mut items, mut depth, mut from) = (Vec::new(), 0, 0);
    for (index, (event, range)) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::Item) if depth == 1 => from = index,
            Event::End(TagEnd::Item) if depth == 2 => items.push(item(range, &events[from..index])),
            _ => {}
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    items
}

fn item(range: &Range<usize>, events: &[At<'_>]) -> Item {
    let inner = || events.iter().skip(1);
    let content = inner().find(|(event, _)| !matches!(event, Event::Start(Tag::Paragraph) | Event::TaskListMarker(_)));
    let has_code_block = inner().any(|(event, _)| matches!(event, Event::Start(Tag::CodeBlock(_))));
    Item {
        range: range.clone(),
        content: content.map_or(range.end, |(_, content)| content.start),
        indent_to: inner().next().map_or(range.end, |(_, content)| content.start),
        spans: spans(events),
        has_code_block,
    }
}

/// The text and the code spans in `events`, in order. Neighbouring pieces of text are one.
fn spans(events: &[At<'_>]) -> Vec<Span> {
    let mut spans = Vec::new();
    for (event, _) in events {
        let text = match event {
            Event::Code(code) => {
                spans.push(Span::Code(code.to_string()));
                continue;
            }
            Event::Text(text) | Event::InlineHtml(text) => text.as_ref(),
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::Paragraph | TagEnd::Item) => " ",
            _ => continue,
        };
        match spans.last_mut() {
            Some(Span::Text(before)) => before.push_str(text),
            _ => spans.push(Span::Text(text.to_owned())),
        }
    }
    spans
}

/// The text of spans on one line, each run of white space as one space.
pub(super) fn plain(spans: &[Span]) -> String {
    let all = spans.iter().map(|span| match span {
        Span::Text(text) | Span::Code(text) => text.as_str(),
    });
    all.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether there is a word to read, which in HTML alone is not certain.
fn has_words(events: &[At<'_>]) -> bool {
    events.iter().any(|(event, _)| match event {
        Event::Text(text) | Event::Code(text) => !text.trim().is_empty(),
        _ => false,
    })
}

fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
