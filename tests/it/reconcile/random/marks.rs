//! Marks: what a stage wrote, and whether a commit holds it.

use std::collections::{BTreeMap, BTreeSet};

use super::tale::Tale;

/// The files that are worked on.
pub(super) const FILES: [&str; 3] = ["a.txt", "b.txt", "c.txt"];
/// How many lines each of them has; no line is ever added or dropped.
pub(super) const LINES: usize = 40;

/// The lines of a commit, by file and number.
pub(super) type Lines = BTreeMap<(String, usize), String>;

/// What a line was at first.
pub(super) fn original(line: usize) -> String {
    format!("line {line}")
}

/// The marks in a text: `<1.2>` is what stage 1 wrote second.
pub(super) fn marks(text: &str) -> BTreeSet<String> {
    let opened = text.split('<').skip(1);
    opened.filter_map(|rest| rest.split_once('>').map(|(mark, _)| mark.to_owned())).collect()
}

impl Tale {
    fn lines_of(&self, commit: &str) -> Lines {
        if let Some(known) = self.known.borrow().get(commit) {
            return known.clone();
        }
        let text = self.git(&["grep", "-n", "-e", "", commit, "--", "*.txt"]);
        let parse = |line: &str| {
            let mut parts = line.splitn(4, ':').skip(1);
            let (file, number, text) = (parts.next()?, parts.next()?, parts.next()?);
            Some(((file.to_owned(), number.parse().ok()?), text.to_owned()))
        };
        let lines: Lines = text.lines().filter_map(parse).collect();
        self.known.borrow_mut().insert(commit.to_owned(), lines.clone());
        lines
    }

    /// The marks that a commit holds.
    pub(super) fn marks_of(&self, commit: &str) -> BTreeSet<String> {
        self.lines_of(commit).values().flat_map(|line| marks(line)).collect()
    }

    /// Whether a commit holds all of these, as they were made.
    pub(super) fn holds(&self, commit: &str, wanted: &BTreeSet<String>) -> bool {
        wanted.is_subset(&self.marks_of(commit))
    }

    /// Whether no line of these is as it was before.
    pub(super) fn has_worked_on(&self, commit: &str, wanted: &BTreeSet<String>) -> bool {
        let (lines, places) = (self.lines_of(commit), self.places.borrow());
        wanted.iter().all(|mark| {
            let place = &places[mark];
            lines.get(place).is_some_and(|text| *text != original(place.1))
        })
    }

    /// Whether `tip` still has what landed at `landed`, or has worked on it and never done without it.
    pub(super) fn is_still_there(&self, landed: &str, tip: &str, wanted: &BTreeSet<String>) -> bool {
        let there = self.marks_of(tip);
        let left: BTreeSet<String> = wanted.difference(&there).cloned().collect();
        let since = self.git(&["rev-list", "--ancestry-path", &format!("{landed}..{tip}")]);
        left.is_empty() || since.lines().all(|commit| self.has_worked_on(commit, &left))
    }

    pub(super) fn reaches(&self, tip: &str, commit: &str) -> bool {
        let is_ancestor = ["merge-base", "--is-ancestor", commit, tip];
        self.exists(commit) && self.story.sandbox.try_git(&self.story.shop, &is_ancestor).code == Some(0)
    }

    pub(super) fn exists(&self, commit: &str) -> bool {
        let name = format!("{commit}^{{commit}}");
        self.story.sandbox.try_git(&self.story.shop, &["cat-file", "-e", &name]).code == Some(0)
    }

    /// The commit of a branch, if there is one.
    pub(super) fn tip(&self, name: &str) -> Option<String> {
        self.parse(&format!("refs/heads/{name}"))
    }

    pub(super) fn parse(&self, name: &str) -> Option<String> {
        let ran = self.story.sandbox.try_git(&self.story.shop, &["rev-parse", "--verify", "-q", name]);
        (ran.code == Some(0)).then(|| ran.stdout.trim().to_owned())
    }
}
