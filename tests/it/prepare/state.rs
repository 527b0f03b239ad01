//! Everything that a project and okstra's own folder hold, so that two ways to it can be compared: without times, ids that
//! are made from times, and processes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::shop::Shop;

/// Every file and ref by its name, and what it holds.
pub(super) type State = BTreeMap<String, String>;

impl Shop {
    /// The state now.
    pub(super) fn state(&self) -> State {
        let commits = self.sandbox.git(&self.folder, &["log", "--all", "--format=%H %T"]);
        let commits: Vec<(&str, &str)> = commits.lines().filter_map(|line| line.split_once(' ')).collect();
        let mut state = State::new();
        read(&self.folder.join(".okstra"), ".okstra", &mut state);
        read(&self.home(), "home", &mut state);
        let refs = self.sandbox.git(&self.folder, &["for-each-ref", "--format=%(refname) %(objectname)"]);
        // What the mirror holds has times; that it is as on disk is doctor's question.
        let refs = refs.lines().map(|line| line.split_once(' ').unwrap());
        state.extend(refs.map(|(name, at)| match name.starts_with("refs/okstra/state/") {
            true => (name.to_owned(), String::new()),
            false => (name.to_owned(), at.to_owned()),
        }));
        let worktrees = self.sandbox.git(&self.folder, &["worktree", "list", "--porcelain"]);
        state.insert("worktrees".to_owned(), worktrees);
        state.into_iter().map(|(name, text)| (blank(&name, &commits), blank(&text, &commits))).collect()
    }

    /// Keeps everything as it is now, for [`Shop::restore`].
    pub(super) fn save(&self) {
        let saved = self.sandbox.path().join("saved");
        fs::create_dir_all(self.home()).unwrap();
        for folder in [&self.folder, &self.home()] {
            copy(folder, &saved.join(folder.file_name().unwrap()));
        }
    }

    /// Everything is as it was when it was saved.
    pub(super) fn restore(&self) {
        for folder in [&self.folder, &self.home()] {
            fs::remove_dir_all(folder).unwrap();
            copy(&self.sandbox.path().join("saved").join(folder.file_name().unwrap()), folder);
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    assert!(std::process::Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
}

/// The files below a folder: locks and temporary files are nobody's state.
fn read(folder: &Path, name: &str, state: &mut State) {
    for entry in fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
        let file = entry.file_name().into_string().unwrap();
        let name = format!("{name}/{file}");
        if entry.file_type().unwrap().is_dir() {
            read(&entry.path(), &name, state);
        } else if !file.ends_with(".lock") && !file.ends_with(".tmp") {
            state.insert(name, String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned());
        }
    }
}

/// `text` without what two runs of the same never have in common. Commits stand as their trees: their dates differ.
fn blank(text: &str, commits: &[(&str, &str)]) -> String {
    // A check that is run again has another log.
    let text = text.replace("-a2.log", ".log");
    let mut text = commits.iter().fold(text, |text, (commit, tree)| text.replace(commit, tree));
    for field in ["\"durationMs\":", "\"pid\":", "\"process_start\":"] {
        let mut parts = text.split(field);
        let first = parts.next().unwrap_or_default().to_owned();
        text = parts.fold(first, |text, part| {
            let end = part.find([',', '\n', '}']).unwrap_or(part.len());
            format!("{text}{field} _{}", &part[end..])
        });
    }
    let (mut blanked, mut rest) = (String::new(), text.as_str());
    while let Some(first) = rest.chars().next() {
        let length = if shaped(rest, "0000-00-00T00:00:00Z") {
            20
        } else if shaped(rest, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx") {
            36
        } else {
            0
        };
        if length > 0 {
            blanked.push('_');
            rest = &rest[length..];
        } else {
            blanked.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    blanked
}

/// Whether `text` begins like `shape`, in which `0` is a digit, `x` a hexadecimal one, and all else itself.
fn shaped(text: &str, shape: &str) -> bool {
    text.len() >= shape.len()
        && text.bytes().zip(shape.bytes()).all(|(byte, shape)| match shape {
            b'0' => byte.is_ascii_digit(),
            b'x' => byte.is_ascii_hexdigit(),
            other => byte == other,
        })
}
