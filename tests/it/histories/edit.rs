//! Edits: found between two trees, done to any tree that still holds what they change, undone, and recognised.

use std::rc::Rc;

use super::model::{Body, File, Line, Tree, path_of, same};

/// One change that cannot be taken apart by path or by hunk.
#[derive(Clone, Debug)]
pub(super) enum Edit {
    /// Lines of a file, with the unchanged neighbours.
    Lines {
        who: u32,
        before: Option<Line>,
        old: Vec<Line>,
        new: Vec<Line>,
        after: Option<Line>,
    },
    /// Whether the last line ends with a newline.
    Newline {
        who: u32,
        new: bool,
    },
    Add {
        path: String,
        file: Rc<File>,
    },
    Delete {
        path: String,
        file: Rc<File>,
    },
    Rename {
        who: u32,
        from: String,
        to: String,
    },
    Executable {
        who: u32,
        new: bool,
    },
    /// A binary file, or what kind of thing a path is.
    Body {
        who: u32,
        old: Body,
        new: Body,
    },
}

/// How much of an edit a tree holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    In,
    Out,
    /// Neither: something else was made of it.
    Other,
    /// Other lines around it make it hard to tell.
    Unsure,
}

impl Edit {
    /// The edit that takes this one back.
    pub(super) fn inverse(&self) -> Self {
        match self.clone() {
            Self::Lines { who, before, old, new, after } => Self::Lines { who, before, old: new, new: old, after },
            Self::Newline { who, new } => Self::Newline { who, new: !new },
            Self::Add { path, file } => Self::Delete { path, file },
            Self::Delete { path, file } => Self::Add { path, file },
            Self::Rename { who, from, to } => Self::Rename { who, from: to, to: from },
            Self::Executable { who, new } => Self::Executable { who, new: !new },
            Self::Body { who, old, new } => Self::Body { who, old: new, new: old },
        }
    }

    /// Whether both are the same change, whatever is around it.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Lines { who, old, new, .. }, Self::Lines { who: w, old: o, new: n, .. }) => {
                (who, old, new) == (w, o, n)
            }
            _ => format!("{self:?}") == format!("{other:?}"),
        }
    }

    /// Does the edit to `tree`, if what it changes is still there; whether it did.
    pub(super) fn apply(&self, tree: &mut Tree) -> bool {
        match self {
            Self::Add { path, file } => {
                let free = !tree.contains_key(path) && path_of(tree, file.who).is_none();
                if free {
                    tree.insert(path.clone(), Rc::clone(file));
                }
                free
            }
            Self::Delete { path, file } => {
                let found = same(tree.get(path), Some(file));
                if found {
                    tree.remove(path);
                }
                found
            }
            Self::Rename { who, from, to } => {
                let fits = tree.get(from).is_some_and(|file| file.who == *who) && !tree.contains_key(to);
                if let Some(file) = tree.get(from).cloned().filter(|_| fits) {
                    tree.remove(from);
                    tree.insert(to.clone(), file);
                }
                fits
            }
            Self::Lines { who, .. }
            | Self::Newline { who, .. }
            | Self::Executable { who, .. }
            | Self::Body { who, .. } => {
                let Some(file) = tree.values_mut().find(|file| file.who == *who) else { return false };
                let mut changed = File::clone(file);
                let done = self.apply_within(&mut changed);
                if done {
                    *file = Rc::new(changed);
                }
                done
            }
        }
    }

    fn apply_within(&self, file: &mut File) -> bool {
        match (self, &mut file.body) {
            (Self::Lines { before, old, new, after, .. }, Body::Text(lines, _)) => {
                if new.iter().any(|line| lines.contains(line) && !old.contains(line)) {
                    return false;
                }
                let Some(start) = place(lines, *before, old, *after) else { return false };
                lines.splice(start..start + old.len(), new.iter().copied());
                true
            }
            (Self::Newline { new, .. }, Body::Text(lines, newline)) => {
                !lines.is_empty() && std::mem::replace(newline, *new) != *new
            }
            (Self::Executable { new, .. }, body) => {
                !matches!(body, Body::Link(_)) && std::mem::replace(&mut file.executable, *new) != *new
            }
            (Self::Body { old, new, .. }, body) => {
                let fits = body == old;
                if fits {
                    *body = new.clone();
                }
                fits
            }
            _ => false,
        }
    }

    /// How much of the edit `tree` holds.
    pub(super) fn status(&self, tree: &Tree) -> Status {
        let of = |is_in: bool, is_out: bool| match (is_in, is_out) {
            (true, _) => Status::In,
            (_, true) => Status::Out,
            _ => Status::Other,
        };
        let file = |who: u32| tree.values().find(|file| file.who == who);
        match self {
            Self::Add { path, file: added } => {
                let gone = !tree.contains_key(path) && file(added.who).is_none();
                of(same(tree.get(path), Some(added)), gone)
            }
            Self::Delete { path, file: deleted } => match file(deleted.who) {
                None => of(!tree.contains_key(path), false),
                // A file of which little is left, under another name, is another file to git.
                Some(left) if !tree.contains_key(path) && !is_similar(left, deleted) => Status::Unsure,
                Some(_) => Status::Out,
            },
            Self::Rename { who, from, to } => {
                let path = path_of(tree, *who);
                of(path == Some(to), path == Some(from))
            }
            Self::Newline { who, new } => match file(*who).map(|file| &file.body) {
                Some(Body::Text(_, newline)) => of(newline == new, newline != new),
                _ => Status::Other,
            },
            Self::Executable { who, new } => {
                file(*who).map_or(Status::Other, |file| of(file.executable == *new, file.executable != *new))
            }
            Self::Body { who, old, new } => {
                file(*who).map_or(Status::Other, |file| of(file.body == *new, file.body == *old))
            }
            Self::Lines { who, before, old, new, after } => match file(*who).map(|file| &file.body) {
                Some(Body::Text(lines, _)) => lines_status(lines, [*before, *after], old, new),
                _ => Status::Other,
            },
        }
    }
}

/// Whether half of the lines are the same, which is where git sees a renamed file.
fn is_similar(a: &File, b: &File) -> bool {
    let (a, b) = (a.body.lines(), b.body.lines());
    let shared = a.iter().filter(|line| b.contains(line)).count();
    a.is_empty() || shared * 2 >= a.len().max(b.len())
}

/// Where the lines `old` stand, or where between its neighbours nothing stands.
fn place(lines: &[Line], before: Option<Line>, old: &[Line], after: Option<Line>) -> Option<usize> {
    let find = |line: Option<Line>| lines.iter().position(|&found| Some(found) == line);
    if old.is_empty() {
        return match (find(before), find(after)) {
            (Some(before), _) => Some(before + 1),
            (None, Some(after)) => Some(after),
            (None, None) => lines.is_empty().then_some(0),
        };
    }
    let start = find(old.first().copied())?;
    lines[start..].starts_with(old).then_some(start)
}

fn lines_status(lines: &[Line], [before, after]: [Option<Line>; 2], old: &[Line], new: &[Line]) -> Status {
    let find = |line: Line| lines.iter().position(|&found| found == line);
    let start = before.map_or(Some(0), |line| find(line).map(|at| at + 1));
    let end = after.map_or(Some(lines.len()), find);
    if let (Some(start), Some(end)) = (start, end)
        && let Some(between) = lines.get(start..end)
    {
        if between == new {
            return Status::In;
        }
        if between == old {
            return Status::Out;
        }
        if old.is_empty() && !new.iter().all(|&line| find(line).is_some()) {
            return Status::Other;
        }
    }
    let all = |wanted: &[Line]| {
        let first = wanted.first().and_then(|&line| find(line));
        first.is_some_and(|first| lines[first..].starts_with(wanted))
    };
    let none = |unwanted: &[Line]| unwanted.iter().all(|&line| find(line).is_none());
    match (new.is_empty(), old.is_empty()) {
        (false, _) if all(new) && none(old) => Status::In,
        (_, false) if all(old) && none(new) => Status::Out,
        (true, _) if none(old) => Status::Unsure,
        _ => Status::Other,
    }
}
