//! What becomes of a stage on main once it landed; and the integration of a stage and its sibling.

use super::altered::change_text;
use super::compare::edits_between;
use super::edit::{Edit, Status};
use super::landing::apply_all;
use super::random_edits::{Author, random_edit};
use super::rng::Rng;
use super::world::World;

impl World {
    pub(super) fn revert(&mut self, seed: u64, part: bool) {
        let mut rng = Rng::new(seed);
        let mut tree = self.tree(self.main);
        let edits: Vec<Edit> = self.net_edits().into_iter().filter(|edit| edit.status(&tree) == Status::In).collect();
        let edits = if part { rng.part(&edits) } else { edits };
        for edit in edits.iter().rev() {
            edit.inverse().apply(&mut tree);
        }
        self.commit_on_main(tree, "revert");
    }

    /// Changes lines that the stage brought.
    pub(super) fn evolve(&mut self, seed: u64) {
        let mut rng = Rng::new(seed);
        let mut tree = self.tree(self.main);
        for edit in self.net_edits() {
            let (who, new) = match &edit {
                Edit::Lines { who, new, .. } => (*who, new.clone()),
                Edit::Add { file, .. } => (file.who, file.body.lines().to_vec()),
                _ => continue,
            };
            let Some(line) = rng.pick(&new).copied().filter(|_| rng.percent(60)) else { continue };
            let fresh = if rng.percent(30) { line.respaced() } else { self.new_line(line.owner()) };
            change_text(&mut tree, who, |lines, _| {
                if let Some(at) = lines.iter().position(|found| *found == line).filter(|_| !lines.contains(&fresh)) {
                    lines[at] = fresh;
                }
            });
        }
        self.commit_on_main(tree, "evolve");
    }

    pub(super) fn move_file(&mut self, seed: u64, delete: bool) {
        let mut rng = Rng::new(seed);
        let mut tree = self.tree(self.main);
        let touched: Vec<u32> = self
            .net_edits()
            .iter()
            .filter_map(|edit| match edit {
                Edit::Lines { who, .. } => Some(*who),
                Edit::Add { file, .. } => Some(file.who),
                _ => None,
            })
            .collect();
        let who = rng.pick(&touched).copied();
        let path = who.and_then(|who| super::model::path_of(&tree, who)).cloned();
        if let Some((path, file)) = path.and_then(|path| tree.remove_entry(&path)) {
            if !delete {
                tree.insert(format!("{path} moved"), file);
            }
            self.commit_on_main(tree, if delete { "delete" } else { "move" });
        }
    }

    /// A sibling stage from the same fork, both merged, reviewed, and the whole squashed on main; or all but a part.
    pub(super) fn integrate(&mut self, seed: u64, review: bool, whole: bool) {
        let mut rng = Rng::new(seed);
        let mut tree = self.tree(self.fork);
        for _ in 0..rng.between(1, 3) {
            random_edit(self, &mut rng, &mut tree, Author::Sibling);
        }
        let sibling = self.commit(&[self.fork], tree, "sibling");
        let mut tree = self.tree(self.head());
        for edit in edits_between(&self.commits[self.fork].tree, &self.commits[sibling].tree) {
            edit.apply(&mut tree);
        }
        let mut top = self.commit(&[self.head(), sibling], tree, "integrate");
        if review {
            let mut tree = self.tree(top);
            let author = if rng.percent(50) { Author::Stage } else { Author::Sibling };
            random_edit(self, &mut rng, &mut tree, author);
            top = self.commit(&[top], tree, "review");
        }
        self.integration = Some(top);
        let edits = edits_between(&self.commits[self.fork].tree, &self.commits[top].tree);
        let edits = if whole { edits } else { rng.part(&edits) };
        let mut tree = self.tree(self.main);
        apply_all(&edits, &mut tree);
        self.commit_on_main(tree, "land the integration");
    }
}
