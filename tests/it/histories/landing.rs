//! How a stage comes to main: what is committed there, in which commits, by which road.

use super::compare::edits_between;
use super::edit::Edit;
use super::model::Tree;
use super::random_edits::{Author, random_edit};
use super::recipe::{Via, Way};
use super::rng::Rng;
use super::world::World;

impl World {
    pub(super) fn land(&mut self, seed: u64, way: Way, via: Via) {
        let mut rng = Rng::new(seed);
        match way {
            Way::Merge | Way::FastForward => self.merge_stage(self.head(), way == Way::FastForward),
            Way::MergePart => {
                let commits: Vec<usize> = self.stage.iter().map(|(commit, _)| *commit).collect();
                let part = rng.pick(&commits).copied().unwrap_or(self.main);
                self.merge_stage(part, false);
            }
            Way::MergeOurs => {
                self.main = self.commit(&[self.main, self.head()], self.tree(self.main), "merge -s ours");
            }
            _ => self.land_copies(&mut rng, way, via),
        }
    }

    fn merge_stage(&mut self, head: usize, may_forward: bool) {
        if self.reaches(self.main, head) {
            return;
        }
        if may_forward && self.reaches(head, self.main) {
            self.main = head;
            return;
        }
        let mut tree = self.tree(self.main);
        let range = self.history(head) & !self.history(self.main);
        for (_, edits) in self.stage.clone().into_iter().filter(|(commit, _)| range >> commit & 1 == 1) {
            apply_all(&edits, &mut tree);
        }
        self.main = self.commit(&[self.main, head], tree, "merge stage");
    }

    fn land_copies(&mut self, rng: &mut Rng, way: Way, via: Via) {
        let groups = self.groups(rng, way);
        match via {
            Via::Straight => {
                let main = self.commit_groups(rng, way, &groups, self.main);
                self.main = main;
            }
            Via::Side | Via::Twice => {
                let line = self.first_parents(self.main);
                let fork = line.iter().position(|&commit| commit == self.fork).unwrap_or_default();
                let from = rng.pick(&line[fork..]).copied().unwrap_or(self.main);
                let side = self.commit_groups(rng, way, &groups, from);
                if via == Via::Twice {
                    let main = self.commit_groups(rng, way, &groups, self.main);
                    self.main = main;
                } else {
                    let mut tree = self.tree(self.main);
                    random_edit(self, rng, &mut tree, Author::Main);
                    self.commit_on_main(tree, "main");
                }
                self.merge_side(from, side);
            }
            Via::InsideMerge => {
                let mut tree = self.tree(self.main);
                random_edit(self, rng, &mut tree, Author::Main);
                let side = self.commit(&[self.main], tree, "side");
                let merged = self.commit_groups(rng, way, &groups, side);
                let tree = self.tree(merged);
                self.main = self.commit(&[self.main, side], tree, "merge side, and the stage in it");
            }
        }
    }

    fn merge_side(&mut self, from: usize, side: usize) {
        if self.reaches(self.main, side) {
            return;
        }
        let mut tree = self.tree(self.main);
        for edit in edits_between(&self.commits[from].tree, &self.commits[side].tree) {
            edit.apply(&mut tree);
        }
        self.main = self.commit(&[self.main, side], tree, "merge side");
    }

    /// Commits the groups on `at`; the last commit.
    fn commit_groups(&mut self, rng: &mut Rng, way: Way, groups: &[Vec<Edit>], at: usize) -> usize {
        let mut at = at;
        for (number, group) in groups.iter().enumerate() {
            let mut tree = self.tree(at);
            match way {
                Way::Theirs | Way::Both => self.resolve(way, group, &mut tree),
                _ => apply_all(group, &mut tree),
            }
            if number + 1 == groups.len() {
                self.amend(rng, way, group, &mut tree);
            }
            if tree != *self.commits[at].tree {
                at = self.commit(&[at], tree, &format!("land {way:?}"));
            }
        }
        at
    }

    /// The edits of each commit that is to be made.
    fn groups(&mut self, rng: &mut Rng, way: Way) -> Vec<Vec<Edit>> {
        let commits: Vec<Vec<Edit>> =
            self.stage.iter().map(|(_, edits)| edits.clone()).filter(|edits| !edits.is_empty()).collect();
        let net = self.net_edits();
        match way {
            Way::Rebase => commits,
            Way::Fold => {
                let mut groups: Vec<Vec<Edit>> = Vec::new();
                for commit in commits {
                    match groups.last_mut() {
                        Some(group) if rng.percent(50) => group.extend(commit),
                        _ => groups.push(commit),
                    }
                }
                groups
            }
            Way::Reorder => self.reordered(rng, commits),
            Way::SplitByFile => {
                let mut groups: Vec<(String, Vec<Edit>)> = Vec::new();
                for edit in net {
                    let file = file_of(&edit);
                    match groups.iter_mut().find(|(name, _)| *name == file) {
                        Some((_, group)) => group.push(edit),
                        None => groups.push((file, vec![edit])),
                    }
                }
                rng.shuffle(&mut groups);
                groups.into_iter().map(|(_, group)| group).collect()
            }
            Way::SplitByHunk => net.into_iter().map(|edit| vec![edit]).collect(),
            Way::DropOne => {
                let mut commits = commits;
                if !commits.is_empty() {
                    commits.remove(rng.below(commits.len()));
                }
                commits
            }
            Way::PickCommits => rng.part(&commits),
            Way::PickHunks => vec![rng.part(&net)],
            _ => vec![commits.concat()],
        }
    }

    /// What the stage does from its start to its end, as far as it does it itself.
    pub(super) fn net_edits(&self) -> Vec<Edit> {
        let start = &self.commits[self.fork].tree;
        let mut tree = Tree::clone(start);
        let own = self.stage.iter().flat_map(|(_, edits)| edits);
        if own.filter(|edit| !edit.apply(&mut tree)).count() > 0 {
            tree = self.tree(self.head());
        }
        edits_between(start, &tree)
    }

    /// The commits in another order, if all of them can be done in it and come to the same.
    fn reordered(&self, rng: &mut Rng, commits: Vec<Vec<Edit>>) -> Vec<Vec<Edit>> {
        let done = |commits: &[Vec<Edit>]| {
            let mut tree = self.tree(self.fork);
            commits.iter().flatten().all(|edit| edit.apply(&mut tree)).then_some(tree)
        };
        let mut other = commits.clone();
        rng.shuffle(&mut other);
        let same = done(&commits);
        if same.is_some() && same == done(&other) { other } else { commits }
    }
}

/// The file that an edit is of: by name where it has one, else by who it is.
fn file_of(edit: &Edit) -> String {
    match edit {
        Edit::Add { file, .. } | Edit::Delete { file, .. } => file.who.to_string(),
        Edit::Lines { who, .. }
        | Edit::Newline { who, .. }
        | Edit::Rename { who, .. }
        | Edit::Executable { who, .. }
        | Edit::Body { who, .. } => who.to_string(),
    }
}

/// Does all of the edits that can be done; what cannot is left out.
pub(super) fn apply_all(edits: &[Edit], tree: &mut Tree) {
    for edit in edits {
        edit.apply(tree);
    }
}
