//! The model of a tree: files that remember who they are when they are renamed, made of lines that know whose they are.

use std::collections::BTreeMap;
use std::rc::Rc;

/// Who may edit a line where nobody gets in another's way. Lines of two owners have a fence between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Fence,
    Stage,
    Main,
    Sibling,
}

/// A line, unique in all histories of one world: serial number, whether it looks like many others, owner, and variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Line(pub(super) u32);

const WORDS: [&str; 8] = ["let", "count", "match", "return", "while", "yield", "spawn", "merge"];
const COMMON: [&str; 4] = ["}", "", "    return;", "{"];
const COMMON_BIT: u32 = 1 << 31;

impl Line {
    pub(super) fn new(serial: u32, owner: Owner, is_common: bool) -> Self {
        let owner = match owner {
            Owner::Fence => 0,
            Owner::Stage => 1,
            Owner::Main => 2,
            Owner::Sibling => 3,
        };
        Self(serial << 4 | owner << 2 | if is_common { COMMON_BIT } else { 0 })
    }

    pub(super) fn owner(self) -> Owner {
        [Owner::Fence, Owner::Stage, Owner::Main, Owner::Sibling][(self.0 >> 2 & 3) as usize]
    }

    /// The same line with other white space.
    pub(super) fn respaced(self) -> Self {
        Self(self.0 & !3 | (self.0 + 1) & 3)
    }

    pub(super) fn text(self) -> String {
        let serial = (self.0 & !COMMON_BIT) >> 4;
        let word = |shift: u32| WORDS[(serial.wrapping_mul(2_654_435_761) >> shift & 7) as usize];
        let text = if self.0 & COMMON_BIT == 0 {
            format!("{} {} {serial}", word(7), word(17))
        } else {
            COMMON[(serial & 3) as usize].to_owned()
        };
        match self.0 & 3 {
            0 => text,
            1 => format!("    {text}"),
            2 => format!("{text} "),
            _ => format!("\t{text}"),
        }
    }
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// Lines, and whether the last one ends with a newline.
    Text(Vec<Line>, bool),
    Binary(u32),
    /// A symbolic link.
    Link(u32),
}

impl Body {
    pub(super) fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(lines, newline) => {
                let mut text = lines.iter().map(|line| line.text()).collect::<Vec<_>>().join("\n");
                if *newline && !lines.is_empty() {
                    text.push('\n');
                }
                text.into_bytes()
            }
            Self::Binary(number) => format!("\0binary\0{number}\0\n").into_bytes(),
            Self::Link(number) => format!("to/{number}").into_bytes(),
        }
    }

    pub(super) fn lines(&self) -> &[Line] {
        match self {
            Self::Text(lines, _) => lines,
            _ => &[],
        }
    }
}

/// A file. Two files with another identity and the same mode and body are one and the same to git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct File {
    /// Who it is: kept when it is renamed.
    pub(super) who: u32,
    pub(super) executable: bool,
    pub(super) body: Body,
}

impl File {
    pub(super) fn mode(&self) -> &'static str {
        match (&self.body, self.executable) {
            (Body::Link(_), _) => "120000",
            (_, true) => "100755",
            (_, false) => "100644",
        }
    }
}

/// Files by path.
pub(super) type Tree = BTreeMap<String, Rc<File>>;

/// Whether git stores the same.
pub(super) fn same(a: Option<&Rc<File>>, b: Option<&Rc<File>>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => {
            Rc::ptr_eq(a, b)
                || a.mode() == b.mode() && (a.body == b.body || looks_common(a) && a.body.bytes() == b.body.bytes())
        }
        _ => false,
    }
}

/// Whether equal bytes may come from other lines than the same.
fn looks_common(file: &File) -> bool {
    file.body.lines().is_empty() || file.body.lines().iter().any(|line| line.0 & COMMON_BIT != 0)
}

/// The paths at which two trees differ.
pub(super) fn differing(a: &Tree, b: &Tree) -> Vec<String> {
    let mut paths: Vec<&String> = a.keys().chain(b.keys()).collect();
    paths.sort_unstable();
    paths.dedup();
    paths.into_iter().filter(|path| !same(a.get(*path), b.get(*path))).cloned().collect()
}

/// Where a file is.
pub(super) fn path_of(tree: &Tree, who: u32) -> Option<&String> {
    tree.iter().find(|(_, file)| file.who == who).map(|(path, _)| path)
}
