//! A history as it is made from its recipe: commits with their trees, and who made what.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::compare::edits_between;
use super::edit::Edit;
use super::model::{Body, File, Line, Owner, Tree};
use super::random_edits::{Author, random_edit};
use super::recipe::{Operation, Recipe};
use super::rng::Rng;

/// The commits of a history are told apart by the bits of a number.
pub(super) const MOST_COMMITS: usize = 120;

/// A commit.
#[derive(Clone, Debug)]
pub(super) struct Commit {
    pub(super) parents: Vec<usize>,
    pub(super) tree: Rc<Tree>,
    pub(super) time: i64,
    pub(super) subject: String,
}

/// A history.
pub(super) struct World {
    pub(super) commits: Vec<Commit>,
    /// The tip of main: the candidate.
    pub(super) main: usize,
    /// Where the stage started; the tip of main until then.
    pub(super) fork: usize,
    /// The stage's commits, oldest first, with what each edits; merges edit nothing.
    pub(super) stage: Vec<(usize, Vec<Edit>)>,
    /// The integration that holds the stage.
    pub(super) integration: Option<usize>,
    /// Some landing took in something that is not quite what the stage made.
    pub(super) is_altered: bool,
    /// Something of the stage came to main, or was taken back there or in the stage itself.
    pub(super) is_disturbed: bool,
    /// Something was taken back on main.
    pub(super) is_reverted: bool,
    pub(super) is_common: bool,
    is_skewed: bool,
    pub(super) rng: Rng,
    serial: u32,
}

impl World {
    pub(super) fn build(recipe: &Recipe) -> Self {
        let mut world = Self {
            commits: Vec::new(),
            main: 0,
            fork: 0,
            stage: Vec::new(),
            integration: None,
            is_altered: false,
            is_disturbed: false,
            is_reverted: false,
            is_common: recipe.is_common,
            is_skewed: recipe.is_skewed,
            rng: Rng::new(recipe.seed ^ 0xba5e),
            serial: 0,
        };
        let first = world.first_tree();
        world.main = world.commit(&[], first, "first");
        for operation in &recipe.operations {
            if world.commits.len() + 30 < MOST_COMMITS {
                world.run(*operation);
            }
        }
        world
    }

    fn run(&mut self, operation: Operation) {
        self.is_reverted |= matches!(operation, Operation::Revert { .. });
        self.is_disturbed |= matches!(
            operation,
            Operation::Land { .. } | Operation::Integrate { .. } | Operation::Revert { .. } | Operation::Undo { .. }
        );
        match operation {
            Operation::Main { seed, edits, anywhere } => {
                let author = if anywhere { Author::Anyone } else { Author::Main };
                self.edit_main(seed, edits, author);
            }
            Operation::Stage { seed, edits } => self.go_on_with_stage(seed, edits),
            Operation::Undo { whole } => self.undo_in_stage(whole),
            Operation::MergeMain => self.merge_main(),
            _ if self.stage.is_empty() => {}
            Operation::Land { seed, way, via } => self.land(seed, way, via),
            Operation::Revert { seed, part } => self.revert(seed, part),
            Operation::Evolve { seed } => self.evolve(seed),
            Operation::Move { seed, delete } => self.move_file(seed, delete),
            Operation::Integrate { seed, review, whole } => self.integrate(seed, review, whole),
        }
    }

    pub(super) fn commit(&mut self, parents: &[usize], tree: Tree, subject: &str) -> usize {
        let number = self.commits.len();
        let step = i64::try_from(number).unwrap_or_default() * 60;
        let skew = if self.is_skewed { i64::try_from(self.rng.below(20_000)).unwrap_or_default() - 10_000 } else { 0 };
        let subject = format!("{number}: {subject}");
        self.commits.push(Commit {
            parents: parents.to_vec(),
            tree: Rc::new(tree),
            time: 1_700_000_000 + step + skew,
            subject,
        });
        number
    }

    /// A commit on main with `tree`, unless that changes nothing.
    pub(super) fn commit_on_main(&mut self, tree: Tree, subject: &str) {
        if *self.commits[self.main].tree != tree {
            self.main = self.commit(&[self.main], tree, subject);
        }
    }

    pub(super) fn tree(&self, commit: usize) -> Tree {
        Tree::clone(&self.commits[commit].tree)
    }

    /// The stage's tip; where it will start before there is one.
    pub(super) fn head(&self) -> usize {
        self.stage.last().map_or(self.main, |(commit, _)| *commit)
    }

    pub(super) fn new_line(&mut self, owner: Owner) -> Line {
        self.serial += 1;
        let is_common = self.is_common && self.rng.percent(35);
        Line::new(self.serial, owner, is_common)
    }

    pub(super) fn new_number(&mut self) -> u32 {
        self.serial += 1;
        self.serial
    }

    /// Whether every file keeps its path, and main deletes none.
    pub(super) fn keeps_paths(&self) -> bool {
        let mut paths: BTreeMap<u32, &String> = BTreeMap::new();
        let trees = self.commits.iter().flat_map(|commit| commit.tree.iter());
        trees.into_iter().all(|(path, file)| *paths.entry(file.who).or_insert(path) == path)
            && self.commits.iter().filter(|commit| commit.subject.ends_with(": main")).all(|commit| {
                let parent = commit.parents.first().map(|&parent| &self.commits[parent].tree);
                parent.is_none_or(|tree| tree.keys().all(|path| commit.tree.contains_key(path)))
            })
    }

    fn first_tree(&mut self) -> Tree {
        let mut tree = Tree::new();
        for number in 0..self.rng.between(3, 6) {
            let file = self.new_file(24);
            tree.insert(new_path(number), Rc::new(file));
        }
        for (path, body) in [("data.bin", Body::Binary(1)), ("lib/logo.bin", Body::Binary(2)), ("link", Body::Link(1))]
        {
            let who = self.new_number();
            tree.insert(path.to_owned(), Rc::new(File { who, executable: false, body }));
        }
        tree
    }

    /// A file of blocks that belong to one owner each, with fences between them.
    pub(super) fn new_file(&mut self, most_lines: usize) -> File {
        let wanted = self.rng.between(most_lines / 3, most_lines);
        let mut lines = vec![self.new_line(Owner::Fence)];
        while lines.len() < wanted {
            let owner = [Owner::Stage, Owner::Main, Owner::Sibling, Owner::Stage][self.rng.below(4)];
            for _ in 0..self.rng.between(2, 5) {
                let line = self.new_line(owner);
                lines.push(line);
            }
            let fence = self.new_line(Owner::Fence);
            lines.push(fence);
        }
        let newline = !self.rng.percent(10);
        File { who: self.new_number(), executable: self.rng.percent(10), body: Body::Text(lines, newline) }
    }

    fn edit_main(&mut self, seed: u64, edits: usize, author: Author) {
        let mut rng = Rng::new(seed);
        let mut tree = self.tree(self.main);
        for _ in 0..edits {
            random_edit(self, &mut rng, &mut tree, author);
        }
        self.commit_on_main(tree, "main");
    }

    fn go_on_with_stage(&mut self, seed: u64, edits: usize) {
        let mut rng = Rng::new(seed);
        let parent = self.head();
        let mut tree = self.tree(parent);
        for _ in 0..edits {
            random_edit(self, &mut rng, &mut tree, Author::Stage);
        }
        self.commit_on_stage(tree, "stage");
    }

    fn commit_on_stage(&mut self, tree: Tree, subject: &str) {
        let parent = self.head();
        if self.stage.is_empty() {
            self.fork = self.main;
        }
        let edits = edits_between(&self.commits[parent].tree, &tree);
        let commit = self.commit(&[parent], tree, subject);
        self.stage.push((commit, edits));
    }

    fn undo_in_stage(&mut self, whole: bool) {
        let mut tree = self.tree(self.head());
        if let Some((_, edits)) = self.stage.last().filter(|_| whole) {
            for edit in edits.iter().rev() {
                edit.inverse().apply(&mut tree);
            }
        }
        self.commit_on_stage(tree, if whole { "stage: undo" } else { "stage: nothing" });
    }

    /// Main into the stage: what main did since they parted, done to the stage's tree.
    fn merge_main(&mut self) {
        let (head, main) = (self.head(), self.main);
        let base = self.merge_bases(head, main);
        let &[base] = base.as_slice() else { return };
        if base == main || self.stage.is_empty() {
            return;
        }
        let mut tree = self.tree(head);
        for edit in edits_between(&self.commits[base].tree, &self.commits[main].tree) {
            edit.apply(&mut tree);
        }
        let merge = self.commit(&[head, main], tree, "merge main into stage");
        self.stage.push((merge, Vec::new()));
    }
}

pub(super) fn new_path(number: usize) -> String {
    let folder = ["", "src/", "src/deep/", "docs/", "lib/"][number % 5];
    format!("{folder}file {number}.txt")
}
