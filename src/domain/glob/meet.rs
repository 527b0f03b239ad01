//! Whether two globs have a path in common, and which.
//!
//! Each glob is an automaton over the bytes of a path; both are walked at once, together with one that accepts only
//! paths as git has them, breadth first, so that what is found is a shortest common path. Where both globs leave a byte
//! open, one that stands in neither is as good as any other, so the walk needs no alphabet.

use std::collections::{HashMap, VecDeque};

use super::{Glob, Token};

/// How much may still be looked at, so that the time for a whole plan has a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget(pub usize);

/// What two globs have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// No path.
    Nowhere,
    /// This path, and perhaps others.
    At(String),
    /// The budget was spent before that was known.
    Unknown,
}

/// How far the part of the path goes that is being written: no part is empty, `.` or `..`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Begins,
    Dot,
    Dots,
    Named,
}

/// Where the walk is: in the one glob, in the other, in the path.
type State = (usize, usize, Part);
/// From where a state was reached, and by which byte.
type Reached = HashMap<State, (State, Option<u8>)>;

/// Looks for a path that both globs match.
pub fn meet(a: &Glob, b: &Glob, budget: &mut Budget) -> Meeting {
    if !prefixes_fit(&a.tokens, &b.tokens) {
        return Meeting::Nowhere;
    }
    let start = (0, 0, Part::Begins);
    let mut reached = Reached::new();
    let mut left = VecDeque::from([(start, start, None)]);
    let open = open_byte(a, b);
    while let Some((state, before, byte)) = left.pop_front() {
        if reached.contains_key(&state) {
            continue;
        }
        reached.insert(state, (before, byte));
        if state == (a.tokens.len(), b.tokens.len(), Part::Named) {
            return Meeting::At(path_to(state, start, &reached));
        }
        let Some(rest) = budget.0.checked_sub(1) else { return Meeting::Unknown };
        budget.0 = rest;
        for (next, byte) in steps(a, b, state, open) {
            // A step that adds no byte goes before those that do: what is found first is then shortest.
            match byte {
                None => left.push_front((next, state, byte)),
                Some(_) => left.push_back((next, state, byte)),
            }
        }
    }
    Meeting::Nowhere
}

/// Whether the bytes before the first wildcard of either do not contradict each other: a quick no for most pairs.
fn prefixes_fit(a: &[Token], b: &[Token]) -> bool {
    let both_bytes = a.iter().zip(b).take_while(|pair| matches!(pair, (Token::Byte(_), Token::Byte(_))));
    both_bytes.into_iter().all(|(a, b)| a == b)
}

/// The steps out of a state: past a wildcard that can be nothing, or by a byte.
fn steps(a: &Glob, b: &Glob, (i, j, part): State, open: u8) -> Vec<(State, Option<u8>)> {
    let (first, second) = (a.tokens.get(i), b.tokens.get(j));
    let skips = |token: Option<&Token>| match token {
        Some(Token::Star | Token::Deep) => true,
        Some(Token::Folders) => part == Part::Begins,
        _ => false,
    };
    let mut steps = Vec::new();
    steps.extend(skips(first).then_some(((i + 1, j, part), None)));
    steps.extend(skips(second).then_some(((i, j + 1, part), None)));
    let (Some(first), Some(second)) = (first, second) else { return steps };
    let bytes = match (first, second) {
        (Token::Byte(byte), _) | (_, Token::Byte(byte)) => [Some(*byte), None],
        _ => [Some(open), Some(b'/')],
    };
    for byte in bytes.into_iter().flatten() {
        if let (Some(di), Some(dj), Some(part)) = (taken(*first, byte), taken(*second, byte), part.after(byte)) {
            steps.push(((i + di, j + dj, part), Some(byte)));
        }
    }
    steps
}

/// How far a token moves its glob when it takes `byte`; nothing when it does not take it.
fn taken(token: Token, byte: u8) -> Option<usize> {
    match token {
        Token::Byte(own) => (own == byte).then_some(1),
        Token::Star => (byte != b'/').then_some(0),
        Token::Deep | Token::Folders => Some(0),
    }
}

impl Part {
    fn after(self, byte: u8) -> Option<Self> {
        match (self, byte) {
            (Self::Named, b'/') => Some(Self::Begins),
            (_, b'/') => None,
            (Self::Begins, b'.') => Some(Self::Dot),
            (Self::Dot, b'.') => Some(Self::Dots),
            _ => Some(Self::Named),
        }
    }
}

/// A byte that stands in neither glob, a letter where there is one.
fn open_byte(a: &Glob, b: &Glob) -> u8 {
    let is_free = |byte: &u8| !a.text.as_bytes().contains(byte) && !b.text.as_bytes().contains(byte);
    (b'x'..=b'z').chain(b'a'..=b'w').chain(b'0'..=b'9').chain(b'A'..=b'Z').chain(b' '..=b'~').find(is_free).unwrap_or(1)
}

fn path_to(end: State, start: State, reached: &Reached) -> String {
    let (mut bytes, mut at) = (Vec::new(), end);
    while at != start {
        let Some((before, byte)) = reached.get(&at) else { break };
        bytes.extend(byte);
        at = *before;
    }
    bytes.reverse();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod oracle;
#[cfg(test)]
mod tests {
    use super::*;

    fn at(a: &str, b: &str) -> Option<String> {
        let globs = [a, b].map(|text| Glob::parse(text).unwrap());
        match meet(&globs[0], &globs[1], &mut Budget(1_000_000)) {
            Meeting::At(path) => Some(path),
            Meeting::Nowhere => None,
            Meeting::Unknown => panic!("{a} {b}"),
        }
    }

    #[test]
    fn globs_that_meet_do_so_at_a_shortest_path() {
        let cases = [
            ("a", "a", Some("a")),
            ("a", "b", None),
            ("src/*.rs", "src/main.rs", Some("src/main.rs")),
            ("src/*.rs", "src/a/main.rs", None),
            ("src/**", "src/a/main.rs", Some("src/a/main.rs")),
            ("src/", "src", None),
            ("src/", "src/", Some("src/x")),
            ("src/", "**/x.rs", Some("src/x.rs")),
            ("src/**/mod.rs", "src/mod.rs", Some("src/mod.rs")),
            ("*.rs", "a*", Some("a.rs")),
            ("a*b", "ab*", Some("ab")),
            ("*.ts", "*.js", None),
            ("*a", "a*", Some("a")),
            ("*.test.*", "login.*", Some("login.test.")),
            (".*", "*.", Some(".x.")),
            ("x*", "*x", Some("x")),
            ("é*", "*é", Some("é")),
            ("docs/*/a", "docs/b/*", Some("docs/b/a")),
            ("**/a/**", "b/*/c", Some("b/a/c")),
        ];
        for (a, b, path) in cases {
            assert_eq!(at(a, b).as_deref(), path, "{a} {b}");
            let turned = at(b, a);
            assert_eq!(turned.is_some(), path.is_some(), "{b} {a}");
        }
    }

    #[test]
    fn a_budget_that_is_spent_says_so() {
        let glob = Glob::parse("**a**b**c").unwrap();
        let mut budget = Budget(3);
        assert_eq!(meet(&glob, &glob, &mut budget), Meeting::Unknown);
        assert_eq!(budget, Budget(0));
    }
}
