//! The paths that a stage may touch, as globs.
//!
//! `*` is any text without `/`, also none; `**` is any text, also with `/`. Between `/` (or at the beginning) `**/` is
//! any number of folders, also none, so that `src/**/mod.rs` is `src/mod.rs` too; `/` at the end is everything below.
//! Every other character is itself, in its case. A path is parts with `/` between them, none of them empty, `.` or
//! `..`, as git has it.

mod matching;
mod meet;

pub use meet::{Budget, Meeting, meet};

/// The longest glob, in bytes.
const MAX_LENGTH: usize = 1000;

/// A glob that can be gone by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    text: String,
    tokens: Vec<Token>,
}

/// A piece of a glob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    /// This byte.
    Byte(u8),
    /// Any bytes but `/`.
    Star,
    /// Any bytes.
    Deep,
    /// Any text with a `/` at its end; none as well where a part of the path begins. What follows begins a part.
    Folders,
}

/// Why a text is no glob, as a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GlobError {
    /// There is nothing.
    #[error("it is empty")]
    Empty,
    /// It begins with `/` or a drive.
    #[error("it is absolute")]
    Absolute,
    /// It leads out of where it is.
    #[error("it has `.` or `..` as a part")]
    Dots,
    /// Two `/` follow one another.
    #[error("it has `//`")]
    EmptyPart,
    /// A backslash, which separates nothing and escapes nothing.
    #[error("it has a backslash")]
    Backslash,
    /// Something that other globs know, and this does not.
    #[error("it has `{0}`, which is no wildcard here")]
    OtherWildcard(char),
    /// Two paths in one.
    #[error("it has a comma with a space after it, as if it were two paths")]
    Two,
    /// White space around it, or a control character in it.
    #[error("it has white space around it, or a control character in it")]
    Invisible,
    /// It is longer than a path may be.
    #[error("it is longer than 1000 bytes")]
    Long,
}

impl GlobError {
    /// What to write instead.
    pub fn mend(self) -> &'static str {
        match self {
            Self::Empty | Self::Invisible => "write the path alone between the backticks",
            Self::Absolute | Self::Dots | Self::EmptyPart => {
                "write the path from the project root, as in `src/login.rs`"
            }
            Self::Backslash => "write `/` between folders",
            Self::OtherWildcard('?') => "use `*`, which is any text without `/`",
            Self::OtherWildcard(_) => "write each path out, in backticks of its own",
            Self::Two => "put each path into backticks of its own",
            Self::Long => "shorten it with `*` or `**`",
        }
    }
}

impl Glob {
    /// Reads `text` as a glob.
    ///
    /// # Errors
    /// [`GlobError`] for what is no path within the project, and for wildcards that it does not know.
    pub fn parse(text: &str) -> Result<Self, GlobError> {
        match fault(text) {
            Some(error) => Err(error),
            None => Ok(Self { text: text.to_owned(), tokens: tokens(text.as_bytes()) }),
        }
    }

    /// The glob as it is written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it is the name of one path, without wildcards and `/` at its end.
    pub fn is_one_path(&self) -> bool {
        self.tokens.iter().all(|token| matches!(token, Token::Byte(_)))
    }
}

impl std::fmt::Display for Glob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

fn fault(text: &str) -> Option<GlobError> {
    let drive = text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.get(1..3) == Some(":/");
    let below = text.strip_suffix('/').unwrap_or(text);
    let braces = text
        .split_once('{')
        .is_some_and(|(_, rest)| rest.split_once('}').is_some_and(|(in_it, _)| in_it.contains(',')));
    let wrong = [
        (text.trim().is_empty(), GlobError::Empty),
        (text.len() > MAX_LENGTH, GlobError::Long),
        (text.starts_with('/') || text.starts_with("~/") || drive, GlobError::Absolute),
        (text.contains('\\'), GlobError::Backslash),
        (below.split('/').any(|part| matches!(part, "." | "..")), GlobError::Dots),
        (below.split('/').any(str::is_empty), GlobError::EmptyPart),
        (text.contains('?'), GlobError::OtherWildcard('?')),
        (braces, GlobError::OtherWildcard('{')),
        (text.contains(", "), GlobError::Two),
        (text.trim() != text || text.contains(char::is_control), GlobError::Invisible),
    ];
    wrong.into_iter().find(|(is_wrong, _)| *is_wrong).map(|(_, error)| error)
}

fn tokens(text: &[u8]) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let stars = text[at..].iter().take_while(|&&byte| byte == b'*').count();
        at += stars.max(1);
        match stars {
            0 => tokens.push(Token::Byte(byte)),
            1 => tokens.push(Token::Star),
            // Within a part it is any text up to a `/`, which is the same but for there being none.
            _ if text.get(at) == Some(&b'/') => {
                tokens.push(Token::Folders);
                at += 1;
            }
            _ => tokens.push(Token::Deep),
        }
    }
    if matches!(text.last(), Some(b'/')) {
        tokens.push(Token::Deep);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_path_in_the_project_is_refused() {
        let cases = [
            ("", GlobError::Empty),
            ("  ", GlobError::Empty),
            ("/etc/passwd", GlobError::Absolute),
            ("/", GlobError::Absolute),
            ("~/x", GlobError::Absolute),
            ("C:/x", GlobError::Absolute),
            ("a\\b", GlobError::Backslash),
            ("../x", GlobError::Dots),
            ("a/../b", GlobError::Dots),
            ("./a", GlobError::Dots),
            ("a/.", GlobError::Dots),
            ("..", GlobError::Dots),
            ("a//b", GlobError::EmptyPart),
            ("a//", GlobError::EmptyPart),
            ("a?.rs", GlobError::OtherWildcard('?')),
            ("src/{a,b}.rs", GlobError::OtherWildcard('{')),
            ("a.rs, b.rs", GlobError::Two),
            (" a", GlobError::Invisible),
            ("a\u{7}", GlobError::Invisible),
            (&"a".repeat(1001), GlobError::Long),
        ];
        for (text, error) in cases {
            assert_eq!(Glob::parse(text), Err(error), "{text:?}");
        }
        for good in
            ["a", "a/", "*", "**", "a/**/b", "...", ".a", "[id].tsx", "{id}.tsx", "a b", "é/日本", "a,b", "x~", "a:b"]
        {
            assert_eq!(Glob::parse(good).unwrap().as_str(), good);
        }
    }
}
