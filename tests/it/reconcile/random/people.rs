//! What people do to the branches of a task.

use serde_json::json;

use super::marks::{FILES, LINES, marks, original};
use super::tale::Tale;
use crate::common::story::{BRANCH, branch};

impl Tale {
    /// Somebody does something outside okstra.
    pub(super) fn somebody_acts(&mut self) {
        let stages: Vec<u32> = self.stages.keys().copied().collect();
        let stage = *self.rng.pick(&stages).unwrap();
        let (own, line) = (branch(stage), if self.rng.percent(65) { "main" } else { BRANCH });
        let has_own = self.tip(&own).is_some();
        match self.rng.below(100) {
            0..=5 => self.pull_request(&stages),
            6..=11 => self.on("main", |tale| {
                tale.serial += 1;
                tale.edit_somewhere(&format!("main {}", tale.serial));
            }),
            12..=21 if has_own => self.rebase(&own),
            22..=27 if has_own => self.on(&own, |tale| {
                tale.serial += 1;
                tale.edit_and_amend(&format!("amended {}", tale.serial));
            }),
            28..=30 if has_own => self.on(&own, Self::alter_a_mark),
            31..=32 if has_own => self.on(&own, |tale| {
                tale.try_git(&["reset", "-q", "--hard", "HEAD~1"]);
            }),
            33..=35 if has_own => self.on(&own, Self::revert_something),
            36..=47 if has_own => self.squash(line, &own),
            48..=57 if has_own => self.on(BRANCH, |tale| {
                tale.merge(&own);
            }),
            58..=60 if has_own => self.on(line, |tale| {
                tale.merge(&own);
            }),
            61..=68 => self.squash("main", BRANCH),
            69..=71 if has_own => self.on(line, |tale| {
                tale.try_git(&["cherry-pick", &own]);
            }),
            72..=76 => self.on(line, Self::revert_something),
            77..=79 => self.on(line, Self::take_a_mark_back),
            80..=83 => self.on(line, |tale| tale.evolve_a_mark("")),
            84..=86 => self.on(line, Self::write_over),
            87..=89 if has_own => self.delete(&own),
            90 => {
                self.git(&["checkout", "-q", "main"]);
                self.try_git(&["branch", "-q", "-f", &own, "main"]);
            }
            91 | 92 => {
                self.git(&["checkout", "-q", "main"]);
                self.try_git(&["branch", "-q", "-f", BRANCH, "main"]);
            }
            93 => self.on(BRANCH, |tale| {
                tale.merge("main");
            }),
            94..=96 => self.integrate(),
            97..=99 => self.collect(),
            _ => {}
        }
        self.git(&["checkout", "-q", "main"]);
    }

    /// Does something on a branch.
    fn on(&mut self, name: &str, act: impl FnOnce(&mut Self)) {
        self.say(&format!("-- on {name}"));
        if self.try_git(&["checkout", "-q", name]) {
            act(self);
        }
    }

    fn rebase(&mut self, own: &str) {
        if self.try_git(&["rebase", "-q", "main", own]) && self.rng.percent(25) {
            self.serial += 1;
            let text = format!("on top {}", self.serial);
            self.edit_somewhere(&text);
        }
    }

    fn merge(&mut self, name: &str) -> bool {
        match self.rng.below(12) {
            0 => self.try_git(&["merge", "-q", "--no-edit", "-s", "ours", name]),
            1 | 2 => self.try_git(&["merge", "-q", "--no-edit", "--no-ff", "-X", "ours", name]),
            _ => self.try_git(&["merge", "-q", "--no-edit", "--no-ff", name]),
        }
    }

    /// Lands a branch as one commit, perhaps with something else in it.
    fn squash(&mut self, line: &str, name: &str) {
        self.on(line, |tale| {
            if !tale.try_git(&["merge", "-q", "--squash", name]) {
                return;
            }
            match tale.rng.below(10) {
                0 => tale.alter_in_files(),
                1 => tale.take_back_in_files(),
                2 => {
                    tale.serial += 1;
                    let (file, place) = tale.somewhere();
                    tale.set(file, place, &format!("besides {}", tale.serial));
                }
                _ => {}
            }
            tale.commit("squashed");
        });
    }

    /// The stages are integrated, reviewed and landed in main as one; then main goes on.
    fn pull_request(&mut self, stages: &[u32]) {
        self.on(BRANCH, |tale| {
            for own in stages.iter().map(|stage| branch(*stage)) {
                if tale.tip(&own).is_some() {
                    tale.merge(&own);
                }
            }
            match tale.rng.below(6) {
                0 => tale.take_a_mark_back(),
                1 => tale.revert_something(),
                2 => tale.evolve_a_mark(""),
                _ => {}
            }
        });
        if self.rng.percent(50) {
            self.integrate();
        }
        self.squash("main", BRANCH);
        match self.rng.below(4) {
            0 => self.on("main", Self::write_over),
            1 => self.on("main", |tale| tale.evolve_a_mark("")),
            _ => {}
        }
    }

    fn delete(&mut self, own: &str) {
        self.git(&["checkout", "-q", "main"]);
        self.try_git(&["branch", "-q", "-D", own]);
        if self.rng.percent(25) {
            self.try_git(&["branch", "-q", own, "main"]);
            self.on(own, |tale| {
                tale.serial += 1;
                tale.edit_somewhere(&format!("other work {}", tale.serial));
            });
        }
    }

    /// What okstra does when it integrates: it records where the task branch stands.
    fn integrate(&mut self) {
        let Some(tip) = self.tip(BRANCH) else { return };
        self.say(&format!("-- integration {}", &tip[..8]));
        self.integrations.push(json!({"commit": tip, "stages": self.stages.keys().collect::<Vec<_>>()}));
        self.write_records();
    }

    fn collect(&mut self) {
        let unkeep = self.rng.percent(75);
        self.say(&format!("-- gc, keep refs deleted: {unkeep}"));
        self.story.collect(unkeep);
    }

    fn revert_something(&mut self) {
        let back = format!("HEAD~{}", self.rng.below(3));
        if self.git(&["log", "-1", "--format=%s", &back]).starts_with("add ") {
            return;
        }
        let merge = self.parse(&format!("{back}^2")).is_some();
        match merge {
            true => self.try_git(&["revert", "--no-edit", "-m", "1", &back]),
            false => self.try_git(&["revert", "--no-edit", &back]),
        };
    }

    // What is done in files.

    pub(super) fn somewhere(&mut self) -> (&'static str, usize) {
        (FILES[self.rng.below(FILES.len())], self.rng.between(1, LINES))
    }

    fn lines(&self, file: &str) -> Vec<String> {
        // What is reverted may be the very first commits.
        let text = std::fs::read_to_string(self.story.shop.join(file)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn set(&self, file: &str, line: usize, text: &str) {
        let mut lines = self.lines(file);
        for mark in marks(text) {
            self.places.borrow_mut().entry(mark).or_insert((file.to_owned(), line));
        }
        if let Some(old) = lines.get_mut(line - 1) {
            self.say(&format!("   {file}:{line} {old} -> {text}"));
            text.clone_into(old);
        }
        std::fs::write(self.story.shop.join(file), format!("{}\n", lines.join("\n"))).unwrap();
    }

    fn commit(&self, message: &str) {
        self.try_git(&["commit", "-q", "-a", "-m", message]);
    }

    pub(super) fn edit_somewhere(&mut self, text: &str) {
        let (file, line) = self.somewhere();
        self.set(file, line, text);
        self.commit(text);
    }

    pub(super) fn edit_and_amend(&mut self, text: &str) {
        let (file, line) = self.somewhere();
        self.set(file, line, text);
        self.try_git(&["commit", "-q", "-a", "--amend", "--no-edit"]);
    }

    /// A line with a mark, if there is one.
    fn marked(&mut self) -> Option<(&'static str, usize, String)> {
        let all = FILES.iter().flat_map(|&file| {
            let lines = self.lines(file).into_iter().enumerate();
            lines.filter(|(_, line)| line.contains('<')).map(move |(at, line)| (file, at + 1, line))
        });
        let all: Vec<_> = all.collect();
        self.rng.pick(&all).cloned()
    }

    pub(super) fn evolve_a_mark(&mut self, more: &str) {
        if let Some((file, line, old)) = self.marked() {
            self.serial += 1;
            self.set(file, line, &format!("{old} worked on {} {more}", self.serial));
            self.commit("work on");
        }
    }

    pub(super) fn take_a_mark_back(&mut self) {
        self.take_back_in_files();
        self.commit("take back");
    }

    fn take_back_in_files(&mut self) {
        if let Some((file, line, _)) = self.marked() {
            self.set(file, line, &original(line));
        }
    }

    /// The mark is another one then.
    fn alter_in_files(&mut self) {
        if let Some((file, line, old)) = self.marked() {
            let space = if self.rng.percent(50) { "< " } else { "<other " };
            self.set(file, line, &old.replace('<', space));
        }
    }

    fn alter_a_mark(&mut self) {
        self.alter_in_files();
        self.try_git(&["commit", "-q", "-a", "--amend", "--no-edit"]);
    }

    /// Somebody works on a line that some stage wrote once and that is not there now.
    fn write_over(&mut self) {
        let here = self.marks_of(&self.story.rev("HEAD"));
        let gone: Vec<String> = self.stages.values().flatten().filter(|mark| !here.contains(*mark)).cloned().collect();
        let Some(mark) = self.rng.pick(&gone).cloned() else { return };
        let (file, line) = self.places.borrow()[&mark].clone();
        self.serial += 1;
        let text = format!("written over {}", self.serial);
        self.set(&file, line, &text);
        self.commit(&text);
    }
}
