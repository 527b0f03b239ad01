//! Edits at random, in the lines and files of one author or anywhere.

use std::rc::Rc;

use super::model::{Body, File, Line, Owner, Tree};
use super::rng::Rng;
use super::world::{World, new_path};

/// Who edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Author {
    Stage,
    Main,
    Sibling,
    /// Main, without regard to whose lines they are.
    Anyone,
}

impl Author {
    fn may_edit(self, line: Line) -> bool {
        self == Self::Anyone || line.owner() == self.owner()
    }

    /// Whether it may rename, delete or otherwise treat the file as a whole.
    fn may_handle(self, file: &File) -> bool {
        match self {
            Self::Stage => file.who.is_multiple_of(3),
            Self::Main => file.who % 3 == 1,
            Self::Sibling => file.who % 3 == 2,
            Self::Anyone => true,
        }
    }

    pub(super) fn owner(self) -> Owner {
        match self {
            Self::Stage => Owner::Stage,
            Self::Main | Self::Anyone => Owner::Main,
            Self::Sibling => Owner::Sibling,
        }
    }
}

/// One edit of `tree`; none where nothing fits.
pub(super) fn random_edit(world: &mut World, rng: &mut Rng, tree: &mut Tree, author: Author) {
    match rng.below(100) {
        0..76 => edit_lines(world, rng, tree, author),
        76..84 => {
            let path = new_path(usize::try_from(world.new_number()).unwrap_or_default());
            let file = world.new_file(14);
            let lines = file.body.lines().iter().map(|_| world.new_line(author.owner())).collect();
            let newline = !matches!(file.body, Body::Text(_, false));
            tree.insert(path, Rc::new(File { body: Body::Text(lines, newline), ..file }));
        }
        84..89 => {
            if let Some(path) = whole_file(rng, tree, author) {
                tree.remove(&path);
            }
        }
        89..93 => {
            if let Some(path) = whole_file(rng, tree, author)
                && let Some(file) = tree.remove(&path)
            {
                tree.insert(format!("{path} renamed"), file);
            }
        }
        93..96 => {
            if let Some(path) = whole_file(rng, tree, author)
                && let Some(file) = tree.get_mut(&path).filter(|file| !matches!(file.body, Body::Link(_)))
            {
                *file = Rc::new(File { executable: !file.executable, ..File::clone(file) });
            }
        }
        96..98 => change_newline(rng, tree, author),
        _ => {
            if let Some(path) = whole_file(rng, tree, author)
                && let Some(file) = tree.get_mut(&path)
            {
                let number = world.new_number();
                let body = match file.body {
                    Body::Binary(_) => Body::Binary(number),
                    Body::Link(_) => Body::Link(number),
                    Body::Text(..) => return,
                };
                *file = Rc::new(File { body, ..File::clone(file) });
            }
        }
    }
}

fn whole_file(rng: &mut Rng, tree: &Tree, author: Author) -> Option<String> {
    let paths: Vec<&String> = tree.iter().filter(|(_, file)| author.may_handle(file)).map(|(path, _)| path).collect();
    rng.pick(&paths).map(|path| (*path).clone())
}

fn change_newline(rng: &mut Rng, tree: &mut Tree, author: Author) {
    if let Some(path) = whole_file(rng, tree, author)
        && let Some(file) = tree.get_mut(&path)
        && let Body::Text(lines, newline) = &file.body
        && !lines.is_empty()
    {
        *file = Rc::new(File { body: Body::Text(lines.clone(), !newline), ..File::clone(file) });
    }
}

fn edit_lines(world: &mut World, rng: &mut Rng, tree: &mut Tree, author: Author) {
    let fits = |file: &Rc<File>| file.body.lines().iter().any(|line| author.may_edit(*line));
    let paths: Vec<String> = tree.iter().filter(|(_, file)| fits(file)).map(|(path, _)| path.clone()).collect();
    let Some(file) = rng.pick(&paths).and_then(|path| tree.get_mut(path)) else { return };
    let Body::Text(mut lines, newline) = file.body.clone() else { return };
    let places: Vec<usize> = (0..lines.len()).filter(|&at| author.may_edit(lines[at])).collect();
    let Some(&start) = rng.pick(&places) else { return };
    let owner = lines[start].owner();
    let reach = lines[start..].iter().take_while(|line| author.may_edit(**line)).count();
    match rng.below(100) {
        0..12 => lines[start] = lines[start].respaced(),
        kind => {
            let old = if kind < 35 { 0 } else { rng.between(1, reach.min(3)) };
            let new = if kind >= 80 { 0 } else { rng.between(1, 3) };
            let new: Vec<Line> = (0..new).map(|_| world.new_line(owner)).collect();
            lines.splice(start..start + old, new);
        }
    }
    *file = Rc::new(File { body: Body::Text(lines, newline), ..File::clone(file) });
}
