//! A slow and obvious three-way merge of trees in the model, which knows when it does not know.

use std::rc::Rc;

use super::compare::{Hunk, hunks, is_reordered};
use super::model::{Body, File, Line, Tree, differing, path_of, same};

/// What a merge gives at one path.
#[derive(Clone, Debug)]
pub(super) enum Merged {
    Clean(Option<Rc<File>>),
    /// The sides contradict each other; whether keeping ours leaves everything as it is with us.
    Conflict {
        keeps_ours: bool,
    },
    /// Changes that touch each other, renames: what git makes of them is git's to say.
    Unsure,
}

/// The paths at which theirs differs from the base, with what becomes of ours there.
pub(super) fn merge(base: &Tree, ours: &Tree, theirs: &Tree) -> Vec<(String, Merged)> {
    let paths = differing(base, theirs);
    let moved = |tree: &Tree, file: &File, path: &String| path_of(tree, file.who).is_some_and(|other| other != path);
    let merged: Vec<(String, Merged)> = paths
        .into_iter()
        .map(|path| {
            let [b, o, t] = [base, ours, theirs].map(|tree| tree.get(&path));
            let merged = merge_path(b, o, t);
            let lost = b.filter(|_| !same(b, o) && !same(b, t) && (o.is_none() || t.is_none()));
            let renamed = lost.is_some_and(|file| moved(ours, file, &path) || moved(theirs, file, &path));
            (path, if renamed { Merged::Unsure } else { merged })
        })
        .collect();
    if merged.iter().any(|(_, merged)| matches!(merged, Merged::Unsure)) && has_rename(base, ours, theirs) {
        return merged.into_iter().map(|(path, _)| (path, Merged::Unsure)).collect();
    }
    merged
}

/// Whether a file that theirs changed is elsewhere on one of the sides.
fn has_rename(base: &Tree, ours: &Tree, theirs: &Tree) -> bool {
    base.iter().any(|(path, file)| {
        [ours, theirs].iter().any(|tree| path_of(tree, file.who).is_some_and(|other| other != path))
    })
}

fn merge_path(base: Option<&Rc<File>>, ours: Option<&Rc<File>>, theirs: Option<&Rc<File>>) -> Merged {
    if same(base, ours) || same(ours, theirs) {
        return Merged::Clean(theirs.cloned());
    }
    match (base, ours, theirs) {
        (Some(base), Some(ours), Some(theirs)) => merge_files(base, ours, theirs),
        // What they dropped and we changed stays: that is no work on their lines.
        (Some(_), Some(_), None) => Merged::Conflict { keeps_ours: false },
        _ => Merged::Conflict { keeps_ours: true },
    }
}

fn merge_files(base: &File, ours: &File, theirs: &File) -> Merged {
    let executable = if base.executable == ours.executable { theirs.executable } else { ours.executable };
    let body = match (&base.body, &ours.body, &theirs.body) {
        (base, ours, theirs) if base == ours || ours == theirs => theirs.clone(),
        (base, ours, theirs) if base == theirs => ours.clone(),
        (Body::Text(..), Body::Text(..), Body::Text(..)) => {
            match merge_lines(&tokens(&base.body), &tokens(&ours.body), &tokens(&theirs.body)) {
                Some(Ok(merged)) => {
                    Body::Text(merged.iter().map(|token| token.0).collect(), merged.last().is_none_or(|token| token.1))
                }
                Some(Err(keeps_ours)) => {
                    return Merged::Conflict { keeps_ours: keeps_ours && executable == ours.executable };
                }
                None => return Merged::Unsure,
            }
        }
        _ => return Merged::Conflict { keeps_ours: executable == ours.executable },
    };
    Merged::Clean(Some(Rc::new(File { who: ours.who, executable, body })))
}

/// A line, and whether it ends with a newline.
type Token = (Line, bool);

fn tokens(body: &Body) -> Vec<Token> {
    let Body::Text(lines, newline) = body else { return Vec::new() };
    let last = lines.len().saturating_sub(1);
    lines.iter().enumerate().map(|(at, line)| (*line, at < last || *newline)).collect()
}

/// The merged lines; or, on a conflict, whether keeping ours there leaves ours; `None` where changes only touch.
fn merge_lines(base: &[Token], ours: &[Token], theirs: &[Token]) -> Option<Result<Vec<Token>, bool>> {
    if is_reordered(base, ours) || is_reordered(base, theirs) || is_reordered(ours, theirs) {
        return None;
    }
    let (our_hunks, their_hunks) = (hunks(base, ours), hunks(base, theirs));
    let mut merged = Vec::new();
    let (mut conflict, mut keeps_ours, mut at) = (false, true, 0);
    for chunk in chunks(&our_hunks, &their_hunks) {
        merged.extend_from_slice(&base[at..chunk.start]);
        let mine = side(base, ours, &our_hunks, &chunk);
        let others = side(base, theirs, &their_hunks, &chunk);
        at = chunk.end;
        let old = &base[chunk.clone()];
        if mine == others || old == mine.as_slice() {
            keeps_ours &= mine == others;
            merged.extend(others);
        } else if old == others.as_slice() {
            merged.extend(mine);
        } else if mine.iter().any(|token| others.contains(token)) || only_touch(&our_hunks, &their_hunks, &chunk) {
            return None;
        } else {
            conflict = true;
            merged.extend(mine);
        }
    }
    merged.extend_from_slice(&base[at..]);
    Some(if conflict { Err(keeps_ours) } else { Ok(merged) })
}

/// Hunks that only touch: some tools take both, others call it a conflict.
fn only_touch(ours: &[Hunk], theirs: &[Hunk], chunk: &std::ops::Range<usize>) -> bool {
    let inside = |hunk: &&Hunk| hunk.old.start >= chunk.start && hunk.old.end <= chunk.end;
    ours.iter().filter(inside).any(|mine| {
        theirs
            .iter()
            .filter(inside)
            .any(|other| mine.old != other.old && (mine.old.end == other.old.start || other.old.end == mine.old.start))
    })
}

/// The stretches of the base that some side changed; what touches is one stretch.
fn chunks(ours: &[Hunk], theirs: &[Hunk]) -> Vec<std::ops::Range<usize>> {
    let mut all: Vec<std::ops::Range<usize>> = ours.iter().chain(theirs).map(|hunk| hunk.old.clone()).collect();
    all.sort_by_key(|range| (range.start, range.end));
    let mut chunks: Vec<std::ops::Range<usize>> = Vec::new();
    for range in all {
        match chunks.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => chunks.push(range),
        }
    }
    chunks
}

/// What a side has in a stretch of the base.
fn side(base: &[Token], text: &[Token], hunks: &[Hunk], chunk: &std::ops::Range<usize>) -> Vec<Token> {
    let mut lines = Vec::new();
    let mut at = chunk.start;
    for hunk in hunks.iter().filter(|hunk| hunk.old.start >= chunk.start && hunk.old.end <= chunk.end) {
        lines.extend_from_slice(&base[at..hunk.old.start]);
        lines.extend_from_slice(&text[hunk.new.clone()]);
        at = hunk.old.end;
    }
    lines.extend_from_slice(&base[at..chunk.end]);
    lines
}
