//! Rust files, with and without their comments and texts.

use std::fs;
use std::path::Path;

use super::root;

/// A Rust file of the repository.
#[derive(Clone)]
pub(super) struct Source {
    /// Its path from the repository's folder, with `/`.
    pub(super) path: String,
    /// All of it.
    pub(super) text: String,
    code: String,
    without_comments: String,
}

impl Source {
    pub(super) fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let path = path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
        let code = blank(&text, true);
        let without_comments = blank(&text, false);
        Self { path, text, code, without_comments }
    }

    /// The code: comments, and what stands in texts, are blanks. Lines keep their numbers.
    pub(super) fn code(&self) -> &str {
        &self.code
    }

    /// The code without its test modules, which are blanks. A file `tests.rs` is one as a whole.
    pub(super) fn production_code(&self) -> String {
        if self.is_tests() {
            return String::new();
        }
        let mut code = self.code.clone();
        let mut from = 0;
        while let Some(start) = code[from..].find("#[cfg(test)]").map(|at| from + at) {
            from = start + "#[cfg(test)]".len();
            let item = code[from..].trim_start();
            let Some(open) = code[from..].find('{').filter(|_| item.starts_with("mod ") || item.starts_with("pub"))
            else {
                continue;
            };
            let end = from + open + block_length(&code[from + open..]);
            let blank: String = code[start..end].chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
            code.replace_range(start..end, &blank);
        }
        code
    }

    /// Whether the file is the test module of another.
    pub(super) fn is_tests(&self) -> bool {
        self.path.ends_with("/tests.rs")
    }

    /// The code with its texts; comments are blanks.
    pub(super) fn without_comments(&self) -> &str {
        &self.without_comments
    }

    /// Whether it is the file `src/<place>`, or a file of the room `src/<place>/`.
    pub(super) fn is_in(&self, place: &str) -> bool {
        let rest = self.path.strip_prefix("src/").and_then(|path| path.strip_prefix(place));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// All Rust files below `folder`; none where there is no such folder.
pub(super) fn all_sources(folder: &str) -> Vec<Source> {
    let mut sources = Vec::new();
    collect(&root().join(folder), &mut sources);
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

fn collect(folder: &Path, sources: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push(Source::read(&path));
        }
    }
}

/// Puts blanks for comments and, if `texts`, for what stands in texts and characters. Line breaks stay.
fn blank(text: &str, texts: bool) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let (length, keep) = token(rest, at.checked_sub(1).map(|before| bytes[before]));
        let piece = &rest[..length];
        let shown = match keep {
            Token::Code => true,
            Token::Text => !texts,
            Token::Comment => false,
        };
        out.extend(piece.chars().map(|c| if shown || c == '\n' { c } else { ' ' }));
        at += length;
    }
    out
}

/// The length of the block in braces that `code` begins with.
fn block_length(code: &str) -> usize {
    let mut depth = 0;
    for (at, c) in code.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return at + 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

enum Token {
    Code,
    Text,
    Comment,
}

/// The length and kind of what `rest` begins with; `before` is the byte before it.
fn token(rest: &str, before: Option<u8>) -> (usize, Token) {
    let until = |end: &str, from: usize| rest[from..].find(end).map_or(rest.len(), |at| from + at);
    if rest.starts_with("//") {
        return (until("\n", 0), Token::Comment);
    }
    if rest.starts_with("/*") {
        return ((until("*/", 2) + 2).min(rest.len()), Token::Comment);
    }
    let in_name = before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let raw = rest.strip_prefix("br").or(rest.strip_prefix('r')).filter(|_| !in_name);
    if let Some(raw) = raw {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let start = rest.len() - raw.len() + hashes + 1;
            let end = format!("\"{}", "#".repeat(hashes));
            return ((until(&end, start) + end.len()).min(rest.len()), Token::Text);
        }
    }
    if rest.starts_with('"') {
        return (quoted(rest, '"'), Token::Text);
    }
    // A character, not a lifetime: `'x'` or `'\…'`.
    let mut characters = rest.chars();
    if characters.next() == Some('\'') {
        let (first, second) = (characters.next(), characters.next());
        if first == Some('\\') || second == Some('\'') {
            return (quoted(rest, '\''), Token::Text);
        }
    }
    (rest.chars().next().map_or(0, char::len_utf8), Token::Code)
}

/// The length of the quoted piece that `rest` begins with.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

#[test]
fn comments_and_texts_become_blanks() {
    let text = "a // b\n/* c\n */ d \"e // \\\" f\" g r#\"h \" i\"# 'j' '\\'' &'k l for";
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&blank(text, true)), ["a", "d", "g", "&'k", "l", "for"]);
    assert_eq!(blank(text, true).lines().count(), 3);
    assert_eq!(words(&blank(text, false)).join(" "), "a d \"e // \\\" f\" g r#\"h \" i\"# 'j' '\\'' &'k l for");
}

#[test]
fn only_test_modules_are_left_out() {
    let text = "a;\n#[cfg(test)]\nmod tests {\n fn b() { c }\n}\nd;\n#[cfg(test)]\npub(super) mod tests { e }\nf;\n"
        .to_owned();
    let source = Source { path: String::new(), code: text.clone(), without_comments: text.clone(), text };
    assert_eq!(source.production_code().split_whitespace().collect::<Vec<_>>(), ["a;", "d;", "f;"]);
    assert_eq!(source.production_code().lines().count(), source.text.lines().count());
}
