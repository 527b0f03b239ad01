//! Whether a path is one of a glob's.

use super::{Glob, Token};

impl Glob {
    /// Whether it matches `path`, a path as git has it: from the project root, with `/` between its parts.
    pub fn matches(&self, path: &[u8]) -> bool {
        let last = self.tokens.len();
        let mut at = self.closed(vec![false; last + 1], 0, true);
        for (index, &byte) in path.iter().enumerate() {
            let mut next = vec![false; last + 1];
            for place in (0..last).filter(|&place| at[place]) {
                match self.tokens[place] {
                    Token::Byte(own) => next[place + 1] |= own == byte,
                    Token::Star => next[place] |= byte != b'/',
                    Token::Deep | Token::Folders => next[place] = true,
                }
            }
            let begins_part = byte == b'/' && index + 1 < path.len();
            at = (0..=last)
                .filter(|&place| next[place])
                .fold(vec![false; last + 1], |at, place| self.closed(at, place, begins_part));
        }
        !path.is_empty() && !path.ends_with(b"/") && at[last]
    }

    /// `places` with `place`, and all that follow where what stands between can be nothing.
    fn closed(&self, mut places: Vec<bool>, mut place: usize, begins_part: bool) -> Vec<bool> {
        loop {
            places[place] = true;
            let skips = match self.tokens.get(place) {
                Some(Token::Star | Token::Deep) => true,
                Some(Token::Folders) => begins_part,
                _ => false,
            };
            if !skips {
                return places;
            }
            place += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_matches_what_it_says() {
        let cases: [(&str, &[&str], &[&str]); 11] = [
            ("a/b.rs", &["a/b.rs"], &["a/b", "a/b.rs/c", "a/B.rs", "b.rs"]),
            ("*", &["a", ".a"], &["a/b", ""]),
            ("*.rs", &["a.rs", ".rs"], &["a/b.rs", "a.rsx"]),
            ("src/*/mod.rs", &["src/a/mod.rs"], &["src/mod.rs", "src/a/b/mod.rs"]),
            ("src/**/mod.rs", &["src/mod.rs", "src/a/mod.rs", "src/a/b/mod.rs"], &["src/xmod.rs", "mod.rs"]),
            ("**/mod.rs", &["mod.rs", "a/mod.rs"], &["xmod.rs", "a/xmod.rs"]),
            ("src/", &["src/a", "src/a/b"], &["src", "src/", "srcs/a"]),
            ("src/**", &["src/a", "src/a/b"], &["src", "src/"]),
            ("a**z", &["az", "a/z", "ab/c/z"], &["a", "az/"]),
            ("**", &["a", "a/b"], &["", "a/"]),
            ("日/*", &["日/本"], &["日"]),
        ];
        for (glob, yes, no) in cases {
            let glob = Glob::parse(glob).unwrap();
            for path in yes {
                assert!(glob.matches(path.as_bytes()), "{glob} {path}");
            }
            for path in no {
                assert!(!glob.matches(path.as_bytes()), "{glob} {path}");
            }
        }
        assert!(Glob::parse("a*").unwrap().matches(b"a\xff"));
    }
}
