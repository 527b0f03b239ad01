//! One story: who does what, and what must be true after each step.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::marks::Lines;
use crate::common::story::{BRANCH, Story, branch};
use crate::histories::rng::Rng;

/// A story that is being told.
pub(super) struct Tale {
    pub(super) story: Story,
    pub(super) rng: Rng,
    /// The done stages, with what each of them wrote; empty where that is not known.
    pub(super) stages: BTreeMap<u32, BTreeSet<String>>,
    pub(super) integrations: Vec<Value>,
    /// The lines of commits, by their ids.
    pub(super) known: RefCell<BTreeMap<String, Lines>>,
    /// Where each mark was made.
    pub(super) places: RefCell<BTreeMap<String, (String, usize)>>,
    pub(super) counted: BTreeMap<String, usize>,
    /// Numbers for texts that are there once.
    pub(super) serial: usize,
    lines: RefCell<Vec<String>>,
}

impl Tale {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            story: Story::new(),
            rng: Rng::new(seed),
            stages: BTreeMap::new(),
            integrations: Vec::new(),
            known: RefCell::default(),
            places: RefCell::default(),
            counted: BTreeMap::new(),
            serial: 0,
            lines: RefCell::new(Vec::new()),
        }
    }

    /// Tells the whole story; what was found to be wrong.
    pub(super) fn tell(&mut self) -> Result<(), String> {
        self.do_a_stage();
        for _ in 0..self.rng.between(4, 12) {
            if self.stages.len() < 4 && self.rng.percent(18) {
                self.do_a_stage();
            } else {
                self.somebody_acts();
            }
            if self.rng.percent(35) {
                self.okstra_acts()?;
            }
        }
        self.okstra_acts()?;
        self.look()
    }

    /// Runs git, and remembers it.
    pub(super) fn git(&self, arguments: &[&str]) -> String {
        self.story.git(arguments)
    }

    /// Runs git, which may fail; undone where it did.
    pub(super) fn try_git(&self, arguments: &[&str]) -> bool {
        let is_done = self.story.sandbox.try_git(&self.story.shop, arguments).code == Some(0);
        if !is_done {
            for what in ["rebase", "merge", "cherry-pick", "revert"] {
                self.story.sandbox.try_git(&self.story.shop, &[what, "--abort"]);
            }
            self.git(&["reset", "-q", "--hard"]);
            self.git(&["clean", "-q", "-f", "-d"]);
        }
        self.say(&format!("git {}{}", arguments.join(" "), if is_done { "" } else { " -- failed" }));
        is_done
    }

    pub(super) fn say(&self, line: &str) {
        self.lines.borrow_mut().push(line.to_owned());
    }

    pub(super) fn count(&mut self, what: &str) {
        *self.counted.entry(what.to_owned()).or_default() += 1;
    }

    /// What was done so far.
    pub(super) fn log(&self) -> String {
        let graph = self.story.sandbox.try_git(&self.story.shop, &["log", "--all", "--graph", "--oneline", "-n", "60"]);
        let rows: String = self
            .story
            .rows()
            .iter()
            .map(|row| {
                let mut row = row.clone();
                row.as_object_mut().unwrap().remove("content");
                format!("{row}\n")
            })
            .collect();
        format!("{}\n{}\n{rows}", self.lines.borrow().join("\n"), graph.stdout)
    }

    /// A stage is done and recorded: from main, from the task branch, or from where another one ended.
    fn do_a_stage(&mut self) {
        let number = u32::try_from(self.stages.len() + 1).unwrap();
        let before: Vec<String> = (1..number).filter_map(|stage| self.tip(&branch(stage))).collect();
        let base = match self.rng.below(10) {
            0..=4 => self.rng.pick(&before).cloned(),
            5 | 6 => self.tip(BRANCH),
            7 => Some(self.story.anchor.clone()),
            _ => None,
        };
        let base = base.unwrap_or_else(|| self.tip("main").unwrap());
        self.say(&format!("-- stage {number} from {}", &base[..8]));
        self.git(&["checkout", "-q", "-B", &branch(number), &base]);
        for _ in 0..self.rng.between(1, 3) {
            self.work(number);
        }
        if self.rng.percent(8) {
            self.git(&["commit", "-q", "--allow-empty", "-m", "nothing"]);
        }
        let head = self.story.rev("HEAD");
        if head == base {
            self.edit_somewhere(&format!("<{number}.0>"));
        }
        let head = self.story.rev("HEAD");
        self.story.record(number, &base, &head);
        let wrote = self.marks_of(&head).difference(&self.marks_of(&base)).cloned().collect();
        self.say(&format!("   recorded {} with {wrote:?}", &head[..8]));
        self.stages.insert(number, wrote);
        self.write_records();
    }

    /// One commit of a stage.
    fn work(&mut self, stage: u32) {
        self.serial += 1;
        let mark = format!("<{stage}.{}>", self.serial);
        match self.rng.below(10) {
            // It works on what an earlier stage wrote, or takes it back.
            0 => self.evolve_a_mark(&mark),
            1 => self.take_a_mark_back(),
            _ => self.edit_somewhere(&mark),
        }
        if self.rng.percent(30) {
            self.serial += 1;
            self.edit_and_amend(&format!("<{stage}.{}>", self.serial));
        }
    }

    /// Registry and plan as they are after this step.
    pub(super) fn write_records(&self) {
        let done: Vec<u32> = self.stages.keys().copied().collect();
        let first = done[..1].to_vec();
        self.story.write_registry(&json!({"integrations": self.integrations}));
        let all: Vec<(u32, &[u32])> = done.iter().map(|stage| (*stage, &[][..])).collect();
        let mut plan = all;
        plan.push((8, &first));
        plan.push((9, &done));
        self.story.write_plan(&plan);
    }
}
