//! Landings that take over something else than the stage made: amended, misplaced, resolved.

use std::rc::Rc;

use super::edit::{Edit, Status};
use super::model::{Body, File, Line, Owner, Tree};
use super::random_edits::{Author, random_edit};
use super::recipe::Way;
use super::rng::Rng;
use super::world::World;

impl World {
    /// What `way` changes of what was landed in `tree`.
    pub(super) fn amend(&mut self, rng: &mut Rng, way: Way, edits: &[Edit], tree: &mut Tree) {
        let of_lines: Vec<&Edit> = edits.iter().filter(|edit| matches!(edit, Edit::Lines { .. })).collect();
        match way {
            Way::Besides => {
                random_edit(self, rng, tree, Author::Main);
            }
            Way::AmendNewline => {
                if let Some(body) = of_lines.first().and_then(|edit| text_of(tree, edit)) {
                    change_text(tree, body, |_, newline| *newline = !*newline);
                }
            }
            Way::AmendLine | Way::AmendSpace | Way::AmendExtra | Way::AmendPartOfHunk | Way::Similar => {
                let Some(Edit::Lines { who, new, old, .. }) = rng.pick(&of_lines).copied() else { return };
                let fresh = self.new_line(Owner::Stage);
                let at = rng.below(new.len().max(1));
                let mut altered = false;
                change_text(tree, *who, |lines, _| altered = alter(lines, way, (old, new), at, fresh));
                self.is_altered |= altered;
            }
            Way::Misplace => {
                let Some(edit) = rng.pick(&of_lines).copied() else { return };
                let Edit::Lines { who, new, .. } = edit else { return };
                if edit.inverse().apply(tree) {
                    let place = rng.next();
                    change_text(tree, *who, |lines, _| {
                        let at = usize::try_from(place % (lines.len() as u64 + 1)).unwrap_or_default();
                        lines.splice(at..at, new.iter().copied());
                    });
                }
            }
            _ => {}
        }
    }

    /// Does the edits; where main has something else at the place, that is replaced, or kept beside the stage's lines.
    pub(super) fn resolve(&mut self, way: Way, edits: &[Edit], tree: &mut Tree) {
        for edit in edits {
            if edit.status(tree) == Status::In || edit.apply(tree) {
                continue;
            }
            self.is_altered = true;
            if let Edit::Lines { who, before, old, new, after } = edit {
                change_text(tree, *who, |lines, _| {
                    let find = |line: &Option<Line>| lines.iter().position(|found| Some(*found) == *line);
                    let start = find(before).map_or(0, |at| at + 1);
                    let end = find(after).unwrap_or(lines.len()).max(start);
                    let keeps = |line: &Line| way == Way::Both && !new.contains(line) && !old.contains(line);
                    let kept: Vec<Line> = lines[start..end].iter().copied().filter(keeps).collect();
                    let fresh = new.iter().copied().filter(|line| !kept.contains(line));
                    let resolved: Vec<Line> = kept.iter().copied().chain(fresh).collect();
                    let others: Vec<Line> = lines[..start].iter().chain(&lines[end..]).copied().collect();
                    if !resolved.iter().any(|line| others.contains(line)) {
                        lines.splice(start..end, resolved);
                    }
                });
            }
        }
    }
}

/// Whether a line of the stage is there in another form than it made it.
fn alter(lines: &mut Vec<Line>, way: Way, (old, new): (&[Line], &[Line]), at: usize, fresh: Line) -> bool {
    let place = new.get(at).and_then(|line| lines.iter().position(|found| found == line));
    match (way, place) {
        (Way::AmendLine, Some(place)) => {
            lines[place] = fresh;
            return true;
        }
        (Way::AmendSpace, Some(place)) if !lines.contains(&lines[place].respaced()) => {
            lines[place] = lines[place].respaced();
            return true;
        }
        (Way::AmendPartOfHunk, Some(place)) => {
            lines.remove(place);
            return true;
        }
        (Way::Similar, _) => {
            lines.retain(|line| !new.contains(line) || old.contains(line));
            let at = at.min(lines.len());
            lines.insert(at, fresh);
        }
        _ => lines.push(fresh),
    }
    false
}

/// Whose text an edit of lines is of, if it is there.
fn text_of(tree: &Tree, edit: &Edit) -> Option<u32> {
    let Edit::Lines { who, .. } = edit else { return None };
    tree.values().any(|file| file.who == *who).then_some(*who)
}

/// Changes the text of a file, if it has any and it is still there.
pub(super) fn change_text(tree: &mut Tree, who: u32, change: impl FnOnce(&mut Vec<Line>, &mut bool)) {
    if let Some(file) = tree.values_mut().find(|file| file.who == who)
        && let Body::Text(mut lines, mut newline) = file.body.clone()
    {
        change(&mut lines, &mut newline);
        *file = Rc::new(File { body: Body::Text(lines, newline), ..File::clone(file) });
    }
}
