//! Boxes in layers with lines between them, for a terminal.

mod channel;
mod place;

use channel::Channel;
use place::{Place, places};

use super::output::{Tone, paint};
use super::text::{tame, width, wrap};
use crate::domain::stage_graph::{Layers, Slot};

/// What stands in a box.
pub(super) struct Card {
    /// In at most two lines.
    pub(super) title: String,
    /// A line below it.
    pub(super) note: String,
    pub(super) tone: Option<Tone>,
}

/// A box narrower than this, without its frame, is not worth drawing.
const NARROWEST: usize = 13;
/// The widest box, without its frame.
const WIDEST: usize = 34;
/// What a frame takes, with a space within it on both sides.
const FRAME: usize = 4;
/// Spaces between two boxes.
const GAP: usize = 2;
/// A way on which something passes by.
const PASSING: usize = 3;
/// More lines than this are no picture any more.
const MOST_LINES: usize = 160;

/// The lines of a drawing in which a stage's box holds the card at its place; nothing where it does not fit `columns`.
pub(super) fn draw(layers: &Layers, cards: &[Card], columns: usize, color: bool) -> Option<Vec<String>> {
    let texts: Vec<Vec<Option<Text>>> =
        layers.slots.iter().map(|layer| texts(layer, cards, columns)).collect::<Option<_>>()?;
    let widths: Vec<Vec<usize>> = texts.iter().map(|layer| layer.iter().map(taken).collect()).collect();
    let mut places = places(layers, &widths, columns)?;
    let mut lines = Vec::new();
    for depth in 0..places.len() {
        let channel = match places.split_at_mut(depth) {
            ([.., above], [here, ..]) => Some(Channel::between(above, here, &layers.links[depth - 1])?),
            _ => None,
        };
        if let Some(channel) = channel {
            let above = boxes(&places[depth - 1], &texts[depth - 1], color);
            lines.extend(above);
            lines.extend(channel.lines());
        }
    }
    if let (Some(last), Some(texts)) = (places.last(), texts.last()) {
        lines.extend(boxes(last, texts, color));
    }
    (lines.len() <= MOST_LINES).then_some(lines)
}

/// What is written into a box.
struct Text {
    lines: Vec<String>,
    tone: Option<Tone>,
}

/// The texts of a layer's boxes, all of one height, so that they fit beside one another.
fn texts(layer: &[Slot], cards: &[Card], columns: usize) -> Option<Vec<Option<Text>>> {
    let boxes = layer.iter().filter(|slot| matches!(slot, Slot::Stage(_))).count();
    let others = (layer.len() - boxes) * PASSING + layer.len().saturating_sub(1) * GAP;
    let room = columns.checked_sub(others)?.checked_div(boxes).map_or(WIDEST, |room| room.saturating_sub(FRAME));
    if room < NARROWEST {
        return None;
    }
    // An odd width has a middle.
    let room = (room.min(WIDEST) - 1) | 1;
    let text = |slot: &Slot| match slot {
        Slot::Passing { .. } => None,
        Slot::Stage(stage) => cards.get(*stage).map(|card| {
            let mut lines = title_lines(&card.title, room);
            lines.push(cut(&tame(&card.note), room));
            Text { lines, tone: card.tone }
        }),
    };
    let mut texts: Vec<_> = layer.iter().map(text).collect();
    let height = texts.iter().flatten().map(|text| text.lines.len()).max().unwrap_or_default();
    for text in texts.iter_mut().flatten() {
        let last = text.lines.len() - 1;
        let missing = std::iter::repeat_n(String::new(), height - text.lines.len());
        text.lines.splice(last..last, missing);
    }
    Some(texts)
}

/// A title in at most two lines of at most `room` columns.
fn title_lines(title: &str, room: usize) -> Vec<String> {
    let wrapped = wrap(&tame(title), 0, Some(room));
    let mut lines: Vec<_> = wrapped.split('\n').map(str::to_owned).collect();
    if lines.len() > 2 {
        let rest = lines.split_off(1).join(" ");
        lines.push(rest);
    }
    lines.iter().map(|line| cut(line, room)).collect()
}

/// `text`, with an ellipsis at its end where it does not fit.
fn cut(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut cut = String::new();
    for c in text.chars() {
        if width(&cut) + width(c.encode_utf8(&mut [0; 4])) + 1 > room {
            break;
        }
        cut.push(c);
    }
    cut.trim_end().to_owned() + "…"
}

/// How many columns a slot takes.
fn taken(text: &Option<Text>) -> usize {
    let Some(text) = text else { return PASSING };
    let widest = text.lines.iter().map(|line| width(line)).max().unwrap_or_default();
    (widest.max(NARROWEST) | 1) + FRAME
}

/// The lines of a layer: its boxes, and what passes by.
fn boxes(places: &[Place], texts: &[Option<Text>], color: bool) -> Vec<String> {
    let inner = texts.iter().flatten().map(|text| text.lines.len()).max().unwrap_or_default();
    let mut lines = vec![String::new(); inner + 2];
    let mut at = 0;
    for (place, text) in places.iter().zip(texts) {
        let parts = match text {
            Some(text) => framed(place, text, color),
            None => vec![passing(place); inner + 2],
        };
        let gap = " ".repeat(place.left - at);
        for (line, part) in lines.iter_mut().zip(parts) {
            line.push_str(&gap);
            line.push_str(&part);
        }
        at = place.left + place.width;
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

fn passing(place: &Place) -> String {
    let port = place.top.unwrap_or(place.left + place.width / 2) - place.left;
    (0..place.width).map(|column| if column == port { '│' } else { ' ' }).collect()
}

fn framed(place: &Place, text: &Text, color: bool) -> Vec<String> {
    let room = place.width - FRAME;
    let border = |ends: [char; 2], port: char, ports: &[usize]| -> String {
        let middle = (1..place.width - 1).map(|column| if ports.contains(&(place.left + column)) { port } else { '─' });
        std::iter::once(ends[0]).chain(middle).chain([ends[1]]).collect()
    };
    let tops: Vec<_> = place.top.into_iter().collect();
    let bottoms: Vec<_> = place.bottoms.clone();
    let last = text.lines.len() - 1;
    let lines = text.lines.iter().enumerate().map(|(index, line)| {
        let pad = " ".repeat(room - width(line));
        let line = match text.tone.filter(|_| index == last && !line.is_empty()) {
            Some(tone) => paint(line, tone, color),
            None => line.clone(),
        };
        format!("│ {line}{pad} │")
    });
    std::iter::once(border(['┌', '┐'], '┴', &tops)).chain(lines).chain([border(['└', '┘'], '┬', &bottoms)]).collect()
}

#[cfg(test)]
mod tests;
